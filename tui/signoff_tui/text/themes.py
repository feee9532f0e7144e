"""Themes: YAML files that give every token its color.

A theme file names each token of `COLOR_TOKENS` and `SYNTAX_TOKENS` once, as ``#rrggbb``, or as one of the colors
that the terminal was set up with, such as ``ansi_red`` or ``ansi_default``. Nothing on screen uses a color that is
not a token, and no token carries meaning alone: the words and signs beside it do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct
from rich.style import Style
from textual.theme import Theme as TextualTheme

__all__ = [
    "ANSI_THEME",
    "AUTO_THEME",
    "COLOR_TOKENS",
    "DEFAULT_THEME",
    "LIGHT_THEME",
    "SYNTAX_TOKENS",
    "Theme",
    "ThemeError",
    "builtin_themes",
    "load_theme",
    "own_themes",
]

DEFAULT_THEME, LIGHT_THEME, ANSI_THEME = "signoff-dark", "signoff-light", "signoff-ansi"
AUTO_THEME = "auto"
"""No theme, but the choice that leaves it to the terminal."""


COLOR_TOKENS = (
    "background", "surface", "rule", "text", "muted", "accent", "focus-bg", "add-fg", "add-bg", "add-emph-bg",
    "del-fg", "del-bg", "del-emph-bg", "ok", "warn", "danger", "held",
)  # fmt: skip
SYNTAX_TOKENS = ("keyword", "string", "number", "comment", "name", "type", "operator")

_COLOR = re.compile("#[0-9a-fA-F]{6}|ansi_default|ansi_(bright_)?(black|red|green|yellow|blue|magenta|cyan|white)")
_KEYS = frozenset({"colors", "dark", "description", "name", "syntax"})
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


class ThemeError(ValueError):
    """A theme file cannot be used; the message names file, key and what to write."""


@dataclass(frozen=True, slots=True)
class Theme:
    """One theme, validated: every token has a color."""

    name: str
    dark: bool
    colors: Mapping[str, str]
    syntax: Mapping[str, str]
    description: str
    _styles: dict[tuple[str, str], Style] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Styles that were made already: making one takes longer than drawing with it."""

    def style(self, token: str, *, background: str = "background") -> Style:
        """The terminal style of a token of `STYLES`, or of a syntax token as ``syntax.keyword``.

        Args:
            token: Name of the style.
            background: Color token to put behind styles that bring no background of their own.

        Raises:
            KeyError: There is no such token.
        """
        known = self._styles.get((token, background))
        if known is None:
            known = self._styles[token, background] = self._made(token, background)
        return known

    def _made(self, token: str, background: str) -> Style:
        if token.startswith("syntax."):
            return Style(color=self.syntax_color(token[7:]), bgcolor=_for_rich(self.colors[background]))
        spec = STYLES[token]
        return Style(
            color=_for_rich(self.colors[spec.foreground]),
            bgcolor=_for_rich(self.colors[spec.background or background]),
            bold=spec.bold,
            underline=spec.underline,
            reverse=spec.reverse,
        )

    def syntax_color(self, token: str) -> str:
        """Return the color of a syntax token, as styles of a terminal name it."""
        return _for_rich(self.syntax[token])

    @property
    def ansi(self) -> bool:
        """True if it leaves colors to the terminal."""
        return any(color.startswith("ansi_") for color in self.colors.values())

    def in_sixteen_colors(self, *, dark: bool | None = None) -> Theme:
        """Return the same theme in those of sixteen colors that can be read on its background.

        The nearest ones cannot: they are yellow and cyan on white, and gray for green.

        Args:
            dark: True for a dark background, False for a light one; as the theme itself is by default.
        """
        dark = self.dark if dark is None else dark
        colors = dict(_SIXTEEN_ON_DARK if dark else _SIXTEEN_ON_LIGHT)
        if dark and _is_blue(self.colors["add-fg"]):  # for people who see red and green alike
            colors |= {"add-fg": "ansi_bright_cyan", "ok": "ansi_bright_cyan", "del-fg": "ansi_bright_yellow"}
        if self.ansi:  # the terminal's own background stays
            colors = {token: _OWN.get(color, color) for token, color in colors.items()}
        syntax = {token: colors["accent" if token in {"keyword", "type"} else "text"] for token in SYNTAX_TOKENS}
        return Theme(self.name, dark, colors, syntax, self.description)

    def in_256_colors(self) -> Theme:
        """Return the same theme with its backgrounds, lines and ordinary text in gray.

        The nearest ones of 256 colors are navy for a dark text and teal for a dark background.
        """
        grays = {color: _gray(color) for token, color in self.colors.items() if token in _GRAY_IN_256}
        colors, syntax = (
            {token: grays.get(color, color) for token, color in each.items()}
            for each in (self.colors, self.syntax)
        )
        return Theme(self.name, self.dark, colors, syntax, self.description)

    def for_textual(self) -> TextualTheme:
        """Return the same theme for Textual's own style sheets."""
        color = self.colors
        # Textual gives these to its own themes only.
        ansi = {"ansi-background": color["background"], "ansi-foreground": color["text"]} if self.ansi else {}
        return TextualTheme(
            name=self.name,
            dark=self.dark,
            ansi=self.ansi,
            primary=color["accent"],
            secondary=color["held"],
            accent=color["accent"],
            foreground=color["text"],
            background=color["background"],
            surface=color["surface"],
            panel=color["surface"],
            success=color["ok"],
            warning=color["warn"],
            error=color["danger"],
            variables={f"signoff-{token}": value for token, value in color.items()} | ansi,
        )


