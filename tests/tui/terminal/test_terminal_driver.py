"""The driver writes text, colors and movements; of string sequences only those that the program may say."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.drivers.linux_driver import LinuxDriver

from signoff_tui.app import SignoffApp
from signoff_tui.terminal.driver import EndingSignals, QuietDriver, _Mode, without_strings
from signoff_tui.terminal.sequences import (
    BellSound,
    Copy,
    DesktopNotice,
    Saying,
    Speaks,
    SpokenWords,
    Title,
    TitleBack,
    written,
)

PICTURE = "\x1b[?2026h\x1b[1;1H\x1b[38;2;1;2;3mrm -rf build\x1b[0m 世界\r\n\x1b[?2026l"

SAYINGS = [
    BellSound(),
    Title(SpokenWords("1 waiting")),
    DesktopNotice("osc9", SpokenWords("1 waiting")),
    Copy("rm -rf build"),
]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What reaches the terminal, through drivers that have none."""
    sent: list[str] = []
    monkeypatch.setattr(LinuxDriver, "write", lambda _, data: sent.append(data))
    monkeypatch.setattr(LinuxDriver, "start_application_mode", lambda _: None)
    monkeypatch.setattr(LinuxDriver, "stop_application_mode", lambda _: None)
    return sent


def said(sent: list[str]) -> list[str]:
    """What was written, apart from modes that are set at each start and end."""
    return [data for data in sent if data not in ("\x1b[8l", "\x1b[8h", "\x1b[?2026l")]


@pytest.fixture
def driver(sent: list[str]) -> QuietDriver:
    driver = QuietDriver.__new__(QuietDriver)
    driver._title = None
    driver._end = driver._end_writer = 0
    driver.fileno = driver._end
    driver._mode, driver._signals = _Mode.AWAY, EndingSignals(lambda _: None, lambda: None)
    return driver


def test_it_can_be_started_again_after_it_was_closed_for_another_program(driver: QuietDriver) -> None:
    driver._writer_thread = None
    driver._end, driver._end_writer = os.pipe()
    driver.close()
    driver.start_application_mode()
    os.write(driver._end_writer, b".")
    assert os.read(driver._end, 1) == b"."
    driver.close()


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


def test_the_terminal_is_asked_for_drags_and_not_for_every_motion(driver: QuietDriver, sent: list[str]) -> None:
    driver._mouse = True
    driver._enable_mouse_support()
    driver._enable_mouse_pixels()
    assert "".join(sent) == "\x1b[?1002h\x1b[?1006h"


def test_a_terminal_gets_the_quiet_driver() -> None:
    assert SignoffApp.get_driver_class(SignoffApp.__new__(SignoffApp)) is QuietDriver


# -- what the program says -----------------------------------------------------------------------------------


def test_the_driver_speaks(driver: QuietDriver) -> None:
    assert isinstance(driver, Speaks)


@pytest.mark.parametrize("saying", [SAYINGS[0], *SAYINGS[2:]], ids=str)
def test_a_saying_is_written_as_it_is(driver: QuietDriver, sent: list[str], saying: Saying) -> None:
    driver.speak(saying, "tmux")
    assert sent == [written(saying, "tmux")]


@pytest.mark.parametrize("saying", SAYINGS, ids=str)
def test_the_same_bytes_from_elsewhere_are_dropped(driver: QuietDriver, sent: list[str], saying: Saying) -> None:
    driver.write(written(saying))
    assert sent == [""]


def test_what_is_no_saying_is_not_written(
    driver: QuietDriver, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("signoff_tui.terminal.driver.written", lambda *_: "\x1b]0;pwned\x07")
    driver.speak(BellSound(), "terminal")
    assert sent == []


def test_the_title_that_was_there_is_kept_once_and_brought_back(driver: QuietDriver, sent: list[str]) -> None:
    one, two = Title(SpokenWords("1 waiting")), Title(SpokenWords("2 waiting"))
    driver.speak(one, "terminal")
    driver.speak(two, "terminal")
    driver.stop_application_mode()
    sayings = [TitleBack(keep=True), one, two, TitleBack(keep=False)]
    assert said(sent) == [written(saying) for saying in sayings]


def test_after_a_suspension_the_title_is_said_again(driver: QuietDriver, sent: list[str]) -> None:
    title = Title(SpokenWords("1 waiting"))
    driver.speak(title, "terminal")
    driver.stop_application_mode()
    del sent[:]
    driver.start_application_mode()
    assert said(sent) == [written(TitleBack(keep=True)), written(title)]


def test_who_gave_no_title_leaves_the_title_alone(driver: QuietDriver, sent: list[str]) -> None:
    driver.start_application_mode()
    driver.stop_application_mode()
    assert said(sent) == []


def test_text_from_right_to_left_stays_in_its_columns_while_we_draw(driver: QuietDriver, sent: list[str]) -> None:
    driver.start_application_mode()
    assert "\x1b[8l" in sent
    driver.stop_application_mode()
    assert sent.index("\x1b[8h") > sent.index("\x1b[8l")


def test_half_a_flag_is_written_as_its_letter(driver: QuietDriver, sent: list[str]) -> None:
    driver.write("🇫🇷🇩")
    assert sent == ["🇫🇷D"]
