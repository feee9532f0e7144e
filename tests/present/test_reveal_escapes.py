"""Hostile text made visible, one test per rule, and ordinary text left alone."""

from __future__ import annotations

import pytest
from reveal_fields import EXACT, FIELDS, LOOSE, ONE_LINE, ROWS, kinds, warned

from signoff.present.reveal import Field, reveal

# What is escaped, and how.


@pytest.mark.parametrize(
    ("char", "shown", "kind"),
    [
        ("\x00", "^@", "control"),
        ("\x1b", "^[", "control"),
        ("\r", "^M", "control"),
        ("\x7f", "<U+007F DEL>", "control"),
        ("\x9b", "<U+009B CSI>", "control"),
        ("\u202e", "<U+202E RLO>", "bidi"),
        ("\u200f", "<U+200F RLM>", "bidi"),
        ("\u200b", "<U+200B ZWSP>", "invisible"),
        ("\xad", "<U+00AD SHY>", "invisible"),
        ("\ufeff", "<U+FEFF BOM>", "invisible"),
        ("\u200c", "<U+200C ZWNJ>", "invisible"),
        ("\u2800", "<U+2800 BLANK>", "invisible"),
        ("\u3164", "<U+3164 FILLER>", "invisible"),
        ("\u17b4", "<U+17B4>", "invisible"),
        ("\ufe00", "<U+FE00 VS1>", "invisible"),
        ("\U000e0100", "<U+E0100>", "invisible"),
        ("\U000e0041", "<U+E0041>", "tag"),
        ("\u2028", "<U+2028 LS>", "line-break"),
        ("\ue000", "<U+E000>", "private"),
        ("\u0378", "<U+0378>", "unassigned"),
        ("\uffff", "<U+FFFF>", "unassigned"),
        ("\ud800", "<U+D800>", "surrogate"),
        ("\udc9b", "<U+DC9B BYTE 9B>", "surrogate"),
    ],
)
@pytest.mark.parametrize("field", FIELDS)
def test_what_acts_or_cannot_be_seen_is_an_escape(char: str, shown: str, kind: str, field: Field) -> None:
    safe = reveal(f"a{char}b", field)
    assert safe.text == f"a{shown}b"
    assert safe.hidden == ((1, 1 + len(shown)),)
    assert kind in warned(safe)


@pytest.mark.parametrize("field", ROWS)
def test_newline_and_tab_stay_where_a_text_has_rows(field: Field) -> None:
    safe = reveal("all:\n\tcc x.c\n", field)
    assert safe.text == "all:\n\tcc x.c\n"
    assert not safe.findings


@pytest.mark.parametrize("field", ONE_LINE)
def test_newline_and_tab_are_escapes_where_a_text_is_one_line(field: Field) -> None:
    safe = reveal("a\nb\tc", field)
    assert safe.text == "a^Jb^Ic"
    assert safe.warns


@pytest.mark.parametrize(
    ("blank", "shown"),
    [("\xa0", "<U+00A0 NBSP>"), ("\u2003", "<U+2003 EM SPACE>"), ("\u3000", "<U+3000 IDSP>")],
)
@pytest.mark.parametrize("field", EXACT)
def test_odd_blanks_are_escapes_where_every_character_counts(blank: str, shown: str, field: Field) -> None:
    safe = reveal(f"rm{blank}x", field)
    assert safe.text == f"rm{shown}x"
    assert warned(safe) == ["blank"]


@pytest.mark.parametrize("field", LOOSE)
def test_odd_blanks_are_noted_elsewhere(field: Field) -> None:
    safe = reveal("prix\xa0: 5", field)
    assert safe.text == "prix\xa0: 5"
    assert (kinds(safe), safe.warns) == (["blank"], False)


@pytest.mark.parametrize("field", EXACT)
def test_an_overlay_is_an_escape_where_every_character_counts(field: Field) -> None:
    assert reveal("r\u0336m\u0336", field).text == "r<U+0336>m<U+0336>"


def test_an_overlay_stays_in_content() -> None:
    assert not reveal("a\u0338", "content").hidden


@pytest.mark.parametrize("before", ["", " ", "\t", "\n", "\xa0", "\x00"])
def test_a_mark_without_a_base_is_an_escape(before: str) -> None:
    safe = reveal(f"x{before}\u0301" if before else "\u0301", "content")
    assert safe.text.endswith("<U+0301>")
    assert "marks" in warned(safe)


def test_marks_beyond_four_in_a_row_are_escapes() -> None:
    safe = reveal("a\u0300\u0301\u0302\u0303\u0304\u0305b", "content")
    assert safe.text == "a\u0300\u0301\u0302\u0303<U+0304><U+0305>b"
    assert warned(safe) == ["marks"]


@pytest.mark.parametrize("marks", range(4, 20))
@pytest.mark.parametrize("begins", ["a", "\u2764\ufe0f \u0430"])  # an emoji anywhere changes how marks are counted
def test_of_each_pile_of_marks_four_stay_however_high_it_is(begins: str, marks: int) -> None:
    pile = begins + "\u0301" * marks
    shown = reveal(pile * 3, "content")
    assert shown.text == reveal(pile, "content").text * 3
    base = reveal(begins, "content").text
    assert [shown.text.count(f"{base}\u0301\u0301\u0301\u0301"), shown.text.count("\u0301")] == [3, 12]


def test_nothing_sits_on_the_sign_for_a_selector() -> None:
    safe = reveal("\u2764\ufe0f\u0300", "content")
    assert (safe.text, safe.warns) == ("\u2764*<U+0300>", True)


