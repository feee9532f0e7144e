"""Logs in lines of JSON, on standard error, without secrets."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

from signoff.policy.redaction.masking import DEFAULT_REDACTION

__all__ = ["LoggedLines", "log_as_json"]


class _JsonLines(logging.Formatter):
    """One JSON object in ASCII for each record; its ``facts`` beside the message."""

    def format(self, record: logging.LogRecord) -> str:
        facts = DEFAULT_REDACTION.mask_value(dict(getattr(record, "facts", {})))
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": DEFAULT_REDACTION.mask_text(record.getMessage()).text,
            **facts,
        }
        if record.exc_info:
            line["traceback"] = DEFAULT_REDACTION.mask_text(self.formatException(record.exc_info)).text
        return json.dumps(line, default=repr)


class LoggedLines(io.TextIOBase):
    """A stream whose lines are logged.

    Args:
        message: The message of each record; the line is its fact ``line``.
        facts: Its other facts.
    """

    def __init__(self, message: str, facts: Mapping[str, object]) -> None:
        super().__init__()
        self._message = message
        self._facts = facts
        self._rest = ""

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: str) -> int:
        """Log the lines that are whole now."""
        *lines, self._rest = (self._rest + text).split("\n")
        for line in filter(str.strip, lines):
            logging.getLogger("signoff.host").info(self._message, extra={"facts": {**self._facts, "line": line}})
        return len(text)


def log_as_json(level: str) -> None:
    """Log all of a process so.

    Args:
        level: ``debug``, ``info``, ``warning`` or ``error``: the least weight of what is logged.
    """
    handler = logging.StreamHandler(sys.__stderr__)
    handler.setFormatter(_JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
