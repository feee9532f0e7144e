"""Which terminal is told in which way."""

from __future__ import annotations

import pytest

from signoff_tui.notify.channels import channel_of, notice_settings, terminal_kind
from signoff_tui.notify.policy import Channel


@pytest.mark.parametrize(
    ("variables", "channel"),
    [
        ({"TERM": "xterm-kitty"}, "osc99"),
        ({"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, "osc99"),
        ({"TERM": "xterm-ghostty"}, "osc777"),
        ({"TERM_PROGRAM": "ghostty"}, "osc777"),
        ({"TERM": "foot-extra"}, "osc777"),
        ({"TERM": "xterm-256color", "VTE_VERSION": "7600"}, "osc777"),
        ({"TERM_PROGRAM": "iTerm.app"}, "osc9"),
        ({"TERM_PROGRAM": "WezTerm", "KITTY_WINDOW_ID": "1"}, "osc9"),
        ({"WT_SESSION": "x"}, "osc9"),
        ({"TERM": "xterm-256color"}, "bell"),
        ({"TERM": "footless"}, "bell"),
        ({}, "bell"),
    ],
    ids=str,
)
def test_a_terminal_is_told_in_the_way_it_knows(variables: dict[str, str], channel: Channel) -> None:
    assert channel_of(variables) == channel


@pytest.mark.parametrize(
    ("variables", "expected"),
    [({"TMUX": "/tmp/x,1,0"}, "tmux"), ({"STY": "1.pts"}, "screen"), ({"TMUX": "", "STY": ""}, "terminal")],
    ids=str,
)
def test_a_multiplexer_is_recognized(variables: dict[str, str], expected: str) -> None:
    assert terminal_kind(variables) == expected


@pytest.mark.parametrize("wanted", ["bell", "osc9", "osc99", "osc777", "off"])
def test_the_person_may_choose(wanted: str) -> None:
    settings = notice_settings({"SIGNOFF_NOTIFY": wanted, "TERM": "xterm-kitty"})
    assert settings.channel == wanted


@pytest.mark.parametrize("wanted", ["auto", ""])
def test_otherwise_the_terminal_decides(wanted: str) -> None:
    assert notice_settings({"SIGNOFF_NOTIFY": wanted, "TERM": "xterm-kitty"}).channel == "osc99"


def test_a_channel_that_is_not_known_is_an_error_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="SIGNOFF_NOTIFY is 'bells'; choose one of: auto, bell, osc9"):
        notice_settings({"SIGNOFF_NOTIFY": "bells"})


@pytest.mark.parametrize(("term", "titled"), [("xterm-256color", True), ("linux", False), ("dumb", False)])
def test_terminals_without_a_title_get_none(term: str, titled: bool) -> None:
    assert notice_settings({"TERM": term}).title is titled
