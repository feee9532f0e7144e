"""The settings of the screen: one model, from which the default file, the reading and the guide are made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import asdict

from signoff.settings_yaml import ConfigError, read_document
from signoff_tui.guard import GuardSettings
from signoff_tui.input.keymap import MAPPABLE, STANDARD
from signoff_tui.notify.policy import NotifySettings
from signoff_tui.settings import DiffSettings, KeySettings, ScreenSettings, parse_settings, template
from signoff_tui.settings.models import OutsideSettings, Setting, SettingKind, settings_of

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "screen.md"


def problems_of(text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        parse_settings(text, "screen.yaml")
    return str(caught.value).splitlines()


# -- the model -----------------------------------------------------------------------------------------------


def settings_in(chosen: Struct) -> Iterator[tuple[Setting, Any]]:
    """Each setting, those of sections too, with its value."""
    for setting in settings_of(type(chosen)).values():
        value = getattr(chosen, setting.name)
        if isinstance(setting.kind, SettingKind):
            yield setting, value
        else:
            yield from settings_in(value)


DEFAULTS = list(settings_in(ScreenSettings()))


@pytest.mark.parametrize(("setting", "value"), DEFAULTS, ids=[setting.name for setting, _ in DEFAULTS])
def test_a_default_is_written_as_it_is_read(setting: Setting, value: object) -> None:
    assert isinstance(setting.kind, SettingKind)
    assert setting.kind.read(read_document(setting.kind.write(value), "").value) == value


def test_a_file_that_sets_everything_reads_as_ever() -> None:
    text = (Path(__file__).parent / "every_setting.yaml").read_text("utf-8")
    doubled = {
        name: round(2 * value + 0.05, 2) for name, value in asdict(GuardSettings()).items() if type(value) is float
    }
    chosen = ScreenSettings(
        theme="signoff-light",
        mouse=False,
        filters=("agent:docs-bot is:unseen", 'note:"\u00fc"'),
        diff=DiffSettings("split", 7, wrap=False),
        guard=GuardSettings(**doubled, burst_keys=5, typing_lock=False, require_seen=False),
        notify=NotifySettings("osc777", False, 61.0, 7.25, 0.75, (60.0, 3600.0, 5400.0), 11.0, 90.0),
        outside=OutsideSettings(("delta", "--paging=always", "\u00fc")),
        keys=KeySettings({"approve": ("A",), "later": ("Z", "f5")}),
    )
    assert [
        value for (_, value), (_, default) in zip(settings_in(chosen), DEFAULTS, strict=True) if value == default
    ] == []
    assert parse_settings(text) == chosen
    assert parse_settings(template(chosen)) == chosen


# -- the default file ----------------------------------------------------------------------------------------


def test_the_default_file_sets_the_defaults() -> None:
    assert parse_settings(template()) == ScreenSettings()


def test_the_default_file_has_every_setting_with_what_it_does() -> None:
    lines = template().splitlines()
    for setting, _ in DEFAULTS:
        assert [line for line in lines if line.strip().startswith(f"{setting.name}: ") and setting.words in line]


def test_a_default_file_of_which_everything_is_commented_out_sets_nothing() -> None:
    assert parse_settings("\n".join(f"# {line}" for line in template().splitlines())) == ScreenSettings()


def test_the_guide_lists_every_action_that_can_be_moved() -> None:
    guide = GUIDE.read_text("utf-8")
    for name in MAPPABLE:
        keys = " ".join(f"`{key}`".replace("|", "\\|") for key in STANDARD.names_of_keys(name))
        assert f"| `{name}` | {keys} | " in guide, "run make api"


def test_the_guide_shows_the_default_file() -> None:
    assert f"```yaml\n{template()}```" in GUIDE.read_text("utf-8"), "run make api"


# -- reading -------------------------------------------------------------------------------------------------


def test_what_is_set_counts_and_the_rest_has_its_default() -> None:
    settings = parse_settings("theme: signoff-light\nguard: {hold: 2s}\nnotify: {remind: []}\n")
    assert settings.theme == "signoff-light"
    assert settings.guard == GuardSettings(hold=2.0)
    assert settings.notify == NotifySettings(remind=())


@pytest.mark.parametrize("yes", ["on", "true"])
def test_a_switch_is_on_or_true(yes: str) -> None:
    assert parse_settings(f"mouse: {yes}\n").mouse


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("them: x", '1:1: them: is no key that is known here; did you mean "theme"?'),
        ("guard: {arm_mved: 1s}", '1:9: guard.arm_mved: is no key that is known here; did you mean "arm_moved"?'),
        ("guard: {arm_moved: 100ms}", "1:9: guard.arm_moved: at least 0.15 s"),
        ("guard:\n  hold: 500ms", "2:3: guard.hold: 0 (off) or at least 0.8 s"),
        ("guard: {late: 3}", "1:9: guard.late: must have a unit: 3s, or 3ms?"),
        ("guard: {late: [1s]}", "1:9: guard.late: must be a time such as 250ms, 1s or 2m, not a list"),
        ("guard: {burst_keys: 1}", "1:9: guard.burst_keys: must be a whole number from 2 to 100, not 1"),
        ("mouse: maybe", '1:1: mouse: must be on or off, not "maybe"'),
        ("diff: {layout: side}", '1:8: diff.layout: must be auto, unified or split, not "side"'),
        ("theme:", "1:1: theme: says nothing; give a value, or leave the key out"),
        ("notify: [bell]", '1:1: notify: must hold keys with values, such as "theme: auto", not a list'),
        ("mouse: on\nmouse: off", "2:1: mouse: is given twice, first in line 1"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_line_and_key(text: str, problem: str) -> None:
    assert problems_of(text) == [f"screen.yaml:{problem}"]


def test_all_that_is_wrong_is_named() -> None:
    assert len(problems_of("mouse: 1\ntheme: 2\nguard: {dwell: x}\n")) == 3


def test_a_theme_that_there_is_not_is_named_with_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r'^s:1:1: theme: must be auto or one of: a, b, not "c"$'):
        parse_settings("theme: c", "s", themes=["a", "b"])


# -- lengths of time -----------------------------------------------------------------------------------------


TIME = settings_of(GuardSettings)["dwell"].kind
assert isinstance(TIME, SettingKind)


@given(st.integers(0, 10**9))
def test_a_length_of_time_is_written_as_it_is_read(milliseconds: int) -> None:
    assert TIME.read(TIME.write(milliseconds / 1000)) == milliseconds / 1000


@pytest.mark.parametrize("text", ["", "1", "s", "-1s", "1 s", "1d", "1w", "1d2h", "1e3s", "1.s"])
def test_what_is_no_length_of_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be a time with its unit"):
        TIME.read(text)
