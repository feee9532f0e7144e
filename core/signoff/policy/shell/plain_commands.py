"""Commands that need no parser, bash's quote removal, and characters that no command needs."""

from __future__ import annotations

import re
import unicodedata

from signoff.policy.shell.syntax_model import Part, ShellFacts, Word
from signoff.present.reveal import findings

__all__ = [
    "ansi_c",
    "double_quoted",
    "here_document",
    "plain_facts",
    "suspicious_characters",
    "unquoted",
]


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
"""Words with a meaning of their own at the beginning of a command; "Reserved Words" in bash(1)."""


def plain_facts(text: str) -> ShellFacts | None:
    """The parts of a line of plain words between ``|``, ``&&``, ``||`` and ``;``, or None if it has more.

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
    return ShellFacts(tuple(parts))


def _part(words: list[Word], operator: str) -> Part:
    return Part(tuple(words), piped=operator == "|", joined=operator)


def _names_a_program(raw: str) -> bool:
    return not _NOT_IN_NAMES.intersection(raw) and raw not in _RESERVED


def _word(raw: str) -> Word:
    unquoted = _QUOTED.sub("", raw)
    text = _QUOTED.sub(lambda quoted: quoted[1] or quoted[2] or "", raw)
    literal = "*" not in unquoted and "?" not in unquoted
    return Word(text, literal, "" if literal else raw)


# -- Characters that no shell command needs, and that people cannot see or tell from others.

_COMMENT = re.compile(r"(?:^|[\s;&|()])#")
_ORDINARY = frozenset("\n\t ")
_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cn", "Cs", "Zs", "Zl", "Zp"})
"""General categories: controls, format characters, private use, unassigned, surrogates, blanks and separators."""
_UNSEEN = frozenset({"bidi", "invisible", "tag"})
"""Kinds of findings for characters that show nothing, such as U+3164 HANGUL FILLER."""


def suspicious_characters(text: str) -> str | None:
    """The reason for which a command is asked about for its characters alone, or None.

    Args:
        text: The command. For bash only the ASCII space, tab and newline separate words.
    """
    lines = text.rstrip("\n")
    if (len(lines) - len(lines.rstrip("\\"))) % 2:
        return "ends in a backslash, which parsers read differently"
    if any(line.endswith("\\") and _COMMENT.search(line) for line in text.split("\n")[:-1]):
        return "has a comment that ends in a backslash, which parsers read differently"
    if text.isascii() and text.isprintable():
        return None
    for char in dict.fromkeys(text):
        if char not in _ORDINARY and unicodedata.category(char) in _HIDDEN:
            return f"has the character U+{ord(char):04X}, which cannot be seen or looks like a blank"
    unseen = next((each for each in findings(text, "command") if each.kind in _UNSEEN), None)
    return None if unseen is None else f"has an {unseen.message}"


# -- Quote removal as bash does it; see "QUOTING" in bash(1).

_DOUBLE = re.compile(r'\\([$`"\\\n])')
_HERE = re.compile(r"\\([$`\\\n])")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ANSI_C = re.compile(
    r"\\(?:(?P<char>[abeEfnrtv\\'\"?])|(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{1,2})"
    r"|u(?P<short>[0-9a-fA-F]{1,4})|U(?P<long>[0-9a-fA-F]{1,8}))",
    re.DOTALL,
)
_UNTOLD = re.compile(r"(?<!\\)(?:\\\\)*\\(?:x\{|c)")
"""Escapes that versions of bash read differently; nobody needs them."""
_CHARS = dict(zip("abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?", strict=True))


def double_quoted(raw: str) -> str:
    """Text between double quotes, without its escapes."""
    return _DOUBLE.sub(lambda found: "" if found[1] == "\n" else found[1], raw)


def unquoted(raw: str) -> list[tuple[str, bool]]:
    """The characters of unquoted text, each with True if a backslash took its meaning away."""
    pieces: list[tuple[str, bool]] = []
    at = 0
    for found in _ESCAPED.finditer(raw):
        pieces += ((char, False) for char in raw[at : found.start()])
        if found[1] != "\n":
            pieces.append((found[1], True))
        at = found.end()
    return pieces + [(char, False) for char in raw[at:]]


def ansi_c(raw: str) -> str | None:
    """Text between ``$'`` and ``'``, or None if it has a NUL or a code point that does not exist."""
    if _UNTOLD.search(raw):
        return None
    try:
        text = _ANSI_C.sub(_ansi_c_char, raw)
    except (ValueError, OverflowError):
        return None
    return None if "\0" in text else text


def here_document(raw: str) -> str:
    """The body of a here-document whose delimiter is not quoted, without its escapes."""
    return _HERE.sub(lambda found: "" if found[1] == "\n" else found[1], raw)


def _ansi_c_char(found: re.Match[str]) -> str:
    if found["char"]:
        return _CHARS[found["char"]]
    if found["octal"]:
        return _byte(int(found["octal"], 8) & 0xFF)
    if found["hex"]:
        return _byte(int(found["hex"], 16))
    return chr(int(found["short"] or found["long"], 16))


def _byte(value: int) -> str:
    """One byte as a character; sequences of them are not decoded."""
    if value >= 0x80:
        raise ValueError
    return chr(value)
