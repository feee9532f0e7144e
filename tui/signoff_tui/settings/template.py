"""The commented default of a settings file."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from signoff_tui.settings.models import ScreenSettings, SettingKind, settings_of

__all__ = ["template"]

_HEAD = """\
# Settings of the signoff screen: how it looks, when its keys count, how it calls you.
# They are yours alone. What agents may do is said elsewhere, in a signoff.yaml of theirs: signoff config check.
# Every line holds the default; change what you like, leave out what you do not need.
# What is saved here is read at once, while the screen is open; guard, keys and mouse count from its next start.
"""


def template(chosen: ScreenSettings | None = None) -> str:
    """A settings file with every setting and what it does.

    Args:
        chosen: The settings; the defaults if it is left out.
    """
    return "\n".join([_HEAD, *_lines(chosen or ScreenSettings(), "")]) + "\n"


def _lines(settings: Struct, indent: str) -> Iterator[str]:
    """The settings of a model, and then its sections."""
    rows: list[tuple[str, str]] = []
    sections: list[str] = []
    for setting in settings_of(type(settings)).values():
        value = getattr(settings, setting.name)
        if isinstance(setting.kind, SettingKind):
            line = f"{indent}{setting.name}: {setting.kind.write(value)}"
            rows.append((line, f"{setting.words} {setting.kind.accepts}".rstrip()))
        else:
            sections += ["", f"# {setting.words}", f"{setting.name}:", *_lines(value, "  ")]
    width = max(len(line) for line, _ in rows)
    yield from (f"{line:<{width}}  # {words}" for line, words in rows)
    yield from sections
