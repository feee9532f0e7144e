"""Names of files are information: they are listed only where, and after a question only if, files may be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from signoff.approved_call import bound_to
from signoff.controller import ApprovalController
from signoff.execution import execute_tool
from signoff.tools.file_sandbox import FileSandbox
from signoff.types import ApprovalContext, ApprovalDeniedError, ApprovalRequest


@pytest.fixture
def sandbox(workdir: Path) -> FileSandbox:
    """Reading docs is free, and reading diary asks; so does reading docs/drafts."""
    for name in ("docs/drafts", "docs/open", "diary/old"):
        (workdir / name).mkdir(parents=True)
    (workdir / "docs" / "guide.md").write_text("")
    (workdir / "diary" / "monday.txt").write_text("")
    paths = {
        "docs": {"root": "docs"},
        "diary": {"root": "diary", "read_approval": True},
        "drafts": {"root": "docs/drafts", "read_approval": True},
    }
    return FileSandbox(paths, cwd=str(workdir))


def call(**args: Any) -> ApprovalContext:
    return ApprovalContext(tool_name="list_files", args=args)


def asked(sandbox: FileSandbox, path: str) -> ApprovalRequest:
    request = sandbox.check_approval(call(path=path))
    assert request is not None
    return request


# -- asking ------------------------------------------------------------------------------------------------


def test_a_list_of_what_may_be_read_unasked_needs_no_approval(sandbox: FileSandbox) -> None:
    assert sandbox.check_approval(call(path="docs/open")) is None


def test_a_list_of_what_may_be_read_after_a_question_needs_one_too(sandbox: FileSandbox) -> None:
    request = asked(sandbox, "diary/old")
    assert (request.description, request.why) == ("List diary:old", "sandbox diary: read approval")
    assert request.payload == {"sandbox": "diary", "path": "old"}


def test_a_list_that_reaches_into_a_root_that_asks_needs_approval(sandbox: FileSandbox) -> None:
    assert asked(sandbox, "docs").payload == {"sandbox": "docs", "path": "."}


def test_of_two_entries_for_one_root_the_one_that_asks_decides(workdir: Path) -> None:
    paths = {"a": {"root": "."}, "b": {"root": ".", "read_approval": True}}
    assert FileSandbox(paths, cwd=str(workdir)).check_approval(call(path=".")) is not None


def test_a_list_in_a_root_of_two_names_is_told_by_the_first(workdir: Path) -> None:
    sandbox = FileSandbox({name: {"root": ".", "read_approval": True} for name in ("a", "b")}, cwd=str(workdir))
    assert asked(sandbox, ".").description == "List a:."


def test_a_list_without_a_path_is_one_of_the_working_directory(workdir: Path) -> None:
    sandbox = FileSandbox({"w": {"root": ".", "read_approval": True}}, cwd=str(workdir))
    request = sandbox.check_approval(call())
    assert request is not None
    assert request.payload == {"sandbox": "w", "path": "."}


def test_every_spelling_of_a_directory_has_one_payload(sandbox: FileSandbox, workdir: Path) -> None:
    (workdir / "link").symlink_to("diary")
    spellings = ("diary", "diary/", "docs/../diary", str(workdir / "diary"), "link")
    assert [asked(sandbox, path).payload for path in spellings] == [{"sandbox": "diary", "path": "."}] * 5


def test_a_request_can_be_had_for_a_list_that_needs_none(sandbox: FileSandbox) -> None:
    request = sandbox.approval_request(call(path="docs/open"))
    assert request is not None
    assert (request.payload, request.why) == ({"sandbox": "docs", "path": "open"}, "sandbox docs: asked for")


@pytest.mark.parametrize("path", [".", "/", "diary/..", "~", "", "diary\0", None])
def test_a_list_of_what_is_in_no_root_is_a_block(sandbox: FileSandbox, path: Any) -> None:
    with pytest.raises(PermissionError):
        sandbox.check_approval(call(path=path))


async def test_what_needs_approval_is_not_listed_without_it(sandbox: FileSandbox) -> None:
    with pytest.raises(ApprovalDeniedError):
        await execute_tool(sandbox.list_files, "list_files", {"path": "diary"}, ApprovalController("strict"))


async def test_what_was_approved_is_listed(sandbox: FileSandbox) -> None:
    listed = await execute_tool(
        sandbox.list_files, "list_files", {"path": "diary"}, ApprovalController("approve_all")
    )
    assert listed == ["monday.txt"]


def test_only_the_approved_directory_is_listed(sandbox: FileSandbox) -> None:
    with bound_to(asked(sandbox, "diary/old")), pytest.raises(PermissionError, match="not what was approved"):
        sandbox.list_files("diary")


def test_a_link_that_leads_elsewhere_after_the_approval_is_not_followed(
    sandbox: FileSandbox, workdir: Path
) -> None:
    link = workdir / "link"
    link.symlink_to("diary/old")
    request = asked(sandbox, "link")
    link.unlink()
    link.symlink_to("diary")
    with bound_to(request), pytest.raises(PermissionError, match="not what was approved"):
        sandbox.list_files("link")


# -- listing -----------------------------------------------------------------------------------------------


def test_files_are_listed_in_order_below_a_directory(sandbox: FileSandbox, workdir: Path) -> None:
    (workdir / "docs" / "open" / "b.txt").write_text("")
    assert sandbox.list_files("docs") == ["guide.md", "open/b.txt"]


def test_files_are_listed_in_order_however_the_disk_gives_them(sandbox: FileSandbox, workdir: Path) -> None:
    """Those of a directory itself come before those below it."""
    for number in (3, 0, 4, 1, 5, 2):
        (workdir / "diary" / f"{number}.txt").write_text("")
        (workdir / "diary" / f"{number}").mkdir()
        (workdir / "diary" / f"{number}" / "z").write_text("")
    texts = [f"{number}.txt" for number in range(6)]
    assert sandbox.list_files("diary") == [*texts, "monday.txt", *(f"{number}/z" for number in range(6))]


def test_a_file_is_not_listed_as_a_directory(sandbox: FileSandbox) -> None:
    with pytest.raises(PermissionError, match="not a directory"):
        sandbox.list_files("docs/guide.md")


def test_a_directory_that_is_not_there_has_no_files(sandbox: FileSandbox) -> None:
    assert sandbox.list_files("docs/nowhere") == []


def test_a_link_to_a_file_is_listed_and_one_to_a_directory_is_not_entered(
    sandbox: FileSandbox, workdir: Path
) -> None:
    (workdir / "docs" / "open" / "file").symlink_to("../guide.md")
    (workdir / "docs" / "open" / "directory").symlink_to("../../diary")
    assert sandbox.list_files("docs/open") == ["file"]


def test_a_long_list_says_how_much_is_missing(sandbox: FileSandbox, workdir: Path) -> None:
    for number in range(1005):
        (workdir / "docs" / f"{number:04}.md").write_text("")
    assert sandbox.list_files("docs")[-1] == "... and 6 more"


@pytest.mark.parametrize(("count", "last"), [(2, "1.md"), (3, "2.md"), (4, "... and 1 more")])
def test_a_list_is_cut_only_when_it_is_too_long(
    sandbox: FileSandbox, workdir: Path, monkeypatch: pytest.MonkeyPatch, count: int, last: str
) -> None:
    monkeypatch.setattr("signoff.tools.file_sandbox._MOST_LISTED", 3)
    for number in range(count):
        (workdir / "docs" / "open" / f"{number}.md").write_text("")
    found = sandbox.list_files("docs/open")
    assert (found[:3], found[-1]) == ([f"{number}.md" for number in range(min(count, 3))], last)


@pytest.mark.parametrize("path", ["docs\0", "docs/\ud800", "~", ""])
def test_what_cannot_be_a_path_is_not_listed(sandbox: FileSandbox, path: str) -> None:
    with pytest.raises(PermissionError, match=r"path|~"):
        sandbox.list_files(path)


def test_what_is_outside_is_not_listed(sandbox: FileSandbox, workdir: Path) -> None:
    (workdir / "docs" / "up").symlink_to("..")
    for path in (".", "/", "docs/.."):
        with pytest.raises(PermissionError):
            sandbox.list_files(path)
    assert sandbox.list_files("docs") == ["guide.md"]
