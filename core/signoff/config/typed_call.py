"""A call as a person types it, to see what the rules say of it: a command, or a tool with its arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from signoff.canonical import NotJsonError, parse_json
from signoff.config.verdicts import SettingsVerdicts
from signoff.policy.verdict import Verdict

__all__ = ["TypedCall", "UnreadableCallError", "read_call"]

_TOOL = re.compile(r"(?P<tool>[^\s{}@\"']+)(?:@(?P<server>[^\s{}\"']+))?\s*(?P<arguments>\{.*\})", re.DOTALL)
_PROMPT = "$ "
_SHELL = "run_command"


class UnreadableCallError(ValueError):
    """What was typed is no call; the text says why."""


@dataclass(frozen=True, slots=True)
class TypedCall:
    """A call that nobody makes.

    Attributes:
        tool: Name of the tool; of a command, that of the shell tool.
        arguments: Its arguments.
        server: The server whose tool it is; None for a tool of the agent itself.
    """

    tool: str
    arguments: Mapping[str, Any]
    server: str | None = None

    @property
    def command(self) -> str | None:
        """The command, if it is one."""
        return str(self.arguments["command"]) if self.tool == _SHELL and len(self.arguments) == 1 else None

    def judged_by(self, verdicts: SettingsVerdicts) -> Verdict:
        """What the settings of a file say of it."""
        return verdicts.verdict(self.tool, self.arguments, self.server)


def read_call(text: str) -> TypedCall:
    """Read what was typed.

    ``write_file {"path": "a.txt"}`` is a tool with its arguments, ``get_page@web {...}`` one of a server. Anything
    else is a command; so is whatever follows ``$`` and a blank.

    Args:
        text: What was typed.

    Raises:
        UnreadableCallError: There is nothing, or the arguments are not valid JSON.
    """
    text = text.strip()
    if not text or text == _PROMPT.strip():
        raise UnreadableCallError("type a command, or a tool and its arguments as JSON")
    if text.startswith(_PROMPT):
        return TypedCall(_SHELL, {"command": text.removeprefix(_PROMPT).strip()})
    named = _TOOL.fullmatch(text)
    if named is None:
        return TypedCall(_SHELL, {"command": text})
    try:
        arguments = parse_json(named["arguments"].encode())
    except NotJsonError as error:
        raise UnreadableCallError(f"{error}; for a command with braces, type $ and a blank first") from None
    return TypedCall(named["tool"], arguments, named["server"])
