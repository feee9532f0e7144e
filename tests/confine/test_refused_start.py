"""A command whose sandbox is not as planned never runs: not even when the one that watches it goes away."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from signoff.confine import bubblewrap
from signoff.confine.backends import backend_named
from signoff.confine.bubblewrap import Bubblewrap
from signoff.confine.detect import Unusable, detect
from signoff.confine.errors import LaunchError
from signoff.confine.profile import OSProfile, PathAccess, PathMap
from signoff.confine.system import system_files

PERIOD = 0.3
"""Long enough for a command that was let go to make a file."""


def start(top: Path, backend: str = "bwrap", meanwhile: Callable[[], object] | None = None) -> None:
    profile = OSProfile(PathMap({str(top): PathAccess.WRITE}), system_files(network=False))
    process = backend_named(backend).start(
        ["/bin/sh", "-c", "echo > made"],
        lambda: profile,
        cwd=str(top),
        env={},
        meanwhile=meanwhile,
        stdin=subprocess.DEVNULL,
    )
    process.wait(10)


@pytest.mark.usefixtures("real_sandbox")
@pytest.mark.parametrize("place", ["_SettingUp.child", "_require_mounts", "_SettingUp.release"])
@pytest.mark.parametrize("error", [LaunchError("not as planned"), OSError(5, "broken"), KeyboardInterrupt()])
def test_a_command_that_is_refused_while_it_waits_does_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, error: BaseException
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        time.sleep(PERIOD)  # it has got as far as it gets
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(f"{bubblewrap.__name__}.{place}", fail)
        with pytest.raises((LaunchError, KeyboardInterrupt)):
            start(tmp_path)
    time.sleep(PERIOD)
    assert not (tmp_path / "made").exists()
    start(tmp_path)
    assert (tmp_path / "made").exists()


@pytest.mark.usefixtures("real_sandbox")
def test_a_command_runs_without_a_file_of_the_system_and_not_with_a_link_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    runtime = PathMap({**dict(system_files(network=False)), str(file): PathAccess.READ})
    monkeypatch.setattr(f"{__name__}.system_files", lambda **_: runtime)
    monkeypatch.setattr(bubblewrap, "system_places", lambda: frozenset({str(file)}))
    (tmp_path / "root").mkdir()
    start(tmp_path / "root")
    assert (tmp_path / "root/made").exists()
    file.symlink_to("/etc/hostname")
    with pytest.raises(LaunchError, match="was exchanged for something else"):
        start(tmp_path / "root")


@pytest.fixture(params=["bwrap", "landlock"])
def backend(request: pytest.FixtureRequest, real_sandbox: None) -> str:
    """A backend that works here. Bubblewrap must where sandboxes are required; Landlock is not in every kernel."""
    name: str = request.param
    found = detect(name)
    if isinstance(found, Unusable):
        pytest.skip(str(found))
    return name


def test_what_is_done_meanwhile_is_done_before_the_command_runs(tmp_path: Path, backend: str) -> None:
    seen: list[bool] = []

    def look() -> None:
        time.sleep(PERIOD)
        seen.append((tmp_path / "made").exists())

    start(tmp_path, backend, look)
    assert seen == [False]
    assert (tmp_path / "made").exists()


def test_an_error_in_what_is_done_meanwhile_ends_the_start(tmp_path: Path, backend: str) -> None:
    def refuse() -> None:
        raise LaunchError("an earlier command was not swept after")

    with pytest.raises(LaunchError, match="an earlier command was not swept after"):
        start(tmp_path, backend, refuse)
    time.sleep(PERIOD)
    assert not (tmp_path / "made").exists()


@pytest.mark.usefixtures("real_sandbox")
def test_more_protected_files_than_bwrap_takes_are_told(tmp_path: Path) -> None:
    places = {str(tmp_path): PathAccess.WRITE}
    for number in range(1500):
        (tmp_path / str(number)).mkdir()
        places[str(tmp_path / str(number) / ".npmrc")] = PathAccess.READ
        (tmp_path / str(number) / ".npmrc").touch()
    profile = OSProfile(PathMap(places), system_files(network=False))
    with pytest.raises(LaunchError, match="the writable directories have too many protected files"):
        Bubblewrap().start(["/bin/true"], lambda: profile, cwd=str(tmp_path), env={})


@pytest.mark.usefixtures("real_sandbox")
@pytest.mark.parametrize("place", ["mounts_of", "_SettingUp.tell", "_SettingUp.child", "_require_mounts"])
def test_nor_does_it_run_if_the_one_that_started_it_is_killed(tmp_path: Path, place: str) -> None:
    dies = f"""
import os, sys, time
sys.path[:0] = {sys.path!r}
from pathlib import Path
import test_refused_start as here
from signoff.confine import bubblewrap
start = bubblewrap._SettingUp.popen
def started(*args, **given):
    process = start(*args, **given)
    print(process.pid, flush=True)
    return process
def die(*_):
    time.sleep({PERIOD})
    os.kill(os.getpid(), 9)
bubblewrap._SettingUp.popen = started
bubblewrap.{place} = die
here.start(Path({str(tmp_path)!r}))
"""
    told = tmp_path.parent / "told"  # a pipe would be held by what waits
    with told.open("wb") as output:
        killed = subprocess.run([sys.executable, "-c", dies], stdout=output, check=False, timeout=30)
    assert killed.returncode == -signal.SIGKILL
    time.sleep(PERIOD)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(int(told.read_text()), signal.SIGKILL)  # what waits inside waits for ever
    assert not (tmp_path / "made").exists()
