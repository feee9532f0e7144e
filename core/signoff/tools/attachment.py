"""Files that are handed on as they are."""

from __future__ import annotations

import mimetypes
import os.path
from dataclasses import dataclass, field

from signoff.present.snapshot.files import named

__all__ = ["MAX_ATTACHMENT_SIZE", "Attachment", "attachment"]

MAX_ATTACHMENT_SIZE = 20 * 1024 * 1024
"""Largest file, in bytes, that can be attached."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file with what a model has to know of it.

    Attributes:
        data: The whole content.
        media_type: Such as ``image/png``; by the ending of the name, else text or plain bytes.
        name: Last component of the path.
    """

    data: bytes = field(repr=False)
    media_type: str
    name: str


def attachment(path: str, data: bytes) -> Attachment:
    """Make an attachment of a file that was read.

    Args:
        path: Where it was read.
        data: Its content.

    Raises:
        ValueError: It is larger than `MAX_ATTACHMENT_SIZE`.
    """
    if len(data) > MAX_ATTACHMENT_SIZE:
        limit = MAX_ATTACHMENT_SIZE // (1024 * 1024)
        raise ValueError(f"{named(path)} is larger than {limit} MB, too large to be attached")
    return Attachment(data, _media_type(path, data), os.path.basename(path))  # noqa: PTH119 - text


def _media_type(path: str, data: bytes) -> str:
    guessed, encoding = mimetypes.guess_type(path)
    if guessed is not None and encoding is None:
        return guessed
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return "application/octet-stream"
    return "text/plain"
