"""The settings of this person in this terminal: command line before environment, before the settings file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import asdict

from signoff.settings_yaml import ConfigError, Problem
from signoff_tui.guard import GuardSettings
from signoff_tui.input.keymap import STANDARD, KeyMap
from signoff_tui.notify.channels import NOTIFY_VARIABLE, notice_settings
from signoff_tui.notify.policy import NoticeSettings, NotifySettings
from signoff_tui.settings import (
    SETTINGS_VARIABLE,
    DiffSettings,
    ScreenSettings,
    load_settings,
    settings_file,
    themes_folder,
)
from signoff_tui.terminal.background import is_light_by_variable
from signoff_tui.text.themes import AUTO_THEME, Theme, builtin_themes, own_themes

__all__ = ["Personal", "ResolvedSettings", "wants_ascii"]

_COERCED = frozenset({"C.UTF-8", "C.utf8", "UTF-8"})
"""Values that the interpreter writes into ``LC_CTYPE`` by itself where the locale is C."""

_POOR_TERMINALS = frozenset({"dumb", "linux"})


class ResolvedSettings(Struct, frozen=True):
    """All that can be chosen of the screen.

    Attributes:
        themes: All themes that there are, by name.
        theme: The name of one of them; auto leaves the choice to the terminal.
        on_light: True if the environment says that the background of the terminal is light.
        theme_was_chosen: True if the person, or whoever started the screen, ever said which.
        ascii_only: Draw with ASCII characters only.
        mouse: Take clicks and the wheel.
        diff: The look of diffs at first.
        guard: Times of the decision guard.
        notices: The settings of notices.
        viewer: Program and arguments that show a diff outside of the screen; empty if there is none.
        filters: The person's own filters.
        keys: The person's keys.
        problems: Themes left out because they are not valid, and why.
    """

    themes: Mapping[str, Theme] = field(default_factory=builtin_themes)
    theme: str = AUTO_THEME
    on_light: bool = False
    theme_was_chosen: bool = True
    ascii_only: bool = False
    mouse: bool = True
    diff: DiffSettings = field(default_factory=DiffSettings)
    guard: GuardSettings = field(default_factory=GuardSettings)
    notices: NoticeSettings = field(default_factory=NoticeSettings)
    viewer: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    keys: KeyMap = STANDARD
    problems: tuple[str, ...] = ()


class Personal(Struct, frozen=True):
    """The sources of the choices of one run.

    Attributes:
        variables: The environment.
        theme: The theme on the command line; else None.
        ascii_only: True if it wants ASCII only.
    """

    variables: Mapping[str, str]
    theme: str | None = None
    ascii_only: bool = False

    @property
    def file(self) -> Path:
        """The settings file, whether it is there or not."""
        return settings_file(self.variables)

    @property
    def folder(self) -> Path:
        """The folder of the person's own themes, whether it is there or not."""
        return themes_folder()

    def choose(self) -> ResolvedSettings:
        """Read everything anew.

        Raises:
            ValueError: Something is not valid; the message names place, key and what to do. Of the settings file
                it is a `ConfigError`, with a line for each problem.
        """
        own, problems = own_themes(self.folder)
        themes = {**builtin_themes(), **own}
        wanted = self.theme or self.variables.get("SIGNOFF_THEME") or ""
        if wanted not in ("", AUTO_THEME, *themes):
            raise ValueError(f"there is no theme {wanted!r}; choose one of: {', '.join((AUTO_THEME, *themes))}")
        try:
            settings = self._settings(themes)
        except ConfigError as error:  # a theme that is not valid may be why there is none of its name
            left_out = [Problem(str(self.folder), None, "", str(problem)) for problem in problems]
            raise ConfigError([*left_out, *error.problems]) from None
        return ResolvedSettings(
            themes=themes,
            theme=wanted or settings.theme,
            on_light=is_light_by_variable(self.variables),
            theme_was_chosen=bool(wanted) or self.file.exists(),
            ascii_only=self.ascii_only or wants_ascii(self.variables),
            mouse=settings.mouse,
            diff=settings.diff,
            guard=settings.guard,
            notices=_notices(self.variables, settings.notify),
            viewer=settings.outside.viewer,
            filters=settings.filters,
            keys=settings.keys.key_map,
            problems=tuple(map(str, problems)),
        )

    def _settings(self, themes: Mapping[str, Theme]) -> ScreenSettings:
        if not self.variables.get(SETTINGS_VARIABLE) and not self.file.exists():
            return ScreenSettings()
        return load_settings(self.file, themes=themes)


def wants_ascii(variables: Mapping[str, str]) -> bool:
    """True if a terminal hardly draws more than ASCII: its locale is not UTF-8, or it is a console.

    Args:
        variables: The environment. Where it names no locale at all, UTF-8 is taken for granted.
    """
    if variables.get("TERM") in _POOR_TERMINALS:
        return True
    everything, characters, language = (variables.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    if not everything and characters in _COERCED and language in ("C", "POSIX"):
        return True
    locale = everything or characters or language
    return bool(locale) and "utf8" not in locale.lower().replace("-", "")


def _notices(variables: Mapping[str, str], wanted: NotifySettings) -> NoticeSettings:
    named = variables.get(NOTIFY_VARIABLE) or wanted.channel
    base = notice_settings({**variables, NOTIFY_VARIABLE: named})
    return NoticeSettings(**{**asdict(wanted), "channel": base.channel, "title": base.title and wanted.title})