@pytest.mark.parametrize(
    "lone", ["a\u200db", "\u200d", "👩\u200d", "\u200d👩", "👩\u200da", "\u0915\u094d\u200d\u0937"]
)
def test_a_joiner_that_joins_no_pictographs_is_an_escape(lone: str) -> None:
    assert "<U+200D ZWJ>" in reveal(lone, "content").text


@pytest.mark.parametrize("lone", ["a\ufe0f", "1\ufe0f", "\ufe0f", "👍\ufe0f\ufe0f"])
def test_a_selector_that_selects_no_pictograph_is_an_escape(lone: str) -> None:
    assert "<U+FE0F VS16>" in reveal(lone, "content").text


def test_many_of_one_escape_are_counted() -> None:
    safe = reveal("a" + "\u200b" * 400 + "b", "path")
    assert safe.text == "a[400 x <U+200B ZWSP>]b"
    assert safe.replaced == (400,)


def test_tag_characters_are_spelled_out_in_the_finding() -> None:
    secret = "".join(chr(0xE0000 + ord(char)) for char in "approve")
    (finding,) = reveal("fine" + secret, "description").findings
    assert "'approve'" in finding.message


# What is left alone.


@pytest.mark.parametrize(
    "text",
    [
        "שלום עולם",
        "مرحبا بالعالم، بِسْمِ",
        "你好，世界。“引号”",
        "日本語のテキスト　カタカナ",
        "한국어 문장",
        "नमस्ते",
        "ภาษาไทยที่นี่",
        "Tiếng Việt, naïve café",
        "jose\u0301 cafe\u0301",
        "Журнал git log: готово",
        "🇫🇷🇩🇪 ☎ 👍 ❤ 🟢 ⚠",
        "a → b ≤ c ∞ ± × ÷ € ² ½ µ",
        "┌──┐\n│ab│\n└──┘",
        "« Bonjour ! » — “quoted” – it’s…",
        "\u2801\u2803\u2809",
    ],
)
def test_ordinary_text_of_any_language_stays_and_does_not_warn(text: str) -> None:
    safe = reveal(text, "content")
    assert (safe.text, safe.hidden, safe.warns) == (text, (), False)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("👩\u200d👩\u200d👧\u200d👦", "👩+👩+👧+👦"),
        ("👍🏻👍🏼👍🏽👍🏾👍🏿", "👍-👍:👍=👍%👍#"),
        ("👩🏽\u200d💻", "👩=+💻"),
        ("❤\ufe0f\u200d🔥", "❤*+🔥"),
        ("🏴\u200d☠\ufe0f", "🏴+☠*"),
        ("☎\ufe0e", "☎'"),
        ("1\ufe0f\u20e3 #\u20e3", "1*_ #_"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", "\ud55c\uae00"),
        ("\uac00\u11a8", "\uac01"),
        ("हिन्दी हाँ", "हइन्दई हआँ"),
    ],
)
@pytest.mark.parametrize("field", ["path", "command", "content"])
def test_what_terminals_draw_in_different_widths_is_drawn_in_one(text: str, shown: str, field: Field) -> None:
    safe = reveal(text, field)
    assert (safe.text, safe.warns) == (shown, False)
    assert all(safe.is_mark(span) for span in range(len(safe.hidden)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u1161b", "a<U+1161>b"),  # a vowel of no syllable
        ("\u1112\u119e", "\u1112<U+119E>"),  # a syllable that has no character
        ("a\U0001f3fd", "a<U+1F3FD>"),
        ("a\u20e3", "a<U+20E3>"),
        ("🇫🇷🇩", "🇫🇷<U+1F1E9>"),  # half a flag
        ("दुः", "दु<U+0903>"),
        ("\U0001f972", "<U+1F972>"),  # newer than the tables of some terminals
        ("\u2630", "<U+2630>"),
        ("\u0dcf\u0dca", "<U+0DCF><U+0DCA>"),  # nothing sits on an escape
    ],
)
@pytest.mark.parametrize("field", ["path", "command", "content"])
def test_what_has_no_drawing_of_one_width_is_an_escape_without_a_warning(
    text: str, shown: str, field: Field
) -> None:
    safe = reveal(text, field)
    assert (safe.text, safe.warns, kinds(safe)) == (shown, False, ["width"])


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("/home/u/Документы/отчёт_final.txt", "path"),
        ("/home/u/文档/报告（最终）.txt", "path"),
        ("東京tower", "path"),
        ("git commit -m 'Größe ändern — naïve café 🎉'", "command"),
        ("echo 'Привет, мир' | wc -c", "command"),
        ("mcp__github__create_issue", "tool_name"),
        ("ssh://git@example.com/x.git", "url"),
        ("git@example.com:o/x.git", "url"),
        ("https://example.com:8443/@user/a?b=c@d#e", "url"),
        ("https://例え.example/", "url"),
    ],
)
def test_ordinary_values_do_not_warn(text: str, field: Field) -> None:
    safe = reveal(text, field)
    assert safe.text.startswith(text)
    assert not safe.warns


@pytest.mark.parametrize("text", ["echo [/", "[@click=app.quit]x[/]", "**b** <b>x</b> %s {x} :smile:", "\\[red]"])
@pytest.mark.parametrize("field", FIELDS)
def test_nothing_is_markup(text: str, field: Field) -> None:
    safe = reveal(text, field)
    assert (safe.text, safe.hidden, safe.findings) == (text, (), ())


def test_texts_with_more_characters_than_are_remembered_stay_right() -> None:
    many = "".join(map(chr, range(0xF0000, 0xF0000 + 90_000)))
    assert reveal(many, "content").text == "".join(f"<U+{ord(char):04X}>" for char in many)
    assert reveal("a\u200b", "content").text == "a<U+200B ZWSP>"
