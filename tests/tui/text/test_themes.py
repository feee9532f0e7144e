"""Themes: readable for everybody, and a bad file says what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from color_contrast import channels, contrast
from rich.color import Color, ColorSystem

from signoff_tui.text.themes import (
    COLOR_TOKENS,
    STYLES,
    SYNTAX_TOKENS,
    Theme,
    ThemeError,
    builtin_themes,
    load_theme,
)

THEMES = builtin_themes()
ROOT = Path(__file__).resolve().parents[3]
NAMES = sorted(name for name, theme in THEMES.items() if not theme.ansi)
"""Those whose colors are known; the others show what the terminal was set up with."""
CHANGES = ("add", "del")

BACKGROUNDS = ("background", "surface", "focus-bg")
FOREGROUNDS = ("text", "muted", "accent", "ok", "warn", "danger", "held")


# -- seeing --------------------------------------------------------------------------------------------------


SIMULATIONS = {
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""Full severity (Machado, Oliveira and Fernandes 2009, table 1), on linear light."""


def seen_by(kind: str, color: str) -> tuple[float, float, float]:
    """A color as somebody with a color vision deficiency sees it, in linear light."""
    light = channels(color)
    red, green, blue = (
        min(max(sum(factor * part for factor, part in zip(row, light, strict=True)), 0.0), 1.0)
        for row in SIMULATIONS[kind]
    )
    return red, green, blue


def lab(light: Sequence[float]) -> tuple[float, float, float]:
    """CIE L*a*b* under D65 of linear light."""
    red, green, blue = light
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116 for part in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def apart(kind: str, one: str, other: str) -> float:
    """Difference of two colors as somebody sees them (CIE76)."""
    pairs = zip(lab(seen_by(kind, one)), lab(seen_by(kind, other)), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)


# -- the built-in themes -------------------------------------------------------------------------------------


def test_there_are_themes_for_dark_and_light_terminals_and_for_everybody() -> None:
    everybody = "signoff-dark signoff-light signoff-contrast signoff-cvd-dark signoff-cvd-light signoff-ansi"
    assert {*THEMES} >= {*everybody.split()}


def test_the_guide_names_every_theme() -> None:
    guide = (ROOT / "docs" / "screen.md").read_text(encoding="utf-8")
    assert {name for name in THEMES if f"`{name}`" not in guide} == set()


def test_each_theme_is_named_like_its_file() -> None:
    files = [path.stem for path in sorted((ROOT / "themes").glob("*.yaml"))]
    assert sorted(THEMES) == files


@pytest.mark.parametrize("name", NAMES)
def test_a_theme_says_whether_its_background_is_dark(name: str) -> None:
    lightness, _, _ = lab(channels(THEMES[name].colors["background"]))
    assert THEMES[name].dark == (lightness < 50)


def least(theme: Theme) -> float:
    return 6.0 if theme.name == "signoff-contrast" else 4.5


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("foreground", FOREGROUNDS)
@pytest.mark.parametrize("background", BACKGROUNDS)
def test_words_stand_out_from_what_is_behind_them(name: str, foreground: str, background: str) -> None:
    theme = THEMES[name]
    assert contrast(theme.colors[foreground], theme.colors[background]) >= least(theme)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("token", SYNTAX_TOKENS)
def test_syntax_colors_stand_out_from_the_background(name: str, token: str) -> None:
    theme = THEMES[name]
    assert contrast(theme.syntax[token], theme.colors["background"]) >= least(theme)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change", CHANGES)
def test_changed_lines_stand_out_from_their_own_background(name: str, change: str) -> None:
    theme = THEMES[name]
    assert contrast(theme.colors[f"{change}-fg"], theme.colors[f"{change}-bg"]) >= least(theme)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("change", CHANGES)
def test_changed_words_stand_out_from_their_own_background(name: str, change: str) -> None:
    theme = THEMES[name]
    assert contrast(theme.colors[f"{change}-fg"], theme.colors[f"{change}-emph-bg"]) >= least(theme)


