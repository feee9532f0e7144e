"""What a terminal sends becomes keys only where somebody pressed one, however it comes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Key, MouseDown, Paste, Resize
from textual.message import Message

from signoff_tui.terminal.input import LONGEST_PASTE, OperatingSystemCommand, TerminalInput

SLOWLY = 0.3
"""Seconds between two pieces on a slow line."""


def messages(*pieces: bytes, pause: float = 0.0, asked: bool = False) -> list[Message]:
    """What it comes to when a terminal sends these pieces, with a pause behind each, and then nothing more."""
    now, found = 0.0, list[Message]()
    reader = TerminalInput()
    if asked:
        reader.asked(now, questions=9, seconds=1e9)

    def passes(until: float) -> float:
        at = now
        while (wait := reader.wait(at)) is not None and at + wait < until:
            at += wait + 1e-6
            found.extend(reader.due(at))
        return until

    for piece in pieces:
        found += reader.feed(piece, now)
        now = passes(now + pause)
    passes(now + 60.0)
    return found


def keys(*pieces: bytes, pause: float = 0.0, asked: bool = False) -> list[str]:
    return [each.key for each in messages(*pieces, pause=pause, asked=asked) if isinstance(each, Key)]


def pasted(*pieces: bytes) -> list[str]:
    return [each.text for each in messages(*pieces) if isinstance(each, Paste)]


# -- keys ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        (b"y", "y"),
        (b"\x1b", "escape"),
        ("é".encode(), "é"),
        (b"\x1b[A", "up"),
        (b"\x1b[1;5C", "ctrl+right"),
        (b"\x1bOP", "f1"),
        (b"\x1b[15~", "f5"),
        (b"\x1b[[A", "f1"),
        (b"\x1b[3$", "shift+delete"),
        (b"\x1b[121u", "y"),
        (b"\x1b[27u", "escape"),
        (b"\x1bf", "ctrl+right"),
        (b"\x00", "ctrl+@"),
    ],
)
def test_a_key_is_known_in_one_piece_and_byte_by_byte(sent: bytes, name: str) -> None:
    byte_by_byte = [bytes([byte]) for byte in sent]
    assert [keys(sent), keys(*byte_by_byte, pause=0.05), keys(*byte_by_byte, pause=SLOWLY, asked=True)] == [
        [name]
    ] * 3


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        (b"\x1b\r", "alt+enter"),
        (b"\x1by", "alt+y"),
        (b"\x1b2", "alt+2"),
        (b"\x1b ", "alt+space"),
        (b"\x1b[121;3u", "alt+y"),
    ],
)
def test_a_key_with_alt_is_told_from_the_key_and_writes_nothing(sent: bytes, name: str) -> None:
    assert [(each.key, each.is_printable) for each in messages(sent) if isinstance(each, Key)] == [(name, False)]


def test_what_comes_a_while_after_escape_is_a_key_of_its_own() -> None:
    assert keys(b"\x1b", b"y", pause=SLOWLY) == ["escape", "y"]


@pytest.mark.parametrize("key", ["[", "]"])
def test_a_bracket_a_while_after_escape_is_a_key(key: str) -> None:
    assert messages(b"\x1b", key.encode(), b"j", pause=SLOWLY)[1].character == key  # type: ignore[attr-defined]


def test_the_mouse_is_told() -> None:
    assert [type(each) for each in messages(b"\x1b[<0;5;6M")] == [MouseDown]


# -- what is no UTF-8, or means nothing ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "sent", [b"\xff", b"\xc3", b"\xe2\x82", b"caf\xe9", b"\xc0\xaf", b"\xed\xa0\x80", b"\x9d", b"\xf8\x88\x80\x80"]
)
def test_bytes_that_are_no_utf_8_are_one_sign_and_the_next_key_works(sent: bytes) -> None:
    pressed = keys(sent, b"y", pause=SLOWLY)
    assert pressed[-1] == "y"
    assert set(pressed[:-1]) - set("caf") == {"replacement_character"}


@pytest.mark.parametrize(
    "sent",
    [
        b"\x1b[99999999999u",
        b"\x1b[55296u",
        b"\x1b[121;1:3u",
        b"\x1b[121~",
        b"\x1b[" + b"9" * 6000 + b"u",
        b"\x1b[<" + b"9" * 5000 + b";1;1M",
        b"\x1b[48;0;0;0;0t",
        b"\x1b[201~",
        b"\x1b\\",
    ],
    ids=lambda sent: sent[:12],
)
def test_a_sequence_that_means_nothing_does_nothing(sent: bytes) -> None:
    assert [type(each) for each in messages(sent + b"y") if not isinstance(each, Key) or each.is_printable] == [
        Key
    ]


@given(st.lists(st.binary(max_size=12), max_size=6), st.sampled_from([0.0, 0.15, 0.4, 2.0]))
def test_nothing_that_is_sent_fails(pieces: list[bytes], pause: float) -> None:
    messages(*pieces, pause=pause)


# -- answers -------------------------------------------------------------------------------------------------

BODIES = st.text("yn!\r10;:/?rgb", max_size=12)
STRINGS = st.builds(
    lambda opener, body, end: f"\x1b{opener}{body}{end}",
    st.sampled_from(["]11;", "]4;1;", "]52;c;", "P>|", "P1$r", "P0+r", "_G"]),
    BODIES,
    st.sampled_from(["\x07", "\x1b\\"]),
)
REPORTS = st.sampled_from(
    [
        "\x1b[0n",
        "\x1b[12;40R",
        "\x1b[1;1R",
        "\x1b[?1;1R",
        "\x1b[?62;22;52c",
        "\x1b[>41;354;0c",
        "\x1b[?2026;2$y",
        "\x1b[?2048;0$y",
        "\x1b[4;2$y",
        "\x1b[?1u",
        "\x1b[48;40;120;800;1200t",
        "\x1b[8;40;120t",
        "\x1b[?997;1n",
        "\x1b[I",
        "\x1b[O",
        "\x1b[<35;10;10M",
    ]
)
ANSWERS = st.lists(STRINGS | REPORTS, min_size=1, max_size=4).map("".join)


def cut(sent: str, cuts: list[int]) -> list[bytes]:
    places = sorted({each % (len(sent) + 1) for each in cuts})
    return [sent[start:end].encode() for start, end in zip([0, *places], [*places, len(sent)], strict=True)]


@given(ANSWERS, st.lists(st.integers(0, 200), max_size=12), st.sampled_from([0.0, SLOWLY, 0.9]))
def test_answers_in_pieces_are_no_keys(sent: str, cuts: list[int], pause: float) -> None:
    assert keys(*cut(sent, cuts), pause=pause, asked=True) == []


@given(ANSWERS, st.lists(st.integers(0, 200), max_size=12))
def test_of_answers_that_nobody_asked_for_escape_is_the_only_key_and_once(sent: str, cuts: list[int]) -> None:
    assert keys(*cut(sent, cuts), pause=SLOWLY) in ([], ["escape"])


@given(STRINGS)
def test_a_string_whose_bytes_come_seconds_apart_is_no_key(sent: str) -> None:
    pieces = [sent[:2].encode(), *(letter.encode() for letter in sent[2:])]
    assert keys(*pieces, pause=5.0) == []


@given(st.text("yn 1[]P\t\r", max_size=6), ANSWERS, st.text("yn 1[]P\t\r", max_size=6))
def test_keys_around_answers_all_arrive(before: str, sent: str, after: str) -> None:
    assert keys((before + sent + after).encode()) == keys(before.encode()) + keys(after.encode())


def test_an_answer_is_told_with_its_text() -> None:
    told = messages(b"\x1b]11;rgb:ff", b"ff/ffff/ffff\x1b", b"\\", pause=SLOWLY)
    assert [each.body for each in told if isinstance(each, OperatingSystemCommand)] == ["11;rgb:ffff/ffff/ffff"]


def test_a_size_is_told() -> None:
    (told,) = messages(b"\x1b[48;40;120;800;1200t")
    assert isinstance(told, Resize)
    assert told.size == (120, 40)


@pytest.mark.parametrize("begun", [b"\x1b]yn", b"\x1bPyn", b"\x1b_yn", b"\x1b[1;", b"\x1b[200~yn\n"], ids=ascii)
def test_escape_is_the_way_out_of_what_does_not_end(begun: bytes) -> None:
    assert keys(begun, b"yy", b"\x1b", b"j", pause=3.0)[-1] == "j"
    reader = TerminalInput()
    assert [each for each in reader.feed(begun, 0.0) if isinstance(each, Key)] == []
    assert [reader.is_stuck(0.5), reader.is_stuck(1.0)] == [False, True]


def test_a_person_who_goes_on_after_escape_does_not_make_the_line_slow() -> None:
    reader, found = TerminalInput(), list[Message]()
    reader.asked(0.0, questions=1, seconds=5.0)
    for at in (4.0, 10.0, 70.0):
        found += [*reader.feed(b"\x1b", at), *reader.due(at + SLOWLY), *reader.feed(b"j", at + SLOWLY)]
    assert [each.key for each in found if isinstance(each, Key)] == ["alt+j", "escape", "j", "escape", "j"]


# -- pastes --------------------------------------------------------------------------------------------------


def test_a_paste_is_text_whatever_is_in_it_and_however_it_is_cut() -> None:
    sent = b"\x1b[200~y\r\x1b[A\x00\xff\x1b[201~"
    assert pasted(sent) == pasted(*(bytes([byte]) for byte in sent)) == ["y\r\x1b[A\ufffd"]


def test_keys_behind_a_paste_that_does_not_end_are_text_of_it() -> None:
    assert keys(b"\x1b[200~npm", b"y", pause=3.0) == []


def test_what_was_pasted_until_then_is_told_when_escape_ends_it() -> None:
    assert pasted(b"\x1b[200~npm y", b"\x1b") == ["npm y"]


def test_a_paste_is_kept_up_to_a_length_and_ends_all_the_same() -> None:
    pieces = [b"\x1b[200~", *[b"x" * 4096] * (LONGEST_PASTE // 4096 + 2), b"\x1b[201~"]
    assert [len(text) for text in pasted(*pieces)] == [LONGEST_PASTE]
