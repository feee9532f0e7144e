"""Rule files that a person trusts, for tests of the screen that shows them."""

from __future__ import annotations

import os
from pathlib import Path

from signoff.policy.trust import trust

__all__ = ["CHANGED", "RULES", "change", "trusted_rules"]

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
