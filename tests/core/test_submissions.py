"""What is posted of a request, what its digest binds, and what may be remembered of it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from signoff.canonical import canonical
from signoff.effects import FileWrite, Risk
from signoff.session_memory import JudgedCalls, PlainCall
from signoff.submission import plain_submission, submission_with_snapshot
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalPresentation, ApprovalRequest

FOR_SESSION = ApprovalDecision(approved=True, remember="session", note="fine")


def bare(**fields: Any) -> ApprovalRequest:
    return ApprovalRequest(**{"tool_name": "t", "description": "d", "payload": {}, **fields})


def test_everything_that_the_tool_and_the_run_say_is_posted(tmp_path: Path) -> None:
    rest = [{"tool": "t", "arguments": {}}]
    metadata = {"batch_id": 7, "batch_position": 1, "batch_remaining": rest}
    context = ApprovalContext(tool_name="t", args={}, metadata=metadata)
    own = ApprovalPresentation(type="text", content="x", metadata={"full_content": "xy"})
    request = bare(group_id="g", group_size=3, why="a rule", presentation=own, expires_in=60)
    posted = plain_submission(request, context, cwd=str(tmp_path))
    assert (posted.group_id, posted.group_size, posted.why) == ("g", 3, "a rule")
    assert (posted.batch_id, posted.batch_position, posted.batch_remaining) == ("7", 1, tuple(rest))
    assert posted.presentation == own.model_dump(mode="json")
    assert posted.expires_at is not None
    assert 59e6 < posted.expires_at - time.time_ns() // 1000 <= 60e6


@pytest.mark.parametrize("other", [{"tool_name": "u"}, {"arguments": {"x": 1}}])
def test_the_digest_differs_when_tool_or_arguments_differ_in_a_call_without_effects(
    tmp_path: Path, other: dict[str, Any]
) -> None:
    for posted in (
        lambda request: plain_submission(request, None, cwd=str(tmp_path)),
        lambda request: submission_with_snapshot(request, plain_submission(request, None, cwd=str(tmp_path)))[0],
    ):
        assert posted(bare()).digest != posted(bare(**other)).digest


def test_without_effects_the_digest_that_is_posted_is_over_an_empty_snapshot(tmp_path: Path) -> None:
    plain = plain_submission(bare(), None, cwd=str(tmp_path))
    bound, snapshot = submission_with_snapshot(bare(), plain)
    assert (bound.snapshot, bound.blobs, bound.supports) == (snapshot.to_json(), {}, plain.supports)
    assert bound.digest != plain.digest


def test_with_effects_the_snapshot_and_its_contents_are_posted(tmp_path: Path) -> None:
    request = bare(effects=(FileWrite(str(tmp_path / "a"), "new"),))
    bound, snapshot = submission_with_snapshot(request, plain_submission(request, None, cwd=str(tmp_path)))
    assert bound.snapshot == snapshot.to_json()
    assert dict(bound.blobs) == dict(snapshot.blobs)
    assert b"new" in bound.blobs.values()


def test_hidden_characters_in_the_description_still_count_once_the_files_were_read(tmp_path: Path) -> None:
    request = bare(description="list\u202e files", effects=(FileWrite(str(tmp_path / "a"), ""),))
    bound, _ = submission_with_snapshot(request, plain_submission(request, None, cwd=str(tmp_path)))
    assert bound.risk_reasons == ("hidden-chars",)


def test_the_name_that_was_given_is_judged_as_well_as_where_it_leads(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / ".bashrc").symlink_to("notes.txt")
    request = bare(effects=(FileWrite(str(tmp_path / ".bashrc"), ""),))
    bound, _ = submission_with_snapshot(request, plain_submission(request, None, cwd=str(tmp_path)))
    assert bound.risk is Risk.HIGH


def test_one_path_of_several_that_leads_elsewhere_is_enough_for_an_approval_for_once(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("")
    (tmp_path / "link.txt").symlink_to("real.txt")
    effects = tuple(FileWrite(str(tmp_path / name), "") for name in ("link.txt", "plain.txt"))
    request = bare(effects=effects)
    bound, _ = submission_with_snapshot(request, plain_submission(request, None, cwd=str(tmp_path)))
    assert not bound.may_be_remembered


def test_a_roundabout_spelling_of_a_path_may_be_remembered(tmp_path: Path) -> None:
    request = bare(effects=(FileWrite(f"{tmp_path}/./a", ""),))
    bound, _ = submission_with_snapshot(request, plain_submission(request, None, cwd=str(tmp_path)))
    assert bound.may_be_remembered


HARMLESS, DELETING = {"method": "GET"}, {"method": "DELETE"}


def judged(calls: JudgedCalls, arguments: dict[str, Any]) -> bool:
    return calls.may_be_remembered(bare(arguments=arguments), None, "{}")


def test_a_call_is_judged_by_its_own_arguments_the_first_time_and_later() -> None:
    calls = JudgedCalls()
    assert [judged(calls, each) for each in (HARMLESS, DELETING) * 2] == [True, False] * 2


def test_an_equal_call_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    count = CountingAssessments(plain_submission)
    monkeypatch.setattr("signoff.submission.plain_submission", count)
    calls = JudgedCalls()
    for _ in range(3):
        assert judged(calls, HARMLESS) is True
    assert count.calls == 1
    long = {"x": "x" * 5000}
    for _ in range(3):
        judged(calls, long)
    assert count.calls == 4  # too long to be kept


def test_an_equal_call_that_nothing_describes_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    count = CountingAssessments(plain_submission)
    monkeypatch.setattr("signoff.submission.plain_submission", count)
    calls = JudgedCalls()
    plain = PlainCall("t", HARMLESS, canonical(HARMLESS))
    assert [calls.plain_may_be_remembered(plain) for _ in range(3)] == [True] * 3
    assert count.calls == 1


class CountingAssessments:
    def __init__(self, function: Any) -> None:
        self.calls, self.function = 0, function

    def __call__(self, *args: Any, **more: Any) -> Any:
        self.calls += 1
        return self.function(*args, **more)


def test_only_so_many_judged_calls_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signoff.session_memory._MOST_JUDGED", 2)
    calls = JudgedCalls()
    sizes = []
    for number in range(4):
        judged(calls, {"n": number})
        sizes.append(len(calls._rememberable))
    assert sizes == [1, 2, 1, 2]


def test_the_step_is_part_of_the_key(tmp_path: Path) -> None:
    metadata = {"run_id": "r", "run_step": 2, "tool_call_id": "c"}
    context = ApprovalContext(tool_name="t", args={}, metadata=metadata)
    assert plain_submission(bare(), context, cwd=str(tmp_path)).key == "r:2:c"


def test_the_digest_differs_when_only_the_declared_write_differs(tmp_path: Path) -> None:
    def digest(path: str, content: str) -> str:
        request = bare(effects=(FileWrite(str(tmp_path / path), content),))
        return plain_submission(request, None, cwd=str(tmp_path)).digest

    assert len({digest("a", "1"), digest("a", "2"), digest("b", "1")}) == 3


def test_what_was_judged_of_one_tool_says_nothing_of_another() -> None:
    calls = JudgedCalls()
    assert judged(calls, HARMLESS)
    calls.may_be_remembered(bare(tool_name="u", description="e", arguments=HARMLESS), None, "{}")
    assert [key[:2] for key in calls._rememberable] == [("t", "d"), ("u", "e")]


@pytest.mark.parametrize("meta", [{"run_id": "r"}, {"tool_call_id": "c"}])
def test_half_an_identity_is_none_so_every_call_is_a_new_request(meta: dict[str, Any], tmp_path: Path) -> None:
    context = ApprovalContext(tool_name="t", args={}, metadata=meta)
    request = ApprovalRequest(tool_name="t", description="d", payload={})
    assert len({plain_submission(request, context, cwd=str(tmp_path)).key for _ in range(2)}) == 2
