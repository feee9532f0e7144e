"""Files inside named roots: what needs approval, what is declared, and that exactly that is done."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from signoff.approved_call import approved_instead, bound_to
from signoff.effects import FileEdit, FileWrite
from signoff.present.snapshot.snapshot import take
from signoff.queue.amendment import Instead
from signoff.tools.file_sandbox import FileSandbox, PathConfig
from signoff.types import ApprovalContext, ApprovalRequest


@pytest.fixture
def sandbox(workdir: Path) -> FileSandbox:
    """Two roots: notes may be written after a question, docs may be read."""
    (workdir / "notes").mkdir()
    (workdir / "docs").mkdir()
    (workdir / "notes" / "a.txt").write_text("one\ntwo\n")
    (workdir / "docs" / "guide.md").write_text("# Guide\n")
    (workdir / "secret.txt").write_text("secret")
    paths = {
        "notes": PathConfig(root="notes", mode="rw", read_approval=True),
        "docs": PathConfig(root="docs"),
    }
    return FileSandbox(paths, cwd=str(workdir))


def context(tool: str, metadata: dict[str, Any] | None = None, **args: Any) -> ApprovalContext:
    return ApprovalContext(tool_name=tool, args=args, metadata=metadata or {})


def asked(sandbox: FileSandbox, tool: str, metadata: dict[str, Any] | None = None, **args: Any) -> ApprovalRequest:
    request = sandbox.check_approval(context(tool, metadata, **args))
    assert request is not None
    return request


# -- what is declared --------------------------------------------------------------------------------------


def test_a_write_declares_the_file_and_its_whole_content(sandbox: FileSandbox, workdir: Path) -> None:
    request = asked(sandbox, "write_file", path="notes/new.txt", content="hi\n")
    assert request.effects == (FileWrite(str(workdir / "notes/new.txt"), "hi\n"),)


def test_an_edit_declares_what_takes_the_place_of_what(sandbox: FileSandbox, workdir: Path) -> None:
    request = asked(sandbox, "edit_file", path="notes/a.txt", old="one", new="1")
    assert request.effects == (FileEdit(str(workdir / "notes/a.txt"), "one", "1"),)


def test_the_payload_names_sandbox_and_file_but_no_content(sandbox: FileSandbox) -> None:
    request = asked(sandbox, "write_file", path="notes/new.txt", content="hi\n")
    assert request.payload == {"sandbox": "notes", "path": "new.txt"}


def test_every_spelling_of_a_file_has_one_payload(sandbox: FileSandbox, workdir: Path) -> None:
    (workdir / "notes" / "link.txt").symlink_to("a.txt")
    spellings = ("notes/a.txt", "notes/./../notes//a.txt", str(workdir / "notes/a.txt"), "notes/link.txt")
    payloads = [asked(sandbox, "write_file", path=path, content="").payload for path in spellings]
    assert payloads == [{"sandbox": "notes", "path": "a.txt"}] * 4


def test_the_arguments_are_shown_in_full(sandbox: FileSandbox) -> None:
    request = asked(sandbox, "write_file", path="notes/a.txt", content="hi")
    assert request.arguments == {"path": "notes/a.txt", "content": "hi"}


def test_a_link_is_declared_as_the_file_it_leads_to(sandbox: FileSandbox, workdir: Path) -> None:
    (workdir / "notes" / "link.txt").symlink_to("a.txt")
    request = asked(sandbox, "write_file", path="notes/link.txt", content="hi")
    assert request.effects == (FileWrite(str(workdir / "notes/a.txt"), "hi"),)


def test_nothing_is_declared_for_a_call_that_needs_no_approval(sandbox: FileSandbox) -> None:
    assert sandbox.check_approval(context("read_file", path="docs/guide.md")) is None


def test_a_request_can_be_had_for_a_call_that_needs_none(sandbox: FileSandbox) -> None:
    request = sandbox.approval_request(context("read_file", path="docs/guide.md"))
    assert request is not None
    assert request.payload == {"sandbox": "docs", "path": "guide.md"}


def test_reading_is_asked_about_where_the_configuration_says_so(sandbox: FileSandbox) -> None:
    assert asked(sandbox, "read_file", path="notes/a.txt").why == "sandbox notes: read approval"


@pytest.mark.parametrize(
    ("tool", "args", "honored"),
    [
        ("write_file", {"content": ""}, {"partial"}),
        ("edit_file", {"old": "one", "new": "1"}, {"partial"}),
        ("read_file", {}, set()),
        ("read_attachment", {}, set()),
    ],
)
def test_only_what_writes_can_be_approved_in_part(
    sandbox: FileSandbox, tool: str, args: dict[str, Any], honored: set[str]
) -> None:
    assert asked(sandbox, tool, path="notes/a.txt", **args).honors == honored


def test_about_the_tools_of_others_it_has_no_opinion(sandbox: FileSandbox) -> None:
    """None would say that they need no approval."""
    assert sandbox.check_approval(context("send_email", path="notes/a.txt")) is NotImplemented


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("write_file", {"path": "secret.txt", "content": ""}),
        ("write_file", {"path": "docs/guide.md", "content": ""}),
        ("write_file", {"path": "notes/a.txt"}),
        ("write_file", {"path": "notes/a.txt", "content": 5}),
        ("edit_file", {"path": "notes/a.txt", "old": "one", "new": None}),
        ("read_file", {"path": "notes"}),
        ("read_file", {}),
    ],
)
def test_what_is_not_allowed_is_a_block(sandbox: FileSandbox, tool: str, args: dict[str, Any]) -> None:
    with pytest.raises(PermissionError):
        sandbox.check_approval(context(tool, **args))


# -- groups ------------------------------------------------------------------------------------------------


def test_a_group_can_be_named_around_the_calls(sandbox: FileSandbox) -> None:
    with sandbox.group("save project", 10):
        request = asked(sandbox, "write_file", path="notes/a.txt", content="")
    assert (request.group_id, request.group_size) == ("save project", 10)


def test_a_group_ends_with_its_block(sandbox: FileSandbox) -> None:
    with sandbox.group("save project"):
        pass
    assert asked(sandbox, "write_file", path="notes/a.txt", content="").group_id is None


def test_a_group_of_one_sandbox_is_not_one_of_another(sandbox: FileSandbox, workdir: Path) -> None:
    other = FileSandbox({"notes": {"root": "notes", "mode": "rw"}}, cwd=str(workdir))
    with other.group("save project"):
        assert asked(sandbox, "write_file", path="notes/a.txt", content="").group_id is None


def test_a_group_can_come_with_the_call(sandbox: FileSandbox) -> None:
    metadata = {"group_id": "g-1", "group_size": 3, "batch_id": "b-1"}
    request = asked(sandbox, "write_file", metadata, path="notes/a.txt", content="")
    assert (request.group_id, request.group_size) == ("g-1", 3)


def test_calls_of_one_turn_are_a_group(sandbox: FileSandbox) -> None:
    metadata = {"batch_id": "b-1", "batch_position": 1, "batch_remaining": []}
    assert asked(sandbox, "write_file", metadata, path="notes/a.txt", content="").group_id == "b-1"


def test_the_only_call_of_a_turn_is_no_group(sandbox: FileSandbox) -> None:
    metadata = {"batch_id": "b-1", "batch_position": 0, "batch_remaining": []}
    assert asked(sandbox, "write_file", metadata, path="notes/a.txt", content="").group_id is None


# -- doing it ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("write_file", {"path": "notes/a.txt", "content": "new\r\n…"}),
        ("write_file", {"path": "notes/deep/er/new.txt", "content": ""}),
        ("edit_file", {"path": "notes/a.txt", "old": "two", "new": "2\r\n"}),
    ],
)
def test_what_runs_is_what_was_shown(sandbox: FileSandbox, tool: str, args: dict[str, Any]) -> None:
    request = asked(sandbox, tool, **args)
    snapshot = take(request.effects)
    (change,) = snapshot.items
    with bound_to(request):
        getattr(sandbox, tool)(**args)
    assert Path(change.path).read_bytes() == snapshot.blobs[change.after_sha256]


WRITES = [
    ("write_file", {"path": "notes/a.txt", "content": "ONE\nTWO!\n"}, "Wrote {} bytes to notes:a.txt"),
    ("edit_file", {"path": "notes/a.txt", "old": "one\ntwo", "new": "ONE\nTWO!"}, "Edited notes:a.txt"),
]


@pytest.mark.parametrize(("tool", "args", "done"), WRITES)
def test_what_a_reviewer_put_in_its_place_is_written_and_told(
    sandbox: FileSandbox, workdir: Path, tool: str, args: dict[str, Any], done: str
) -> None:
    file = workdir / "notes" / "a.txt"
    request = asked(sandbox, tool, **args)
    part = Instead.of_contents({str(file): b"ONE\ntwo\n"}, refused=("a.txt line 2",), summary="1 of 2 hunks")
    with bound_to(request, take(request.effects), part):
        told = getattr(sandbox, tool)(**args)
    assert file.read_bytes() == b"ONE\ntwo\n"
    assert told == (
        f"{done.format(8)}. It is not as asked:"
        " The reviewer approved with changes: 1 of 2 hunks; refused: a.txt line 2."
    )


@pytest.mark.parametrize(("tool", "args", "done"), WRITES)
def test_a_file_that_the_reviewer_left_alone_is_written_as_asked(
    sandbox: FileSandbox, workdir: Path, tool: str, args: dict[str, Any], done: str
) -> None:
    request = asked(sandbox, tool, **args)
    other = Instead.of_contents({str(workdir / "notes" / "b.txt"): b"other"})
    with bound_to(request, take(request.effects), other):
        assert getattr(sandbox, tool)(**args) == done.format(9)
    assert (workdir / "notes" / "a.txt").read_bytes() == b"ONE\nTWO!\n"


def test_what_was_refused_is_not_written_under_another_name_of_the_file(
    sandbox: FileSandbox, workdir: Path
) -> None:
    request = asked(sandbox, "write_file", path="notes/a.txt", content="ONE\nTWO!\n")
    part = Instead.of_contents({str(workdir / "notes" / "a.txt"): b"ONE\ntwo\n"})
    with bound_to(request, take(request.effects), part), pytest.raises(PermissionError, match="not the path"):
        approved_instead(str(workdir / "notes" / ".." / "notes" / "a.txt"))


def test_of_a_call_with_several_files_only_the_changed_one_is_written_otherwise(
    sandbox: FileSandbox, workdir: Path
) -> None:
    first, second = (str(workdir / "notes" / name) for name in ("a.txt", "b.txt"))
    effects = (FileWrite(first, "ONE\nTWO!\n"), FileWrite(second, "new\n"))
    request = asked(sandbox, "write_file", path="notes/a.txt", content="ONE\nTWO!\n")
    request = request.model_copy(update={"effects": effects})
    with bound_to(request, take(effects), Instead.of_contents({first: b"ONE\ntwo\n"})):
        changed = approved_instead(first)
        assert changed is not None
        assert changed.data == b"ONE\ntwo\n"
        assert approved_instead(second) is None


def test_a_file_can_be_read(sandbox: FileSandbox) -> None:
    assert sandbox.read_file("docs/guide.md") == "# Guide\n"


def test_a_missing_file_is_told_as_missing(sandbox: FileSandbox) -> None:
    with pytest.raises(FileNotFoundError, match="nope"):
        sandbox.read_file("docs/nope.md")


@pytest.mark.parametrize("name", ["docs/no\x1b[2Jpe.md", "docs/no\u202epe.md"])
def test_a_path_in_a_message_is_made_visible(sandbox: FileSandbox, name: str) -> None:
    with pytest.raises(FileNotFoundError) as refused:
        sandbox.read_file(name)
    assert str(refused.value).isascii()


def test_a_file_that_is_no_text_is_not_read(sandbox: FileSandbox, workdir: Path) -> None:
    (workdir / "docs" / "logo.png").write_bytes(b"\x89PNG\xff")
    with pytest.raises(ValueError, match="UTF-8"):
        sandbox.read_file("docs/logo.png")


@pytest.mark.parametrize("old", ["three", "o", ""])
def test_an_edit_needs_a_text_that_occurs_once(sandbox: FileSandbox, workdir: Path, old: str) -> None:
    with pytest.raises(ValueError, match=r"not in|more than once|empty"):
        sandbox.edit_file("notes/a.txt", old, "x")
    assert (workdir / "notes/a.txt").read_text() == "one\ntwo\n"


def test_the_permissions_of_a_file_are_kept(sandbox: FileSandbox, workdir: Path) -> None:
    script = workdir / "notes" / "run.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o751)
    sandbox.write_file("notes/run.sh", "#!/bin/sh\nls\n")
    assert stat.S_IMODE(script.stat().st_mode) == 0o751


def test_a_new_file_has_the_usual_permissions(sandbox: FileSandbox, workdir: Path) -> None:
    usual = workdir / "usual.txt"
    usual.write_text("")
    sandbox.write_file("notes/new.txt", "")
    assert (workdir / "notes/new.txt").stat().st_mode == usual.stat().st_mode


def test_a_reader_never_sees_half_a_file(sandbox: FileSandbox, workdir: Path) -> None:
    file = workdir / "notes" / "a.txt"
    contents = ["a" * 200_000, "b" * 200_000]
    seen: set[str] = {contents[0]}
    sandbox.write_file("notes/a.txt", contents[0])
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.add(file.read_text())

    reader = threading.Thread(target=read)
    reader.start()
    for content in contents * 10:
        sandbox.write_file("notes/a.txt", content)
    done.set()
    reader.join()
    assert seen <= set(contents)


def test_nothing_is_left_behind_when_writing_fails(sandbox: FileSandbox, workdir: Path) -> None:
    (workdir / "notes" / "file").write_text("not a directory")
    with pytest.raises(PermissionError):
        sandbox.write_file("notes/file/new.txt", "")
    assert sorted(path.name for path in (workdir / "notes").iterdir()) == ["a.txt", "file"]


def test_edits_from_several_threads_all_take_effect(sandbox: FileSandbox, workdir: Path) -> None:
    names = [f"<{number}>" for number in range(20)]
    (workdir / "notes" / "a.txt").write_text("".join(names))
    edits = [
        threading.Thread(target=sandbox.edit_file, args=("notes/a.txt", name, name.upper() + "."))
        for name in names
    ]
    for edit in edits:
        edit.start()
    for edit in edits:
        edit.join()
    assert (workdir / "notes/a.txt").read_text() == "".join(f"{name}." for name in names)


# -- what is swapped between asking and doing --------------------------------------------------------------


def test_a_link_that_leads_elsewhere_after_the_approval_is_not_written(
    sandbox: FileSandbox, workdir: Path
) -> None:
    link = workdir / "notes" / "link.txt"
    link.symlink_to("a.txt")
    (workdir / "notes" / "other.txt").write_text("other")
    request = asked(sandbox, "write_file", path="notes/link.txt", content="new")
    link.unlink()
    link.symlink_to("other.txt")
    with bound_to(request), pytest.raises(PermissionError, match="not what was approved"):
        sandbox.write_file("notes/link.txt", "new")
    assert (workdir / "notes/other.txt").read_text() == "other"


def test_a_link_that_leads_elsewhere_after_the_approval_is_not_read(sandbox: FileSandbox, workdir: Path) -> None:
    link = workdir / "notes" / "link.txt"
    link.symlink_to("a.txt")
    (workdir / "notes" / "other.txt").write_text("other")
    request = asked(sandbox, "read_file", path="notes/link.txt")
    link.unlink()
    link.symlink_to("other.txt")
    with bound_to(request), pytest.raises(PermissionError, match="not what was approved"):
        sandbox.read_file("notes/link.txt")


def test_arguments_that_are_not_the_approved_ones_are_not_written(sandbox: FileSandbox, workdir: Path) -> None:
    request = asked(sandbox, "write_file", path="notes/a.txt", content="shown")
    with bound_to(request), pytest.raises(PermissionError, match="not what was approved"):
        sandbox.write_file("notes/a.txt", "something else")
    assert (workdir / "notes/a.txt").read_text() == "one\ntwo\n"


def test_a_directory_that_becomes_a_link_while_writing_is_not_followed(
    sandbox: FileSandbox, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The swap happens after everything was resolved, just before the first directory is opened."""
    outside = workdir / "outside"
    outside.mkdir()
    swapped: list[Any] = []
    real_open = os.open

    def open_after_swapping(path: Any, *args: Any, **kwargs: Any) -> int:
        if not swapped:
            swapped.append(path)
            (workdir / "notes").rename(workdir / "moved")
            (workdir / "notes").symlink_to(outside)
        return real_open(path, *args, **kwargs)

    monkeypatch.setattr(os, "open", open_after_swapping)
    with pytest.raises(OSError, match="notes"):
        sandbox.write_file("notes/new.txt", "x")
    assert list(outside.iterdir()) == []


def test_a_file_that_becomes_a_link_while_writing_is_not_written_through(
    sandbox: FileSandbox, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The swap happens as late as possible, just before the new content is put into place."""
    real_rename = os.rename

    def rename_after_swapping(*args: Any, **kwargs: Any) -> None:
        (workdir / "notes" / "a.txt").unlink()
        (workdir / "notes" / "a.txt").symlink_to(workdir / "secret.txt")
        real_rename(*args, **kwargs)

    monkeypatch.setattr(os, "rename", rename_after_swapping)
    sandbox.write_file("notes/a.txt", "x")
    assert (workdir / "secret.txt").read_text() == "secret"
    assert not (workdir / "notes" / "a.txt").is_symlink()
