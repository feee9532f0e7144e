"""Text in the form that databases accept: they refuse lone surrogates, and some refuse NUL."""

from __future__ import annotations

__all__ = ["pack_text", "unpack_text"]


def pack_text(text: str) -> str:
    """Return text that every database accepts, different for different texts; see `unpack_text`.

    Databases refuse lone surrogates, which occur in file names and in what models write, and some
    refuse NUL.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return _packed(text)
    # A text that starts like a packed one is packed too, so that no two look the same.
    return _packed(text) if text.startswith('"') or "\0" in text else text


def unpack_text(packed: str) -> str:
    """Return the text that was packed.

    Raises:
        ValueError: The text is damaged.
    """
    if not packed.startswith('"'):
        return packed
    import json

    return str(json.loads(packed))


def _packed(text: str) -> str:
    import json  # hardly any text needs it, and a status line has no time to load it

    return json.dumps(text)
