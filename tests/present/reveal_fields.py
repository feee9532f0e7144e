"""The kinds of text that are revealed, and what was found in one."""

from __future__ import annotations

from signoff.present.reveal import Field, SafeText

EXACT: tuple[Field, ...] = ("command", "path", "url", "tool_name", "arg_key", "agent")
LOOSE: tuple[Field, ...] = ("arg_value", "description", "content")
FIELDS = EXACT + LOOSE
ONE_LINE: tuple[Field, ...] = ("path", "url", "tool_name", "arg_key", "agent")
ROWS = tuple(field for field in FIELDS if field not in ONE_LINE)


def kinds(safe: SafeText) -> list[str]:
    return [finding.kind for finding in safe.findings]


def warned(safe: SafeText) -> list[str]:
    return [finding.kind for finding in safe.findings if finding.warn]
