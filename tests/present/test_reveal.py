"""Hostile text made visible: one test per rule, and what holds for any text."""

from __future__ import annotations

import re
import string
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from signoff.present.reveal import Field, SafeText, quoted, reveal, reveal_line

EXACT: tuple[Field, ...] = ("command", "path", "url", "tool_name", "arg_key", "agent")
LOOSE: tuple[Field, ...] = ("arg_value", "description", "content")
FIELDS = EXACT + LOOSE
ONE_LINE: tuple[Field, ...] = ("path", "url", "tool_name", "arg_key", "agent")
ROWS = tuple(field for field in FIELDS if field not in ONE_LINE)


def kinds(safe: SafeText) -> list[str]:
    return [finding.kind for finding in safe.findings]


def warned(safe: SafeText) -> list[str]:
    return [finding.kind for finding in safe.findings if finding.warn]


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


def test_an_emoji_selector_counts_as_a_mark() -> None:
    safe = reveal("\u2764\ufe0f\u0300\u0301\u0302\u0303", "content")
    assert safe.text == "\u2764\ufe0f\u0300\u0301\u0302<U+0303>"


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
        "नमस्ते क्षत्रिय",
        "ภาษาไทยที่นี่",
        "Tiếng Việt, naïve café",
        "jose\u0301 cafe\u0301",
        "Журнал git log: готово",
        "👩\u200d👩\u200d👧\u200d👦 👍🏽 👩🏽\u200d💻 ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈 🏴\u200d☠\ufe0f",
        "🇫🇷 1\ufe0f\u20e3 #\ufe0f\u20e3 ☎\ufe0e",
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


# Padding, ends, lengths.


@pytest.mark.parametrize(
    ("text", "field", "shown"),
    [
        ("ls" + " " * 400 + "; rm", "command", "ls[400 spaces]; rm"),
        ("ls" + "\t" * 200 + "; rm", "command", "ls[200 tabs]; rm"),
        ("ls" + " \t" * 10 + "x", "command", "ls" + " ^I" * 10 + "x"),
        ("ls" + "\n" * 400 + "rm", "command", "ls\n[398 newlines]\nrm"),
        ("ls" + "\n " * 7 + "rm", "command", "ls\n" + " ^J" * 5 + " \n rm"),
        (" " * 60 + "rm", "command", "[60 spaces]rm"),
        ("a.pdf" + " " * 120 + ".exe", "path", "a.pdf[120 spaces].exe"),
        ("x = 1" + " " * 300 + "; evil()", "content", "x = 1[300 spaces]; evil()"),
    ],
)
def test_padding_is_counted_and_warned_of(text: str, field: Field, shown: str) -> None:
    safe = reveal(text, field)
    assert safe.text == shown
    assert "padding" in warned(safe)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("if x:\n" + " " * 40 + "y = 1  # aligned" + " " * 30 + "# twice\n", "content"),
        ("a\n\n\n\nb", "content"),
        ("for i in 1 2; do\n        echo $i\ndone", "command"),
        ("a  b.txt", "path"),
    ],
)
def test_indentation_and_columns_are_no_padding(text: str, field: Field) -> None:
    safe = reveal(text, field)
    assert (safe.text, safe.findings) == (text, ())


@pytest.mark.parametrize("field", ONE_LINE)
def test_blanks_at_the_ends_of_one_line_are_counted(field: Field) -> None:
    safe = reveal("  notes.txt ", field)
    assert safe.text == "[2 spaces]notes.txt[1 space]"
    assert warned(safe) == ["edge-blank"]


@pytest.mark.parametrize(
    ("text", "field", "warns"),
    [
        ("echo '" + "lorem " * 400 + "'; rm", "command", True),
        ("line\n" * 60 + "rm", "command", True),
        ("/a" * 200, "path", True),
        ("x" * 200, "tool_name", True),
        ("x" * 20_000, "arg_value", True),
        ("word " * 1_000, "description", False),
    ],
)
def test_a_long_text_is_shown_whole_and_its_size_told(text: str, field: Field, warns: bool) -> None:
    safe = reveal(text, field)
    (finding,) = safe.findings
    assert safe.text == text
    assert (finding.kind, finding.warn) == ("long", warns)
    assert str(len(text)) in finding.message


