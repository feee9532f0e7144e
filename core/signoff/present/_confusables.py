"""Characters that pass for others: a small table, and scripts mixed inside one word.

Sources: Unicode Technical Standard 39 (`confusables.txt`, mixed-script detection) and the letters for which
Chromium shows a host in its ASCII form. The table holds what matters in commands, paths, hosts and names: the
signs that shells, paths and URLs give a meaning, and letters that fonts draw like ASCII ones. Signs that are
ordinary punctuation elsewhere, such as the em dash or full-width parentheses, are left out on purpose.
"""

from __future__ import annotations

import re
import unicodedata

from signoff.present._unicode import LATIN, LETTERS, WITHIN_WORD

__all__ = ["ascii_twin", "look_alikes", "name_disguise", "script_change", "whole_disguise"]

_SIGNS = {
    "-": "\u2010\u2011\u2012\u2013\u2212\ufe58\ufe63\uff0d",
    "'": "\u2018\u2019\u201b\u2032\u00b4\u02b9\uff07",
    "`": "\u1fef\uff40",
    '"': "\u201c\u201d\u201f\u2033\uff02",
    ",": "\u201a",
    ";": "\u037e\ufe54\uff1b",
    ":": "\u2236\ua789\ufe55",
    ".": "\u2024\u3002\ufe52\uff0e\uff61",
    "..": "\u2025",
    "/": "\u2044\u2215\u2571\u29f8\uff0f",
    "\\": "\u2216\u29f5\u29f9\ufe68\uff3c",
    "|": "\u01c0\u2223\uff5c",
    "&": "\ufe60\uff06",
    "<": "\u2039\ufe64\uff1c",
    ">": "\u203a\ufe65\uff1e",
    "*": "\u204e\u2217\ufe61\uff0a",
    "~": "\u02dc\u223c",
    "$": "\ufe69\uff04",
    "#": "\ufe5f\uff03",
    "@": "\ufe6b\uff20",
    "%": "\ufe6a\uff05",
}
_LATIN = {  # letters of phonetic alphabets, and small capitals
    "a": "\u0251", "c": "\u1d04", "g": "\u0261", "i": "\u0269\u026a", "o": "\u1d0f", "s": "\ua731",
    "u": "\u1d1c", "v": "\u1d20", "w": "\u1d21", "z": "\u1d22",
}  # fmt: skip
_TWINS = {char: twin for table in (_SIGNS, _LATIN) for twin, chars in table.items() for char in chars}
_LETTERLIKE = "\u2102\u210a-\u210e\u2110-\u2113\u2115\u2119-\u211d\u2124\u2128\u212a\u212c\u212d\u212f-\u2134"
_COMPATIBLE = (
    "\uff10-\uff19\uff21-\uff3a\uff41-\uff5a"  # full-width letters and digits
    "\U0001d400-\U0001d7ff"  # mathematical letters and digits
    "\u2160-\u217f"  # Roman numerals
    "\ufb00-\ufb06"  # ligatures
)
_LOOK_ALIKE = re.compile(f"[{re.escape(''.join(_TWINS))}{_LETTERLIKE}{_COMPATIBLE}]")

_PASS_FOR_LATIN = (
    "\u0131"  # dotless i
    "асԁеһіјӏорԛѕԝхуѵьАВСЕНІЈКМОРЅТХУԌԚԜ"  # Cyrillic
    "αγικνορτυωϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ"  # Greek
    "ագզհյոսցքօՏՕՍԼ"  # Armenian
    "ⲟⲥⲣⲞⲤⲢ"  # Coptic
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏎᏏᏒᏔᏕᏚᏞᏟᏢᏦᏧᏮᏳᏴ"  # Cherokee
    "\ua4d0-\ua4f7"  # Lisu
) + "".join(_LATIN.values())
_WHOLE_DISGUISE = re.compile(
    rf"(?<![^\W_])(?=[A-Za-z0-9]*([{_PASS_FOR_LATIN}]))[A-Za-z0-9{_PASS_FOR_LATIN}]++(?![^\W_])"
)
_PASSES = re.compile(f"[{_PASS_FOR_LATIN}]")
_TELLS = re.compile(rf"[^\W\d_A-Za-z{_PASS_FOR_LATIN}]")
"""A letter that no reader takes for an ASCII one."""
_LETTER = re.compile(f"[{LETTERS}]")
_SCRIPT_CHANGE = re.compile(f"([{LETTERS}])[{WITHIN_WORD}]*(?!\\1)([{LETTERS}])")


def ascii_twin(char: str) -> str:
    """The ASCII text that a look-alike passes for; empty if there is none."""
    twin = _TWINS.get(char) or unicodedata.normalize("NFKC", char)
    return twin if twin.isascii() else ""


def look_alikes(text: str) -> list[int]:
    """Where characters stand that pass for ASCII ones but are not."""
    return [found.start() for found in _LOOK_ALIKE.finditer(text)]


def script_change(signs: str) -> int | None:
    """Where a word has letters of two scripts, given the shape of a text; None if no word has.

    Returns:
        The first letter of the first such pair that is not Latin.
    """
    letter = _LETTER.search(signs)
    if letter is None or not _LETTER.search(signs.replace(letter[0], "")):
        return None  # told sooner than by looking at each word: most texts have one script
    found = _SCRIPT_CHANGE.search(signs)
    if found is None:
        return None
    return found.start(1 if found[2] == LATIN else 2)


def whole_disguise(text: str) -> int | None:
    """Where a word that could pass for ASCII has its first letter that is not; None if there is no such word."""
    found = _PASSES.search(text) and _WHOLE_DISGUISE.search(text)
    return found.start(1) if found else None


def name_disguise(name: str) -> int | None:
    """Where a name that could pass for ASCII has its first letter that is not; None if no reader could take it so.

    One letter that cannot be mistaken tells that the others are what they are, such as a short word of Russian.
    """
    disguise = whole_disguise(name)
    return None if disguise is None or _TELLS.search(name) else disguise
