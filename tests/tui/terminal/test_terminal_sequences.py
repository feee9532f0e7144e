"""What is said to a terminal is exactly what was meant, whatever name or text had a part in it."""

from __future__ import annotations

import base64
import re
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff_tui.terminal.sequences import (
    LONGEST_COPY,
    BellSound,
    Copy,
    DesktopNotice,
    Protocols,
    Saying,
    SpokenWords,
    TerminalKind,
    Title,
    TitleBack,
    is_allowed,
    spoken_name,
    written,
)

HI = SpokenWords("2 waiting")

TERMINAL_KINDS = st.sampled_from(get_args(TerminalKind))
WORDS = st.builds(SpokenWords, st.from_regex(r"\A[A-Za-z0-9 .,:_-]{1,160}\Z"))
SAYINGS = st.one_of(
    st.just(BellSound()),
    st.builds(Title, WORDS),
    st.builds(TitleBack, st.booleans()),
    st.builds(DesktopNotice, st.sampled_from(get_args(Protocols)), WORDS),
    st.builds(Copy, st.text(max_size=600)),
)


@pytest.mark.parametrize(
    ("saying", "terminal_kind", "sequence"),
    [
        (BellSound(), "terminal", "\x07"),
        (BellSound(), "tmux", "\x07"),
        (Title(HI), "terminal", "\x1b]2;2 waiting\x1b\\"),
        (Title(HI), "tmux", "\x1b]2;2 waiting\x1b\\"),
        (TitleBack(keep=True), "terminal", "\x1b[22;2t"),
        (TitleBack(keep=False), "terminal", "\x1b]2;\x1b\\\x1b[23;2t"),
        (DesktopNotice("osc9", HI), "terminal", "\x1b]9;signoff: 2 waiting\x1b\\"),
        (DesktopNotice("osc777", HI), "terminal", "\x1b]777;notify;signoff;2 waiting\x1b\\"),
        (
            DesktopNotice("osc99", HI),
            "terminal",
            "\x1b]99;i=signoff:d=0:p=title;signoff\x1b\\\x1b]99;i=signoff:d=1:p=body;2 waiting\x1b\\",
        ),
        (DesktopNotice("osc9", HI), "tmux", "\x1bPtmux;\x1b\x1b]9;signoff: 2 waiting\x07\x1b\\"),
        (DesktopNotice("osc9", HI), "screen", "\x1bP\x1b]9;signoff: 2 waiting\x07\x1b\\"),
        (Copy("hi"), "terminal", "\x1b]52;c;aGk=\x1b\\"),
        (Copy("hi"), "tmux", "\x1b]52;c;aGk=\x1b\\\x1bPtmux;\x1b\x1b]52;c;aGk=\x07\x1b\\"),
        (Copy("hi"), "screen", "\x1bP\x1b]52;c;aGk=\x07\x1b\\"),
    ],
)
def test_a_saying_is_written_as_its_protocol_wants(
    saying: Saying, terminal_kind: TerminalKind, sequence: str
) -> None:
    assert written(saying, terminal_kind) == sequence


@given(SAYINGS, TERMINAL_KINDS)
def test_everything_that_can_be_said_is_in_the_grammar(saying: Saying, terminal_kind: TerminalKind) -> None:
    assert is_allowed(written(saying, terminal_kind))


@given(SAYINGS, TERMINAL_KINDS)
def test_outside_of_its_frames_a_saying_is_plain_ascii(saying: Saying, terminal_kind: TerminalKind) -> None:
    frames = r"\x1bP(?:tmux;\x1b)?|\x1b\]|\x07\x1b\\|\x1b\\|\x07|\x1b\[2[23];2t"
    assert re.fullmatch(r"[ -~]*", re.sub(frames, "", written(saying, terminal_kind)))


@given(st.text())
def test_a_name_is_reduced_to_what_can_be_said(name: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,32}", spoken_name(name))


@given(st.from_regex(r"\A[A-Za-z0-9._-]{1,32}\Z"))
def test_an_ordinary_name_is_said_as_it_is(name: str) -> None:
    assert spoken_name(name) == name


def test_a_name_of_which_nothing_is_left_is_an_agent() -> None:
    assert spoken_name("\x1b\x07世界") == "an-agent"


@pytest.mark.parametrize("char", ["\x07", "\x1b", "\x9c", "\n", ";", "\\", "é", "\u202e", "/"], ids=ascii)
def test_words_hold_no_other_characters(char: str) -> None:
    with pytest.raises(ValueError, match="cannot be said"):
        SpokenWords(f"2{char}waiting")


@given(st.text(st.sampled_from("\x1b]P\\\x07\x9c2;9tmux a[A=/"), max_size=60))
def test_what_the_grammar_lets_through_is_one_known_sequence(text: str) -> None:
    for sequence in (
        text,
        f"\x1b]2;{text}\x1b\\",
        f"\x1b]9;signoff: {text}\x1b\\",
        f"\x1bPtmux;\x1b\x1b]{text}\x07\x1b\\",
    ):
        if is_allowed(sequence):
            assert "\x07" not in sequence or sequence == "\x07" or sequence.endswith("\x07\x1b\\")
            assert "\x9c" not in sequence


@given(st.text(max_size=2_000), TERMINAL_KINDS)
def test_what_is_copied_arrives_whole(text: str, terminal_kind: TerminalKind) -> None:
    sequence = written(Copy(text), terminal_kind)
    if terminal_kind == "screen":
        sequence = re.sub(r"\x1bP(.*?)\x1b\\", r"\1", sequence)
    encoded = re.search(r"52;c;([^\x07\x1b]*)", sequence)
    assert encoded is not None
    assert base64.b64decode(encoded[1], validate=True) == text.encode("utf-8", "replace")


def test_more_than_a_terminal_takes_is_not_copied_in_part() -> None:
    Copy("x" * LONGEST_COPY)
    with pytest.raises(ValueError, match=r"only 74,000 bytes"):
        Copy("x" * (LONGEST_COPY + 1))
