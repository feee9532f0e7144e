"""What a person is told of a sandbox that holds less than the settings say, or that starts nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from sandbox_bench import require_backend
from signoff.confine.bubblewrap import Bubblewrap
from signoff.confine.detect import Unusable, Usable, detect
from signoff.confine.errors import LaunchError
from signoff.tools import os_sandbox
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.os_sandbox import OSSandbox
from signoff.tools.shell import ShellTool
from signoff.types import ApprovalContext

ROOTS = {
    "one": {"root": "one", "mode": "rw", "write_approval": False},
    "two": {"root": "two", "mode": "rw", "write_approval": False},
}


@pytest.fixture
def project(workdir: Path) -> Path:
    for name in ("one", "two"):
        (workdir / name).mkdir()
    return workdir


def files(project: Path, backend: str, roots: dict[str, Any] = ROOTS, **limits: Any) -> FileSandbox:
    block = {"paths": roots, "require_os_sandbox": True, "os_sandbox_backends": [backend]}
    return FileSandbox(block | {"os_sandbox_profile": limits}, cwd=str(project))


def sandbox(project: Path, backend: str, roots: dict[str, Any] = ROOTS, **limits: Any) -> OSSandbox:
    confined = files(project, backend, roots, **limits).os_sandbox(None, str(project))
    assert confined is not None
    return confined


def wrote(confined: OSSandbox, name: str) -> bool:
    """Whether a command can write in a root."""
    started = confined.start(["sh", "-c", f"echo > {name}/made"], approved=True, stderr=subprocess.DEVNULL)
    return started.process.wait(20) == 0


# -- Landlock, which makes a directory read-only for the sake of a part of it.


def test_the_line_promises_only_what_landlock_enforces(project: Path) -> None:
    require_backend("landlock")
    confined = sandbox(project, "landlock")
    before = confined.confinement(approved=True)
    assert before.words == "can write: one/, two/; network: no"
    (project / "one/.envrc").write_text("x")
    after = confined.confinement(approved=True)
    assert after.words == "can write: two/; network: no"
    assert after.profile != before.profile
    assert not wrote(confined, "one")
    assert wrote(confined, "two")
    words = f"{project}/one is read-only for commands: landlock cannot keep a part of it as it is"
    assert confined.findings() == [(("os_sandbox_backends",), words)]


def test_so_does_the_request_and_an_approval_is_for_these_walls(project: Path) -> None:
    require_backend("landlock")
    shell = ShellTool(project, sandbox=files(project, "landlock"))
    context = ApprovalContext(tool_name="run_command", args={"command": "make"})
    wide = shell.approval_request(context)
    (project / "one/.envrc").write_text("x")
    narrow = shell.approval_request(context)
    assert wide is not None
    assert narrow is not None
    assert wide.payload != narrow.payload
    assert "can write: two/; network: no" in str(narrow.effects)


def test_where_landlock_starts_nothing_the_line_says_so(project: Path) -> None:
    require_backend("landlock")
    confined = sandbox(project, "landlock", {"all": {"root": "."}}, hide=["one"])
    reason = f"{project}/one is hidden inside {project}, which can be read"
    assert confined.line(approved=True).startswith(f"cannot start: {reason}")
    ((key, words),) = confined.findings()
    assert key == ("os_sandbox_backends",)
    assert words.startswith(f"no command can be started: {reason}")
    with pytest.raises(LaunchError, match="is hidden inside"):
        confined.start(["true"], approved=True)


def test_bwrap_keeps_a_part_and_the_rest_is_writable(project: Path) -> None:
    require_backend()
    (project / "one/.envrc").write_text("x")
    confined = sandbox(project, "bwrap")
    assert confined.findings() == []
    assert confined.line(approved=True) == "can write: one/, two/; network: no"
    assert wrote(confined, "one")


# -- Limits on what is not there.


@pytest.mark.parametrize("backend", ["bwrap", "landlock"])
def test_a_limit_that_names_what_is_not_there_is_told_before_and_with_each_command(
    project: Path, backend: str
) -> None:
    require_backend(backend)
    confined = sandbox(project, backend, write=["one", "two/new"])
    words = (
        f"there is no {project}/two/new, so no command is started that could make it; "
        "make it first, or leave the entry out"
    )
    key = ("os_sandbox_profile", "write", 1)
    assert (key, words) in confined.findings()
    with pytest.raises(LaunchError) as caught:
        confined.start(["true"], approved=True)
    assert str(caught.value) == f"os_sandbox_profile.write[1]: {words}"
    assert confined.line(approved=True) == f"cannot start: {caught.value}"
    (project / "two/new").mkdir()
    assert confined.findings() == []
    assert wrote(confined, "two/new")


def test_so_is_a_hidden_one_that_a_command_could_make(project: Path) -> None:
    require_backend()
    confined = sandbox(project, "bwrap", hide=["elsewhere", "one/secret"])
    assert [key for key, _ in confined.findings()] == [("os_sandbox_profile", "hide", 1)]
    with pytest.raises(LaunchError, match=r"^os_sandbox_profile\.hide\[1\]: there is no "):
        confined.start(["true"], approved=True)


def test_a_limit_that_changes_nothing_is_not_told(project: Path) -> None:
    require_backend()
    confined = sandbox(project, "bwrap", write=["two", "two/new", "elsewhere"], read=["one", "missing"])
    assert confined.findings() == []
    assert wrote(confined, "two")


# -- The way to confine that is taken in place of another.

NOT_HERE = Unusable("bwrap", "no command can be started in it", "allow user namespaces", "No permissions")


def test_a_weaker_one_is_taken_only_by_name_and_never_in_silence(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_backend("landlock")
    found = {"bwrap": NOT_HERE, "landlock": detect("landlock")}
    monkeypatch.setattr("signoff.confine.detect.detect", found.__getitem__)
    with pytest.raises(
        ValueError, match="; or name landlock in os_sandbox_backends, which works here and holds less, or "
    ):
        FileSandbox({"paths": ROOTS, "require_os_sandbox": True}, cwd=str(project))
    confined = OSSandbox((), cwd=str(project), backends=("bwrap", "landlock"))
    assert confined.confinement(approved=True).backend == "landlock"
    words = f"landlock is used, which holds less, because of {NOT_HERE}"
    assert confined.findings() == [(("os_sandbox_backends",), words)]


def test_one_that_holds_all_is_no_finding(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usable = Usable(Bubblewrap(), (NOT_HERE,))
    monkeypatch.setattr(os_sandbox, "first_usable", lambda _: usable)
    assert OSSandbox((), cwd=str(project)).findings() == []
