"""What passes for something else is found: letters, words, hosts and users of URLs."""

from __future__ import annotations

import pytest
from reveal_fields import EXACT, LOOSE, kinds, warned

from signoff.present.reveal import Field, reveal
from signoff.present.reveal.twins import LATIN_LIKE, PHONETIC_TWINS

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
    "char",
    "\u037e\uff1b\u2013\u2018\u2019\u201c\u201d\u2044\u2215\u2024\u3002\uff0f\uff52\uff21"
    "\u02d7\u2043\u2053\u205a\u27cb\u27cd\u276f\u1d04\uab35",
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


@pytest.mark.parametrize("name", ["ꮯꮓ", "ⲔⲒⲤⲤ", "ѡѴ", "𐌕𐌉𐌗", "𐊗𐊒𐊖", "𐊫𐊡", "𐐛𐐄", "𐔝𐔖", "ᛁᛖ"])
def test_so_is_one_in_a_script_that_few_have_seen(name: str) -> None:
    assert warned(reveal(name, "tool_name")) == ["disguise"]


def test_each_letter_of_the_table_is_found() -> None:
    letters = [*LATIN_LIKE, *"".join(PHONETIC_TWINS.values())]
    assert [char for char in letters if "disguise" not in warned(reveal(char, "agent"))] == []


@pytest.mark.parametrize(
    "name",
    [
        *("σου", "όσο", "σαν", "гроб", "рог", "ОСЬ", "уг", "үүр", "хӀо", "ҽ", "ռուս"),
        *("اه", "ال", "و", "הוא", "סוס", "ים", "नमस्ते", "ठ", "ဝ", "ዐ", "ሀ", "ყ", "ข", "ο" + "π"),
        *("一", "丶", "ノ", "〇", "이", "口", "ஐ", "ം", "ᐯᑭ", "ⵏⵔ"),
    ],
)
def test_a_word_of_a_living_language_is_no_disguise_for_each_letter_that_some_table_names(name: str) -> None:
    assert "disguise" not in warned(reveal(name, "tool_name"))


@pytest.mark.parametrize(
    "name",
    [
        "\u0430\u0433\u0435\u043d\u0442 \u0441 \u0447\u0430\u0442\u043e\u043c",
        "\u0447\u0430\u0442-\u0443",
        "\u4e2d \u0430",
    ],
)
def test_a_letter_that_passes_for_none_tells_that_a_name_is_no_disguise(name: str) -> None:
    assert not reveal(name, "agent").findings


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("/home/\u043e\u0440\u0441/\u0441\u0430\u0445\u0430\u0440", "path"),
        ("git commit -m '\u0441 \u043d\u0443\u043b\u044f; \u0430 \u0443 \u043d\u0438\u0445?'", "command"),
    ],
)
def test_a_whole_word_in_one_script_is_not_suspicious_where_words_are_ordinary(text: str, field: Field) -> None:
    assert (reveal(text, field).text, reveal(text, field).findings) == (text, ())


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


@pytest.mark.parametrize(
    ("text", "field", "told"),
    [
        ("https://xn--pple-43d.com/x", "url", "xn--pple-43d.com is <U+0430>pple.com"),
        ("https://XN--Bcher-KVA.example", "url", "xn--bcher-kva.example is b\xfccher.example"),
        ("http://\uff58n--pple-43d.com", "url", "xn--pple-43d.com is <U+0430>pple.com"),
        ("ssh me@xn--pple-43d.com ls", "command", "xn--pple-43d.com is <U+0430>pple.com"),
        ("scp a xn--pple-43d.com:b", "command", "xn--pple-43d.com is <U+0430>pple.com"),
        ("see https://xn--pple-43d.com", "arg_value", "xn--pple-43d.com is <U+0430>pple.com"),
        ("https://www.xn--f1aa.com", "url", "www.xn--f1aa.com is www.\u0436\u0436.com"),
        ("https://xn--a.com", "url", "xn--a.com is <U+0080 PAD>.com"),
        ("https://xn--abc-.com", "url", "xn--abc-.com is abc.com"),
        ("https://xn--99999.com", "url", "xn--99999.com is no valid Punycode"),
    ],
)
def test_a_host_in_punycode_says_what_it_decodes_to_and_warns(text: str, field: Field, told: str) -> None:
    safe = reveal(text, field)
    assert safe.text == f"{text} <host {told}>"
    assert "punycode" in warned(safe)


@pytest.mark.parametrize("command", ["ls xn--foo", "echo 'a xn-- b.'", "cat axn--b.txt"])
def test_what_is_no_host_in_punycode_is_not_taken_for_one(command: str) -> None:
    assert (reveal(command, "command").text, reveal(command, "command").findings) == (command, ())


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