def _is_blue(color: str) -> bool:
    return color.startswith("#") and int(color[5:7], 16) > int(color[3:5], 16)


def _gray(color: str) -> str:
    """The gray that is as bright (ITU-R BT.601 luma); a color of the terminal's own stays."""
    if not color.startswith("#"):
        return color
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + f"{round(0.299 * red + 0.587 * green + 0.114 * blue):02x}" * 3


def _for_rich(color: str) -> str:
    return color.removeprefix("ansi_")


_GRAY_IN_256 = frozenset({"background", "surface", "rule", "text", "muted", "focus-bg"})


_SIXTEEN_ON_LIGHT: Mapping[str, str] = {
    "background": "ansi_bright_white",
    "surface": "ansi_bright_white",
    "rule": "ansi_bright_black",
    "text": "ansi_black",
    "muted": "ansi_black",
    "accent": "ansi_blue",
    "focus-bg": "ansi_bright_white",
    "add-fg": "ansi_blue",
    "add-bg": "ansi_bright_white",
    "add-emph-bg": "ansi_bright_white",
    "del-fg": "ansi_red",
    "del-bg": "ansi_bright_white",
    "del-emph-bg": "ansi_bright_white",
    "ok": "ansi_blue",
    "warn": "ansi_magenta",
    "danger": "ansi_red",
    "held": "ansi_magenta",
}
"""Green, yellow and cyan cannot be read on white. Nothing is said by color alone, so that two may share one."""

_SIXTEEN_ON_DARK: Mapping[str, str] = {
    "background": "ansi_black",
    "surface": "ansi_black",
    "rule": "ansi_bright_black",
    "text": "ansi_bright_white",
    "muted": "ansi_white",
    "accent": "ansi_bright_cyan",
    "focus-bg": "ansi_black",
    "add-fg": "ansi_bright_green",
    "add-bg": "ansi_black",
    "add-emph-bg": "ansi_black",
    "del-fg": "ansi_bright_red",
    "del-bg": "ansi_black",
    "del-emph-bg": "ansi_black",
    "ok": "ansi_bright_green",
    "warn": "ansi_bright_yellow",
    "danger": "ansi_bright_red",
    "held": "ansi_bright_magenta",
}
_OWN = {"ansi_black": "ansi_default", "ansi_bright_white": "ansi_default", "ansi_white": "ansi_default"}


class _Spec(Struct, frozen=True):
    foreground: str
    background: str | None = None
    bold: bool = False
    underline: bool = False
    reverse: bool = False


STYLES: Mapping[str, _Spec] = {
    "text": _Spec("text"),
    "strong": _Spec("text", bold=True),
    "muted": _Spec("muted"),
    "accent": _Spec("accent", bold=True),
    "rule": _Spec("rule"),
    "focus": _Spec("text", "focus-bg", bold=True),
    "risk-low": _Spec("muted"),
    "risk-medium": _Spec("warn"),
    "risk-high": _Spec("danger", bold=True),
    "add": _Spec("add-fg", "add-bg"),
    "add-sign": _Spec("add-fg", "add-bg", bold=True),
    "add-emph": _Spec("add-fg", "add-emph-bg", bold=True, underline=True),
    "del": _Spec("del-fg", "del-bg"),
    "del-sign": _Spec("del-fg", "del-bg", bold=True),
    "del-emph": _Spec("del-fg", "del-emph-bg", bold=True, underline=True),
    "hunk": _Spec("accent", "surface"),
    "fold": _Spec("muted", "surface"),
    "fact": _Spec("warn", bold=True),
    "hidden": _Spec("warn", bold=True, reverse=True),
    "found": _Spec("text", "focus-bg", bold=True, underline=True),
    "ok": _Spec("ok", bold=True),
    "no": _Spec("danger", bold=True),
    "held": _Spec("held", bold=True),
    "closed": _Spec("muted"),
    "armed": _Spec("ok", bold=True),
    "notyet": _Spec("muted"),
    "key": _Spec("accent", bold=True),
    "warn": _Spec("warn", bold=True),
    "danger": _Spec("danger", bold=True),
    "alarm": _Spec("danger", bold=True, reverse=True),
    "bar": _Spec("text", "surface"),
    "bar-muted": _Spec("muted", "surface"),
    "bar-strong": _Spec("text", "surface", bold=True),
    "bar-danger": _Spec("danger", "surface", bold=True),
}
"""Every style the screen uses, made from color tokens only."""


