"""The answers of `signoff --plain` to typed lines and to changes of the queue."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from signoff.cli.output import counted
from signoff.cli.page import Page
from signoff.cli.plain.commands import HELP, CommandError, TypedCommand, parse
from signoff.cli.plain.numbered import Happening, NumberedSession
from signoff.cli.plain.wording import (
    acts_text,
    add_names,
    allowed_text,
    exit_text,
    happening_text,
    history_text,
    list_text,
    modes_text,
    not_trusted_text,
    result_text,
)
from signoff.cli.render import add_request
from signoff.present.snapshot.snapshot import SnapshotError
from signoff.queue.errors import QueueError
from signoff.queue.grant_coverage import reach_of
from signoff.queue.keys.identity import agents_without_trust
from signoff.queue.protocol import ReviewQueue
from signoff.queue.records import ALL_ASK, ChangeSet, Grant, modes_of
from signoff.queue.wording import agent_exited
from signoff.shown_request.content import content_of
from signoff.shown_request.facts import end_of, session_reach
from signoff_tui.guard import (
    Decide,
    GuardSettings,
    Held,
    Ignored,
    LeftOut,
    NeedsGroupBar,
    NeedsUnseenBar,
    Omission,
    OpenSheet,
    Permit,
    Reason,
    Ref,
    Verdict,
)
from signoff_tui.state.decision_session import HeldAnswer, send_held
from signoff_tui.state.inbox import Entry, ref_of

__all__ = ["Output", "PlainSession", "PlainSettings"]

_Targets = Sequence[tuple[int, Entry]]

_CONTEXT = 3
_MOST_NEWS = 5
"""Arrivals that are told one by one; of more, only how many."""


class PlainSettings(GuardSettings, frozen=True, kw_only=True):
    """The times of the guard, and the switch for read only.

    Attributes:
        read_only: Decide nothing.
    """

    read_only: bool = False


class NotHeldError(Exception):
    """Nothing was decided; the message says why."""


@dataclass(frozen=True, slots=True)
class Output:
    """The answer to a line.

    Attributes:
        text: Lines, each with its end.
        drop_typed: Drop the lines typed meanwhile: the text had to be read first.
        quit: End the program.
    """

    text: str = ""
    drop_typed: bool = False
    quit: bool = False


class PlainSession:
    """Answers typed lines and changes of the queue with text; prints nothing itself.

    Args:
        queue: An open review connection.
        plain_settings: Times of the guard, and read only.
        clock: Monotonic seconds.
        now: The present, in microseconds since the epoch.
        width: Columns to fold lines at, or None.
    """

    def __init__(
        self,
        queue: ReviewQueue,
        plain_settings: PlainSettings,
        clock: Callable[[], float],
        now: Callable[[], int],
        width: int | None,
    ) -> None:
        self._queue = queue
        self._plain_settings = plain_settings
        self._clock, self._now = clock, now
        self._width = width
        self._requests = NumberedSession(plain_settings, clock)
        self._guard = self._requests.guard
        self._reach_told: set[Ref] = set()
        self._listed: tuple[Grant, ...] = ()
        self._modes = ALL_ASK
        self._unconvinced: tuple[tuple[str, str], ...] = ()

    # -- from outside -------------------------------------------------------------------------------------

    def news(self, changes: ChangeSet) -> str:
        """Tell what changed in the queue."""
        happened = self._requests.take_news(changes)
        exits = _together_ended(happened)
        happened = [each for each in happened if not any(each in together for together in exits)]
        arrived = [each for each in happened if each.what == "new"]
        if len(arrived) > _MOST_NEWS:
            happened = [each for each in happened if each.what != "new"]
        lines = [exit_text(each, self._width) for each in exits]
        lines += [happening_text(each, self._width) for each in happened]
        if len(arrived) > _MOST_NEWS:
            first, last = arrived[0].number, arrived[-1].number
            lines.append(f"new: {counted(len(arrived), 'request')}, {first} to {last}; list names them\n")
        return "".join(lines) + self._agents_news()

    def _agents_news(self) -> str:
        """Tell which agents ask nobody, and which do not trust this reviewer, when that has changed."""
        try:
            connected = self._queue.agents(connected=True)
        except QueueError:
            return ""  # that the queue is lost is told by whoever watches it
        modes, unconvinced = modes_of(connected), agents_without_trust(connected)
        told = "" if modes == self._modes else modes_text(modes, self._width)
        if new := sorted(set(unconvinced).difference(self._unconvinced)):
            told += not_trusted_text([name for name, _ in new], self._width)
        self._modes, self._unconvinced = modes, unconvinced
        return told

    def next_due(self) -> float | None:
        """The time at which `due` has work, by the clock."""
        return self._guard.holds.next_due()

    def due(self) -> str:
        """Send the decisions whose time has come, and tell what became of them."""
        return "".join(self._send(held) for held in self._guard.holds.due(self._clock()))

    def leave(self) -> str:
        """Take back what is still held: who leaves has decided no more than what was sent."""
        return "".join(map(self._taken_back, self._guard.holds.take_back_all()))

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
                names = [name for name, _ in self._unconvinced]
                trust = not_trusted_text(names, self._width) if names else ""
                return Output(modes + trust + list_text(self._requests, self._now(), self._width))
            case "show":
                return self._show(number, self._known(number))
            case "group":
                return self._group(number, command.words)
            case "history":
                return Output(history_text(self._queue, command.words, self._width))
            case "allowed":
                self._listed = self._queue.grants()
                return Output(allowed_text(self._listed, self._width))
            case "help":
                return Output(HELP)
            case "quit":
                return self._quit()
            case _:
                return self._decide(command)

    def _decide(self, command: TypedCommand) -> Output:
        if self._plain_settings.read_only:
            raise NotHeldError("this is read-only: nothing was decided")
        if command.verb == "u":
            return self._take_back()
        if not self._guard.armed:
            raise NotHeldError("too early: read what was printed, and type that again; nothing was decided")
        if command.verb == "revoke":
            return Output(self._revoke(command.numbers[0]))
        targets = []
        for number in command.numbers:
            entry = self._open(number)
            unread = _UNREAD.get(self._requests.reading(entry)) if command.verb in ("y", "!") else None
            if unread is not None:
                return self._show_first(command, number, entry, unread)
            targets.append((number, entry))
        return Output(self._judged(command, targets))

    def _show_first(self, command: TypedCommand, number: int, entry: Entry, why: str) -> Output:
        """Nobody approves what was not printed: print it, and let them type it again."""
        shown = self._show(number, entry)
        again = " ".join([command.verb, *map(str, command.numbers)])
        return replace(shown, text=f"{shown.text}NOT approved: {number} {why}. {again} approves it now.\n")

    def _show(self, number: int, entry: Entry) -> Output:
        try:
            content = content_of(entry.request, self._queue.blob, _CONTEXT)
            page = Page(self._width)
            add_request(page, entry.request, content, self._now())
        except SnapshotError as error:
            raise NotHeldError(
                f"{number} cannot be shown: {error}; it can be rejected: n {number} WORDS"
            ) from error
        self._requests.was_printed(entry, complete=content.complete)
        return Output(f"{number}.\n{page.text()}end of {number}\n", drop_typed=True)

    def _group(self, number: int, words: str) -> Output:
        members = self._requests.pending(number)
        if not members:
            raise NotHeldError(f"nothing of a group {number} waits; list names the groups")
        numbers = tuple(each for each, _ in members)
        verb, _, rest = words.partition(" ")
        match verb:
            case "":
                return Output(list_text(self._requests, self._now(), self._width, group=number))
            case "show" if not rest:
                return Output("".join(self._show(*each).text for each in members), drop_typed=True)
            case "y" if not rest:
                self._require_ready(members)
                return self._decide(TypedCommand("y", numbers))
            case "n":
                return self._decide(TypedCommand("n", numbers, rest))
        raise CommandError(f"group {number} takes show, y, or n WORDS; nothing was done")

    def _take_back(self) -> Output:
        held = self._guard.holds.take_back_last()
        if held is None:
            raise NotHeldError("too late: what was decided is sent already")
        return Output(self._taken_back(held))

    def _revoke(self, number: int) -> str:
        if not 1 <= number <= len(self._listed):
            raise NotHeldError(f"the last list of what is allowed has no {number}; allowed prints it")
        revoked = self._queue.revoke(self._listed[number - 1].id)
        return (
            f"{number} revoked: the next such call asks again\n" if revoked else f"{number} was revoked before\n"
        )

    def _quit(self) -> Output:
        if self.next_due() is not None:
            return Output("something is still held; wait until it is sent, or take it back with u\n")
        return Output(quit=True)

    # -- deciding -----------------------------------------------------------------------------------------

    def _known(self, number: int) -> Entry:
        entries = [*self._requests.inbox.entries()]
        if not 1 <= number <= len(entries):
            raise NotHeldError(f"there is no {number}; list prints the numbers")
        return entries[number - 1]

    def _open(self, number: int) -> Entry:
        """Return the request of a number.

        Raises:
            NotHeldError: It ended, or a held decision reaches it.
        """
        entry = self._known(number)
        if not entry.request.pending:
            raise NotHeldError(f"{number} has ended, {end_of(entry.request)}; nothing was decided")
        if self._requests.is_reached(entry):
            raise NotHeldError(f"a stop that is held rejects {number} too; u takes that back")
        if not entry.waiting:
            raise NotHeldError(f"{number} is decided and held; u takes that back")
        return entry

    def _require_ready(self, members: _Targets) -> None:
        """Make sure that all of a group may be approved together.

        Raises:
            NotHeldError: Some may not; the message names them and what can be typed.
        """
        numbers, who = self._requests.numbers(), self._requests.eligibility(entry.id for _, entry in members)
        if left := [
            f"{numbers[each.ref.id]} ({_NOT_TOGETHER[each.reason]})"
            for each in sorted(who.left_out, key=lambda each: each.reason is Omission.UNSEEN)
            if each.reason in _NOT_TOGETHER
        ]:
            ready = [str(numbers[ref.id]) for ref in who.ready]
            rest = f" The others: y {' '.join(ready)}" if ready else ""
            raise NotHeldError(f"nothing was decided: the group has {', '.join(left)}.{rest}")

    def _judged(self, command: TypedCommand, targets: _Targets) -> str:
        """Hold a permitted decision, or return the reach of a remembered approval first.

        Raises:
            NotHeldError: It is not permitted.
        """
        number, entry = targets[0]
        verb, ref = command.verb, ref_of(entry)
        careless = verb == "s" and reach_of(entry.request.submission).breadth.careless
        if verb == "s" and command.words not in ("", "wide"):
            raise NotHeldError(f"s takes a number, and wide where it says so: nothing was decided; s {number}")
        agreed = ref in self._reach_told and (command.words == "wide" or not careless)
        verdict = self._guard.judge(verb, [ref_of(each) for _, each in targets], agreed=agreed)
        match verdict:
            case Decide(permit):
                return self._hold(permit, targets, "" if permit.act.approves else command.words)
            case OpenSheet() if self._requests.may_be_remembered([ref]):
                self._reach_told.add(ref)
                page = Page(self._width)
                page.add(session_reach(entry.request), label="would also approve ")
                page.add(f"nothing was decided; s {number}{' wide' if careless else ''} does it")
                return page.text()
        raise NotHeldError(_why_not(number, verdict, self._requests.numbers()))

    def _hold(self, permit: Permit, targets: _Targets, note: str) -> str:
        self._requests.hold(permit, note)
        seconds, words = self._guard.settings.hold, acts_text(permit, self._requests.numbers())
        page = Page(self._width)
        page.add(f"{words}, sent in {seconds:g} s; u takes it back" if seconds else words)
        add_names(page, targets)
        return page.text()

    def _send(self, held: Held[HeldAnswer]) -> str:
        self._requests.sending(held)
        try:
            results = send_held(self._queue, held, self._clock())
        except QueueError as error:
            self._requests.inbox.set_sent([ref.id for ref in held.refs], sent=False)
            return f"NOT decided: {error}\n"
        self._requests.answered(results)
        self._requests.know(result.current for result in results)
        return result_text(results, self._requests.numbers(), self._width)

    def _taken_back(self, held: Held[HeldAnswer]) -> str:
        self._requests.take_back([held])
        return f"taken back: {acts_text(held.permit, self._requests.numbers())}\n"


def _together_ended(happened: Iterable[Happening]) -> list[list[Happening]]:
    """The requests that ended with their agents, for each agent that had several."""
    by_agent: dict[str, list[Happening]] = {}
    for each in happened:
        note = each.request.state_note
        if each.what == "ended" and agent_exited(note):
            by_agent.setdefault(each.request.asked_by.agent_id, []).append(each)
    return [together for together in by_agent.values() if len(together) > 1]


_UNREAD = {"nothing": "had not been shown", "changed": "was changed since it was shown"}

_NOT_TOGETHER = {Omission.HIGH: "HIGH: alone", Omission.UNSEEN: "not shown in full"}


def _why_not(number: int, verdict: Verdict, numbers: Mapping[str, int]) -> str:
    """Return the message for a refusal by the guard.

    Args:
        number: The first request of the line.
        verdict: The refusal.
        numbers: The number of each request by its id.
    """
    match verdict:
        case NeedsGroupBar((LeftOut(ref, Omission.HIGH, coverage), *_)) if coverage >= 1.0:
            left = numbers[ref.id]
            return f"{left} is HIGH: nothing was decided; HIGH is approved alone: y {left}"
        case NeedsUnseenBar(remembers=True):
            return f"{number} was not shown in full as it is: nothing was decided; show {number}"
        case NeedsUnseenBar(ref) | NeedsGroupBar((LeftOut(ref), *_)):
            left = numbers[ref.id]
            return f"not all of {left} can be shown: nothing was decided; ! {left} approves it"
        case OpenSheet() | Ignored(Reason.HIGH):
            return f"an approval of {number} is never remembered: nothing was decided; y {number}"
        case Ignored(Reason.NOT_OFFERED):
            return f"all of {number} was shown: y {number} approves it"
        case Ignored(_, text):
            return f"{number}: {text}; nothing was decided"
        case _:
            raise AssertionError(verdict)
