"""The `sandbox` block: both shapes of it, a required sandbox of the operating system, and attachments."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from signoff.approved_call import bound_to
from signoff.tools import safe_io
from signoff.tools.file_sandbox import Attachment, FileSandbox, SandboxConfig
from signoff.tools.roots import PathConfig
from signoff.tools.shell import ShellTool
from signoff.types import ApprovalContext

REFUSING = {
    "paths": {"w": {"root": ".", "mode": "rw"}},
    "require_os_sandbox": True,
    "os_sandbox_fallback": "refuse_tools",
    "os_sandbox_backends": ["seatbelt"],
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


NOT_UNDERSTOOD: dict[str, tuple[Any, str]] = {
    "an unknown key": (
        {"paths": {}, "path": {}},
        'sandbox.path: is no key that is known here; did you mean "paths"?',
    ),
    "an unknown key, like nothing": (
        {"w": {"root": ".", "x": 1}},
        (
            "sandbox.paths.w.x: is no key that is known here; "
            "what there is: root, mode, suffixes, write_approval, read_approval"
        ),
    ),
    "an unknown fallback": (
        {"paths": {}, "os_sandbox_fallback": "ignore"},
        'sandbox.os_sandbox_fallback: must be "fail_fast" or "refuse_tools", not "ignore"',
    ),
    "an unknown mode": (
        {"w": {"root": ".", "mode": "wr"}},
        'sandbox.paths.w.mode: must be "ro" or "rw", not "wr"',
    ),
    "a word for a boolean": (
        {"paths": {}, "require_os_sandbox": "yes"},
        'sandbox.require_os_sandbox: must be true or false, not "yes"',
    ),
    "a setting in the place of a root": (
        {"require_os_sandbox": True},
        "sandbox.paths.require_os_sandbox: must be a mapping of keys to values, not true",
    ),
    "no root": ({"w": {"mode": "rw"}}, 'sandbox.paths.w: "root" is missing'),
    "a path that is no text": (
        {"w": {"root": PurePosixPath("a")}},
        "sandbox.paths.w.root: must be a text, not PurePosixPath('a')",
    ),
    "a text for a list": (
        {"w": {"root": ".", "suffixes": ".txt"}},
        'sandbox.paths.w.suffixes: must be a list, not ".txt"',
    ),
    "an unknown answer": (
        {"w": {"root": ".", "approval": {"write": "maybe"}}},
        """sandbox.paths.w: "approval: write" must be "required" or "none", not 'maybe'""",
    ),
    "only a directory": ("notes", 'sandbox.paths: must be a mapping of keys to values, not "notes"'),
    "nothing": (None, "sandbox.paths: must be a mapping of keys to values, not nothing"),
}


@pytest.mark.parametrize("case", NOT_UNDERSTOOD)
def test_a_block_that_is_not_understood_is_refused_in_the_words_of_a_file(case: str) -> None:
    given, message = NOT_UNDERSTOOD[case]
    with pytest.raises(ValueError, match=rf"^{re.escape(message)}$"):
        FileSandbox(given)


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(ValueError, match="mode") as refused:
        FileSandbox({"a": {"root": ".", "mode": "w"}, "b": {"mode": "rw"}})
    assert [line.split(": ")[0] for line in str(refused.value).splitlines()] == [
        "sandbox.paths.a.mode",
        "sandbox.paths.b",
    ]


def test_what_a_message_quotes_cannot_act_on_a_terminal() -> None:
    with pytest.raises(ValueError, match="must be a text") as refused:
        FileSandbox({"\x1b[2J\u202e": {"root": 1}})
    assert str(refused.value).isascii()
    assert str(refused.value).isprintable()


# -- a required sandbox of the operating system --------------------------------------------------------------


def test_a_sandbox_that_cannot_be_had_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="require_os_sandbox is set"):
        FileSandbox({"paths": {}, "require_os_sandbox": True, "os_sandbox_backends": ["seatbelt"]})


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
    monkeypatch.setattr(safe_io, "MAX_ATTACHMENT_SIZE", 4)
    with pytest.raises(ValueError, match="too large to be attached"):
        sandbox.read_attachment("logo.png")


def test_only_the_approved_file_is_attached(sandbox: FileSandbox, workdir: Path) -> None:
    (workdir / "b.md").write_text("b")
    request = sandbox.check_approval(context("read_attachment", path="logo.png"))
    assert request is not None
    with bound_to(request), pytest.raises(PermissionError, match="not what was approved"):
        sandbox.read_attachment("b.md")
