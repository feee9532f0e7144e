"""The driver writes text, colors and movements, and no string sequence, whoever asked for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff_tui.app import SignoffApp
from signoff_tui.terminal_driver import QuietDriver, without_strings

PICTURE = "\x1b[?2026h\x1b[1;1H\x1b[38;2;1;2;3mrm -rf build\x1b[0m 世界\r\n\x1b[?2026l"


def test_text_colors_and_movements_pass_untouched() -> None:
    assert without_strings(PICTURE) == PICTURE


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b]0;title\x07",
        "\x1b]52;c;cm0gLXJm\x1b\\",
        "\x1b]8;;https://example.com\x1b\\",
        "\x1bP+q544e\x1b\\",
        "\x1b_Gpicture\x1b\\",
        "\x1b^secret\x1b\\",
        "\x9d0;title\x9c",
        "\x9b",
        "\x07",
    ],
    ids=ascii,
)
def test_a_string_sequence_is_dropped_whole(sequence: str) -> None:
    assert without_strings(f"a{sequence}b") == "ab"


def test_an_escape_that_begins_no_control_sequence_is_dropped() -> None:
    assert without_strings("\x1b\x1b]0;x\x07]0;text \x1bc\x1b(0") == "]0;text c(0"


@given(st.text(st.sampled_from("\x1b]P_^X\\\x07\x9c\x9d[ab;0"), max_size=40), st.text(max_size=5))
def test_nothing_that_is_left_begins_a_string_even_with_what_comes_next(first: str, second: str) -> None:
    written = without_strings(first) + without_strings(second)
    assert not any(f"\x1b{opener}" in written for opener in "]P_^X")
    assert not any(char in written for char in "\x07\x90\x9c\x9d")


def test_a_terminal_gets_the_quiet_driver() -> None:
    assert SignoffApp.get_driver_class(SignoffApp.__new__(SignoffApp)) is QuietDriver
