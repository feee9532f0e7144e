"""Read-only roots, roots within roots, and names that hide something: what a sandbox does with them."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from signoff.approved_call import bound_to
from signoff.tools import openat2
from signoff.tools.file_sandbox import FileSandbox
from signoff.types import ApprovalContext


@pytest.fixture
def sandbox(workdir: Path) -> FileSandbox:
    (workdir / "notes").mkdir()
    (workdir / "docs").mkdir()
    (workdir / "notes" / "a.txt").write_text("one\ntwo\n")
    (workdir / "docs" / "guide.md").write_text("# Guide\n")
    paths = {"notes": {"root": "notes", "mode": "rw", "read_approval": True}, "docs": {"root": "docs"}}
    return FileSandbox(paths, cwd=str(workdir))


def asked(sandbox: FileSandbox, tool: str, metadata: dict[str, Any] | None = None, **args: Any) -> Any:
    request = sandbox.check_approval(ApprovalContext(tool_name=tool, args=args, metadata=metadata or {}))
    assert request is not None
    return request


def test_a_read_only_root_is_not_written_by_a_direct_call_either(sandbox: FileSandbox, workdir: Path) -> None:
    with pytest.raises(PermissionError, match="read-only"):
        sandbox.write_file("docs/guide.md", "x")
    with pytest.raises(PermissionError, match="read-only"):
        sandbox.write_file("docs/new.md", "x")
    with pytest.raises(PermissionError, match="read-only"):
        sandbox.edit_file("docs/guide.md", "Guide", "x")
    assert (workdir / "docs/guide.md").read_text() == "# Guide\n"


def test_an_edit_that_is_not_the_approved_one_is_not_made(sandbox: FileSandbox, workdir: Path) -> None:
    request = asked(sandbox, "edit_file", path="notes/a.txt", old="one", new="shown")
    with bound_to(request), pytest.raises(PermissionError, match="not what was approved"):
        sandbox.edit_file("notes/a.txt", "one", "something else")
    assert (workdir / "notes/a.txt").read_text() == "one\ntwo\n"


@pytest.mark.parametrize("tool", ["read_file", "read_attachment"])
def test_a_file_that_got_a_second_name_since_it_was_approved_is_not_read(
    sandbox: FileSandbox, workdir: Path, tool: str
) -> None:
    request = asked(sandbox, tool, path="notes/a.txt")
    os.link(workdir / "notes" / "a.txt", workdir / "notes" / "b.txt")
    with bound_to(request), pytest.raises(PermissionError, match="not what was approved"):
        getattr(sandbox, tool)("notes/a.txt")


def test_a_file_that_was_approved_with_its_second_name_is_read(sandbox: FileSandbox, workdir: Path) -> None:
    os.link(workdir / "notes" / "a.txt", workdir / "notes" / "b.txt")
    with bound_to(asked(sandbox, "read_file", path="notes/a.txt")):
        assert sandbox.read_file("notes/a.txt") == "one\ntwo\n"


@pytest.mark.parametrize(
    ("tool", "args", "description", "approval"),
    [
        ("read_file", {}, "Read notes:a.txt", "read"),
        ("read_attachment", {}, "Attach notes:a.txt", "read"),
        ("write_file", {"content": ""}, "Write notes:a.txt", "write"),
        ("edit_file", {"old": "one", "new": "1"}, "Edit notes:a.txt", "write"),
    ],
)
def test_a_request_says_what_would_be_done_and_why_it_is_asked(
    sandbox: FileSandbox, tool: str, args: dict[str, str], description: str, approval: str
) -> None:
    request = asked(sandbox, tool, path="notes/a.txt", **args)
    assert (request.description, request.why) == (description, f"sandbox notes: {approval} approval")


def test_the_agent_is_told_what_was_written(sandbox: FileSandbox) -> None:
    assert sandbox.write_file("notes/new.txt", "…") == "Wrote 3 bytes to notes:new.txt"
    assert sandbox.edit_file("notes/new.txt", "…", "x") == "Edited notes:new.txt"


def test_the_first_of_several_calls_of_a_turn_is_in_their_group(sandbox: FileSandbox) -> None:
    rest = [{"tool": "write_file", "arguments": {}}]
    metadata = {"batch_id": "b-1", "batch_position": 0, "batch_remaining": rest}
    assert asked(sandbox, "write_file", metadata, path="notes/a.txt", content="").group_id == "b-1"


def test_the_name_of_a_group_may_be_a_number(sandbox: FileSandbox) -> None:
    assert asked(sandbox, "write_file", {"group_id": 7}, path="notes/a.txt", content="").group_id == "7"


def test_a_request_for_a_tool_of_others_is_never_made(sandbox: FileSandbox) -> None:
    context = ApprovalContext(tool_name="send_email", args={"path": "notes/a.txt"})
    assert sandbox.approval_request(context) is None


def test_the_working_directory_is_told(sandbox: FileSandbox, workdir: Path) -> None:
    assert sandbox.cwd == str(workdir)


def test_a_file_that_is_led_elsewhere_while_it_is_opened_is_not_read(
    sandbox: FileSandbox, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workdir / "secret.txt").write_text("secret")
    real_stat = os.stat

    def swap_after_stat(path: Any, *args: Any, **more: Any) -> os.stat_result:
        found = real_stat(path, *args, **more)
        if path == "guide.md":
            (workdir / "docs/guide.md").unlink()
            (workdir / "docs/guide.md").symlink_to(workdir / "secret.txt")
        return found

    monkeypatch.setattr(os, "stat", swap_after_stat)
    with pytest.raises(PermissionError, match="led elsewhere"):
        sandbox.read_file("docs/guide.md")


def test_a_path_is_held_by_the_roots_that_contain_it_unless_another_is_below(workdir: Path) -> None:
    for name in ("out", "out/inner", "other"):
        (workdir / name).mkdir()
    paths = {name: {"root": root} for name, root in {"o": "out", "i": "out/inner", "x": "other"}.items()}
    sandbox = FileSandbox(paths, cwd=str(workdir))
    assert sandbox.holds("out/a", {"o"})
    assert not sandbox.holds("out/a", {"x"})
    assert not sandbox.holds("out", {"o"})  # i is below it
    assert sandbox.holds("out", {"o", "i"})
    assert sandbox.holds("out/inner", {"i"})
    assert not sandbox.holds("out/inner/a", {"o"})
    assert not sandbox.holds("elsewhere", {"o", "i", "x"})
    assert not sandbox.holds("out/a\0", {"o"})
    assert not sandbox.holds("", {"o"})


@pytest.mark.parametrize("char", ["\u2028", "\u2029", "\u202e", "\x01"])
def test_a_name_that_holds_a_character_nobody_sees_is_asked_about(workdir: Path, char: str) -> None:
    sandbox = FileSandbox({"w": {"root": ".", "mode": "rw", "write_approval": False}}, cwd=str(workdir))
    request = sandbox.check_approval(
        ApprovalContext(tool_name="write_file", args={"path": f"a{char}b", "content": ""})
    )
    assert request is not None
    assert request.why == "sandbox w: hidden characters"


def write_verdict(sandbox: FileSandbox, path: str) -> Any:
    return sandbox.check_approval(ApprovalContext(tool_name="write_file", args={"path": path, "content": ""}))


def test_a_tilde_is_refused_inside_a_root_too(workdir: Path) -> None:
    sandbox = FileSandbox({"w": {"root": ".", "mode": "rw"}}, cwd=str(workdir))
    for path in ("~", "~/a.txt", "~root/a.txt"):
        with pytest.raises(PermissionError, match="not expanded"):
            write_verdict(sandbox, path)
    assert write_verdict(sandbox, "a.txt~") is not None


def test_relative_paths_start_where_the_process_is_unless_told(
    workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workdir)
    assert FileSandbox({}).cwd == str(workdir)


@pytest.mark.parametrize(("options", "may"), [({}, True), ({"by_kernel": False}, False)])
def test_the_kernel_resolves_unless_it_must_not(
    workdir: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, bool], may: bool
) -> None:
    asked = []

    def no_kernel() -> None:
        asked.append(True)

    monkeypatch.setattr(openat2, "_kernel_opener", no_kernel)
    sandbox = FileSandbox({"w": {"root": ".", "mode": "rw"}}, cwd=str(workdir), **options)
    sandbox.write_file("sub/a.txt", "x")
    assert sandbox.list_files() == ["sub/a.txt"]
    assert bool(asked) == may


def test_a_sandbox_that_cannot_open_its_roots_is_not_taken_for_an_empty_one(
    workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_more(*_: Any, **__: Any) -> Any:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr("signoff.tools.roots.RootDirectory", no_more)
    with pytest.raises(OSError, match="Too many open files"):
        FileSandbox({"w": {"root": "."}}, cwd=str(workdir))


@pytest.mark.parametrize(("suffixes", "told"), [([".md", ".txt"], r"\.md, \.txt"), ([], "none")])
def test_a_refusal_says_which_files_a_root_is_for(workdir: Path, suffixes: list[str], told: str) -> None:
    sandbox = FileSandbox({"w": {"root": ".", "mode": "rw", "suffixes": suffixes}}, cwd=str(workdir))
    with pytest.raises(PermissionError, match=f"for files that end in: {told}$"):
        write_verdict(sandbox, "a.exe")


def test_a_root_of_two_names_is_held_by_each(workdir: Path) -> None:
    sandbox = FileSandbox({name: {"root": "."} for name in ("a", "b")}, cwd=str(workdir))
    assert sandbox.holds(".", {"a"})
    assert sandbox.holds(".", {"b"})


def test_in_a_root_outside_the_working_directory_names_count_from_the_root_on(workdir: Path) -> None:
    for name in ("project", ".git/other"):
        (workdir / name).mkdir(parents=True)
    paths = {"w": {"root": "../.git/other", "mode": "rw", "write_approval": False}}
    sandbox = FileSandbox(paths, cwd=str(workdir / "project"))
    assert write_verdict(sandbox, "../.git/other/a.txt") is None
    assert write_verdict(sandbox, "../.git/other/.git/hooks/any").why == "sandbox w: protected name"


def test_a_call_that_names_no_file_is_told_so(workdir: Path) -> None:
    sandbox = FileSandbox({"w": {"root": ".", "mode": "rw"}}, cwd=str(workdir))
    with pytest.raises(PermissionError, match="a path is text"):
        sandbox.check_approval(ApprovalContext(tool_name="write_file", args={"content": ""}))


def test_a_path_into_what_every_process_sees_otherwise_is_refused_by_its_first_name(workdir: Path) -> None:
    sandbox = FileSandbox({"w": {"root": "/", "mode": "rw"}}, cwd=str(workdir))
    with pytest.raises(PermissionError, match=r"^/proc means something else"):
        write_verdict(sandbox, "/proc/self/a.txt")


def test_a_link_from_elsewhere_is_judged_by_its_own_name_too(workdir: Path) -> None:
    (workdir / "project").mkdir()
    for name in (".bashrc", "link"):
        (workdir / name).symlink_to("project/a.txt")
    paths = {"w": {"root": ".", "mode": "rw", "write_approval": False}}
    sandbox = FileSandbox(paths, cwd=str(workdir / "project"))
    assert write_verdict(sandbox, "../link") is None
    assert write_verdict(sandbox, "../.bashrc").why == "sandbox w: protected name"


def test_a_root_without_a_path_covers_nothing(workdir: Path) -> None:
    sandbox = FileSandbox({"w": {"root": "", "mode": "rw"}}, cwd=str(workdir))
    with pytest.raises(PermissionError, match="not in any sandbox"):
        write_verdict(sandbox, "a.txt")


def test_a_root_that_is_no_directory_covers_nothing(workdir: Path) -> None:
    (workdir / "file").write_text("")
    paths = {"gone": {"root": "gone", "mode": "rw"}, "file": {"root": "file", "mode": "rw"}}
    sandbox = FileSandbox(paths, cwd=str(workdir))
    for path in ("gone/a.txt", "file"):
        with pytest.raises(PermissionError, match="not in any sandbox"):
            write_verdict(sandbox, path)


def test_a_configuration_can_be_used_twice(workdir: Path) -> None:
    given = {"w": {"root": ".", "approval": {"read": "required"}}}
    (workdir / "a.txt").write_text("")
    for _ in range(2):
        assert asked(FileSandbox(given, cwd=str(workdir)), "read_file", path="a.txt") is not None
    assert given == {"w": {"root": ".", "approval": {"read": "required"}}}


def test_a_reason_that_two_entries_give_is_told_once(workdir: Path) -> None:
    paths = {name: {"root": ".", "mode": "rw"} for name in ("a", "b")}
    request = write_verdict(FileSandbox(paths, cwd=str(workdir)), ".bashrc")
    assert request.why == "sandbox a: write approval, protected name"


def test_the_working_directory_is_resolved_once(workdir: Path) -> None:
    (workdir / "real").mkdir()
    (workdir / "link").symlink_to("real")
    assert FileSandbox({}, cwd=str(workdir / "link")).cwd == str(workdir / "real")


def test_reading_a_protected_name_is_not_asked_about(sandbox: FileSandbox, workdir: Path) -> None:
    (workdir / "docs" / ".bashrc").write_text("")
    context = ApprovalContext(tool_name="read_file", args={"path": "docs/.bashrc"})
    assert sandbox.check_approval(context) is None


def test_an_edit_of_a_read_only_root_is_a_block(sandbox: FileSandbox) -> None:
    args = {"path": "docs/guide.md", "old": "Guide", "new": "x"}
    with pytest.raises(PermissionError, match="read-only"):
        sandbox.check_approval(ApprovalContext(tool_name="edit_file", args=args))


def test_a_file_that_cannot_be_looked_at_is_a_block(
    sandbox: FileSandbox, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.lstat

    def failing(path: Any, *args: Any, **more: Any) -> os.stat_result:
        if path == str(workdir / "docs/guide.md"):
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **more)

    monkeypatch.setattr("signoff.tools.roots.followed", lambda path, cwd: [f"{cwd}/{path}"])
    monkeypatch.setattr(os, "lstat", failing)
    with pytest.raises(PermissionError, match="the file cannot be looked at: Permission denied"):
        sandbox.check_approval(ApprovalContext(tool_name="read_file", args={"path": "docs/guide.md"}))


def test_a_directory_that_is_moved_while_a_file_is_written_does_not_get_it(
    sandbox: FileSandbox, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a call that nobody approved: what is told as written is where it was told to be."""
    really_sync = os.fsync

    def sync_and_move(descriptor: int) -> None:
        really_sync(descriptor)
        (workdir / "notes" / "sub").rename(workdir / "moved")

    (workdir / "notes" / "sub").mkdir()
    monkeypatch.setattr(os, "fsync", sync_and_move)
    with pytest.raises(OSError, match="was moved; the file was not written"):
        sandbox.write_file("notes/sub/new.txt", "x")
    assert list((workdir / "moved").iterdir()) == []
