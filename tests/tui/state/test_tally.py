"""Counts that are kept up, beside counts that are made anew from everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from model_samples import SECOND, START, stored

from signoff.queue import RequestState, Risk, StoredRequest
from signoff_tui.state.tally import Counts, Tally

IDS = [f"r{number}" for number in range(6)]


@st.composite
def requests(draw: st.DrawFn) -> StoredRequest:
    request = stored(
        draw(st.sampled_from(IDS)),
        state=draw(st.sampled_from([RequestState.PENDING, RequestState.PENDING, RequestState.WITHDRAWN])),
        session=draw(st.sampled_from(["s-1", "s-2"])),
        agent=draw(st.sampled_from(["refactor", "docs-bot"])),
        risk=draw(st.sampled_from(Risk)),
    )
    by = replace(request.asked_by, agent_id=draw(st.sampled_from(["a-1", "a-2"])))
    return replace(request, asked_by=by, created_at=START + draw(st.integers(0, 9)) * SECOND)


def counted(known: Mapping[str, StoredRequest]) -> tuple[Counts, Counter[str], Counter[Risk], bool]:
    """Everything that a tally says, from a walk over all requests."""
    pending = [request for request in known.values() if request.pending]
    counts = Counts(
        waiting=len(pending),
        high=sum(request.submission.risk is Risk.HIGH for request in pending),
        oldest_at=min((request.created_at for request in pending), default=None),
        agents=len({(request.asked_by.session, request.asked_by.name) for request in pending}),
    )
    names = Counter(request.asked_by.name for request in pending)
    risks = Counter(request.submission.risk for request in pending)
    return counts, names, risks, any(not request.pending for request in known.values())


def told(tally: Tally) -> tuple[Counts, Counter[str], Counter[Risk], bool]:
    names: Counter[str] = Counter()
    for name, count in tally.names:
        names[name] += count
    return tally.counts, names, Counter(tally.risks), tally.any_ended


@given(st.lists(requests() | st.sampled_from(IDS), max_size=40))
def test_whatever_comes_changes_and_goes_the_counts_are_those_of_a_walk_over_everything(
    steps: Sequence[StoredRequest | str],
) -> None:
    tally, known = Tally(), dict[str, StoredRequest]()
    for step in steps:
        if isinstance(step, str):
            tally.drop(step)
            known.pop(step, None)
        else:
            tally.put(step)
            known[step.id] = step
        assert told(tally) == counted(known)


def test_a_request_that_is_amended_again_and_again_takes_no_more_room() -> None:
    tally = Tally()
    for revision in range(1, 100):
        tally.put(stored("r", revision=revision))
    assert len(tally._asked) == 1
