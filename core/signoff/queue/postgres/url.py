"""How users name a queue in PostgreSQL: by the URL of its database.

The form is that of libpq (PostgreSQL documentation, "Connection URIs"), plus one parameter of our own,
``queue=NAME``, for more than one queue in a database.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from signoff.queue.errors import QueuePlaceError

__all__ = ["PostgresPlace", "parse_url"]

# Stricter than libpq: whatever could be a piece of a password ends up nowhere but in `secret`.
_URL = re.compile(
    r"postgres(?:ql)?://(?:(?P<user>[^:/?#@]*)(?P<secret>:[^/?#@]*)?@)?(?P<hosts>[^/?#@]*)"
    r"(?P<database>/[^/?#@]*)?(?:\?(?P<options>[^#@]*))?"
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,47}")
_SHOWN = ("host", "port", "user", "dbname", "service", "queue")


@dataclass(frozen=True, slots=True)
class PostgresPlace:
    """Where a queue in PostgreSQL is.

    Attributes:
        url: What libpq is given; may contain a password.
        schema: Name of the queue's schema: letters, digits, ``_`` and ``-``.
        name: The place in words for people, without any password.
    """

    url: str = field(repr=False)
    schema: str
    name: str


def parse_url(url: str) -> PostgresPlace:
    """Turn a URL into a place. Nothing is connected to.

    Raises:
        QueuePlaceError: It is not a URL of PostgreSQL; the message does not repeat it.
    """
    found = _URL.fullmatch(url)
    if found is None:
        raise QueuePlaceError(
            "the URL of the queue is not of the form postgresql://user:password@host:port/database; special"
            " characters in names and passwords are written as %XX"
        )
    options = [part.partition("=") for part in (found["options"] or "").split("&") if part]
    queue = next((value for key, _, value in options if key == "queue"), None)
    if queue is not None and not _NAME.fullmatch(queue):
        raise QueuePlaceError(
            f"{queue!r} is not the name of a queue: use up to 48 letters, digits, '_' and '-' in queue=NAME"
        )
    user = f"{found['user']}@" if found["user"] else ""
    shown = _query(option for option in options if option[0] in _SHOWN)
    given = _query(option for option in options if option[0] != "queue")
    base, _, _ = url.partition("?")
    return PostgresPlace(
        url=f"{base}{given}",
        schema="signoff" if queue is None else f"signoff_{queue}",
        name=f"postgresql://{user}{found['hosts']}{found['database'] or ''}{shown}",
    )


def _query(options: Iterable[tuple[str, str, str]]) -> str:
    joined = "&".join(map("".join, options))
    return f"?{joined}" if joined else ""
