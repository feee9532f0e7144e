"""The option that takes a filter, as the screen has them."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from signoff.cli.output import one_line
from signoff.cli.page import cells

if TYPE_CHECKING:
    from signoff.filter import Query, Viewpoint
    from signoff.queue.protocol import ReviewQueue

__all__ = ["query_option", "viewpoint"]

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
    """Ask now, here, and as who reviews."""
    from signoff.filter import Viewpoint

    return Viewpoint(time.time_ns() // 1_000, queue.reviewer)


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
