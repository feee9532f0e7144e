"""`signoff status`: prints one line for a status bar, hundreds of times a day.

It loads nothing but the counts: no command-line library, no models, no screen, no code that decides. Not even data
classes: the library that makes them takes longer to load than everything else here.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, cast, get_args

from signoff.cli.exit_codes import StatusCode
from signoff.queue.errors import QueueError
from signoff.queue.location import has_password
from signoff.text.time import length_text

if TYPE_CHECKING:
    from signoff.queue.stats import Stats

__all__ = ["StatusCall", "StatusFormat", "parse_plain_call", "run_status"]

StatusFormat = Literal["plain", "tmux", "json"]


class StatusCall(NamedTuple):
    """A call of `status` on the command line.

    Attributes:
        place: The queue, or None for the default.
        format: The format of the line.
    """

    place: str | None
    format: StatusFormat


def parse_plain_call(arguments: Sequence[str]) -> StatusCall | None:
    """Recognize a plain call of `status`.

    Args:
        arguments: The words after the program's name.

    Returns:
        The call, or None for every other command and for anything unusual: help, abbreviations, mistakes. The full
        parser handles those.
    """
    words = list(arguments)
    values: dict[str, str] = {}
    verb_seen = False
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if word == "status" and not verb_seen:
            verb_seen = True
        elif word == "--json" and verb_seen and "--format" not in values:
            values["--format"] = "json"
        elif (name == "--queue" or (name == "--format" and verb_seen)) and name not in values:
            if not equals and not words:
                return None
            values[name] = value if equals else words.pop(0)
        else:
            return None
    style = values.get("--format", "plain")
    if not verb_seen or style not in get_args(StatusFormat) or values.get("--queue") == "":
        return None
    return StatusCall(values.get("--queue"), cast("StatusFormat", style))


def run_status(call: StatusCall) -> StatusCode:
    """Print the line; errors are reported on standard error."""
    from signoff.queue import queue_stats

    if has_password(call.place):
        from signoff.cli.output import warn_of_password

        warn_of_password(call.place)
    try:
        stats = queue_stats(call.place)
    except QueueError as error:
        from signoff.cli.output import complain

        print(_not_connected(call.format))
        complain(str(error))
        return StatusCode.NOT_CONNECTED
    print(_line(stats, call.format))
    if stats.history_loss:
        from signoff.cli.output import complain

        complain(stats.history_loss)
    if stats.pending_high:
        return StatusCode.HIGH
    return StatusCode.WAITING if stats.pending else StatusCode.NOTHING


_TOLD_SKEW_US = 2_000_000
"""So far the clocks of this machine and of the queue may differ before it is told."""


def _line(stats: Stats, style: StatusFormat) -> str:
    oldest = None
    if stats.oldest_pending_at is not None:
        oldest = max(0, stats.now - stats.oldest_pending_at)
    skew = time.time_ns() // 1_000 - stats.now
    if style == "json":
        import json

        return json.dumps(
            {
                "connected": True,
                "waiting": stats.pending,
                "high": stats.pending_high,
                "oldest_seconds": None if oldest is None else oldest // 1_000_000,
                "agents": stats.agents,
                "grants": stats.grants,
                "approve_all": stats.approving,
                "strict": stats.refusing,
                "screen_open": stats.screen_open,
                "clock_ahead_seconds": round(skew / 1_000_000, 3),
                "history_loss": stats.history_loss,
            }
        )
    waiting = f"{stats.pending} waiting"
    high = f"{stats.pending_high} HIGH" if stats.pending_high else ""
    if style == "tmux":
        waiting = f"#[fg=yellow]{waiting}#[default]" if stats.pending else waiting
        high = f"#[fg=red,bold]{high}#[default]" if high else ""
    screen = {True: "screen open", False: "no screen", None: ""}[stats.screen_open]
    if style == "tmux" and stats.pending and stats.screen_open is False:
        screen = f"#[fg=yellow]{screen}#[default]"
    parts = (
        waiting,
        high,
        "" if oldest is None else length_text(oldest),
        screen,
        _mode(stats, style),
        "" if abs(skew) < _TOLD_SKEW_US else f"clock {length_text(abs(skew))} {'ahead' if skew > 0 else 'behind'}",
        _loss(stats, style),
    )
    return " ".join(part for part in parts if part)


def _mode(stats: Stats, style: StatusFormat) -> str:
    """A short word if an agent asks nobody; one that approves everything matters most."""
    if not stats.approving and not stats.refusing:
        return ""
    words = f"MODE {'approve_all' if stats.approving else 'strict'}"
    return f"#[fg=red,bold]{words}#[default]" if style == "tmux" else words


def _loss(stats: Stats, style: StatusFormat) -> str:
    """A short word if the history has lost records; the details go to standard error."""
    words = "HISTORY CUT" if stats.history_loss else ""
    return f"#[fg=red,bold]{words}#[default]" if words and style == "tmux" else words


def _not_connected(style: StatusFormat) -> str:
    if style == "json":
        return '{"connected": false}'
    return "#[fg=red]not connected#[default]" if style == "tmux" else "not connected"
