"""The effect of each character on a screen, and its escape where it must not have that effect.

The *shape* of a text is a string of the same length with one sign per character: the character's class. All
rules about characters are regular expressions over shapes, so they are linear and need no table of their own.
A text of printable ASCII, newlines and tabs can serve as its own shape where only blanks and hidden characters
are looked for: no sign of a hidden character is ASCII, and blanks stand for themselves. The signs of Latin-1 text
are Latin-1, which is looked through faster.

Sources: general categories from `unicodedata`; Default_Ignorable_Code_Point, Bidi_Control and
Extended_Pictographic from the Unicode Character Database, version 17. A code point that this Python does not
know counts as unassigned, which errs on the safe side.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable
from itertools import count
from typing import TypeVar

from signoff.present.reveal.widths import is_disputed

__all__ = [
    "BLANK", "COMPOSED", "HIDDEN", "HIDDEN_SIGNS", "JOINTS", "LATIN", "LETTERS", "MARKED", "MARKS", "REPEATED",
    "REPEATS", "REPLACED", "UNSAFE", "WITHIN_WORD", "Table", "escape", "escaped", "escaped_runs", "is_plain",
    "marked_runs", "shape",
]  # fmt: skip

# Signs of characters that are never written raw. They are contiguous, for use in a regular expression.
CONTROL = "\x80"
RETURN = "\x81"  # CR
LINE_END = "\x82"  # CR before LF where that is ordinary
BIDI = "\x83"
INVISIBLE = "\x84"
TAG = "\x85"
LINE_BREAK = "\x86"  # U+2028, U+2029
PRIVATE = "\x87"
UNASSIGNED = "\x88"
SURROGATE = "\x89"
EXACT_BLANK = "\x8a"  # a blank other than U+0020, in an exact field
EXACT_OVERLAY = "\x8b"  # a mark that strikes out its base, in an exact field
STRAY_MARK = "\x8c"  # a mark on nothing, or one too many
DISPUTED = "\x8d"  # terminals disagree about its width
UNSAFE = "\x80-\x8c"
"""The signs that are worth a warning nearly everywhere, as a range inside a character set."""
HIDDEN = "\x80-\x8d"
"""The signs of all characters that are written as escapes, likewise."""

# Signs of characters of disputed width that are drawn as something of one width.
JOINED = "\x8e"  # a joiner, selector, modifier or keycap that belongs to an emoji: a mark
VOWEL = "\x8f"  # a spacing vowel sign: the letter of that vowel
COMPOSED = "\x90"  # conjoining Jamo: the syllable
MARKED = JOINED + VOWEL
"""The signs that are drawn one by one, for use inside a character set."""
REPLACED = "\x80-\x90"
"""The signs of all characters that are never written raw, as a range inside a character set."""
HIDDEN_SIGNS = frozenset(map(chr, range(ord(CONTROL), ord(COMPOSED) + 1)))

# Signs of characters that may be written raw. Space, newline and tab stand for themselves.
PLAIN = "."
DIGIT = "0"
KEYPAD = "#"
COMMON = "~"  # a letter of no script
BLANK = "\xa0"  # a blank other than U+0020
MARK = "\xb0"
OVERLAY = "\xb1"
KEYCAP = "\xb2"
PICTOGRAPH = "\xb3"
SKIN_TONE = "\xb4"
EAST_ASIAN = "\xb5"  # these scripts are written without blanks: a word ends where they begin
JOINER = "\xb6"  # U+200D, until it is known to join pictographs or not
SELECTOR = "\xb7"  # U+FE0E, U+FE0F, likewise
NEW_PICTOGRAPH = "\xb8"  # one of disputed width, until it is known whether something joins it
REGIONAL = "\xb9"  # half a flag, until it is known whether it has the other half
JAMO = "\xba"  # a conjoining vowel or final consonant, until it is known whether it makes a syllable
_FIRST_SCRIPT = 0xFF
LATIN = chr(_FIRST_SCRIPT)
LETTERS = "\u00ff-\u02ff"
"""Signs of letters, one per script, as a range inside a character set."""
WITHIN_WORD = DIGIT + COMMON + MARK + DISPUTED + VOWEL
"""Signs that do not end a word and have no script, for use inside a character set."""

_BY_CATEGORY = {
    "Cc": CONTROL, "Cf": INVISIBLE, "Cn": UNASSIGNED, "Co": PRIVATE, "Cs": SURROGATE,
    "Zl": LINE_BREAK, "Zp": LINE_BREAK, "Zs": BLANK, "Mn": MARK, "Mc": MARK, "Me": MARK,
}  # fmt: skip


def _codes(*spans: int | tuple[int, int]) -> Iterable[int]:
    for span in spans:
        first, last = span if isinstance(span, tuple) else (span, span)
        yield from range(first, last + 1)


_BIDI = _codes(0x061C, (0x200E, 0x200F), (0x202A, 0x202E), (0x2066, 0x2069))
_BLANK_LOOK_ALIKES = _codes(
    0x034F, (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), 0x2800, 0x3164, (0xFE00, 0xFE0D),
    0xFFA0, (0x13441, 0x13442), 0x16FE4, 0x1D159, (0xE0100, 0xE01EF),
)  # fmt: skip
_OVERLAYS = _codes((0x0334, 0x0338), (0x20D2, 0x20D3), (0x20D8, 0x20DA), (0x20E5, 0x20E6), (0x20EA, 0x20EB))
_SIGNS: dict[int, str] = {
    **dict.fromkeys(_BIDI, BIDI),
    **dict.fromkeys(_BLANK_LOOK_ALIKES, INVISIBLE),
    **dict.fromkeys(_OVERLAYS, OVERLAY),
    **dict.fromkeys(_codes((0xE0000, 0xE007F)), TAG),
    **dict.fromkeys(_codes((0x1F3FB, 0x1F3FF)), SKIN_TONE),
    **dict.fromkeys(map(ord, "0123456789"), DIGIT),
    **dict.fromkeys(map(ord, "#*"), KEYPAD),
    0x09: "\t",
    0x0A: "\n",
    0x0D: RETURN,
    0x20: " ",
    0x200D: JOINER,
    0x20E3: KEYCAP,
    0xFE0E: SELECTOR,
    0xFE0F: SELECTOR,
    **dict.fromkeys(_codes((0x1F1E6, 0x1F1FF)), REGIONAL),
    **dict.fromkeys(_codes((0x1161, 0x1175), (0x11A8, 0x11C2)), JAMO),
}
_PICTOGRAPHS = frozenset(_codes(
    0xA9, 0xAE, 0x203C, 0x2049, 0x2122, 0x2139, (0x2194, 0x2199), (0x21A9, 0x21AA), (0x231A, 0x231B),
    0x2328, 0x23CF, (0x23E9, 0x23F3), (0x23F8, 0x23FA), 0x24C2, (0x25AA, 0x25AB), 0x25B6, 0x25C0,
    (0x25FB, 0x25FE), (0x2600, 0x2604), 0x260E, 0x2611, (0x2614, 0x2615), 0x2618, 0x261D, 0x2620,
    (0x2622, 0x2623), 0x2626, 0x262A, (0x262E, 0x262F), (0x2638, 0x263A), 0x2640, 0x2642,
    (0x2648, 0x2653), (0x265F, 0x2660), 0x2663, (0x2665, 0x2666), 0x2668, 0x267B, (0x267E, 0x267F),
    (0x2692, 0x2697), 0x2699, (0x269B, 0x269C), (0x26A0, 0x26A1), 0x26A7, (0x26AA, 0x26AB),
    (0x26B0, 0x26B1), (0x26BD, 0x26BE), (0x26C4, 0x26C5), 0x26C8, (0x26CE, 0x26CF), 0x26D1,
    (0x26D3, 0x26D4), (0x26E9, 0x26EA), (0x26F0, 0x26F5), (0x26F7, 0x26FA), 0x26FD, 0x2702, 0x2705,
    (0x2708, 0x270D), 0x270F, 0x2712, 0x2714, 0x2716, 0x271D, 0x2721, 0x2728, (0x2733, 0x2734), 0x2744,
    0x2747, 0x274C, 0x274E, (0x2753, 0x2755), 0x2757, (0x2763, 0x2764), (0x2795, 0x2797), 0x27A1, 0x27B0,
    0x27BF, (0x2934, 0x2935), (0x2B05, 0x2B07), (0x2B1B, 0x2B1C), 0x2B50, 0x2B55, 0x3030, 0x303D, 0x3297,
    0x3299, 0x1F004, 0x1F0CF, (0x1F170, 0x1F171), (0x1F17E, 0x1F17F), 0x1F18E, (0x1F191, 0x1F19A),
    (0x1F201, 0x1F202), 0x1F21A, 0x1F22F, (0x1F232, 0x1F23A), (0x1F250, 0x1F251), (0x1F300, 0x1F3FA),
    (0x1F400, 0x1F64F), (0x1F680, 0x1F6FF), (0x1F7E0, 0x1F7F0), (0x1F90C, 0x1F9FF), (0x1FA70, 0x1FAFF),
))  # fmt: skip

_NO_SCRIPT = {
    "ALEF", "ANGSTROM", "BET", "BLACK-LETTER", "CARON", "DALET", "DOUBLE-STRUCK", "EULER", "FEMININE",
    "FULLWIDTH", "GIMEL", "HANGZHOU", "INFORMATION", "KELVIN", "MASCULINE", "MASU", "MATHEMATICAL", "MICRO",
    "MODIFIER", "OHM", "PLANCK", "ROMAN", "SCRIPT", "SEGMENTED", "SMALL", "SUPERSCRIPT", "TURNED", "VEDIC",
}  # fmt: skip
"""First words of the names of letters and digits that are used with more than one script."""

_NO_BLANKS = {
    "BOPOMOFO", "CJK", "HALFWIDTH", "HANGUL", "HENTAIGANA", "HIRAGANA", "IDEOGRAPHIC", "KATAKANA",
    "KATAKANA-HIRAGANA", "VERTICAL",
}  # fmt: skip
"""First words of the names of letters of the scripts that `EAST_ASIAN` stands for."""

_SCRIPT_OF = {"ARABIC-INDIC": "ARABIC", "EXTENDED": "ARABIC", "": "TANGUT"}


_Key = TypeVar("_Key")


class Table(dict[_Key, str]):
    """Strings by code point, for `str.translate`, or by text; worked out on demand.

    Hostile text must neither fill the memory nor keep others out: a full table begins anew.

    Args:
        known: The entries that are kept for good.
        work_out: Works out a missing entry.
        most: The number of entries of a full table.
    """

    _LONGEST = 100  # characters of a key, and of what it stands for

    def __init__(self, known: dict[_Key, str], work_out: Callable[[_Key], str], most: int = 10_000) -> None:
        super().__init__(known)
        self._known = known
        self._most = most
        self._work_out = work_out

    def __missing__(self, key: _Key) -> str:
        value = self._work_out(key)
        if len(value) > self._LONGEST or (isinstance(key, str) and len(key) > self._LONGEST):
            return value
        if len(self) >= self._most:
            self.clear()
            self.update(self._known)
        self[key] = value
        return value


_scripts = {"LATIN": LATIN}
_free = count(_FIRST_SCRIPT + 1)


def _sign(code: int) -> str:
    category = unicodedata.category(chr(code))
    if category[0] not in "CZ" and is_disputed(code):
        return NEW_PICTOGRAPH if code in _PICTOGRAPHS else VOWEL if _vowel(code) else DISPUTED
    if category in _BY_CATEGORY:
        return _BY_CATEGORY[category]
    if code in _PICTOGRAPHS:
        return PICTOGRAPH
    if category[0] != "L" and category not in ("Nd", "Nl"):
        return PLAIN
    # The name of a letter begins with the name of its script, or nearly.
    first = unicodedata.name(chr(code), "").partition(" ")[0]
    if first in _NO_SCRIPT:
        return COMMON
    if first in _NO_BLANKS:
        return EAST_ASIAN
    script = _SCRIPT_OF.get(first, first)
    if script not in _scripts:
        _scripts.setdefault(script, chr(next(_free)))  # safe between threads: no two get one sign
    return _scripts[script]


_MANY = 80_000
"""The most code points of a table: those of the first plane, and more."""
_signs = Table[int](_SIGNS, _sign, _MANY)
_FAR_UNASSIGNED, _FAR_PRIVATE = "\U00040000", "\U000f0000"
_FAR = re.compile("[\U00040000-\U000dffff]"), re.compile("[\U000f0000-\U000ffffd\U00100000-\U0010fffd]")
"""The planes that have only one sign: more code points than a table should hold."""
_SIGNS_OF_LATIN_1 = "".join(map(_signs.__getitem__, range(0x100))).encode("latin-1")
_PLAIN = {kept: bytes(range(0x20, 0x7F)) + kept.encode() for kept in ("", "\t", "\n\t")}
_PIECE = 1 << 16
"""The number of characters that are looked up at once, so that other threads get their turn."""

_EMOJI = re.compile(
    "{p}[{m}]?(?:{j}{p}[{m}]?)+|{p}[{m}]|[{d}]{s}?{k}".format(
        p=f"[{PICTOGRAPH}{NEW_PICTOGRAPH}]",
        m=SKIN_TONE + SELECTOR,
        j=JOINER,
        d=DIGIT + KEYPAD,
        s=SELECTOR,
        k=KEYCAP,
    )
)
_MODIFIERS = (JOINER, SELECTOR, SKIN_TONE, KEYCAP)
_SETTLED = str.maketrans(dict.fromkeys(_MODIFIERS, JOINED))
_LEFT_OVER = (
    (JOINER, INVISIBLE), (SELECTOR, INVISIBLE), (SKIN_TONE, DISPUTED), (KEYCAP, DISPUTED),
    (NEW_PICTOGRAPH, DISPUTED), (REGIONAL * 2, PLAIN * 2), (REGIONAL, DISPUTED),
)  # fmt: skip
"""The final signs of characters that were not settled. A flag takes two cells, half a flag varies."""
_OPEN_SYLLABLES = "".join(map(chr, range(0xAC00, 0xD7A4, 28)))
_SYLLABLES = re.compile(f"(?:[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[{_OPEN_SYLLABLES}][\u11a8-\u11c2])+")
_MOST_MARKS = 4
_MOST = MARK * _MOST_MARKS
_FOURTH = "\x92"  # a mark of four in a row, while marks are counted
# A search for one character first is fast.
_ON_ESCAPE = re.compile(f"{DISPUTED}{MARK}+")
_ON_NOTHING = re.compile(rf"{MARK}(?<![^ \t\n{BLANK}{HIDDEN}{JOINED}]{MARK}){MARK}*")
_PILE = re.compile(f"{_FOURTH * 2 * _MOST_MARKS}{_FOURTH}*")


def is_plain(text: str, kept: str) -> bool:
    """True if a text is printable ASCII, apart from newlines and tabs as far as they are kept."""
    return text.isascii() and not text.encode("ascii").translate(None, _PLAIN[kept])


def _signs_of(text: str) -> str:
    """The sign of each character, whatever its neighbors."""
    try:
        return text.encode("latin-1").translate(_SIGNS_OF_LATIN_1).decode("latin-1")
    except UnicodeEncodeError:
        starts = range(0, len(text), _PIECE)
        return "".join(_near(text[start : start + _PIECE]).translate(_signs) for start in starts)


def _near(text: str) -> str:
    """The text with one character for all of a plane that has only one sign; the signs stay the same."""
    unassigned, private = _FAR
    return private.sub(_FAR_PRIVATE, unassigned.sub(_FAR_UNASSIGNED, text))


def shape(text: str, *, exact: bool, kept: str) -> str:
    """The class of every character of a text.

    Args:
        text: Any text, lone surrogates included.
        exact: Odd blanks and overlays are hidden characters too.
        kept: The ones of newline and tab that are not hidden.

    Returns:
        A string as long as `text`, one sign for each character.
    """
    signs = _signs_of(text)
    if any(modifier in signs for modifier in _MODIFIERS):
        signs = _EMOJI.sub(lambda emoji: emoji[0].translate(_SETTLED), signs)
    for unsettled, sign in _LEFT_OVER:
        signs = signs.replace(unsettled, sign)
    if JAMO in signs:
        signs = _with_syllables(text, signs)
    signs = signs.replace(OVERLAY, EXACT_OVERLAY if exact else MARK)
    if exact:
        signs = signs.replace(BLANK, EXACT_BLANK)
    for blank in "\n\t":
        if blank not in kept:
            signs = signs.replace(blank, CONTROL)
    if MARK in signs:
        signs = _ON_ESCAPE.sub(lambda marks: DISPUTED * len(marks[0]), signs)
        signs = _ON_NOTHING.sub(lambda marks: STRAY_MARK * len(marks[0]), signs)
        signs = _without_piles(signs)
    return signs


def _with_syllables(text: str, signs: str) -> str:
    """The shape with the Jamo settled that make a syllable."""
    parts: list[str] = []
    at = 0
    for found in _SYLLABLES.finditer(text):
        start, end = found.span()
        parts += (signs[at:start], COMPOSED * (end - start))
        at = end
    return "".join([*parts, signs[at:]]).replace(JAMO, DISPUTED)


def _without_piles(signs: str) -> str:
    """The shape with marks settled that are too many on one letter."""
    if _MOST + MARK not in signs:
        return signs
    # Four at a time: looking at what stands before each mark takes several times as long.
    signs = signs.replace(_MOST, _FOURTH * _MOST_MARKS)
    signs = _PILE.sub(lambda pile: (_FOURTH * _MOST_MARKS).ljust(len(pile[0]), STRAY_MARK), signs)
    for before in (_FOURTH, *STRAY_MARK * (_MOST_MARKS - 1)):
        signs = signs.replace(before + MARK, before + STRAY_MARK)
    return signs.replace(_FOURTH, MARK)


_C1_NAMES = (
    "PAD HOP BPH NBH IND NEL SSA ESA HTS HTJ VTS PLD PLU RI SS2 SS3 "
    "DCS PU1 PU2 STS CCH MW SPA EPA SOS SGC SCI CSI ST OSC PM APC"
)
_SHORT_NAMES = {
    0x7F: "DEL", **dict(enumerate(_C1_NAMES.split(), 0x80)),
    0xA0: "NBSP", 0xAD: "SHY", 0x034F: "CGJ", 0x061C: "ALM", 0x115F: "FILLER", 0x1160: "FILLER",
    0x180E: "MVS", 0x200B: "ZWSP", 0x200C: "ZWNJ", 0x200D: "ZWJ", 0x200E: "LRM", 0x200F: "RLM",
    0x2028: "LS", 0x2029: "PS", 0x202A: "LRE", 0x202B: "RLE", 0x202C: "PDF", 0x202D: "LRO", 0x202E: "RLO",
    0x202F: "NNBSP", 0x205F: "MMSP", 0x2060: "WJ", 0x2066: "LRI", 0x2067: "RLI", 0x2068: "FSI",
    0x2069: "PDI", 0x2800: "BLANK", 0x3000: "IDSP", 0x3164: "FILLER", 0xFEFF: "BOM", 0xFFA0: "FILLER",
    **{0xFE00 + number: f"VS{number + 1}" for number in range(16)},
}  # fmt: skip


def escape(code: int) -> str:
    """The escape of a code point: ``^[`` for C0, ``<U+202E RLO>`` for the rest."""
    if code < 0x20:
        return "^" + chr(code ^ 0x40)
    name = _SHORT_NAMES.get(code, "")
    if not name and 0x2000 <= code < 0x200B:
        name = unicodedata.name(chr(code))
    if 0xDC80 <= code <= 0xDCFF:  # an undecodable byte, as "surrogateescape" stores it
        name = f"BYTE {code - 0xDC00:02X}"
    return f"<U+{code:04X} {name}>" if name else f"<U+{code:04X}>"


_escapes = Table[int]({}, escape, _MANY)
REPEATS = 8
REPEATED = re.compile(rf"(.)\1{{{REPEATS - 1},}}", re.DOTALL)
"""The runs of one character that are so long that they are counted."""


def escaped(run: str) -> str:
    """Return every character of a run as an escape; eight or more of one as ``[400 x <U+200B ZWSP>]``."""
    if len(run) < REPEATS:
        return escaped_runs[run]
    parts = []
    at = 0
    for repeated in REPEATED.finditer(run):
        start, end = repeated.span()
        parts.append(run[at:start].translate(_escapes))
        parts.append(f"[{end - start} x {_escapes[ord(repeated[1])]}]")
        at = end
    parts.append(run[at:].translate(_escapes))
    return "".join(parts)


escaped_runs = Table[str]({}, lambda run: run.translate(_escapes))
"""Escapes for runs that are too short to be counted."""

JOINTS = {0x200D: "+", 0xFE0E: "'", 0xFE0F: "*", 0x20E3: "_", **dict(enumerate("-:=%#", 0x1F3FB))}
"""The signs for characters that join or modify an emoji: the darker the skin, the denser the sign."""
MARKS = frozenset(JOINTS.values())


def _vowel(code: int) -> str:
    """The letter of the vowel of a vowel sign; empty if there is none, or none of undisputed width."""
    name = unicodedata.name(chr(code), "")
    try:
        letter = unicodedata.lookup(name.replace(" VOWEL SIGN ", " LETTER ")) if " VOWEL SIGN " in name else ""
    except KeyError:
        return ""
    return "" if not letter or is_disputed(ord(letter)) else letter


_marks = Table[int](JOINTS, lambda code: _vowel(code) or escape(code), _MANY)
marked_runs = Table[str]({}, lambda run: run.translate(_marks))
"""The replacements of characters whose sign is one of `MARKED`: one cell for each."""
