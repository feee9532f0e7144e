"""What a terminal answers about its background."""

from __future__ import annotations

import pytest

from signoff_tui.terminal.background import background_of, is_light, is_light_by_variable


@pytest.mark.parametrize(
    ("color", "wanted"),
    [
        ("rgb:ffff/ffff/ffff", (1.0, 1.0, 1.0)),
        ("rgb:0/8/f", (0.0, 8 / 15, 1.0)),
        ("rgba:ffff/0000/0000/8000", (1.0, 0.0, 0.0)),
        ("#ff0000", (1.0, 0.0, 0.0)),
    ],
)
def test_an_answer_is_understood(color: str, wanted: tuple[float, ...]) -> None:
    assert background_of(f"11;{color}") == wanted


@pytest.mark.parametrize("body", ["11;#fffff", "10;rgb:0/0/0", "52;c;eQ=="])
def test_what_is_no_color_of_three_parts_says_nothing(body: str) -> None:
    assert background_of(body) is None


@pytest.mark.parametrize(
    ("background", "light"),
    [((1, 1, 1), True), ((0.99, 0.96, 0.89), True), ((0, 0.17, 0.21), False), ((0, 0, 0), False)],
)
def test_light_is_where_dark_letters_are_read_better(background: tuple[float, ...], light: bool) -> None:
    assert is_light(background) is light  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("variable", "light"),
    [
        ("0;15", True),
        ("0;7", True),
        ("0;default;15", True),
        ("15;0", False),
        ("15;8", False),
        ("15;default", False),
        ("15", True),
        ("", False),
        ("0;256", False),
        ("0;²", False),
    ],
)
def test_the_environment_may_say_whether_the_background_is_light(variable: str, light: bool) -> None:
    assert is_light_by_variable({"COLORFGBG": variable}) == light


def test_an_environment_without_the_variable_says_no_light_background() -> None:
    assert not is_light_by_variable({})
