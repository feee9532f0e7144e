"""Options that several verbs share, and the queue that they open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from signoff.policy.redaction.masking import Redactor
    from signoff.queue.protocol import ReviewQueue

__all__ = ["chosen_place", "json_option", "open_for_review", "queue_option", "reveal_option"]

Command = TypeVar("Command", bound=Callable[..., Any])


def _choose(context: click.Context, _: click.Parameter, place: str | None) -> None:
    if place is None:
        return
    if not place:
        raise click.BadParameter("is empty; give the directory or the name of a queue")
    from signoff.cli.output import warn_of_password

    if place != context.find_root().obj:
        warn_of_password(place)
    context.find_root().obj = place


def queue_option(command: Command) -> Command:
    """Add ``--queue``, which may stand before or after the verb."""
    return click.option(
        "--queue",
        metavar="PLACE",
        expose_value=False,
        callback=_choose,
        help="Directory, name or postgresql:// URL of the queue (else SIGNOFF_QUEUE, else your own).",
    )(command)


def json_option(command: Command) -> Command:
    """Add ``--json`` as the parameter `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON, in ASCII, for programs.")(command)


def reveal_option(command: Command) -> Command:
    """Add ``--reveal`` as the parameter `hidden`: the rules of what to hide."""
    return click.option(
        "--reveal",
        "hidden",
        is_flag=True,
        callback=_what_to_hide,
        help="Show passwords and tokens too, which are hidden otherwise.",
    )(command)


def _what_to_hide(_: click.Context, __: click.Parameter, reveal: bool) -> Redactor:
    from signoff.policy.redaction.masking import DEFAULT_REDACTION, NOTHING_HIDDEN

    return NOTHING_HIDDEN if reveal else DEFAULT_REDACTION


def chosen_place() -> str | None:
    """Return the queue that ``--queue`` names, or None."""
    place: str | None = click.get_current_context().find_root().obj
    return place


def open_for_review() -> ReviewQueue:
    """Open the chosen queue as a reviewer.

    Raises:
        QueueError: There is no queue, or it cannot be used; the message says what to do.
    """
    from signoff.queue import open_review_queue

    return open_review_queue(chosen_place(), create=False)
