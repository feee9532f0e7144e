"""A directory for the temporary files of one confined command that cannot have a ``/tmp`` of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import weakref
from collections.abc import Mapping

__all__ = ["Scratch"]

_TMP = "/tmp"  # noqa: S108 - the name that environments of commands have for it


class Scratch:
    """A new directory, to be removed with the process object of its command, or when this program ends."""

    def __init__(self) -> None:
        self.path = os.path.realpath(tempfile.mkdtemp(prefix="signoff-"))

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """Return an environment in which ``HOME`` and ``TMPDIR`` are this directory where they were ``/tmp``."""
        moved = {name: self.path for name in ("HOME", "TMPDIR") if env.get(name) == _TMP}
        return {"TMPDIR": self.path} | dict(env) | moved

    def remove(self) -> None:
        """Remove it."""
        _remove(self.path)

    def remove_with(self, process: subprocess.Popen[bytes]) -> None:
        """Remove it once nobody has the process object any more."""
        weakref.finalize(process, _remove, self.path)


def _remove(path: str) -> None:
    try:
        shutil.rmtree(path, ignore_errors=True)
    except RecursionError:  # too deep to be removed
        return
