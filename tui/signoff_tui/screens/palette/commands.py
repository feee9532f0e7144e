"""What the palette offers, and what of it fits the words that were typed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from signoff_tui.input.actions import Action, Place
from signoff_tui.input.keymap import STANDARD, KeyMap

__all__ = ["PaletteCommand", "commands_on", "fitting"]


class PaletteCommand(Struct, frozen=True):
    """One line of the palette.

    Attributes:
        name: What it does, in words of ours.
        key: The key that does the same; empty if there is none.
        action: What of the action table it is, or None.
        theme: Name of the theme that it chooses; empty if it is an action.
    """

    name: str
    key: str = ""
    action: Action | None = None
    theme: str = ""

    @property
    def by_key_only(self) -> bool:
        """Whether it decides, which the palette does not."""
        return self.action is not None and self.action.decides


def commands_on(place: Place, themes: Iterable[str], keys: KeyMap = STANDARD) -> tuple[PaletteCommand, ...]:
    """All that can be chosen at a place: its actions, the themes, and last what is done by a key alone."""
    actions = {action.name: action for action in keys.actions_on(place) if action.name != "palette"}
    found = [
        PaletteCommand(action.words, action.shown if action.keys else "", action) for action in actions.values()
    ]
    chosen_here = [command for command in found if not command.by_key_only]
    decisions = [command for command in found if command.by_key_only]
    return (*chosen_here, *(PaletteCommand(f"theme {name}", theme=name) for name in themes), *decisions)


def fitting(commands: Sequence[PaletteCommand], words: str) -> tuple[PaletteCommand, ...]:
    """The commands that hold every word, the ones that begin with the first of them on top."""
    wanted = words.casefold().split()
    found = [command for command in commands if all(word in _text(command) for word in wanted)]
    if not wanted:
        return tuple(found)
    return tuple(sorted(found, key=lambda command: not _text(command).startswith(wanted[0])))


def _text(command: PaletteCommand) -> str:
    name = command.action.name.replace("_", " ") if command.action is not None else ""
    return f"{command.name} {name}".casefold()
