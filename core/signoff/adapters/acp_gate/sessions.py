"""The sessions of an agent: each is one session of the queue, with all that the agent has told of it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from signoff.adapters.acp_gate.actions import WRITE, AgentAction, made_call
from signoff.adapters.acp_gate.requests import asked_action
from signoff.adapters.gates.asking import GateController
from signoff.adapters.session_name import session_name, short_subject
from signoff.canonical import NotJsonError
from signoff.controller.outcomes import failed
from signoff.present.snapshot.files import look
from signoff.present.snapshot.steps import FileChange, SnapshotError
from signoff.queue.errors import QueueError
from signoff.types import ApprovalDecision

if TYPE_CHECKING:
    from signoff.queue.protocol import AgentQueue

__all__ = ["AgentSession", "AgentSessions", "Connect"]

Connect = Callable[[str, str], "AgentQueue"]
"""Opens the queue for a session, by its name for people and its working directory."""

_HARMLESS = ("model", "model_config", "thought_level")
"""Categories of options on which it does not depend what an agent asks about."""


class AgentSession:
    """One session.

    Args:
        cwd: Absolute working directory.
        connect: Opens the queue.
    """

    def __init__(self, cwd: str, connect: Callable[[], AgentQueue]) -> None:
        self.cwd = cwd
        self.subject = ""
        self._controller = GateController(connect)
        self._calls: dict[str, dict[str, Any]] = {}
        self._approved: dict[str, FileChange] = {}
        self._modes: dict[str, str] = {}
        self._options: dict[str, Mapping[str, Any]] = {}
        self._first_mode: str | None = None

    async def decide(self, action: AgentAction) -> ApprovalDecision:
        """Decide on an action; waits for a person if one has to be asked. Cancelled, it withdraws the request."""
        try:
            controller = await self._controller.connected()
            asked = await asyncio.to_thread(asked_action, action)
            decision = await controller.request_approval(asked.request, asked.context)
        except (QueueError, SnapshotError, NotJsonError) as error:
            return failed(error)
        if decision.approved is True and action.permission is not None and decision.snapshot is not None:
            self._approved |= {change.path: change for change in decision.snapshot.items}
        return decision

    def is_approved(self, action: AgentAction) -> bool:
        """True if an action writes just what was approved when the agent asked permission for it. Counts once.

        Some agents ask permission for a change of a file, and then have the editor make it.
        """
        if action.message.method != WRITE:
            return False
        approved = self._approved.pop(action.arguments["path"], None)
        content = action.arguments["content"].encode()
        if approved is None or hashlib.sha256(content).hexdigest() != approved.after_sha256:
            return False
        try:
            now, _ = look(approved.path)
        except SnapshotError:
            return False
        before = approved.before
        return now.real_path == before.real_path and now.sha256 in (before.sha256, approved.after_sha256)

    def told_of(self, call_id: object) -> Mapping[str, Any]:
        """Return what the agent has told of a tool call."""
        return self._calls.get(call_id, {}) if isinstance(call_id, str) else {}

    def learn_call(self, update: Mapping[str, Any]) -> None:
        """Take in what the agent tells of a tool call."""
        call_id = update.get("toolCallId")
        if not isinstance(call_id, str):
            return
        if update.get("status") in ("completed", "failed"):
            self._calls.pop(call_id, None)
        else:
            self._calls[call_id] = made_call(self._calls.get(call_id, {}), update)

    def learn_settings(self, result: Mapping[str, Any]) -> None:
        """Take in modes and options of a session that has begun."""
        modes = _object(result.get("modes"))
        self._modes = {
            each["id"]: ": ".join(str(each[key]) for key in ("name", "description") if each.get(key))
            for each in _objects(modes.get("availableModes"))
            if isinstance(each.get("id"), str)
        }
        current = modes.get("currentModeId")
        self._first_mode = current if isinstance(current, str) else None
        options = _objects(result.get("configOptions"))
        self._options = {each["id"]: each for each in options if isinstance(each.get("id"), str)}

    def title_of_mode(self, mode: str) -> str | None:
        """Return the change to a mode in a line; None if the session began in it."""
        return (
            None if mode == self._first_mode else f"switch the agent to the mode {self._modes.get(mode) or mode}"
        )

    def title_of_option(self, option: str, value: object) -> str | None:
        """Return the change of an option in a line; None if it makes no difference to what is asked about."""
        known = self._options.get(option)
        if known is not None:
            if known.get("category") in _HARMLESS:
                return None
            first = known.get("currentValue")
            if type(first) is type(value) and first == value:
                return None
        return f"set the option {option} of the agent to {value}"

    def end_turn(self) -> None:
        """Forget what was told and approved in a turn."""
        self._calls.clear()
        self._approved.clear()

    def close(self) -> None:
        """Leave the queue."""
        self._controller.close()


class AgentSessions:
    """All sessions of one agent.

    Args:
        title: Name of the agent for people, until it tells its own.
        cwd: Absolute working directory of a session that names none.
        connect: Opens the queue for a session.
    """

    def __init__(self, title: str, cwd: str, connect: Connect) -> None:
        self._title = title
        self._cwd = cwd
        self._connect = connect
        self._sessions: dict[str, AgentSession] = {}

    def of(self, session_id: object) -> AgentSession:
        """Return a session; one that was not begun here works where the agent was started."""
        return self._begun(session_id if isinstance(session_id, str) else "", self._cwd)

    def learn_agent(self, result: Mapping[str, Any]) -> None:
        """Take in the name of the agent."""
        info = _object(result.get("agentInfo"))
        title = info.get("title") or info.get("name")
        if isinstance(title, str):
            self._title = title

    def begin(self, session_id: object, cwd: object) -> AgentSession:
        """Note where a session works."""
        where = cwd if isinstance(cwd, str) and cwd.startswith("/") else self._cwd
        return self._begun(session_id if isinstance(session_id, str) else "", where)

    def close(self) -> None:
        """Leave the queue."""
        for session in self._sessions.values():
            session.close()

    def _begun(self, session_id: str, cwd: str) -> AgentSession:
        found = self._sessions.get(session_id)
        if found is None:
            found = AgentSession(cwd, lambda: self._connect(self._name(found), cwd))
            self._sessions[session_id] = found
        return found

    def _name(self, session: AgentSession | None) -> str:
        assert session is not None
        return session_name(self._title, session.cwd, short_subject(session.subject))


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
