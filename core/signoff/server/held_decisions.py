"""Decisions that are held for a moment before the queue gets them, so that a slip can be taken back.

They are kept in memory only: one that is held when the server ends is dropped, and nothing is decided.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from signoff.queue.records import DecideResult, Decision, new_id
from signoff.server.access import HttpError
from signoff.server.tokens import Scope, Token, TokenFile

if TYPE_CHECKING:
    from signoff.server.service import Service

__all__ = ["HOLD_SECONDS", "HeldDecision", "HeldDecisions", "HoldState", "Target"]

HOLD_SECONDS = 8.0
"""Time in which a decision can be taken back."""

MOST_HELD = 1000
"""Decisions that are remembered, those that are over included."""

Target = tuple[str, int, str]
"""Id, revision and digest of a request, as they were shown."""

_log = logging.getLogger("signoff.server")


class HoldState(StrEnum):
    """The state of a held decision."""

    HELD = "held"
    """It can be taken back."""
    SENDING = "sending"
    """The queue is asked to take it."""
    SENT = "sent"
    """The queue has answered."""
    UNDONE = "undone"
    """It was taken back; nothing was decided."""


@dataclass(slots=True, eq=False)
class HeldDecision:
    """A decision, and its way to the queue.

    Attributes:
        id: Its id, for addresses.
        token: The token that decided.
        targets: The requests, as they were shown.
        decision: The answer.
        group: Key of the group that is decided at once, or None for one request.
        started: Monotonic time, in seconds.
        ends: The time from which on it is sent.
        state: Its state.
        results: The answers of the queue, in the order of the targets.
        problem: The reason for which the queue could not be asked, or "".
    """

    id: str
    token: Token
    targets: tuple[Target, ...]
    decision: Decision
    group: str | None
    started: float
    ends: float
    state: HoldState = HoldState.HELD
    results: tuple[DecideResult, ...] = ()
    problem: str = ""
    _task: asyncio.Task[None] | None = None

    @property
    def over(self) -> bool:
        """True if nothing happens to it any more."""
        return self.state in (HoldState.SENT, HoldState.UNDONE)

    @property
    def seconds_left(self) -> float:
        """Seconds in which it can still be taken back."""
        return max(0.0, self.ends - time.monotonic()) if self.state is HoldState.HELD else 0.0


class HeldDecisions:
    """The decisions of all reviewers at the page. It belongs to one event loop.

    Args:
        service: Takes the decisions in the end.
        tokens: The tokens; one that was revoked meanwhile decides nothing.
        seconds: The time for which each is held.
    """

    def __init__(self, service: Service, tokens: TokenFile, seconds: float) -> None:
        self._service = service
        self._tokens = tokens
        self.seconds = seconds
        self._held: dict[str, HeldDecision] = {}

    def hold(
        self, token: Token, targets: Sequence[Target], decision: Decision, group: str | None = None
    ) -> HeldDecision:
        """Hold a decision, and send it when its time is over.

        Args:
            token: The token that decides.
            targets: The requests, as they were shown.
            decision: The answer.
            group: Key of the group that is decided at once, or None for one request.

        Raises:
            HttpError: A decision of that token on one of the requests is held already, or too many are held.
        """
        if not self.requests_of(token).keys().isdisjoint(target[0] for target in targets):
            raise HttpError(409, "you have decided that just now; take that back first, or wait a moment")
        self._make_room()
        now = time.monotonic()
        held = HeldDecision(new_id(), token, tuple(targets), decision, group, now, now + self.seconds)
        self._held[held.id] = held
        held._task = asyncio.create_task(self._send(held))  # noqa: SLF001 - the two make one thing
        return held

    def get(self, ident: str, token: Token) -> HeldDecision:
        """Return a decision of a token.

        Raises:
            HttpError: The token has none of that id, or the server was started again meanwhile.
        """
        held = self._held.get(ident)
        if held is None or held.token.id != token.id:
            raise HttpError(
                404,
                "no such decision is held here. One that was held when the server ended was dropped: nothing was"
                " decided by it. The history has what was",
            )
        return held

    def requests_of(self, token: Token) -> dict[str, str]:
        """Return the requests that a token has decided on, with the ids of the decisions that are on their way."""
        mine = [held for held in self._held.values() if not held.over and held.token.id == token.id]
        return {target[0]: held.id for held in mine for target in held.targets}

    def undo(self, held: HeldDecision) -> bool:
        """Take a decision back; False if it is too late."""
        if held.state is HoldState.HELD:
            held.state = HoldState.UNDONE
            if held._task is not None:  # noqa: SLF001
                held._task.cancel()  # noqa: SLF001
        return held.state is HoldState.UNDONE

    async def drop(self) -> None:
        """Drop what is held, since the server ends; what is on its way arrives."""
        for held in self._held.values():
            if held.state is HoldState.HELD:
                self.undo(held)
                facts = {"requests": [target[0] for target in held.targets], "by": held.token.name}
                _log.warning(
                    "a decision was held when the server ended; nothing was decided", extra={"facts": facts}
                )
        tasks = [held._task for held in self._held.values() if held._task is not None]  # noqa: SLF001
        await asyncio.gather(*tasks, return_exceptions=True)

    def _make_room(self) -> None:
        while len(self._held) >= MOST_HELD:
            oldest = next((held for held in self._held.values() if held.over), None)
            if oldest is None:
                raise HttpError(429, "too many decisions are held; wait a moment")
            del self._held[oldest.id]

    async def _send(self, held: HeldDecision) -> None:
        await asyncio.sleep(self.seconds)
        held.state = HoldState.SENDING
        try:
            if not await asyncio.to_thread(self._tokens.still_holds, held.token, Scope.DECIDE):
                held.problem = "nothing was decided: your token was revoked meanwhile"
                return
            waited = round((time.monotonic() - held.started) * 1_000_000)
            decision = replace(held.decision, held_us=waited)
            name = held.token.name
            if held.group is not None:
                held.results = await self._service.decide_many(name, held.targets, decision)
            else:
                held.results = (await self._service.decide(name, held.targets[0], decision),)
        except HttpError as error:
            held.problem = str(error)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong, it is told
            held.problem = "it is not known if anything was decided; the history tells"
            _log.error("a held decision failed", exc_info=error)
        finally:
            held.state = HoldState.SENT
