"""Saved replies to agents, kept in a file, and the texts sent in this run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from signoff.settings_yaml import ConfigError, read_document, read_text, shown
from signoff_tui.state.message import LONGEST, as_message
from signoff_tui.state.persistence import put_text

__all__ = ["DEFAULT_REPLIES", "EarlierTexts", "Replies", "parse_replies"]

DEFAULT_REPLIES = ("smaller steps, please", "not this file", "say first why this is needed")
"""The replies to choose from until the person has saved one."""

MOST_REPLIES = 200
MOST_TEXTS = 50

_HEAD = """\
# Replies to agents, chosen with Tab while you write why you reject. Yours alone; edit as you like.
# One YAML text a line, beginning with "- ". Ctrl+S in the message box adds what you wrote.
"""


def parse_replies(text: str, name: str = "replies") -> tuple[str, ...]:
    """Read the text of a file of replies.

    Args:
        text: YAML: a list of texts.
        name: Its name in messages, such as its path.

    Raises:
        ConfigError: The text is not valid; every problem is named with its line.
    """
    if all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines()):
        return ()
    document = read_document(text, name)
    given = document.value
    if not isinstance(given, list):
        document.complain((), f'must be a list of texts, each on a line that begins with "- ", not {shown(given)}')
        raise ConfigError(document.problems)
    for index, item in enumerate(given):
        if not isinstance(item, str) or not as_message(item).strip():
            document.complain((index,), f"must be a text, not {shown(item)}")
        elif len(item) > LONGEST:
            document.complain((index,), f"is longer than {LONGEST:,} characters")
    if len(given) > MOST_REPLIES:
        document.complain((), f"holds {len(given)} replies: at most {MOST_REPLIES}")
    if document.problems:
        raise ConfigError(document.problems)
    return tuple(dict.fromkeys(as_message(item).strip() for item in given))


class Replies:
    """The file of replies. It is read at each use: an edit counts at once.

    Args:
        file: The path of the file, which need not exist; None to keep nothing.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._kept: tuple[str, ...] = DEFAULT_REPLIES

    def all(self) -> tuple[str, ...]:
        """Return the replies.

        Raises:
            ConfigError: The file cannot be read, or is not valid.
        """
        if self._file is None or not self._file.exists():
            return self._kept
        return parse_replies(read_text(self._file), str(self._file))

    def keep(self, text: str) -> bool:
        """Add a reply; the rest of the file stays as it is.

        Args:
            text: The reply; blanks around it are left out.

        Returns:
            True if it was added; False if it was there, or is empty.

        Raises:
            ConfigError: The file cannot be read, or is not valid.
            OSError: The file cannot be written.
        """
        text, known = as_message(text).strip(), self.all()
        if not text or text in known:
            return False
        if self._file is None:
            self._kept = (*known, text)
            return True
        if self._file.exists():
            before = read_text(self._file)
            before += "" if before.endswith("\n") or not before else "\n"
        else:
            before = _HEAD + "".join(map(_entry, known))
        after = before + _entry(text)
        parse_replies(after, str(self._file))  # raises if the list has another style, which the line would break
        put_text(self._file, after)
        return True


class EarlierTexts:
    """The texts sent in this run, for going back to them with Up."""

    def __init__(self) -> None:
        self._sent: list[tuple[str, str]] = []

    def add(self, tool: str, text: str) -> None:
        """Note a text that was sent about a call of a tool."""
        text = text.strip()
        if text:
            self._sent = [known for known in self._sent if known != (tool, text)][-MOST_TEXTS + 1 :]
            self._sent.append((tool, text))

    def for_tool(self, tool: str) -> Sequence[str]:
        """Return all texts, each once, the newest first; those about the same tool come before the others."""
        newest = list(reversed(self._sent))
        same = [text for about, text in newest if about == tool]
        return tuple(dict.fromkeys([*same, *(text for _, text in newest)]))


def _entry(text: str) -> str:
    # JSON text is YAML text, on one line whatever it holds.
    return f"- {json.dumps(text, ensure_ascii=False)}\n"
