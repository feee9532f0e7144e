"""What happens at each line that a person types, and at each change of the queue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from signoff.cli.plain.commands import HELP, CommandError, TypedCommand, parse
from signoff.cli.plain.deciding import Deciding, NotHeldError
from signoff.cli.plain.holding import Holding
from signoff.cli.plain.records import history_text, memory_text
from signoff.cli.plain.waiting import NumberedRequests
from signoff.cli.plain.wording import count, happening_text, list_text, modes_text, outcome_text
from signoff.cli.render import content_of, request_text
from signoff.present.snapshot.snapshot import SnapshotError
from signoff.queue.errors import QueueError
from signoff.queue.protocol import ReviewQueue
from signoff.queue.records import ALL_ASK, ChangeSet, Grant, modes_of

__all__ = ["Manners", "Output", "PlainSession"]

_CONTEXT = 3
_MOST_NEWS = 5
"""Arrivals that are told one by one; of more, only how many."""


@dataclass(frozen=True, slots=True)
class Manners:
    """How careful it is.

    Attributes:
        arm: Seconds after a content was printed in which a decision is typed too soon to be meant.
        hold_one: Seconds that a decision on one request is held.
        hold_many: Seconds for what is HIGH, remembered, hard, or about several.
        read_only: Decide nothing.
    """

    arm: float = 0.25
    hold_one: float = 1.2
    hold_many: float = 3.0
    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """What to print.

    Attributes:
        text: Lines, each with its end.
        drop_typed: Whether what was typed meanwhile is dropped, because the text had to be read first.
        quit: Whether that was all.
    """

    text: str = ""
    drop_typed: bool = False
    quit: bool = False


class PlainSession:
    """Keeps what waits, what was read and what is held; prints nothing itself.

    Args:
        queue: An open review connection.
        manners: How careful it is.
        clock: Monotonic seconds.
        now: The present, in microseconds since the epoch.
        width: Columns to fold lines at, or None.
    """

    def __init__(
        self,
        queue: ReviewQueue,
        manners: Manners,
        clock: Callable[[], float],
        now: Callable[[], int],
        width: int | None,
    ) -> None:
        self._queue = queue
        self._manners = manners
        self._clock, self._now = clock, now
        self._width = width
        self._waiting = NumberedRequests()
        self._holding = Holding(queue, clock, manners.hold_one, manners.hold_many)
        self._deciding = Deciding(self._waiting, self._holding, width)
        self._listed: tuple[Grant, ...] = ()
        self._modes = ALL_ASK
        self._printed_at = float("-inf")

    # -- from outside -------------------------------------------------------------------------------------

    def news(self, changes: ChangeSet) -> str:
        """Tell what changed in the queue."""
        happened = self._waiting.take(changes)
        arrived = [each for each in happened if each.what == "new"]
        if len(arrived) > _MOST_NEWS:
            happened = [each for each in happened if each.what != "new"]
        lines = [happening_text(each, self._now(), self._width) for each in happened]
        if len(arrived) > _MOST_NEWS:
            first, last = arrived[0].number, arrived[-1].number
            lines.append(f"new: {count(len(arrived), 'request')}, {first} to {last}; list names them\n")
        return "".join(lines) + self._modes_news()

    def _modes_news(self) -> str:
        """Tell which agents ask nobody, whenever that is other than it was."""
        try:
            modes = modes_of(self._queue.agents(connected=True))
        except QueueError:
            return ""  # that the queue is lost is told by whoever watches it
        if modes == self._modes:
            return ""
        self._modes = modes
        return modes_text(modes, self._width)

    def next_due(self) -> float | None:
        """When `due` has something to do, by the clock."""
        return self._holding.next_due()

    def due(self) -> str:
        """Send the decisions whose time has come, and tell what became of them."""
        try:
            sent = self._holding.send_due()
        except QueueError as error:
            return f"NOT decided: {error}\n"
        for _, verdicts in sent:
            self._waiting.know(verdict.current for verdict in verdicts)
        return "".join(outcome_text(held, verdicts, self._width) for held, verdicts in sent)

    def leave(self) -> str:
        """Take back what is still held: who leaves has decided no more than what was sent."""
        return "".join(f"taken back: {held.words}\n" for held in self._holding.take_back_all())

    def line(self, typed: str) -> Output:
        """Do what a line says."""
        try:
            command = parse(typed)
            return Output() if command is None else self._do(command)
        except (CommandError, NotHeldError) as error:
            return Output(f"{error}\n")
        except QueueError as error:
            return Output(f"not done: {error}\n")

    # -- commands -----------------------------------------------------------------------------------------

    def _do(self, command: TypedCommand) -> Output:
        number = command.numbers[0] if command.numbers else 0
        match command.verb:
            case "list":
                modes = modes_text(self._modes, self._width) if self._modes.connected else ""
                return Output(modes + list_text(self._waiting, self._holding, self._now(), self._width))
            case "show":
                return self._show(number)
            case "group":
                return self._group(number, command.words)
            case "history":
                return Output(history_text(self._queue, command.words, self._width))
            case "memory":
                self._listed = self._queue.grants()
                return Output(memory_text(self._listed, self._width))
            case "help":
                return Output(HELP)
            case "quit":
                return self._quit()
            case _:
                return self._decide(command)

    def _decide(self, command: TypedCommand) -> Output:
        if self._manners.read_only:
            raise NotHeldError("this is read-only: nothing was decided")
        if command.verb == "u":
            return self._take_back()
        if self._clock() - self._printed_at < self._manners.arm:
            raise NotHeldError("too soon after what was printed: nothing was decided; read it and type that again")
        match command.verb:
            case "revoke":
                return Output(self._revoke(command.numbers[0]))
            case "y" | "!" if (unread := self._deciding.unread(command)) is not None:
                return self._show_first(command, *unread)
            case _:
                return Output(self._deciding.decide(command))

    def _show_first(self, command: TypedCommand, number: int, why: str) -> Output:
        """Nobody approves what was not printed: print it, and let them type it again."""
        shown = self._show(number)
        again = " ".join([command.verb, *map(str, command.numbers)])
        return replace(shown, text=f"{shown.text}NOT approved: {why}. {again} approves it now.\n")

    def _show(self, number: int) -> Output:
        request = self._deciding.known(number)
        try:
            content = content_of(request, self._queue.blob, _CONTEXT)
            text = request_text(request, content, self._now(), width=self._width)
        except SnapshotError as error:
            raise NotHeldError(
                f"{number} cannot be shown: {error}; it can be rejected: n {number} WORDS"
            ) from error
        self._waiting.was_read(number, request, complete=content.complete)
        self._printed_at = self._clock()
        return Output(f"{number}.\n{text}end of {number}\n", drop_typed=True)

    def _group(self, number: int, words: str) -> Output:
        members = self._waiting.group(number)
        if not members:
            raise NotHeldError(f"nothing of a group {number} waits; list names the groups")
        verb, _, rest = words.partition(" ")
        match verb:
            case "":
                return Output(list_text(self._waiting, self._holding, self._now(), self._width, group=number))
            case "show" if not rest:
                shown = "".join(self._show(each).text for each, _ in members)
                return Output(shown, drop_typed=True)
            case "y" if not rest:
                return self._decide(TypedCommand("y", self._deciding.ready(members)))
            case "n":
                return self._decide(TypedCommand("n", tuple(each for each, _ in members), rest))
        raise CommandError(f"group {number} takes show, y, or n WORDS; nothing was done")

    def _take_back(self) -> Output:
        held = self._holding.take_back()
        if held is None:
            raise NotHeldError("nothing is held: what was sent stays decided")
        return Output(f"taken back: {held.words}\n")

    def _revoke(self, number: int) -> str:
        if not 1 <= number <= len(self._listed):
            raise NotHeldError(f"the last memory list has no {number}; memory prints it")
        revoked = self._queue.revoke(self._listed[number - 1].id)
        return (
            f"{number} revoked: the next such call asks again\n" if revoked else f"{number} was revoked before\n"
        )

    def _quit(self) -> Output:
        if self._holding.next_due() is not None:
            return Output("something is still held; wait until it is sent, or take it back with u\n")
        return Output(quit=True)