def test_content_has_no_length_that_would_be_too_long() -> None:
    assert not reveal("line\n" * 10_000, "content").findings


def test_windows_line_endings_are_shown_in_content_but_ordinary() -> None:
    safe = reveal("a\r\nb\r\n", "content")
    assert safe.text == "a^M\nb^M\n"
    assert (kinds(safe), safe.warns) == (["line-ending"], False)


def test_a_lone_carriage_return_in_content_is_warned_of() -> None:
    assert warned(reveal("good\revil\n", "content")) == ["control"]


# What passes for something else.


@pytest.mark.parametrize("field", EXACT)
def test_scripts_mixed_in_a_word_are_warned_of_where_every_character_counts(field: Field) -> None:
    safe = reveal("/src/\u0430dmin", field)
    assert "mixed-script" in warned(safe)
    assert {finding.codepoint for finding in safe.findings} == {0x430}


def test_scripts_mixed_in_a_word_of_content_are_only_noted() -> None:
    safe = reveal("if \u0430dmin:", "content")
    assert (kinds(safe), safe.warns) == (["mixed-script"], False)


@pytest.mark.parametrize(
    "char", "\u037e\uff1b\u2013\u2018\u2019\u201c\u201d\u2044\u2215\u2024\u3002\uff0f\uff52\uff21"
)
@pytest.mark.parametrize("field", EXACT)
def test_look_alikes_of_ascii_are_warned_of_where_every_character_counts(char: str, field: Field) -> None:
    assert "look-alike" in warned(reveal(f"x{char}y", field))


@pytest.mark.parametrize("field", LOOSE)
def test_look_alikes_are_ordinary_punctuation_elsewhere(field: Field) -> None:
    assert not reveal("„x“ – ‘y’ ｗｉｄｅ。", field).findings


@pytest.mark.parametrize("name", ["\u0441\u043e\u0440\u0443", "\u03bf", "\u0455\u0441\u043e\u0440\u0435"])
def test_a_name_of_letters_that_all_pass_for_ascii_is_a_disguise(name: str) -> None:
    assert warned(reveal(name, "tool_name")) == ["disguise"]


def test_such_a_word_is_only_noted_in_a_path() -> None:
    safe = reveal("/\u043e\u0440\u0441/x", "path")
    assert (kinds(safe), safe.warns) == (["disguise"], False)


# URLs.


@pytest.mark.parametrize(
    ("url", "form"),
    [
        ("https://b\xfccher.example/x", "xn--bcher-kva.example"),
        ("https://stra\xdfe.example/", "xn--strae-oqa.example"),
        ("http://\u03bf\u03b4\u03bf\u03a3.example:80/", "xn--pxavbq.example"),
        ("//\uff47\uff49\uff54hub.com", "github.com"),
        ("evil\u3002example/", "evil.example"),
    ],
)
def test_the_ascii_form_of_a_host_stands_behind_the_url(url: str, form: str) -> None:
    safe = reveal(url, "url")
    note = f" <host {form}>"
    assert safe.text == url + note
    assert safe.hidden[-1] == (len(url), len(url) + len(note))


def test_hosts_in_a_command_get_their_ascii_form_too() -> None:
    safe = reveal("curl 'https://g\u03bfogle.com/' https://g\u03bfogle.com", "command")
    assert safe.text.endswith(" <host xn--gogle-rce.com>")
    assert "punycode" in warned(safe)


@pytest.mark.parametrize(
    "host", ["g\u03bfogle.com", "\u0441\u043e\u0440\u0443.com", "google-\u043f\u043e\u0438\u0441\u043a.com"]
)
def test_a_host_that_mixes_scripts_or_is_all_look_alikes_is_warned_of(host: str) -> None:
    assert "punycode" in warned(reveal(f"https://{host}/", "url"))


@pytest.mark.parametrize("host", ["\u043a" * 64 + ".com", "\u043a." * 200 + "com"])
def test_a_name_that_no_host_can_have_is_warned_of(host: str) -> None:
    assert "punycode" in warned(reveal(f"https://{host}/", "url"))


