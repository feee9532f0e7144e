"""What was decided and what is remembered, as the other verbs print it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from signoff.cli.grants_text import add_grant_text
from signoff.cli.history_query import viewpoint
from signoff.cli.history_text import history_page
from signoff.cli.output import Page
from signoff.cli.plain.commands import CommandError
from signoff.policy.redaction.masking import DEFAULT_REDACTION

if TYPE_CHECKING:
    from signoff.queue.protocol import ReviewQueue
    from signoff.queue.records import Grant

__all__ = ["history_text", "memory_text"]

_MOST = 20


def history_text(queue: ReviewQueue, typed: str, width: int | None) -> str:
    """The newest records that a filter keeps.

    Raises:
        CommandError: It is no filter.
    """
    from signoff.filter import Filtered, FilterError, parse, search_history

    try:
        query = parse(typed, Filtered.HISTORY)
    except FilterError as error:
        raise CommandError(f"no filter: {error.message} (column {error.column + 1})") from error
    found = search_history(queue, query, viewpoint(queue), limit=_MOST)
    text = history_page([*found.records], width, DEFAULT_REDACTION)
    if not found.records:
        return "no such record in the history\n"
    return f"{text}these are the newest {_MOST}; signoff history shows more\n" if found.more else text


def memory_text(grants: Sequence[Grant], width: int | None) -> str:
    """What runs without asking, numbered for `revoke`."""
    page = Page(width)
    page.add(f"{len(grants)} remembered" if grants else "nothing is remembered: every call asks")
    for number, grant in enumerate(grants, start=1):
        page.add(f"{number}.")
        add_grant_text(page, grant)
    return page.text()
