"""Findings without the text, and the name under which all of it is public."""

from __future__ import annotations

import importlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reveal_fields import FIELDS, kinds, warned

import signoff.present
from signoff.present import Field, findings, reveal

HOSTILE = "a \t\n\r\x1b\u202e\u200b\u0301\u0430\u03bf\xa0\U000e0041\ue000/:@.#"


@given(st.text(HOSTILE) | st.text(), st.sampled_from(FIELDS))
def test_findings_are_those_of_the_revealed_text(text: str, field: Field) -> None:
    assert findings(text, field) == reveal(text, field).findings


def test_the_function_is_public_under_the_name_of_its_module() -> None:
    module = importlib.import_module("signoff.present.reveal")
    assert signoff.present.reveal is module.reveal
    assert signoff.present.reveal("a\x1b", "path").text == "a^["


@pytest.mark.parametrize("field", ["arg_value", "description", "command", "url"])
def test_a_host_with_a_sign_that_passes_for_a_slash_is_warned_of(field: Field) -> None:
    assert "punycode" in warned(reveal("https://github.com\u2044x.evil.example/", field))


def test_the_user_part_of_a_url_is_found_in_a_description() -> None:
    assert warned(reveal("See https://github.com@evil.example/ for more", "description")) == ["credentials"]


@pytest.mark.parametrize("text", ["rm\xa0-rf", "if \u0430dmin:", "\u201cx\u201d", "\uff52\uff4d"])
def test_look_alikes_and_odd_blanks_in_content_are_the_language_of_the_text(text: str) -> None:
    """What a file holds is prose as often as code: rules D2 and D4 of the corpora leave it without a badge."""
    safe = reveal(text, "content")
    assert (safe.text, safe.warns) == (text, False)


@pytest.mark.parametrize("field", ["command", "arg_value", "description", "content"])
def test_hidden_characters_beside_padding_are_escaped_too(field: Field) -> None:
    safe = reveal("a\x1b" + " " * 200 + "\u202eb\n" + "\n" * 40 + "c\x00", field)
    assert safe.text == "a^[[200 spaces]<U+202E RLO>b\n[39 newlines]\nc^@"
    assert safe.replaced == (1, 200, 1, 39, 1)
    assert {"control", "bidi", "padding"} <= set(kinds(safe))
