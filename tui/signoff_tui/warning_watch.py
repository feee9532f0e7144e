"""Updates of the warnings on the first line, made only when they may have changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from msgspec.structs import replace
from textual.dom import DOMNode

from signoff.policy.trust import TrustError
from signoff.queue import QueueError, ReviewerKeysError, ReviewQueue
from signoff.queue.keys.identity import agents_without_trust
from signoff.queue.records import Modes, modes_of
from signoff.queue.wording import not_trusted
from signoff_tui.context import Office
from signoff_tui.notify.warnings import Alarms
from signoff_tui.screens.rereading import Rereading
from signoff_tui.screens.rules.files import read_files
from signoff_tui.workers import run_beside

__all__ = ["AlarmWatch"]


LOOK_AGAIN_SECONDS = 0.5
"""The time between two looks at the agents: a hundred requests may come in a second."""


class AlarmWatch:
    """Keeps the warnings of the shared services up to date.

    Args:
        node: The widget with which the work ends.
        office: The shared services.
        changed: Called after they changed.
        tell: Called with a new warning in words; "" when a loss of the history was accepted.
    """

    def __init__(
        self, node: DOMNode, office: Office, changed: Callable[[], None], tell: Callable[[str], None]
    ) -> None:
        self._node = node
        self._office = office
        self._changed = changed
        self._tell = tell
        self._missing = ""
        self._reading_agents = Rereading(lambda: run_beside(node, self._read_agents, group="warnings of agents"))

    def queue_changed(self) -> None:
        """Note a change of the queue: an agent may have come, gone, or changed its mode."""
        self._reading_agents.wanted()

    def rules_changed(self, *, differ: bool) -> None:
        """Note that rule files may have changed.

        Args:
            differ: True if one differs from its trusted content; a trusted content is never broken.
        """
        if differ:
            run_beside(self._node, self._read_rules, group="broken rules", exclusive=True)
        else:
            self._take(replace(self._office.alarms, rules_broken=False))

    async def _read_agents(self) -> None:
        try:
            modes, unconvinced, missing = await self._office.ask(_look)
        except QueueError:  # the loss is reported elsewhere; agents stay as they were
            pass
        else:
            new = sorted(set(unconvinced).difference(self._office.alarms.not_believing))
            alarms = replace(self._office.alarms, modes=modes, not_believing=unconvinced)
            self._take(replace(alarms, history_cut=bool(missing)))
            words = [not_trusted([name for name, _ in new])] if new else []
            if missing != self._missing:
                self._missing = missing
                self._tell("; ".join(filter(None, (missing, *words))))
            elif words:
                self._tell(*words)
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
        self._reading_agents.ended()

    async def _read_rules(self) -> None:
        broken = await self._office.compute(_is_any_broken)
        self._take(replace(self._office.alarms, rules_broken=broken))

    def _take(self, alarms: Alarms) -> None:
        before, self._office.alarms = self._office.alarms, alarms
        if alarms != before:
            self._changed()


def _look(queue: ReviewQueue) -> tuple[Modes, tuple[tuple[str, str], ...], str]:
    connected = queue.agents(connected=True)
    try:
        missing = queue.recall_history()
    except ReviewerKeysError as error:
        missing = f"the history cannot be compared with what you had seen: {error}"
    return modes_of(connected), agents_without_trust(connected), missing


def _is_any_broken() -> bool:
    try:
        return any(file.state == "BROKEN" for file in read_files())
    except TrustError:
        return True
