"""What holds for any text that is revealed."""

from __future__ import annotations

import re
import string
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reveal_fields import FIELDS, LOOSE, ONE_LINE

from signoff.present.reveal import Field, SafeText, escape, reveal, reveal_line

HOSTILE = (
    "\x00\x07\x08\t\n\r\x1b\x7f\x85\x9b \xa0\xad\u0301\u0336\u0489\u20e3\u034f\u061c\u0378\u115f\u180e\u200b\u200c"
    "\u200d\u200e\u2028\u202e\u2066\u2069\u2800\u3000\ud800\udc9b\ue000\ufe00\ufe0e\ufe0f\ufeff\uffff\U0001f3fd"
    "\U0001f1eb\u1100\u1161\u11a8\u093e\u0903\U0001f972\U000e0041\U000e0100\u2764\U0001f469#1a\u0430\u03bfb\u0440/@:.-_[]<>^~\u4e2d\u05d0\u0928\u094d\uff0f"
)
hostile = st.lists(st.tuples(st.sampled_from(HOSTILE), st.sampled_from([1, 1, 1, 2, 5, 9, 45]))).map(
    lambda runs: "".join(char * count for char, count in runs)
)
ORDINARY = [
    "שָׁלוֹם", "عربي", "بِسْمِ", "你好，世界。", "日本語", "카타", "カタカナ", "café",
    "cafe\u0301", "Tiế̂\u0301ng", "नमस्ते", "สวัสดี", "Журнал", "αβγ", "👩", "👍",
    "❤", "🏳", "🇫🇷", "«—»", "“q”", "‘x’", "{a[0]}", "100%", "</b>", ":x:",
]  # fmt: skip
"""Words of many languages, plain emoji, and signs that other formats give a meaning."""
CLUSTERS = {
    "👩\u200d👩\u200d👧": "👩👩👧", "👍🏽": "👍", "❤\ufe0f\u200d🔥": "❤🔥", "🏳\ufe0f\u200d🌈": "🏳🌈",
    "1\ufe0f\u20e3": "1", "☎\ufe0e": "☎", "\u1112\u1161\u11ab": "", "हिन्दी": "हन्द",
}  # fmt: skip
"""What terminals draw in different widths, and the base characters of each."""
texts = hostile | st.text(st.characters()) | st.text(string.printable)
fields = st.sampled_from(FIELDS)

