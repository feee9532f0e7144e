"""Decisions that are made and not sent yet, so that they can be taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from signoff.queue.protocol import ReviewQueue
from signoff.queue.records import DecideResult, Decision, StoredRequest

__all__ = ["HeldDecision", "Holding"]


@dataclass(frozen=True, slots=True)
class HeldDecision:
    """A decision about requests as they were read.

    Attributes:
        targets: Numbers and requests.
        decision: The answer.
        words: What it does, for the person.
        made_at: Seconds, by the clock of `Holding`.
        due_at: When it is sent.
    """

    targets: tuple[tuple[int, StoredRequest], ...]
    decision: Decision
    words: str
    made_at: float
    due_at: float


class Holding:
    """Holds decisions, and sends each exactly once unless it was taken back.

    Args:
        queue: Where they go.
        clock: Monotonic seconds.
        one: Seconds for a decision on one request at LOW or MEDIUM risk.
        many: Seconds for any other.
    """

    def __init__(self, queue: ReviewQueue, clock: Callable[[], float], one: float, many: float) -> None:
        self._queue = queue
        self._clock = clock
        self._one, self._many = one, many
        self._held: list[HeldDecision] = []

    def hold(
        self,
        targets: Sequence[tuple[int, StoredRequest]],
        decision: Decision,
        words: str,
        *,
        careful: bool,
    ) -> HeldDecision:
        """Start to hold a decision; `careful` takes the longer time."""
        now = self._clock()
        length = self._many if careful or len(targets) > 1 else self._one
        held = HeldDecision(tuple(targets), decision, words, now, now + length)
        self._held.append(held)
        return held

    def holds(self, number: int) -> bool:
        """Whether a decision on the request is held."""
        return any(number == target for held in self._held for target, _ in held.targets)

    def next_due(self) -> float | None:
        """When the next one is to be sent."""
        return min((held.due_at for held in self._held), default=None)

    def take_back(self) -> HeldDecision | None:
        """Take back the last one."""
        return self._held.pop() if self._held else None

    def take_back_all(self) -> list[HeldDecision]:
        """Take back all: nothing was sent."""
        taken, self._held = self._held, []
        return taken

    def send_due(self) -> list[tuple[HeldDecision, Sequence[DecideResult]]]:
        """Send what is due.

        Raises:
            QueueError: The queue did not take it; nothing was decided, and it is not held any more.
        """
        now = self._clock()
        due = [held for held in self._held if held.due_at <= now]
        sent = []
        for held in due:
            self._held.remove(held)
            sent.append((held, self._send(held)))
        return sent

    def _send(self, held: HeldDecision) -> Sequence[DecideResult]:
        decision = replace(held.decision, held_us=int((self._clock() - held.made_at) * 1_000_000))
        exactly = [(each.id, each.revision, each.submission.digest) for _, each in held.targets]
        if len(exactly) == 1:
            return [self._queue.decide(*exactly[0], decision)]
        return self._queue.decide_many(exactly, decision)
