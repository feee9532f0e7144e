"""Commands so plain that every shell reads them alike: no parser is needed, and none can be fooled."""

from __future__ import annotations

import re

from signoff.policy.shell.facts import Facts, Part, Word

__all__ = ["plain_facts"]

_TOKEN = re.compile(
    r"""(?P<blank>[ ]+)
      | (?P<operator>\|\||&&|\||;)(?![|&;])
      | (?P<null>(?:[12]?>|&>)[ ]?/dev/null(?=[ ;|]|$) | 2>&1(?=[ ;|]|$))
      | (?P<word>(?:[A-Za-z0-9_@%+=:,./*?-] | (?<=[A-Za-z])[~^] | '[^']*' | "[^"$`\\!]*")+(?=[ ;|&]|$))""",
    re.VERBOSE,
)
_QUOTED = re.compile(r"""'([^']*)'|"([^"]*)\"""")
_NOT_IN_NAMES = frozenset("=@%?:,")
"""Signs that make an assignment of a name, or that not every parser takes for a part of one."""
_COMPARES = "=="
"""A sign between two words to some parsers, wherever it stands."""
_RESERVED = frozenset(
    [
        "if",
        "then",
        "elif",
        "else",
        "fi",
        "time",
        "for",
        "in",
        "until",
        "while",
        "do",
        "done",
        "case",
        "esac",
        "coproc",
        "select",
        "function",
        "let",
        "declare",
        "typeset",
        "local",
        "export",
        "readonly",
    ]
)
"""Words that are more than the name of a program where one is expected; see "Reserved Words" in bash(1)."""


def plain_facts(text: str) -> Facts | None:
    """The parts of a line of plain words between ``|``, ``&&``, ``||`` and ``;``, or None if there is more to it.

    Words are of letters, digits, a few signs that mean nothing to a shell, ``*`` and ``?``, and quoted text
    without expansions. Output may go to ``/dev/null``.

    Args:
        text: The command.
    """
    if not text.isascii() or not text.isprintable():
        return None
    parts: list[Part] = []
    words: list[Word] = []
    at, operator = 0, ""
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:
            return None
        at = token.end()
        if token["operator"]:
            if not words:
                return None
            parts.append(_part(words, operator))
            words, operator = [], token["operator"]
        elif token["word"]:
            if token["word"] == _COMPARES or (not words and not _names_a_program(token["word"])):
                return None
            words.append(_word(token["word"]))
    if not words and operator != ";":
        return None
    if words:
        parts.append(_part(words, operator))
    return Facts(tuple(parts))


def _part(words: list[Word], operator: str) -> Part:
    return Part(tuple(words), piped=operator == "|", joined=operator)


def _names_a_program(raw: str) -> bool:
    return not _NOT_IN_NAMES.intersection(raw) and raw not in _RESERVED


def _word(raw: str) -> Word:
    unquoted = _QUOTED.sub("", raw)
    text = _QUOTED.sub(lambda quoted: quoted[1] or quoted[2] or "", raw)
    literal = "*" not in unquoted and "?" not in unquoted
    return Word(text, literal, "" if literal else raw)
