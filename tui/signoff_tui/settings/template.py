"""The commented default of a settings file."""

from __future__ import annotations

from collections.abc import Iterator

from signoff_tui.settings.table import SECTIONS, SETTINGS, Setting, default_of

__all__ = ["template"]

_HEAD = """\
# Settings of the signoff screen: how it looks, when its keys count, how it calls you.
# They are yours alone. What agents may do is said elsewhere, in a signoff.yaml of theirs: signoff config check.
# Every line holds the default; change what you like, leave out what you do not need.
# Replies that you use again are in replies.yaml, beside this file; Ctrl+S in the message box writes it.
# What is saved here is read at once, while the screen is open; guard, keys and mouse count from its next start.
"""


def template() -> str:
    """A settings file with every setting, its default and what it does."""
    return "\n".join([_HEAD, *_lines()]) + "\n"


def _lines() -> Iterator[str]:
    for section in ("", *SECTIONS):
        if section:
            yield from ("", f"# {SECTIONS[section]}", f"{section}:")
        settings = [setting for setting in SETTINGS if setting.section == section]
        width = max(len(_value(setting)) for setting in settings)
        yield from (f"{_value(setting):<{width}}  # {_comment(setting)}" for setting in settings)


def _value(setting: Setting) -> str:
    indent = "  " if setting.section else ""
    return f"{indent}{setting.name}: {setting.kind.write(default_of(setting))}"


def _comment(setting: Setting) -> str:
    return f"{setting.words} {setting.kind.accepts}".rstrip()
