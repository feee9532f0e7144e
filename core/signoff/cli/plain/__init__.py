"""`signoff --plain`: the same queue and the same care, line by line, for screen readers and poor terminals."""

from __future__ import annotations

from signoff.cli.plain.desk import Manners
from signoff.cli.plain.loop import run_plain

__all__ = ["Manners", "run_plain"]
