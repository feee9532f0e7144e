"""The options that select records of the history."""

from __future__ import annotations

import functools
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from signoff.cli.page import cells
from signoff.present.reveal import one_line
from signoff.queue.history import HistoryFilter
from signoff.queue.records import RequestState
from signoff.text import time as times

if TYPE_CHECKING:
    from signoff.filter import Query, Viewpoint
    from signoff.queue.protocol import ReviewQueue


__all__ = [
    "filter_options",
    "query_option",
    "read_time",
    "viewpoint",
]


_ENDED = [state.value for state in RequestState if state.final]


def read_time(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    """Read a time, as a callback of an option; microseconds since the epoch."""
    if text is None:
        return None
    found = times.read_time(text, time.time_ns() // 1_000)
    if found is None:
        raise click.BadParameter(
            f"{text!r} is no time; write 90s, 30m, 1h, 2d, 1w or an ISO 8601 time such as 2025-01-31T14:00"
        )
    return max(0, found[0])


def _read_words(_: click.Context, __: click.Parameter, text: str | None) -> str:
    if text is not None and not any(map(str.isalnum, text)):
        raise click.BadParameter("there is no word in it; give letters or digits to look for")
    return text or ""


_TIME = "90s, 30m, 1h, 2d, 1w ago, or an ISO 8601 time."
_OPTIONS = (
    click.option(
        "--text", callback=_read_words, metavar="WORDS", help="Only with all these words; word* begins so."
    ),
    click.option("--agent", "agent_name", metavar="NAME", help="Only of this agent."),
    click.option("--session", metavar="ID", help="Only of this session."),
    click.option("--tool", "tool_name", metavar="NAME", help="Only of this tool."),
    click.option(
        "--state", "states", multiple=True, type=click.Choice(_ENDED), help="Only what ended so; repeat."
    ),
    click.option("--by", "decided_by", metavar="NAME", help="Only what this person, rule, mode or grant decided."),
    click.option("--since", callback=read_time, metavar="TIME", help=_TIME),
    click.option("--until", callback=read_time, metavar="TIME", help=f"Nothing newer: {_TIME}"),
)


def filter_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of a filter; the command gets them as one parameter `which`."""

    @functools.wraps(command)
    def with_filter(
        *args: Any,
        text: str,
        agent_name: str | None,
        session: str | None,
        tool_name: str | None,
        states: tuple[str, ...],
        decided_by: str | None,
        since: int | None,
        until: int | None,
        **others: Any,
    ) -> int:
        which = HistoryFilter(
            session=session,
            agent_name=agent_name,
            tool_name=tool_name,
            states=frozenset(map(RequestState, states)),
            since=since,
            until=until,
            decided_by=decided_by,
            text=text,
        )
        return command(*args, which=which, **others)

    filtered: Callable[..., int] = with_filter
    for option in reversed(_OPTIONS):
        filtered = option(filtered)
    return filtered


# -- The option for a filter, in the language of the screen.

Command = TypeVar("Command", bound=Callable[..., Any])


def query_option(command: Command) -> Command:
    """Add ``--filter`` as the parameter `query`: a `Query` of the history, or None."""
    return click.option(
        "--filter",
        "query",
        callback=_read_query,
        metavar="QUERY",
        help='Only what fits, as on the screen: "agent:refactor risk:high -by:memory".',
    )(command)


def viewpoint(queue: ReviewQueue) -> Viewpoint:
    """Return the viewpoint of this moment, this machine and the reviewer of the queue."""
    from signoff.filter import Viewpoint

    return Viewpoint(queue.now, queue.reviewer)


def _read_query(_: click.Context, __: click.Parameter, text: str | None) -> Query | None:
    if text is None:
        return None
    from signoff.filter import Filtered, FilterError, parse

    try:
        return parse(text, Filtered.HISTORY)
    except FilterError as error:
        print(f"  {one_line(text)}", file=sys.stderr)
        print(f"  {' ' * cells(one_line(text[: error.column]))}^", file=sys.stderr)
        raise click.BadParameter(f"{error.message} (column {error.column + 1})") from error
