"""Any sequence of acts and crashes leaves the queue as a simple model says.

More runs: SIGNOFF_STATE_RUNS=2000 python -m pytest tests/queue/test_queue_state_machine.py
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)
from queue_engines import ENGINES
from queue_samples import call

from signoff.canonical import canonical
from signoff.queue import Decision, RequestConflictError, Risk, VerdictKind

RUNS = int(os.environ.get("SIGNOFF_STATE_RUNS", "0"))
USUAL_RUNS = {"postgres": 10, "roles": 5, "sqlite": 25}  # in about the same time
SESSIONS = ("s-1", "s-2")
REVIEWERS = ("anna", "bert")
BATCHES = (None, "turn-1", "turn-2")


@dataclass
class Model:
    """A request as it should be."""

    session: str
    key: str
    content: int
    batch: str | None
    high: bool
    order: int
    revision: int = 1
    state: str = "pending"
    connection: object = None
    digest: str = ""
    taken: bool = False
    ended: list[str] = field(default_factory=list)  # one word per record that it left
    by: str = ""

    def end(self, state: str, by: str = "") -> None:
        self.state = state
        self.by = by
        self.ended.append(state)


class QueueMachine(RuleBasedStateMachine):
    """Agents of two sessions ask, two reviewers decide, everybody crashes; all is compared with the model."""

    engine = "sqlite"
    requests = Bundle("requests")

    @initialize()
    def open(self):
        self.directory = Path(tempfile.mkdtemp(prefix="signoff-"))
        self.opener = ENGINES[self.engine](self.directory)
        self.agents = {session: self.opener.agent(session, session) for session in SESSIONS}
        self.reviewers = {name: self.opener.review(name) for name in REVIEWERS}
        self.model: dict[str, Model] = {}
        self.granted: set[tuple[str, str]] = set()
        self.uses = 0
        self.order = 0
        self.cursor = self.review.changes(0).cursor
        self.seen: dict[str, tuple[int, str]] = {}

    def teardown(self):
        if hasattr(self, "opener"):
            self.opener.close()
            shutil.rmtree(self.directory)

    @rule(
        target=requests,
        session=st.sampled_from(SESSIONS),
        key=st.integers(0, 20),
        content=st.integers(0, 1),
        batch=st.sampled_from(BATCHES),
        high=st.booleans(),
    )
    def submit(self, session, key, content, batch, high):
        submission = _call(f"k{key}", content, batch, high)
        there = [id_ for id_, it in self.model.items() if (it.session, it.key) == (session, f"k{key}")]
        if there and self.model[there[0]].content != content:
            with pytest.raises(RequestConflictError):
                self.agents[session].submit(submission)
            return multiple()
        posted = self.agents[session].submit(submission)
        if there:
            assert posted.id == there[0]
            self._take_or_ask_again(self.model[posted.id], posted, batch, high)
        else:
            self.order += 1
            self.model[posted.id] = Model(session, f"k{key}", content, batch, high, self.order)
            self.model[posted.id].digest = submission.digest
        if self.model[posted.id].state == "pending":
            self.model[posted.id].connection = self.agents[session]
        return posted.id

    @rule(id_=requests, content=st.integers(0, 1))
    def amend(self, id_, content):
        it = self.model[id_]
        submission = _call(it.key, content, it.batch, it.high)
        amended = self.agents[it.session].amend(id_, submission)
        it.connection = self.agents[it.session]
        if it.state == "pending" and it.content == content:
            assert amended.revision == it.revision
            return
        if it.state not in ("expired", "withdrawn"):
            it.ended.append("superseded")
        self.order += 1
        it.revision, it.state, it.order, it.taken = it.revision + 1, "pending", self.order, False
        it.content, it.digest = content, submission.digest

    @property
    def review(self):
        return self.reviewers[REVIEWERS[0]]

    @rule(id_=requests, remember=st.booleans(), by=st.sampled_from(REVIEWERS))
    def approve(self, id_, remember, by):
        it = self.model[id_]
        verdict = self._decide(id_, Decision(approved=True, remember=remember), by)
        if it.state != "pending":
            assert verdict.kind is VerdictKind.TOO_LATE
            assert it.by in verdict.message
        elif remember and it.high:
            assert verdict.kind is VerdictKind.REFUSED
        else:
            assert verdict.accepted
            it.end("approved", by)
            if remember:
                self.granted.add((it.session, it.key))

    @rule(id_=requests, hard=st.booleans(), by=st.sampled_from(REVIEWERS))
    def reject(self, id_, hard, by):
        it = self.model[id_]
        verdict = self._decide(id_, Decision(approved=False, hard=hard), by)
        assert verdict.accepted == (it.state == "pending")
        if not verdict.accepted:
            return
        it.end("rejected", by)
        for other in self.model.values():
            same = it.batch is not None and (other.session, other.batch) == (it.session, it.batch)
            if hard and same and other.state == "pending" and other.order > it.order:
                other.end("rejected")

    @rule(ids=st.lists(requests, max_size=4))
    def approve_several(self, ids):
        targets = [(id_, self.model[id_].revision, self.model[id_].digest) for id_ in ids]
        verdicts = self.review.decide_many(targets, Decision(approved=True))
        for id_, verdict in zip(ids, verdicts, strict=True):
            it = self.model[id_]
            if it.state != "pending":
                assert verdict.kind is VerdictKind.TOO_LATE
            elif it.high and len(ids) > 1:
                assert verdict.kind is VerdictKind.REFUSED
            else:
                assert verdict.accepted
                it.end("approved")

    @rule(id_=requests, revision=st.integers(-1, 1), digest=st.sampled_from(["0" * 64, None]))
    def decide_something_else(self, id_, revision, digest):
        it = self.model[id_]
        if revision == 0 and digest is None:
            return
        verdict = self.review.decide(id_, it.revision + revision, digest or it.digest, Decision(approved=True))
        assert verdict.kind is VerdictKind.CHANGED

    @rule(id_=requests)
    def withdraw(self, id_):
        it = self.model[id_]
        assert self.agents[it.session].withdraw(id_, "so") == (it.state == "pending")
        if it.state == "pending":
            it.end("withdrawn")

    @rule(id_=requests)
    def take_the_answer(self, id_):
        it = self.model[id_]
        if it.state != "pending":
            outcome = self.agents[it.session].wait(id_)
            assert outcome.request.state == it.state
            assert outcome.approved == (it.state == "approved")
            assert outcome.request.delivered_at is not None
            it.taken = True

    @rule(session=st.sampled_from(SESSIONS))
    def reconnect(self, session):
        before = self.agents[session]
        self.agents[session] = self.opener.agent(session, session)
        before.close()
        for it in self.model.values():
            if it.state == "pending" and it.connection is before:
                it.end("withdrawn")

    @rule(session=st.sampled_from(SESSIONS))
    def agent_crashes(self, session):
        before = self.agents[session]
        self.opener.crash(before)
        self.agents[session] = self.opener.agent(session, session)
        for it in self.model.values():
            if it.state == "pending" and it.connection is before:
                it.end("withdrawn")

    @rule(name=st.sampled_from(REVIEWERS))
    def reviewer_crashes(self, name):
        self.opener.crash(self.reviewers[name])
        self.reviewers[name] = self.opener.review(name)

    @rule(session=st.sampled_from(SESSIONS), key=st.integers(0, 20), high=st.booleans())
    def use_grant(self, session, key, high):
        grant = self.agents[session].use_grant(_call(f"k{key}", 0, None, high))
        assert (grant is not None) == ((session, f"k{key}") in self.granted and not high)
        self.uses += grant is not None

    @rule(session=st.sampled_from(SESSIONS))
    def clear_grants(self, session):
        mine = {entry for entry in self.granted if entry[0] == session}
        assert self.agents[session].clear_grants(by="somebody") == len(mine)
        self.granted -= mine

    @invariant()
    def what_waits_is_what_the_model_says(self):
        waiting = [(it.order, id_) for id_, it in self.model.items() if it.state == "pending"]
        found = [request.id for request in self.review.pending()]
        assert found == [id_ for _, id_ in sorted(waiting)]

    @invariant()
    def every_request_is_what_the_model_says(self):
        for id_, it in self.model.items():
            stored = self.review.get(id_)
            assert (stored.revision, stored.state) == (it.revision, it.state)
            assert (stored.decision is not None) == (it.state in ("approved", "rejected"))
            assert (stored.decided_at is None) == (it.state == "pending")

    @invariant()
    def every_end_is_on_record_once(self):
        records = self.review.history(limit=10_000)
        ends = sorted((line.request_id, line.state.value) for line in records if line.request_id)
        assert ends == sorted((id_, end) for id_, it in self.model.items() for end in it.ended)
        assert sum(line.request_id is None for line in records) == self.uses
        assert self.review.verify() is None

    @invariant()
    def whoever_follows_the_changes_knows_everything(self):
        found = self.review.changes(self.cursor)
        self.cursor = found.cursor
        for change in found.changes:
            self.seen[change.request.id] = (change.request.revision, change.request.state.value)
        assert self.seen == {id_: (it.revision, it.state) for id_, it in self.model.items()}

    def _take_or_ask_again(self, it, posted, batch, high):
        """An approval is taken by posting the same again; one that was taken, or of other risk, is asked again."""
        other = it.high != high and it.state in ("pending", "approved")
        if other or (it.state == "approved" and it.taken):
            it.ended.append("superseded")
            self.order += 1
            it.revision, it.state, it.order, it.taken = it.revision + 1, "pending", self.order, False
            it.batch, it.high = batch, high
        elif it.state == "approved":
            it.taken = True
        assert (posted.revision, posted.state) == (it.revision, it.state)

    def _decide(self, id_, decision, by):
        return self.reviewers[by].decide(id_, self.model[id_].revision, self.model[id_].digest, decision)


def _call(key, content, batch, high):
    payload = {"key": key}
    return call(
        key,
        content=content,
        payload=payload,
        payload_key=canonical(payload),
        batch_id=batch,
        risk=Risk.HIGH if high else Risk.LOW,
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_any_sequence_of_acts_leaves_the_queue_as_the_model_says(engine):
    machine = type("Machine", (QueueMachine,), {"engine": engine})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=RUNS or USUAL_RUNS.get(engine, 10),
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow],
        ),
    )
