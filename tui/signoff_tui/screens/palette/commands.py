"""The commands of the palette, and the choice of those that fit the words that were typed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from signoff_tui.input.actions import Action, Place
from signoff_tui.input.keymap import STANDARD, KeyMap

__all__ = ["PaletteCommand", "commands_on", "fitting"]


class PaletteCommand(Struct, frozen=True):
    """One line of the palette.

    Attributes:
        name: Its effect, in words of ours.
        key: The key that does the same; empty if there is none.
        action: Its action in the action table, or None.
        theme: Name of the theme that it chooses; empty if it is an action.
    """

    name: str
    key: str = ""
    action: Action | None = None
    theme: str = ""

    @property
    def by_key_only(self) -> bool:
        """True if it decides, which the palette does not."""
        return self.action is not None and self.action.decides


def commands_on(place: Place, themes: Iterable[str], keys: KeyMap = STANDARD) -> tuple[PaletteCommand, ...]:
    """Return the commands of a place: its actions, the themes, and last what is done by a key alone."""
    actions = {action.name: action for action in keys.actions_on(place) if action.name != "palette"}
    found = [
        PaletteCommand(action.words, action.shown if action.keys else "", action) for action in actions.values()
    ]
    chosen_here = [command for command in found if not command.by_key_only]
    decisions = [command for command in found if command.by_key_only]
    return (*chosen_here, *(PaletteCommand(f"theme {name}", theme=name) for name in themes), *decisions)


def fitting(commands: Sequence[PaletteCommand], words: str) -> tuple[PaletteCommand, ...]:
    """Return the commands that hold every word, the ones that begin with the first of them on top."""
    wanted = words.casefold().split()
    found = [command for command in commands if all(word in _text(command) for word in wanted)]
    if not wanted:
        return tuple(found)
    return tuple(sorted(found, key=lambda command: not _text(command).startswith(wanted[0])))


def _text(command: PaletteCommand) -> str:
    name = command.action.name.replace("_", " ") if command.action is not None else ""
    return f"{command.name} {name}".casefold()