@pytest.mark.parametrize("name", NAMES)
def test_line_numbers_of_changed_lines_can_be_read(name: str) -> None:
    theme = THEMES[name]
    assert min(contrast(theme.colors["muted"], theme.colors[f"{change}-bg"]) for change in CHANGES) >= 4.5


@pytest.mark.parametrize("name", [name for name in NAMES if "cvd" in name])
@pytest.mark.parametrize("kind", sorted(SIMULATIONS))
def test_additions_and_deletions_differ_for_everybody(name: str, kind: str) -> None:
    colors = THEMES[name].colors
    assert apart(kind, colors["add-bg"], colors["del-bg"]) >= 15


@pytest.mark.parametrize("name", sorted(THEMES))
def test_every_style_can_be_made(name: str) -> None:
    assert all(THEMES[name].style(token).color is not None for token in STYLES)


# -- theme files ---------------------------------------------------------------------------------------------


def theme_file(folder: Path, **changes: str | None) -> Path:
    """The dark theme with some colors changed, or left out where the change is None."""
    dark = THEMES["signoff-dark"]
    colors = {**dark.colors, **changes}
    text = ["name: mine", "colors:"]
    text += [f'  {token}: "{value}"' for token, value in colors.items() if value is not None]
    text += ["syntax:", *(f'  {token}: "{value}"' for token, value in dark.syntax.items())]
    path = folder / "mine.yaml"
    path.write_text("\n".join(text))
    return path


def test_a_complete_file_is_a_theme(tmp_path: Path) -> None:
    assert load_theme(theme_file(tmp_path)).name == "mine"


@pytest.mark.parametrize("value", [None, "red", "#12345", "#1234567", "12"])
@pytest.mark.parametrize("token", ["background", "add-bg"])
def test_a_color_that_is_missing_or_wrong_is_named_with_the_file(
    tmp_path: Path, token: str, value: str | None
) -> None:
    with pytest.raises(ThemeError, match=rf"^mine\.yaml: colors\.{token} must be a color such as"):
        load_theme(theme_file(tmp_path, **{token: value}))


def test_an_unknown_token_is_named_with_the_file(tmp_path: Path) -> None:
    with pytest.raises(ThemeError, match=r"^mine\.yaml: colors\.sparkle is not a token"):
        load_theme(theme_file(tmp_path, sparkle="#ffffff"))


@pytest.mark.parametrize("text", ["", "[]", "colors: {}", "name: 7"])
def test_a_file_without_a_name_says_so(tmp_path: Path, text: str) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(text)
    with pytest.raises(ThemeError, match=r"^odd\.yaml: give the theme a 'name'"):
        load_theme(path)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("drak: false", "unknown key 'drak'; there are: colors, dark, description, name, syntax"),
        ("dark: 1", "'dark' is true or false, not 1"),
    ],
)
def test_an_unknown_key_and_a_wrong_value_are_named_with_the_file(tmp_path: Path, line: str, said: str) -> None:
    path = theme_file(tmp_path)
    path.write_text(f"{path.read_text()}\n{line}\n")
    with pytest.raises(ThemeError, match=f"^mine.yaml: {said}$"):
        load_theme(path)


