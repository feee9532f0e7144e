"""Whether a decision may be held, and what it says."""

from __future__ import annotations

from collections.abc import Sequence

from signoff.cli.output import Page
from signoff.cli.plain.commands import TypedCommand
from signoff.cli.plain.holding import Holding
from signoff.cli.plain.waiting import NumberedRequests
from signoff.cli.plain.wording import add_names, subjects
from signoff.cli.render import reach_of, session_reach
from signoff.queue.records import Decision, Risk, StoredRequest

__all__ = ["Deciding", "NotHeldError"]

_Targets = Sequence[tuple[int, StoredRequest]]


class NotHeldError(Exception):
    """Nothing was decided; the message says why."""


class Deciding:
    """Holds what was read in full, under the number that was typed, and nothing else.

    Args:
        waiting: What there is to decide.
        holding: Keeps decisions until they are sent.
        width: Columns to fold lines at, or None.
    """

    def __init__(self, waiting: NumberedRequests, holding: Holding, width: int | None) -> None:
        self._waiting = waiting
        self._holding = holding
        self._width = width
        self._reach_told: set[tuple[str, int, str]] = set()

    def known(self, number: int) -> StoredRequest:
        """The request of a number.

        Raises:
            NotHeldError: There is none.
        """
        request = self._waiting.get(number)
        if request is None:
            raise NotHeldError(f"there is no {number}; list prints the numbers")
        return request

    def unread(self, command: TypedCommand) -> tuple[int, str] | None:
        """The first of the requests that was not printed as it is now, and why that matters."""
        for number in command.numbers:
            self._open(number)
            match self._waiting.reading(number):
                case "nothing":
                    return number, f"{number} had not been shown"
                case "changed":
                    return number, f"{number} was changed since it was shown"
        return None

    def ready(self, members: _Targets) -> tuple[int, ...]:
        """The members of a group, if all of them may be approved together.

        Raises:
            NotHeldError: Some may not; the message names them and what can be typed.
        """
        high = [number for number, request in members if request.submission.risk is Risk.HIGH]
        unread = [number for number, _ in members if self._waiting.reading(number) != "all"]
        ready = [number for number, _ in members if number not in {*high, *unread}]
        if not high and not unread:
            return tuple(ready)
        left = [f"{number} (HIGH: alone)" for number in high]
        left += [f"{number} (not shown in full)" for number in unread if number not in high]
        rest = f" The others: y {' '.join(map(str, ready))}" if ready else ""
        raise NotHeldError(f"nothing was decided: the group has {', '.join(left)}.{rest}")

    def decide(self, command: TypedCommand) -> str:
        """Hold a decision.

        Returns:
            What is held, and that it can be taken back.

        Raises:
            NotHeldError: It is not held.
        """
        targets = [(number, self._open(number)) for number in command.numbers]
        match command.verb:
            case "y":
                return self._approve(targets)
            case "!":
                return self._approve_unseen(targets)
            case "s":
                return self._remember(targets[0], command.words)
            case "n":
                return self._hold(targets, Decision(approved=False, note=command.words or None), "reject")
            case "x":
                stop = Decision(approved=False, hard=True, note=command.words or None)
                return self._hold(targets, stop, "reject, and stop the batch of,", careful=True)
        raise AssertionError(command.verb)

    def _open(self, number: int) -> StoredRequest:
        request = self.known(number)
        if not request.pending:
            raise NotHeldError(f"{number} does not wait any more ({request.state}); nothing was decided")
        if self._holding.holds(number):
            raise NotHeldError(f"{number} is decided and held; u takes that back")
        return request

    def _approve(self, targets: _Targets) -> str:
        for number, request in targets:
            if self._waiting.reading(number) == "incomplete":
                raise NotHeldError(
                    f"not all of {number} can be shown: nothing was decided; ! {number} approves it"
                )
            if len(targets) > 1 and request.submission.risk is Risk.HIGH:
                raise NotHeldError(f"{number} is HIGH: nothing was decided; HIGH is approved alone: y {number}")
        return self._hold(targets, Decision(approved=True, shown=1.0), "approve")

    def _approve_unseen(self, targets: _Targets) -> str:
        number = targets[0][0]
        if self._waiting.reading(number) == "all":
            raise NotHeldError(f"all of {number} was shown: y {number} approves it")
        decision = Decision(approved=True, deliberate=True)
        return self._hold(targets, decision, "approve, although not all was shown,", careful=True)

    def _remember(self, target: tuple[int, StoredRequest], words: str) -> str:
        number, request = target
        if words not in ("", "wide"):
            raise NotHeldError(f"s takes a number, and wide where it says so: nothing was decided; s {number}")
        if self._waiting.reading(number) != "all":
            raise NotHeldError(f"{number} was not shown in full as it is: nothing was decided; show {number}")
        if not request.submission.may_be_remembered:
            raise NotHeldError(f"an approval of {number} is never remembered: nothing was decided; y {number}")
        exactly = request.id, request.revision, request.submission.digest
        careless = reach_of(request).breadth.careless
        if exactly not in self._reach_told or (careless and words != "wide"):
            self._reach_told.add(exactly)
            again = f"s {number} wide" if careless else f"s {number}"
            page = Page(self._width)
            page.add(session_reach(request), label="would also approve ")
            page.add(f"nothing was decided; {again} does it")
            return page.text()
        remember = Decision(approved=True, remember=True, shown=1.0)
        return self._hold([target], remember, "approve for the session", careful=True)

    def _hold(self, targets: _Targets, decision: Decision, act: str, *, careful: bool = False) -> str:
        words = f"{act} {subjects(targets)}"
        high = any(request.submission.risk is Risk.HIGH for _, request in targets)
        held = self._holding.hold(targets, decision, words, careful=careful or high)
        seconds = held.due_at - held.made_at
        page = Page(self._width)
        page.add(f"{words}, sent in {seconds:g} s; u takes it back" if seconds else words)
        add_names(page, targets)
        return page.text()
