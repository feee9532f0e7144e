"""What is posted to the queue: bound to what would really happen."""

from __future__ import annotations

from pathlib import Path

from signoff.effects import Command, FileWrite, Risk
from signoff.submission import plain_submission, submission_with_snapshot
from signoff.types import ApprovalContext, ApprovalRequest


def write_request(path: Path, content: str = "new\n") -> ApprovalRequest:
    return ApprovalRequest(
        tool_name="write_file",
        description="Write a file",
        payload={"path": path.name},
        arguments={"path": path.name, "content": content},
        effects=(FileWrite(str(path), content),),
    )


def test_the_digest_differs_when_the_file_on_disk_differs(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    request = write_request(file)
    plain = plain_submission(request, None, cwd=str(tmp_path))
    file.write_text("one\n")
    first, _ = submission_with_snapshot(request, plain)
    file.write_text("two\n")
    second, _ = submission_with_snapshot(request, plain)
    assert first.digest != second.digest


def test_the_digest_differs_when_an_argument_outside_the_payload_differs(tmp_path: Path) -> None:
    def digest(content: str) -> str:
        return plain_submission(write_request(tmp_path / "a", content), None, cwd=str(tmp_path)).digest

    assert digest("one") != digest("two")


def test_the_digest_differs_when_the_working_directory_differs(tmp_path: Path) -> None:
    request = ApprovalRequest(tool_name="t", description="d", payload={})
    here = plain_submission(request, None, cwd=str(tmp_path))
    there = plain_submission(request, None, cwd="/")
    assert here.digest != there.digest


def test_a_link_that_leaves_the_project_makes_a_write_high(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "secret").write_text("old\n")
    (project / "notes.txt").symlink_to(tmp_path / "secret")
    request = write_request(project / "notes.txt")
    plain = plain_submission(request, None, cwd=str(project))
    bound, _ = submission_with_snapshot(request, plain)
    assert (plain.risk, bound.risk) == (Risk.LOW, Risk.HIGH)
    assert "outside-root" in bound.risk_reasons


def test_hidden_characters_in_the_description_raise_the_risk(tmp_path: Path) -> None:
    request = ApprovalRequest(
        tool_name="shell",
        description="list\u202e files",
        payload={"command": "ls"},
        effects=(Command("ls", str(tmp_path)),),
    )
    plain = plain_submission(request, None, cwd=str(tmp_path))
    assert (plain.risk, plain.risk_reasons) == (Risk.MEDIUM, ("hidden-chars",))


def test_the_key_names_run_and_call_so_that_posting_again_finds_the_request(tmp_path: Path) -> None:
    context = ApprovalContext(tool_name="t", args={}, metadata={"run_id": "r1", "tool_call_id": "c1"})
    request = ApprovalRequest(tool_name="t", description="d", payload={})
    assert plain_submission(request, context, cwd=str(tmp_path)).key == "r1:c1"


def test_without_ids_every_call_has_a_key_of_its_own(tmp_path: Path) -> None:
    request = ApprovalRequest(tool_name="t", description="d", payload={})
    keys = {plain_submission(request, None, cwd=str(tmp_path)).key for _ in range(3)}
    assert len(keys) == 3