def test_a_file_that_is_no_yaml_says_so(tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text("a: [")
    with pytest.raises(ThemeError, match=r"^odd\.yaml: cannot be read as YAML"):
        load_theme(path)


def test_a_file_that_would_run_code_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text("!!python/object/apply:os.system ['true']")
    with pytest.raises(ThemeError, match=r"^odd\.yaml: cannot be read as YAML"):
        load_theme(path)


def test_a_missing_section_is_named_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text("name: odd")
    with pytest.raises(ThemeError, match=r"^odd\.yaml: section 'colors' is missing"):
        load_theme(path)


def test_no_style_uses_a_color_that_is_no_token() -> None:
    used = {spec.foreground for spec in STYLES.values()} | {spec.background for spec in STYLES.values()} - {None}
    assert used <= {*COLOR_TOKENS}


def test_no_color_is_written_outside_the_themes() -> None:
    sources = [path for path in (ROOT / "tui").rglob("*") if path.suffix in {".py", ".tcss"}]
    assert {"screens", "widgets"} <= {path.parent.name for path in sources}
    assert [
        path for path in sources if "themes.py" not in path.name and _names_a_color(path.read_text("utf-8"))
    ] == []


def _names_a_color(source: str) -> bool:
    return re.search(r"#[0-9a-fA-F]{6}\b|#[0-9a-fA-F]{3}\b", source) is not None


# -- sixteen colors ------------------------------------------------------------------------------------------

_SIXTEEN = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
_PALETTES = {
    "xterm": "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5"
    " 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff",
    "linux": "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa"
    " 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff",
    "vte": "171421 c01c28 26a269 a2734c 12488b a347ba 2aa1b3 d0cfcc"
    " 5e5c64 f66151 33d17a e9ad0c 2a7bde c061cb 33c7de ffffff",
}
"""The colors that terminals have if nobody has set them: of xterm, of the kernel's console, of GNOME's."""


def in_terminal(color: str, palette: str) -> str:
    """A color by its name, as a terminal shows it."""
    shades = _PALETTES[palette].split()
    name = color.removeprefix("ansi_").removeprefix("bright_")
    return f"#{shades[_SIXTEEN.index(name) + 8 * ('bright_' in color)]}"


@pytest.mark.parametrize("palette", _PALETTES)
@pytest.mark.parametrize("name", NAMES)
def test_with_sixteen_colors_every_text_is_readable(name: str, palette: str) -> None:
    theme = THEMES[name].in_sixteen_colors()
    for spec in STYLES.values():
        front, back = (
            in_terminal(theme.colors[token], palette)
            for token in (spec.foreground, spec.background or "background")
        )
        assert spec.foreground == "rule" or contrast(front, back) >= 4, spec
    back = in_terminal(theme.colors["background"], palette)
    assert all(contrast(in_terminal(each, palette), back) >= 4 for each in theme.syntax.values())


def in_256(color: str) -> str:
    """A color as it is written to a terminal with 256 of them."""
    return Color.parse(color).downgrade(ColorSystem.EIGHT_BIT).get_truecolor().hex


@pytest.mark.parametrize("name", NAMES)
def test_with_256_colors_every_text_is_readable(name: str) -> None:
    theme = THEMES[name].in_256_colors()
    for spec in STYLES.values():
        front, back = (in_256(theme.colors[token]) for token in (spec.foreground, spec.background or "background"))
        assert spec.foreground == "rule" or contrast(front, back) >= (3 if spec.bold else 4), spec


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("token", ["background", "surface", "text", "muted", "focus-bg"])
def test_with_256_colors_backgrounds_and_ordinary_text_are_gray(name: str, token: str) -> None:
    assert len({*channels(in_256(THEMES[name].in_256_colors().colors[token]))}) == 1


@pytest.mark.parametrize("name", NAMES)
def test_with_256_colors_the_focused_row_differs_from_the_others(name: str) -> None:
    colors = THEMES[name].in_256_colors().colors
    assert in_256(colors["focus-bg"]) != in_256(colors["background"])


@pytest.mark.parametrize("name", NAMES)
def test_with_sixteen_colors_what_is_added_differs_from_what_is_removed(name: str) -> None:
    colors = THEMES[name].in_sixteen_colors().colors
    assert colors["add-fg"] != colors["del-fg"]
    assert colors["danger"] != colors["warn"]


def test_on_a_light_background_the_terminals_own_colors_are_readable_ones() -> None:
    colors = THEMES["signoff-ansi"].in_sixteen_colors(dark=False).colors
    assert colors["background"] == colors["text"] == "ansi_default"
    assert not {"ansi_yellow", "ansi_cyan", "ansi_green"} & {*colors.values()}