def load_theme(path: Path) -> Theme:
    """Read and validate one theme file.

    Raises:
        ThemeError: The file cannot be read, is not YAML, or lacks a token or has a bad or unknown one.
    """
    return _theme_in(path, yaml.SafeLoader)


def _theme_in(path: Path, loader: type[Any]) -> Theme:
    try:
        data = yaml.load(path.read_text("utf-8"), Loader=loader)  # noqa: S506 (both loaders are safe ones)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ThemeError(f"{path.name}: cannot be read as YAML: {error}") from error
    if not isinstance(data, dict) or not isinstance(data.get("name"), str):
        raise ThemeError(f"{path.name}: give the theme a 'name'")
    for key in data.keys() - _KEYS:
        raise ThemeError(f"{path.name}: unknown key {key!r}; there are: {', '.join(sorted(_KEYS))}")
    dark = data.get("dark", True)
    if not isinstance(dark, bool):
        raise ThemeError(f"{path.name}: 'dark' is true or false, not {dark!r}")
    return Theme(
        name=data["name"],
        dark=dark,
        colors=_checked(path, "colors", data.get("colors"), COLOR_TOKENS),
        syntax=_checked(path, "syntax", data.get("syntax"), SYNTAX_TOKENS),
        description=str(data.get("description") or ("dark" if dark else "light")),
    )


def builtin_themes() -> dict[str, Theme]:
    """Return the themes that come with signoff, by name.

    Raises:
        ThemeError: The installation is damaged.
    """
    return {theme.name: theme for theme in _builtin()}


@cache
def _builtin() -> tuple[Theme, ...]:
    # The screen waits for all of them when it opens. The quick loader is not in every installation.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    themes = tuple(_theme_in(path, loader) for path in sorted(_builtin_folder().glob("*.yaml")))
    if not themes:
        raise ThemeError(f"no theme files in {_builtin_folder()}; reinstall signoff")
    return themes


def own_themes(folder: Path) -> tuple[dict[str, Theme], tuple[ThemeError, ...]]:
    """Return the themes that a person made, by name, and the errors of files that are left out.

    Args:
        folder: The folder of files named ``*.yaml``; it need not exist.
    """
    taken = {*builtin_themes()}
    themes: dict[str, Theme] = {}
    problems: list[ThemeError] = []
    for path in sorted(folder.glob("*.yaml")):
        try:
            theme = _own_theme(path, taken)
        except ThemeError as error:
            problems.append(error)
        else:
            taken.add(theme.name)
            themes[theme.name] = theme
    return themes, tuple(problems)


def _own_theme(path: Path, taken: Collection[str]) -> Theme:
    theme = load_theme(path)
    if not _NAME.fullmatch(theme.name):
        raise ThemeError(f"{path.name}: 'name' must be lower-case letters, digits, - and _")
    if theme.name in taken or theme.name == "auto":
        raise ThemeError(f"{path.name}: there is a theme {theme.name} already; give it another name")
    return theme


def _builtin_folder() -> Path:
    """The folder inside the installed package, or beside the source roots in an editable install."""
    here = Path(__file__).resolve().parents[1]
    installed = here / "themes"
    return installed if installed.is_dir() else here.parents[1] / "themes"


def _checked(path: Path, section: str, found: Any, tokens: Iterable[str]) -> dict[str, str]:
    if not isinstance(found, dict):
        raise ThemeError(f"{path.name}: section '{section}' is missing")
    wanted = tuple(tokens)
    for token in wanted:
        value = found.get(token)
        if not isinstance(value, str) or not _COLOR.fullmatch(value):
            raise ThemeError(f"{path.name}: {section}.{token} must be a color such as '#1a2b3c' or ansi_red")
    for token in found:
        if token not in wanted:
            raise ThemeError(f"{path.name}: {section}.{token} is not a token of signoff")
    return {token: found[token] for token in wanted}
