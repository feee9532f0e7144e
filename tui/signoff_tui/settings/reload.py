"""Following files that change while the screen is open: settings, themes, trusted rules, mutes elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Protocol

from signoff.policy.trust import TrustError, changed_files, watched_files
from signoff.present.reveal import reveal_line
from signoff.settings_yaml import ConfigError
from signoff_tui.file_watch import FileWatch
from signoff_tui.notify.service import Muting
from signoff_tui.settings.resolve import Personal, ResolvedSettings

__all__ = ["Following", "Uses"]


class Uses(Protocol):
    """The app, as far as it is told of changed files."""

    def announce(self, words: str, *, token: str = "ok") -> None:
        """Say something that stays while nothing waits."""

    def rules_looked_at(self, *, changed: bool) -> None:
        """Rule files, or the list of those that are trusted, may be other than they were.

        Args:
            changed: True if a file is not what was trusted any more, or that is not known.
            files: Number of those trusted.
        """

    def use(self, chosen: ResolvedSettings, before: ResolvedSettings) -> None:
        """Go on with other choices than before."""

    def look_at_marks(self) -> None:
        """Read what other screens have shown."""


class Following:
    """Reads again what changed, and tells the app.

    Args:
        uses: The app.
        personal: The sources of the choices of this run; None if they never change.
        chosen: The choices of this run.
        muting: The mutes; all screens of one queue share them.
        marks: The file of read marks, which screens share too; None if there is none.
    """

    def __init__(
        self,
        uses: Uses,
        personal: Personal | None,
        chosen: ResolvedSettings,
        muting: Muting,
        marks: Path | None = None,
    ) -> None:
        self._uses = uses
        self._muting = muting
        self._marks = marks
        self._personal = personal
        self._chosen = chosen
        self._said = ""
        self._changed_rules: tuple[str, ...] = ()
        self._watch = FileWatch(self.look)
        self._listens = False

    def start(self) -> None:
        """Check the rule files; call it in the event loop."""
        self._watch.start()
        for problem in self._chosen.problems:
            self._uses.announce(f"theme left out: {reveal_line(problem).text}", token="danger")
        self._look_at_rules()

    def stop(self) -> None:
        """Stop following the files."""
        self._watch.stop()

    def begin(self) -> None:
        """Listen for changes, if that has not begun."""
        if not self._listens:
            self.look()

    def look(self) -> None:
        """Look whether something is other than it was."""
        self._listens = True
        # What is not there yet may be there now. And first this: what changes from here on is told.
        self._watch.watch(*self._places())
        self._muting.look()
        self._uses.look_at_marks()
        self._look_at_rules()
        if self._personal is not None:
            self._look_at_choices(self._personal)

    def _places(self) -> tuple[list[Path], list[Path]]:
        files, folders = [*map(Path, watched_files()), *self._muting.files], []
        if self._marks is not None:
            files.append(self._marks)
        if self._personal is not None:
            files.append(self._personal.file)
            folders.append(self._personal.folder)
        return files, folders

    def _look_at_rules(self) -> None:
        """Say which rule files are not what was trusted any more: an agent may have loosened its own rules."""
        try:
            changed = changed_files()
        except TrustError:
            changed = ("the list of what you trust, which cannot be read",)
        if changed and changed != self._changed_rules:
            names = ", ".join(reveal_line(Path(name).name, "path").text for name in changed)
            self._uses.announce(f"rules changed since you trusted them: {names}", token="danger")
        elif self._changed_rules and not changed:
            self._uses.announce("all rule files are as you trusted them")
        self._changed_rules = changed
        self._uses.rules_looked_at(changed=bool(changed))

    def _look_at_choices(self, personal: Personal) -> None:
        try:
            chosen = personal.choose()
        except ValueError as error:
            self._complain(f"the old settings hold: {_first_problem(error)}")
            return
        new_problems = [problem for problem in chosen.problems if problem not in self._chosen.problems]
        if chosen != self._chosen:
            before, self._chosen = self._chosen, chosen
            self._uses.use(chosen, before)
        self._complain(f"theme left out: {new_problems[0]}" if new_problems else "")

    def _complain(self, words: str) -> None:
        """Say what is wrong, once."""
        if words and words != self._said:
            self._uses.announce(reveal_line(words).text, token="danger")
        self._said = words


def _first_problem(error: ValueError) -> str:
    """The first problem, with the name of the file: there is no room for the way to it."""
    if not isinstance(error, ConfigError):
        return str(error)
    problem = error.problems[0]
    return str(replace(problem, file=Path(problem.file).name))
