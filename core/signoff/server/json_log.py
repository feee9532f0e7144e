"""Logs in lines of JSON, on standard error, without secrets."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

from signoff.policy.redaction.masking import DEFAULT_REDACTION

__all__ = ["log_as_json"]


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


def log_as_json(level: str) -> None:
    """Log all of a process so.

    Args:
        level: ``debug``, ``info``, ``warning`` or ``error``: the least weight of what is logged.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLines())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
