"""`signoff --plain`: the same queue and the same care, line by line, for screen readers and poor terminals."""

from __future__ import annotations

from signoff.cli.plain.loop import run_plain
from signoff.cli.plain.session import PlainSettings

__all__ = ["PlainSettings", "run_plain"]
