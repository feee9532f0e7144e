"""The `sandbox` block: both shapes of it, a required sandbox of the operating system, and attachments."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from signoff.binding import bound_to
from signoff.tools import attachment
from signoff.tools.file_sandbox import Attachment, FileSandbox, SandboxConfig
from signoff.tools.roots import PathConfig
from signoff.tools.shell import ShellTool
from signoff.types import ApprovalContext

REFUSING = {
    "paths": {"w": {"root": ".", "mode": "rw"}},
    "require_os_sandbox": True,
    "os_sandbox_fallback": "refuse_tools",
}


def context(tool: str, **args: Any) -> ApprovalContext:
    return ApprovalContext(tool_name=tool, args=args)


# -- shapes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    [
        {"w": {"root": "."}},
        {"w": PathConfig(root=".")},
        {"paths": {"w": {"root": "."}}},
        {"paths": {"w": {"root": "."}}, "require_os_sandbox": False},
        SandboxConfig(paths={"w": PathConfig(root=".")}),
    ],
)
def test_roots_can_be_given_alone_or_as_a_block(workdir: Path, given: Any) -> None:
    (workdir / "a.txt").write_text("hi")
    assert FileSandbox(given, cwd=str(workdir)).read_file("a.txt") == "hi"


@pytest.mark.parametrize("given", [{"paths": {"root": "."}}, {"paths": {"paths": {"root": "."}}}])
def test_a_root_may_be_called_paths(workdir: Path, given: Any) -> None:
    assert FileSandbox(given, cwd=str(workdir)).names == {"paths"}


def test_a_root_in_a_block_may_be_called_root(workdir: Path) -> None:
    assert FileSandbox({"paths": {"root": {"root": "."}}}, cwd=str(workdir)).names == {"root"}


@pytest.mark.parametrize(
    "given",
    [
        {"paths": {}, "path": {}},
        {"paths": {}, "os_sandbox_fallback": "ignore"},
        {"paths": {}, "require_os_sandbox": "yes"},
        {"require_os_sandbox": True},
    ],
)
def test_a_block_that_is_not_understood_is_refused(given: Any) -> None:
    with pytest.raises(ValidationError):
        FileSandbox(given)


# -- a required sandbox of the operating system --------------------------------------------------------------


def test_a_sandbox_that_cannot_be_had_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="require_os_sandbox is set"):
        FileSandbox({"paths": {}, "require_os_sandbox": True})


@pytest.mark.parametrize("tool", ["read_file", "read_attachment", "write_file", "edit_file", "list_files"])
def test_or_every_tool_is_blocked(workdir: Path, tool: str) -> None:
    sandbox = FileSandbox(REFUSING, cwd=str(workdir))
    with pytest.raises(PermissionError, match="require a sandbox of the operating system"):
        sandbox.check_approval(context(tool, path="a", content="b", old="b", new="c"))


def test_nor_is_anything_done_by_a_direct_call(workdir: Path) -> None:
    sandbox = FileSandbox(REFUSING, cwd=str(workdir))
    with pytest.raises(PermissionError, match="require a sandbox"):
        sandbox.write_file("a", "b")
    with pytest.raises(PermissionError, match="require a sandbox"):
        sandbox.list_files()
    assert list(workdir.iterdir()) == []


def test_the_shell_beside_it_is_blocked_too(workdir: Path) -> None:
    shell = ShellTool(workdir, sandbox=FileSandbox(REFUSING, cwd=str(workdir)))
    with pytest.raises(PermissionError, match="require a sandbox"):
        shell.check_approval(context("run_command", command="ls"))
    with pytest.raises(PermissionError, match="require a sandbox"):
        shell.run_command("ls")


# -- the tools -----------------------------------------------------------------------------------------------


def test_the_tools_are_named(workdir: Path) -> None:
    names = ["read_file", "read_attachment", "write_file", "edit_file", "list_files"]
    assert sorted(FileSandbox({}).tools) == sorted(names)
    assert list(ShellTool(workdir).tools) == ["run_command"]


# -- attachments ---------------------------------------------------------------------------------------------


@pytest.fixture
def sandbox(workdir: Path) -> FileSandbox:
    (workdir / "logo.png").write_bytes(b"\x89PNG\xff")
    (workdir / "other.exe").write_bytes(b"MZ")
    paths = {"docs": {"root": ".", "read_approval": True, "suffixes": [".png", ".md", ".blob", ".note"]}}
    return FileSandbox(paths, cwd=str(workdir))


def test_an_attachment_is_the_file_as_it_is(sandbox: FileSandbox) -> None:
    assert sandbox.read_attachment("logo.png") == Attachment(b"\x89PNG\xff", "image/png", "logo.png")


@pytest.mark.parametrize(
    ("name", "data", "media_type"),
    [("a.blob", b"\xff", "application/octet-stream"), ("a.note", b"hi", "text/plain")],
)
def test_an_unknown_ending_is_told_by_the_content(
    sandbox: FileSandbox, workdir: Path, name: str, data: bytes, media_type: str
) -> None:
    (workdir / name).write_bytes(data)
    assert sandbox.read_attachment(name).media_type == media_type


def test_to_attach_is_asked_about_like_reading(sandbox: FileSandbox) -> None:
    request = sandbox.check_approval(context("read_attachment", path="logo.png"))
    assert request is not None
    assert (request.description, request.payload) == (
        "Attach docs:logo.png",
        {"sandbox": "docs", "path": "logo.png"},
    )


@pytest.mark.parametrize("path", ["other.exe", "/etc/passwd", "."])
def test_what_may_not_be_read_may_not_be_attached(sandbox: FileSandbox, path: str) -> None:
    with pytest.raises(PermissionError):
        sandbox.read_attachment(path)


def test_what_is_too_large_is_not_attached(sandbox: FileSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attachment, "MAX_ATTACHMENT_SIZE", 4)
    with pytest.raises(ValueError, match="too large to be attached"):
        sandbox.read_attachment("logo.png")


def test_only_the_approved_file_is_attached(sandbox: FileSandbox, workdir: Path) -> None:
    (workdir / "b.md").write_text("b")
    request = sandbox.check_approval(context("read_attachment", path="logo.png"))
    assert request is not None
    with bound_to(request), pytest.raises(PermissionError, match="not what was approved"):
        sandbox.read_attachment("b.md")
