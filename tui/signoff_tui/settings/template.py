"""The commented default of a settings file."""

from __future__ import annotations

from collections.abc import Iterator

from signoff_tui.settings.models import SECTIONS, SETTINGS, ScreenSettings, Setting, value_in

__all__ = ["template"]

_HEAD = """\
# Settings of the signoff screen: how it looks, when its keys count, how it calls you.
# They are yours alone. What agents may do is said elsewhere, in a signoff.yaml of theirs: signoff config check.
# Every line holds the default; change what you like, leave out what you do not need.
# Replies that you use again are in replies.yaml, beside this file; Ctrl+S in the message box writes it.
# What is saved here is read at once, while the screen is open; guard, keys and mouse count from its next start.
"""


def template(chosen: ScreenSettings | None = None) -> str:
    """A settings file with every setting and what it does.

    Args:
        chosen: What is set; the defaults if it is left out.
    """
    return "\n".join([_HEAD, *_lines(chosen or ScreenSettings())]) + "\n"


def _lines(chosen: ScreenSettings) -> Iterator[str]:
    for section in ("", *SECTIONS):
        if section:
            yield from ("", f"# {SECTIONS[section]}", f"{section}:")
        settings = [setting for setting in SETTINGS if setting.section == section]
        values = [_value(setting, chosen) for setting in settings]
        width = max(map(len, values))
        for setting, value in zip(settings, values, strict=True):
            yield f"{value:<{width}}  # {_comment(setting)}"


def _value(setting: Setting, chosen: ScreenSettings) -> str:
    indent = "  " if setting.section else ""
    return f"{indent}{setting.name}: {setting.kind.write(value_in(chosen, setting))}"


def _comment(setting: Setting) -> str:
    return f"{setting.words} {setting.kind.accepts}".rstrip()