def test_a_host_that_turns_into_something_else_when_looked_up_is_warned_of() -> None:
    assert "punycode" in warned(reveal("https://evil.c\u2100.example/", "url"))


def test_only_so_many_hosts_are_looked_at_and_the_rest_is_counted() -> None:
    command = "curl " + " ".join(f"http://b\xfc{number}.de" for number in range(25))
    safe = reveal(command, "command")
    assert safe.text.endswith(" and 5 more>")
    assert "punycode" in warned(safe)


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com%2Fx@198.51.100.7/",
        "https://user:word@host.example/",
        "https:user@host.example/",
        "ssh://github.com@host.example/",
        "//user@host.example/",
    ],
)
def test_a_user_part_in_a_url_is_warned_of(url: str) -> None:
    (finding,) = reveal(url, "url").findings
    assert (finding.kind, finding.warn) == ("credentials", True)
    assert "198.51.100.7" in finding.message or "host.example" in finding.message


def test_a_backslash_in_the_user_part_leaves_the_host_open() -> None:
    (finding,) = reveal("https://evil.example\\@github.com/", "url").findings
    assert "github.com" not in finding.message
    assert "disagree" in finding.message


@pytest.mark.parametrize("field", ["command", "arg_value"])
def test_a_user_part_is_found_inside_text(field: Field) -> None:
    assert warned(reveal("x=1;git clone https://u:p@host.example/x", field)) == ["credentials"]


def test_a_long_host_is_warned_of() -> None:
    assert warned(reveal("https://github.com." + "a" * 60 + ".evil.example/", "url")) == ["long"]


# One row of the screen.


def test_a_tab_in_a_row_is_visible_and_reaches_the_tab_stop() -> None:
    safe = reveal_line("\ta\tbcd\t", tab_width=4)
    assert safe.text == ">   a>  bcd>"
    assert safe.hidden == ((0, 4), (5, 8), (11, 12))
    assert not safe.findings


def test_a_tab_stop_counts_cells_not_characters() -> None:
    assert reveal_line("\u4e2d\te\u0301\tx", tab_width=4).text == "\u4e2d> e\u0301>  x"


def test_a_tab_stop_counts_the_escapes_before_it() -> None:
    assert reveal_line("\x00\tx", tab_width=4).text == "^@> x"


def test_a_newline_in_a_row_is_an_escape() -> None:
    safe = reveal_line("a\nb", "command")
    assert (safe.text, warned(safe)) == ("a^Jb", ["control"])


def test_trailing_blanks_are_marked_on_request() -> None:
    safe = reveal_line("x = 1 \t ", mark_trailing=True, tab_width=4)
    assert safe.text == "x = 1~> ~"
    assert safe.hidden == ((5, 9),)
    assert not safe.findings


def test_trailing_blanks_stay_otherwise() -> None:
    assert reveal_line("x = 1  ").text == "x = 1  "


def test_trailing_blanks_before_a_windows_line_ending_are_marked() -> None:
    safe = reveal_line("x  \r", mark_trailing=True)
    assert (safe.text, safe.warns) == ("x~~^M", False)


def test_long_trailing_padding_in_a_row_is_counted() -> None:
    assert reveal_line("x" + " " * 500, mark_trailing=True).text == "x[500 spaces]"


def test_a_tab_in_a_name_stays_an_escape() -> None:
    assert reveal_line("read\tfile", "tool_name").text == "read^Ifile"


# Safe text.


def test_own_words_are_taken_as_they_are() -> None:
    assert SafeText.own("3 files → ok…\n\tdone").text == "3 files → ok…\n\tdone"


@pytest.mark.parametrize("words", ["\x1b[1m", "a\u202eb", "a\u200bb", "\ue000", "a\ud800", "\u0301"])
def test_own_words_with_hidden_characters_are_refused(words: str) -> None:
    with pytest.raises(ValueError, match="own words"):
        SafeText.own(words)


