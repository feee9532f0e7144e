"""The reasons of a risk in words for people. The queue, filters and JSON have the codes."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["risk_reasons"]

_UNKNOWN_COMMAND = "unknown-command"
"""A reason that is left out if there is another one."""

_WORDS = {
    "answers-requests": "answers approvals",
    "ci-file": "CI file",
    "delete": "deletes files",
    "discards-work": "discards uncommitted work",
    "hidden-length": "end may be hidden",
    "network": "uses the network",
    "outside-root": "outside the project",
    "package-scripts": "installs packages",
    "privilege": "runs as another user",
    "redirection": "writes to a file",
    "runs-download": "runs code from the network",
    "runs-project-code": "runs project code",
    "shell-string": "runs a script given as text",
    "side-door": "option that runs programs",
    "start-up-file": "runs at login or start",
    "substitution": "runs a computed command",
    "unknown-effects": "cannot tell what this changes",
}
"""The codes whose words are others than the code itself with blanks."""

_CODE = re.compile(r"[a-z]+(?:-[a-z]+)*")


def risk_reasons(codes: Iterable[str]) -> tuple[str, ...]:
    """Return reasons in words, in their order. Others than our codes come back as they are, not safe to show."""
    codes = list(dict.fromkeys(codes))
    told = [code for code in codes if code != _UNKNOWN_COMMAND] or codes
    return tuple(_WORDS.get(code) or (code.replace("-", " ") if _CODE.fullmatch(code) else code) for code in told)
