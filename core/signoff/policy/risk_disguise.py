"""Programs and hosts that pass for others: by letters that fonts draw like ASCII ones, or that Punycode hides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from signoff.present.reveal import Field, findings
from signoff.queue.records import Risk

__all__ = ["host_disguises", "name_disguises"]

_REASON = "disguised"


def name_disguises(name: str) -> Iterator[tuple[Risk, str]]:
    """Yield a reason if a program has the name of another one in letters that only look the same."""
    yield from _found(name, "tool_name", "disguise")


def host_disguises(texts: Iterable[str]) -> Iterator[tuple[Risk, str]]:
    """Yield a reason for each text that leads to a host which passes for another one, with a scheme or without.

    A host in Punycode may spell any other.
    """
    for text in texts:
        yield from _found(text, "url", "punycode")


def _found(text: str, field: Field, kind: str) -> Iterator[tuple[Risk, str]]:
    if (not text.isascii() or "xn--" in text.lower()) and any(
        each.warn and each.kind == kind for each in findings(text, field)
    ):
        yield Risk.MEDIUM, _REASON
