"""A queue in which every text that an agent or a colleague may write is hostile."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self
from unittest.mock import patch

from hostile_texts import SORTS, Hostile
from signoff.connection import connect_agent
from signoff.effects import Command, Effect, FileWrite
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.policy.shell.plain_commands import suspicious_characters
from signoff.policy.trust import trust
from signoff.queue import (
    AgentQueue,
    Decision,
    Grant,
    GrantPattern,
    Risk,
    StoredRequest,
    Submission,
    open_review_queue,
)
from signoff.queue.amendment import EDIT, PARTIAL
from signoff.queue.grant_pattern import AnyValue
from signoff.submission import plain_submission, submission_with_snapshot
from signoff.types import ApprovalPresentation, ApprovalRequest

_SHORT = 29
"""Characters that are enough for a mark and the first hidden character."""

_APART = 20
"""Lines that stay as they are between two hunks."""

_NAMES = "\u202e\u200b\u00ad"
"""In the names of directories: without what would end the rows of a screen."""


class HostileScene:
    """Requests of hostile agents, waiting.

    First, for every text a request of an agent of its own, with the text in each of its fields. Then, all of one
    agent: a group with a call for every text, in one batch of which the last call is the first; a call that may
    be remembered, with every text as the name and the value of an argument; and one call with every text in a
    command, an edited file, a new file and the name of a file. What comes out of the person's editor
    is of such texts, too.

    Args:
        base: An empty folder.
        texts: What to write everywhere.

    Attributes:
        folder: The working directory.
        place: The queue.
        editor: The command of the person's editor: it leaves arguments with every text as a name, a value and
            a part of a command.
        waiting: Every request, in the order of the list.
        repeated: Requests for the same, see `repeats`.
    """

    def __init__(self, base: Path, texts: tuple[Hostile, ...]) -> None:
        self.folder, self.place = base / f"work {_NAMES}", base / f"queue {_NAMES}"
        self.texts = texts
        self.waiting: list[StoredRequest] = []
        self.repeated: list[StoredRequest] = []
        self._own: list[tuple[AgentQueue, StoredRequest]] = []
        self._stack = ExitStack()
        (self.folder / "tmp").mkdir(parents=True)
        self.editor = shlex.join(["cp", str(self._edited(base / "edited.json"))])

    def __enter__(self) -> Self:
        return self

    def asks(self) -> None:
        """All agents ask."""
        for text in self.texts:
            agent = self._agent(text)
            request = agent.submit(self._in_each_field(text))
            self._own.append((agent, request))
            self.waiting.append(request)
        packing = self._agent(self.texts[0])
        calls = [self._call(at, text) for at, text in enumerate(self.texts)]
        self.waiting += map(packing.submit, [*calls, self._rememberable(), self._doing_everything()])

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def still_waiting(self) -> list[bool]:
        """For each request whether nobody decided on it."""
        with open_review_queue(self.place, reviewer="anna") as queue:
            return [queue.get(request.id).pending for request in self.waiting]

    def granted(self) -> tuple[Grant, ...]:
        """All that is remembered."""
        with open_review_queue(self.place, reviewer="anna") as queue:
            return queue.grants()

    def asks_for_what_may_be_changed(self) -> None:
        """An agent that can run something else asks for what hides nothing, to be edited, and for two hunks."""
        request = ApprovalRequest(tool_name="harmless", description="edit this", payload={}, arguments={"a": 1})
        submission = plain_submission(request, None, cwd=str(self.folder))
        submission = replace(submission, supports=submission.supports | {EDIT})
        agent = self._agent(self.texts[0])
        self.waiting += map(agent.submit, [submission, self._in_two_hunks()])

    def ends(self) -> None:
        """Each agent's own request ends, with hostile words: rejected by a colleague, or taken back."""
        for number, ((agent, request), text) in enumerate(zip(self._own, self.texts, strict=True)):
            if number % 2:
                agent.withdraw(request.id, f"reason {text.name}")
            else:
                self._rejects(request, text)
        del self.waiting[: len(self._own)]

    def remembers(self) -> None:
        """For each text, an approval that a colleague gave and that is remembered; the last covers any values."""
        with open_review_queue(self.place, reviewer="anna") as queue:
            for text in self.texts:
                agent = self._agent(text)
                request = agent.submit(
                    _kept(self._in_each_field(text, key=_open_key(text)), key=f"remembered {text.mark}")
                )
                decision = Decision(approved=True, remember=True, by="anna")
                verdict = queue.decide(request.id, request.revision, request.submission.digest, decision)
                assert verdict.accepted, verdict.message
            wide = self._agent(self.texts[0]).submit(self._rememberable())
            pattern = GrantPattern.exactly(wide.submission.tool_name, wide.submission.payload)
            for name in wide.submission.payload:
                pattern = pattern.widened(name, AnyValue())
            queue.add_pattern(pattern, session=wide.asked_by.session, origin=wide.id)
            decision = Decision(approved=True, by="anna")
            assert queue.decide(wide.id, wide.revision, wide.submission.digest, decision).accepted

    def approves_commands(self) -> None:
        """A colleague approves a command of each agent, with the text in it if nothing of it is hidden."""
        with open_review_queue(self.place, reviewer="anna") as queue:
            for text in (self.texts * 3)[: max(len(self.texts), 3)]:
                open_to_all = text.content.isprintable() and suspicious_characters(text.content) is None
                command = f"git status {shlex.quote(text.content if open_to_all else text.mark)}"
                request = ApprovalRequest(tool_name="run_command", description="", payload={"command": command})
                stored = self._agent(text).submit(plain_submission(request, None, cwd=str(self.folder)))
                decision = Decision(approved=True, by="anna")
                assert queue.decide(stored.id, stored.revision, stored.submission.digest, decision).accepted

    def repeats(self) -> None:
        """For each text an agent, all of them of one session, that asks for the same; the first one twice."""
        for text in (*self.texts, self.texts[0]):
            agent = self._agent(text, session="same")
            request = ApprovalRequest(tool_name="same", description=text.name, payload={"same": 1})
            submission = plain_submission(request, None, cwd=str(self.folder))
            self.repeated.append(agent.submit(_kept(submission, key=submission.key)))

    def hurries(self) -> None:
        """An agent asks for something of HIGH risk."""
        text = self.texts[0]
        self._agent(text).submit(replace(self._in_each_field(text), risk=Risk.HIGH))

    def rules_change(self, variables: Mapping[str, str]) -> None:
        """For each text, rules in a file of that name that are not what was trusted: they are gone."""
        with patch.dict(os.environ, variables):
            trust({f"{self.folder}/{text.part_of_a_path[:_SHORT]}.yaml": b"" for text in self.texts})

    @contextmanager
    def lost(self) -> Iterator[None]:
        """The queue cannot be read."""
        with closing(sqlite3.connect(self.place / "queue.db", isolation_level=None)) as database:
            database.execute("ALTER TABLE requests RENAME TO moved")
            yield
            database.execute("ALTER TABLE moved RENAME TO requests")

    def _rejects(self, request: StoredRequest, text: Hostile) -> None:
        with open_review_queue(self.place, reviewer=text.name) as queue:
            decision = Decision(approved=False, note=f"note {text.name}", by=text.name)
            assert queue.decide(request.id, request.revision, request.submission.digest, decision).accepted

    def _agent(self, text: Hostile, session: str | None = None) -> AgentQueue:
        name = text.name
        agent = connect_agent(
            name, session=session or name, place=self.place, cwd=f"{self.folder}/{name}", via=name
        )
        return self._stack.enter_context(agent)

    # -- requests ----------------------------------------------------------------------------------------

    def _in_each_field(self, text: Hostile, *, key: str | None = None) -> Submission:
        name = text.name
        key = name if key is None else key
        request = ApprovalRequest(
            tool_name=name,
            description=name,
            payload={key: name},
            arguments={key: [name, {key: 1}]},
            presentation=ApprovalPresentation(type="text", content=f"{text.end}\n{name}", metadata={key: name}),
            group_id=name,
            why=name,
        )
        following = ({"tool": name, "arguments": {name: name}},)
        submission = plain_submission(request, None, cwd=f"{self.folder}/{name}")
        return replace(
            submission, batch_id=name, batch_remaining=following, risk=Risk.MEDIUM, risk_reasons=(name,)
        )

    def _call(self, at: int, text: Hostile) -> Submission:
        more = {} if at else {f"row {number:02}": number for number in range(40)}  # on no small page with others
        request = ApprovalRequest(
            tool_name=text.name, description=text.name, payload={text.name: at, **more}, group_id="all"
        )
        return replace(
            plain_submission(request, None, cwd=str(self.folder)), batch_id="batch", batch_position=1_000 - at
        )

    def _rememberable(self) -> Submission:
        named = {_open_key(text): f"{text.mark} {text.text[:300]}" for text in self.texts}
        request = ApprovalRequest(tool_name=self.texts[0].name, description="remember all", payload=named)
        submission = plain_submission(request, None, cwd=str(self.folder))
        return _kept(submission, key=submission.key)

    def _doing_everything(self) -> Submission:
        old, lines = self.folder / "old.txt", [text.content for text in self.texts]
        old.write_text("".join(f"before {line}\n" for line in lines), encoding="utf-8")
        script = "".join(f": {line}\n" for line in lines)
        everything = "".join(f"x = '{line}'\n" for line in lines)
        effects: list[Effect] = [
            Command(script, str(self.folder), {f"NAME{at}": line for at, line in enumerate(lines)}),
            FileWrite(str(old), "".join(f"after {line}\n" for line in lines)),
            FileWrite(f"{self.folder}/new.py", everything),
            *(FileWrite(f"{self.folder}/{text.part_of_a_path}.py", "x\n") for text in self.texts),
        ]
        request = ApprovalRequest(tool_name="everything", description="do all", payload={}, effects=tuple(effects))
        return submission_with_snapshot(request, plain_submission(request, None, cwd=str(self.folder)))[0]

    def _in_two_hunks(self) -> Submission:
        old, lines = self.folder / "hunks.txt", [text.content for text in self.texts[-len(SORTS) :]]
        kept = "".join(f"unchanged {number}\n" for number in range(_APART))
        before, after = (
            kept.join("".join(f"{word} {line}\n" for line in half) for half in (lines[::2], lines[1::2]))
            for word in ("before", "after")
        )
        old.write_text(before, encoding="utf-8")
        effects = (FileWrite(str(old), after),)
        request = ApprovalRequest(tool_name="hunks", description="change", payload={}, effects=effects)
        found = submission_with_snapshot(request, plain_submission(request, None, cwd=str(self.folder)))[0]
        return replace(found, supports=found.supports | {PARTIAL})

    def _edited(self, file: Path) -> Path:
        """Write what comes out of the editor."""
        lines = {text.mark: text.content for text in self.texts}
        command = "\n".join(f": {shlex.quote(line)}" for line in lines.values())
        names = {"deep": {line: {"name": line} for line in lines.values()}}
        file.write_text(json.dumps({"a": 2, "command": command, **names}), encoding="utf-8")
        return file


def _open_key(text: Hostile) -> str:
    """The text as the name of an argument; its mark if that is the name of a secret, which is never remembered."""
    return text.name if DEFAULT_REDACTION.mask_value("open", text.name) == "open" else text.mark


def _kept(submission: Submission, *, key: str) -> Submission:
    """The same as an agent sends it that says nothing of a risk, and that keeps approvals."""
    supports = submission.supports | {"session"}
    return replace(submission, key=key, risk=Risk.MEDIUM, risk_reasons=(), supports=supports)