@pytest.mark.parametrize("text", ["\x1b", "\x9b", "\r", "\x7f", "\u202e", "\u2028", "\ud800", "\U000e0041"])
def test_safe_text_cannot_be_made_from_what_a_terminal_obeys(text: str) -> None:
    with pytest.raises(ValueError, match="control characters"):
        SafeText(text)


def test_quotes_show_where_a_text_ends_and_are_not_the_agents() -> None:
    safe = quoted(reveal('yes" \x00', "arg_value"))
    assert safe.text == '"yes" ^@"'
    assert safe.hidden == ((0, 1), (6, 8), (8, 9))
    assert safe.warns


def test_text_knows_its_length_and_prints_itself() -> None:
    safe = reveal("a\x00", "content")
    assert (len(safe), str(safe)) == (3, "a^@")


def test_lines_keep_their_own_spans_and_findings() -> None:
    safe = reveal("plain\na\x00\nb \u202e", "content")
    first, second, third = safe.lines()
    assert (first.text, first.hidden, first.findings) == ("plain", (), ())
    assert (second.text, second.hidden, kinds(second)) == ("a^@", ((1, 3),), ["control"])
    assert (third.text, third.hidden, kinds(third)) == ("b <U+202E RLO>", ((2, 14),), ["bidi"])
    assert [each.where for each in (*second.findings, *third.findings)] == [1, 2]


def test_spans_of_the_original_are_found_again() -> None:
    safe = reveal_line("a\tb\x00\x01c", tab_width=4)
    assert safe.text == "a>  b^@^Ac"
    assert safe.map_span(0, 1) == (0, 1)
    assert safe.map_span(1, 2) == (1, 4)
    assert safe.map_span(2, 3) == (4, 5)
    assert safe.map_span(0, 6) == (0, 10)
    assert safe.map_span(6, 6) == (10, 10)


def test_a_border_inside_a_run_of_escapes_moves_outwards() -> None:
    safe = reveal("a\x00\x01b", "content")
    assert safe.map_spans([(0, 2), (2, 4)]) == [(0, 5), (1, 6)]


def test_spans_of_plain_text_stay() -> None:
    assert reveal("plain", "content").map_span(1, 3) == (1, 3)


# What holds for any text.

HOSTILE = (
    "\x00\x07\x08\t\n\r\x1b\x7f\x85\x9b \xa0\xad\u0301\u0336\u0489\u20e3\u034f\u061c\u0378\u115f\u180e\u200b\u200c"
    "\u200d\u200e\u2028\u202e\u2066\u2069\u2800\u3000\ud800\udc9b\ue000\ufe00\ufe0e\ufe0f\ufeff\uffff\U0001f3fd"
    "\U0001f1eb\U000e0041\U000e0100\u2764\U0001f469#1a\u0430\u03bfb\u0440/@:.-_[]<>^~\u4e2d\u05d0\u0928\u094d\uff0f"
)
hostile = st.lists(st.tuples(st.sampled_from(HOSTILE), st.sampled_from([1, 1, 1, 2, 5, 9, 45]))).map(
    lambda runs: "".join(char * count for char, count in runs)
)
texts = hostile | st.text(st.characters()) | st.text(string.printable)
fields = st.sampled_from(FIELDS)

BLANK_LOOK_ALIKES = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0000-\U000e0fff]"
)
EMOJI = re.compile(".[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]?(?:\u200d.[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]?)*\u20e3?")


def forbidden(text: str, *, kept: str) -> list[str]:
    """Every character that must not be in safe text, by the words of the rule and not by its tables."""
    found = []
    for at, char in enumerate(text):
        category = unicodedata.category(char)
        if char == "\u200d":  # between pictographs
            around = [neighbor for neighbor in text[max(at - 2, 0) : at + 2] if neighbor != char]
            ok = len(around) >= 2 and unicodedata.category(around[-1]) in ("So", "Ll", "Sm", "Po")
        elif char in "\ufe0e\ufe0f":
            ok = at > 0 and (unicodedata.category(text[at - 1]) == "So" or text[at + 1 : at + 2] == "\u20e3")
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
        parts.append(read_signs(safe.text[start:end]) if count else "")
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
    assert bool(safe.hidden) <= bool(safe.findings)


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
