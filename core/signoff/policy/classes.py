"""What a tool probably does, by its name: known to be safe, known to be dangerous, or guessed.

A guess can make a call be asked about, never let one through: names are chosen by whoever wrote the tool.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

__all__ = ["DANGEROUS_TOOLS", "SAFE_TOOLS", "ApprovalPolicies", "Guess", "ToolClass", "class_of", "guesses"]

SAFE_TOOLS = frozenset(
    {
        "read", "read_file", "glob", "grep", "search",
        "list_files", "get_file_info", "task", "load_guide",
        "enter_plan_mode", "exit_plan_mode", "write_plan",
        "task_output", "ask_user",
    }
)  # fmt: skip
"""Tools that only read, as the tool approval of connectonion lists them."""

DANGEROUS_TOOLS = frozenset(
    {
        "bash", "shell", "run", "run_in_dir",
        "write", "edit", "multi_edit",
        "run_background", "kill_task",
        "send_email", "post", "delete", "remove",
    }
)  # fmt: skip
"""Tools that change files or have other effects, as the same list has them."""


class ToolClass(StrEnum):
    """What is known of a tool."""

    SAFE = "safe"
    """It only reads."""
    DANGEROUS = "dangerous"
    """It changes something."""
    UNKNOWN = "unknown"
    """Nothing is known."""


@dataclass(frozen=True, slots=True)
class ApprovalPolicies:
    """For which guesses a tool has to be approved.

    Attributes:
        write_ops: For those that appear to change something.
        dangerous_ops: For those that appear to run programs or to do harm.
    """

    write_ops: bool = True
    dangerous_ops: bool = True


@dataclass(frozen=True, slots=True)
class Guess:
    """Why a tool has to be approved.

    Attributes:
        policy: The policy that wants it: ``write_ops`` or ``dangerous_ops``.
        reason: What the name of the tool suggests, in words.
    """

    policy: str
    reason: str


# Stems are found anywhere in a name, words only as a whole: "set" is neither in "settings" nor in "offset".
_WRITE = (
    re.compile("write|creat|modif|updat|delet|remov|insert|append|upload|renam|replac|truncat|publish|overwr|upsert"),
    frozenset(
        {
            "add", "apply", "assign", "cancel", "clear", "close", "commit", "copy", "drop", "edit", "import",
            "make", "merge", "mkdir", "move", "mv", "new", "patch", "pay", "post", "push", "put", "reply", "reset",
            "restore", "rm", "save", "send", "set", "store", "submit", "sync", "transfer", "unlink",
        }
    ),
)  # fmt: skip
_DANGEROUS = (
    re.compile("exec|sudo|shell|danger|destroy|shutdown|reboot|terminat|uninstal|chmod|chown"),
    frozenset(
        {
            "admin", "bash", "cmd", "command", "deploy", "drop", "eval", "exploit", "format", "grant", "install",
            "invoke", "kill", "mount", "powershell", "purge", "restart", "revoke", "root", "run", "script", "sh",
            "spawn", "stop", "sql", "system", "terminal", "wipe",
        }
    ),
)  # fmt: skip

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


def class_of(name: str) -> ToolClass:
    """Find what is known of one of an agent's own tools.

    Args:
        name: Its name. A safe tool is called exactly so, a dangerous one in any mix of cases.
    """
    if name in SAFE_TOOLS:
        return ToolClass.SAFE
    return ToolClass.DANGEROUS if name.lower() in DANGEROUS_TOOLS else ToolClass.UNKNOWN


def guesses(name: str, policies: ApprovalPolicies) -> Iterator[Guess]:
    """Guess by its name why a tool has to be approved.

    Args:
        name: Its name.
        policies: The guesses that count.
    """
    if policies.write_ops and _suggests(name, *_WRITE):
        yield Guess("write_ops", f"tool {name!a} appears to perform write operations")
    if policies.dangerous_ops and (_suggests(name, *_DANGEROUS) or class_of(name) is ToolClass.DANGEROUS):
        yield Guess("dangerous_ops", f"tool {name!a} contains potentially dangerous operations")


def _suggests(name: str, stems: re.Pattern[str], words: frozenset[str]) -> bool:
    if stems.search(name.lower()):
        return True
    return not words.isdisjoint(
        word.lower() for word in (*_WORD.findall(name), *re.findall("[a-z]+", name.lower()))
    )
