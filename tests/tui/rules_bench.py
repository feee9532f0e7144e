"""Rule files that a person trusts, for tests of the screen that shows them."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from signoff.policy.trust import trust
from signoff_tui.screens.rules.files import RuleFile, read_files
from signoff_tui.screens.rules.trust_change import TrustChange, look_at

__all__ = ["CHANGED", "RULES", "at_home", "change", "trusted_rules"]

RULES = """\
approval_mode: interactive
sandbox:
  paths:
    src: {root: ., mode: rw, write_approval: true}
shell:
  rules:
    - {pattern: git status, approval: false}
    - {pattern: git commit}
    - {pattern: rm, allowed: false}
"""

CHANGED = RULES.replace("pattern: git commit}", "pattern: git commit, approval: false}")


def trusted_rules(folder: Path, text: str = RULES, name: str = "signoff.yaml") -> Path:
    """A rule file that is trusted as it is."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, "utf-8")
    trust({str(path): path.read_bytes()})
    return path


def change(path: Path, text: str = CHANGED) -> None:
    """Put another content in place of a file, as editors do."""
    other = path.with_name(f".{path.name}.new")
    other.write_text(text, "utf-8")
    os.replace(other, path)  # noqa: PTH105 - as editors do


def at_home(folder: Path) -> tuple[Any, Any]:
    """Readers of the files that name them as if they were at home, wherever the test runs."""

    def named(path: str) -> str:
        return path.replace(str(folder.resolve()), "/home/ada")

    def files() -> tuple[RuleFile, ...]:
        return tuple(
            replace(file, known=dataclasses.replace(file.known, name=named(file.name))) for file in read_files()
        )

    def changed(file: str) -> TrustChange | None:
        found = look_at(file.replace("/home/ada", str(folder.resolve())))
        return found and replace(
            found, file=file, documents={named(name): document for name, document in found.documents.items()}
        )

    return files, changed
