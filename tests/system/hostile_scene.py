"""A queue in which every text that an agent or a colleague may write is hostile."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Self

from hostile_texts import Hostile

from signoff.asking import plain_submission, submission_with_snapshot
from signoff.connecting import connect_agent
from signoff.effects import Command, Effect, FileWrite
from signoff.queue import AgentQueue, Decision, Risk, StoredRequest, Submission, open_review_queue
from signoff.types import ApprovalPresentation, ApprovalRequest


class HostileScene:
    """Requests of hostile agents, waiting.

    First, for every text a request of an agent of its own, with the text in each of its fields. Then, all of one
    agent: a group with a call for every text, in one batch of which the last call is the first; a call that may
    be remembered, with every text as the name and the value of an argument; and one call with every text in a
    command, an edited file, a new file and the name of a file.

    Args:
        base: An empty folder.
        texts: What to write everywhere.

    Attributes:
        folder: The working directory.
        place: The queue.
        waiting: Every request, in the order of the list.
    """

    def __init__(self, base: Path, texts: tuple[Hostile, ...]) -> None:
        self.folder, self.place = base / "work", base / "queue"
        self.texts = texts
        self.waiting: list[StoredRequest] = []
        self._own: list[tuple[AgentQueue, StoredRequest]] = []
        self._stack = ExitStack()
        (self.folder / "tmp").mkdir(parents=True)

    def __enter__(self) -> Self:
        for text in self.texts:
            agent = self._agent(text)
            request = agent.submit(self._in_each_field(text))
            self._own.append((agent, request))
            self.waiting.append(request)
        packing = self._agent(self.texts[0])
        calls = [self._call(at, text) for at, text in enumerate(self.texts)]
        self.waiting += map(packing.submit, [*calls, self._rememberable(), self._doing_everything()])
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def still_waiting(self) -> list[bool]:
        """For each request whether nobody decided on it."""
        with open_review_queue(self.place, reviewer="anna") as queue:
            return [queue.get(request.id).pending for request in self.waiting]

    def ends(self) -> None:
        """Each agent's own request ends, with hostile words: rejected by a colleague, or taken back."""
        for number, ((agent, request), text) in enumerate(zip(self._own, self.texts, strict=True)):
            if number % 2:
                agent.withdraw(request.id, f"reason {text.name}")
            else:
                self._rejects(request, text)
        del self.waiting[: len(self._own)]

    def remembers(self) -> None:
        """For each text, an approval that a colleague gave and that is remembered."""
        with open_review_queue(self.place, reviewer="anna") as queue:
            for text in self.texts:
                agent = self._agent(text)
                request = agent.submit(_kept(self._in_each_field(text), key=f"remembered {text.mark}"))
                decision = Decision(approved=True, remember=True, by="anna")
                verdict = queue.decide(request.id, request.revision, request.submission.digest, decision)
                assert verdict.accepted, verdict.message

    def _rejects(self, request: StoredRequest, text: Hostile) -> None:
        with open_review_queue(self.place, reviewer=text.name) as queue:
            decision = Decision(approved=False, note=f"note {text.name}", by=text.name)
            assert queue.decide(request.id, request.revision, request.submission.digest, decision).accepted

    def _agent(self, text: Hostile) -> AgentQueue:
        name = text.name
        agent = connect_agent(name, session=name, place=self.place, cwd=f"{self.folder}/{name}", via=name)
        return self._stack.enter_context(agent)

    # -- requests ----------------------------------------------------------------------------------------

    def _in_each_field(self, text: Hostile) -> Submission:
        name = text.name
        request = ApprovalRequest(
            tool_name=name,
            description=name,
            payload={name: name},
            arguments={name: [name, {name: 1}]},
            presentation=ApprovalPresentation(type="text", content=f"{text.end}\n{name}", metadata={name: name}),
            group_id=name,
            why=name,
        )
        following = ({"tool": name, "arguments": {name: name}},)
        submission = plain_submission(request, None, cwd=f"{self.folder}/{name}")
        return replace(
            submission, batch_id=name, batch_remaining=following, risk=Risk.MEDIUM, risk_reasons=(name,)
        )

    def _call(self, at: int, text: Hostile) -> Submission:
        request = ApprovalRequest(
            tool_name=text.name, description=text.name, payload={text.name: at}, group_id="all"
        )
        return replace(
            plain_submission(request, None, cwd=str(self.folder)), batch_id="batch", batch_position=1_000 - at
        )

    def _rememberable(self) -> Submission:
        named = {text.name: text.text[:300] for text in self.texts}
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


def _kept(submission: Submission, *, key: str) -> Submission:
    """The same as it can be remembered: words that look like secrets would be asked about each time."""
    supports = submission.supports | {"session"}
    return replace(submission, key=key, risk=Risk.MEDIUM, risk_reasons=(), supports=supports)