BLANK_LOOK_ALIKES = re.compile(
    "[\u034f\u115f-\u11ff\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)


def forbidden(text: str, *, kept: str) -> list[str]:
    """Every character that must not be in safe text, by the words of the rule and not by its tables."""
    found = []
    for char in text:
        category = unicodedata.category(char)
        if char in "\u20e3\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff" or category == "Mc":
            ok = False
        elif category[0] == "C" or category in ("Zl", "Zp"):
            ok = char in kept
        else:
            ok = not BLANK_LOOK_ALIKES.match(char)
        if not ok:
            found.append(char)
    return found


def original(safe: SafeText) -> str:
    """The text that safe text was made from, read back from its signs."""
    parts, at = [], 0
    for (start, end), count in zip(safe.hidden, safe.replaced, strict=True):
        parts.append(safe.text[at:start])
        read = read_marks if safe.is_mark(len(parts) // 2) else read_signs
        parts.append(read(safe.text[start:end]) if count else "")
        at = end
    return "".join([*parts, safe.text[at:]])


SIGN = re.compile(
    r"\[(?P<count>\d+) (?P<blank>space|tab|newline)s?\]"
    r"|(?:\[(?P<times>\d+) x )?(?:\^(?P<caret>.)|<U\+(?P<code>[0-9A-F]+)[^>]*>)(?(times)\])"
    r"|(?P<tab>> *)|(?P<space>[ ~])"
)


def read_signs(signs: str) -> str:
    chars, at = [], 0
    while at < len(signs):
        sign = SIGN.match(signs, at)
        assert sign is not None
        at = sign.end()
        if sign["count"]:
            chars.append({"space": " ", "tab": "\t", "newline": "\n"}[sign["blank"]] * int(sign["count"]))
        elif sign["tab"]:
            chars.append("\t")
        elif sign["space"]:
            chars.append(" ")
        else:
            char = chr(ord(sign["caret"]) ^ 0x40) if sign["caret"] else chr(int(sign["code"], 16))
            chars.append(char * int(sign["times"] or 1))
    return "".join(chars)


MARKS = dict(
    zip("+'*_-:=%#", "\u200d\ufe0e\ufe0f\u20e3\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff", strict=True)
)


def read_marks(signs: str) -> str:
    return "".join(MARKS.get(char) or read_letter(char) for char in signs)


def read_letter(char: str) -> str:
    """The Jamo of a syllable, or the sign of a vowel that its letter stands for."""
    name = unicodedata.name(char)
    if name.startswith("HANGUL SYLLABLE"):
        return unicodedata.normalize("NFD", char)
    return unicodedata.lookup(name.replace(" LETTER ", " VOWEL SIGN "))


def without_note(safe: SafeText) -> str:
    """The text without the ASCII form of its hosts, which is ours and stands at the end."""
    return safe.text[: safe.hidden[-1][0]] if safe.replaced[-1:] == (0,) else safe.text


@pytest.mark.parametrize("field", ["path", "content"])
def test_a_single_character_is_safe_too(field: Field) -> None:
    kept = "" if field in ONE_LINE else "\n\t"
    for code in (*range(0x2100), *range(0xFE00, 0x10000), *range(0xE0000, 0xE0200)):
        assert forbidden(reveal(chr(code), field).text, kept=kept) == []


@given(texts, fields)
def test_no_forbidden_character_is_left(text: str, field: Field) -> None:
    kept = "" if field in ONE_LINE else "\n\t"
    assert forbidden(reveal(text, field).text, kept=kept) == []


@given(texts, fields)
def test_no_forbidden_character_is_left_in_a_row(text: str, field: Field) -> None:
    assert forbidden(reveal_line(text, field, mark_trailing=True).text, kept="") == []


@given(texts, fields)
def test_the_original_can_be_read_back(text: str, field: Field) -> None:
    """So nothing is lost, and no two texts are shown alike."""
    assert original(reveal(text, field)) == text


@given(texts, fields)
@example("a\t  \t ", "content")
def test_the_original_of_a_row_can_be_read_back(text: str, field: Field) -> None:
    assert original(reveal_line(text, field, mark_trailing=True)) == text


@given(texts, fields)
def test_what_was_made_safe_needs_no_more_escapes(text: str, field: Field) -> None:
    once = reveal(text, field)
    assert "<U+" not in "".join(once.text[a:b] for a, b in reveal(once.text, field).hidden)


@given(texts, fields)
@example("https://g\u03bfogle.com/", "url")
@example("x" + "\n" * 40 + " \t" * 90, "command")
def test_what_was_made_safe_stays_as_it_is(text: str, field: Field) -> None:
    once = without_note(reveal(text, field))
    assert without_note(reveal(once, field)) == once


@given(st.lists(st.sampled_from(ORDINARY)).map(" ".join), st.sampled_from(LOOSE))
def test_ordinary_text_of_any_language_is_a_fixed_point(text: str, field: Field) -> None:
    safe = reveal(text, field)
    assert (safe.text, safe.hidden) == (text, ())
    assert {finding.kind for finding in safe.findings if finding.warn} <= {"long"}


@given(st.lists(st.sampled_from([*CLUSTERS])), st.sampled_from([*LOOSE, "command", "path"]))
def test_clusters_keep_their_base_characters_and_do_not_warn(words: list[str], field: Field) -> None:
    safe = reveal(" ".join(words), field)
    shown, at = "", 0
    for start, end in safe.hidden:
        shown, at = shown + safe.text[at:start], end
    assert shown + safe.text[at:] == " ".join(CLUSTERS.get(word, word) for word in words)
    assert {finding.kind for finding in safe.findings if finding.warn} <= {"long"}


@given(texts, fields)
def test_spans_are_sorted_and_within_the_text(text: str, field: Field) -> None:
    safe = reveal(text, field)
    borders = [border for span in safe.hidden for border in span]
    assert borders == sorted(borders)
    assert all(start < end for start, end in safe.hidden)
    assert not borders or borders[-1] <= len(safe)
    assert len(safe.hidden) == len(safe.replaced)


@given(texts, fields)
def test_findings_point_into_the_original_in_printable_ascii(text: str, field: Field) -> None:
    findings = reveal(text, field).findings
    assert [each.where for each in findings] == sorted(each.where for each in findings)
    for finding in findings:
        assert 0 <= finding.where <= len(text)
        assert finding.codepoint in (None, *map(ord, text[finding.where : finding.where + 1]))
        assert finding.message.isascii()
        assert finding.message.isprintable()


@given(texts, fields)
def test_what_is_hidden_is_found(text: str, field: Field) -> None:
    safe = reveal(text, field)
    marks = [safe.is_mark(span) for span in range(len(safe.hidden))]
    assert all(marks) or safe.findings


@given(st.text(string.digits + string.ascii_letters + string.punctuation, max_size=80), fields)
def test_plain_ascii_is_untouched(text: str, field: Field) -> None:
    safe = reveal(text, field)
    assert (safe.text, safe.hidden) == (text, ())


@given(texts, fields)
def test_lines_put_together_are_the_text(text: str, field: Field) -> None:
    safe = reveal(text, field)
    lines = safe.lines()
    assert "\n".join(line.text for line in lines) == safe.text
    assert "\n".join(original(line) for line in lines) == text
    assert sum(len(line.findings) for line in lines) == len(safe.findings)


@given(texts, fields, st.data())
def test_mapped_spans_cover_what_they_covered(text: str, field: Field, data: st.DataObject) -> None:
    safe = reveal(text, field)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    a, b = safe.map_span(start, end)
    assert 0 <= a <= b <= len(safe)
    inside = [(x, y) for x, y in safe.hidden if x < b and y > a]
    assert all(a <= x and y <= b for x, y in inside)
    shown = SafeText(
        safe.text[a:b],
        tuple((x - a, y - a) for x, y in inside),
        (),
        tuple(count for span, count in zip(safe.hidden, safe.replaced, strict=True) if span in inside),
    )
    assert text[start:end] in original(shown)


@given(texts, fields)
def test_a_long_text_is_told_as_a_short_one_is(text: str, field: Field) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(escape, "_SMALL", 0)
        long = reveal(text, field)
        patch.setattr(escape, "_SMALL", len(text))
        assert long == reveal(text, field)
