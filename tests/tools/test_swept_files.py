"""What is moved away after a command that made files which other programs run or obey."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox_bench import require_backend
from signoff.confine.errors import LaunchError
from signoff.confine.protected_names import kept_back, open_up
from signoff.tools.os_sandbox import OSSandbox, Started
from signoff.tools.roots import PathConfig


@pytest.fixture(autouse=True)
def _confined() -> None:
    require_backend()


def start(project: Path, command: str, **roots: PathConfig) -> Started:
    roots = {"here": PathConfig(root=".", mode="rw", write_approval=False)} | roots
    places = [(os.path.realpath(project / config.root), config) for config in roots.values()]
    sandbox = OSSandbox(places, cwd=os.path.realpath(project))
    return sandbox.start(["sh", "-c", command], approved=False, stderr=subprocess.DEVNULL)


def run(project: Path, command: str, **roots: PathConfig) -> list[str]:
    return end(start(project, command, **roots))


def end(started: Started) -> list[str]:
    started.process.wait()
    return started.swept()


def test_what_a_command_made_is_moved_away_and_told(workdir: Path) -> None:
    (line,) = run(workdir, "echo evil > .envrc; echo fine > file")
    assert line.startswith(f"{workdir}/.envrc was made")
    assert [path.name for path in workdir.iterdir()] == ["file"]
    assert Path(line.rpartition(" ")[2]).read_text() == "evil\n"


def test_a_command_cannot_keep_it_by_taking_rights_away(workdir: Path) -> None:
    makes = "mkdir -p d e/.vscode f; for p in d e/.vscode f; do echo evil > $p/.envrc; done"
    command = f"{makes}; chmod 0 d e/.vscode; chmod 555 f; chmod 0 ."
    assert len(run(workdir, command)) == 3
    assert sorted(str(path.relative_to(workdir)) for path in workdir.rglob("*")) == ["d", "e", "f"]


def test_what_cannot_be_moved_far_gets_another_name(workdir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (workdir.parent / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(workdir.parent / "file"))
    run(workdir, "echo evil > .envrc")
    assert not (workdir / ".envrc").exists()
    assert [path.read_text() for path in workdir.glob("kept-back-*-.envrc")] == ["evil\n"]


def test_files_of_a_read_only_root_inside_stay(workdir: Path) -> None:
    (workdir / "vendor").mkdir()
    (workdir / "vendor/.envrc").write_text("mine")
    assert run(workdir, "true", vendor=PathConfig(root="vendor", mode="ro")) == []
    assert (workdir / "vendor/.envrc").read_text() == "mine"


def test_what_was_there_stays_although_a_command_closed_its_directory(workdir: Path) -> None:
    (workdir / "src").mkdir()
    (workdir / "src/.envrc").write_text("mine")
    assert run(workdir, "chmod 0 src") == []
    run(workdir, "chmod 755 src; echo evil > src/.envrc; echo evil > src/.bashrc")
    assert {path.name: path.read_text() for path in (workdir / "src").iterdir()} == {".envrc": "mine"}


def test_functions_beside_rules_stay_wherever_they_lie(workdir: Path) -> None:
    (workdir / "other").mkdir()
    for name in ("signoff.yaml", "tools.py"):
        (workdir / "other" / name).write_text("mine")
    run(workdir, "echo evil >> other/tools.py; mkdir new; touch new/signoff.yaml; echo evil > new/tools.py")
    assert (workdir / "other/tools.py").read_text() == "mine"
    assert not list((workdir / "new").iterdir())


def test_a_link_to_a_root_is_there_for_a_command(workdir: Path) -> None:
    (workdir / "real").mkdir()
    (workdir / "link").symlink_to("real")
    places = [(f"{workdir}/real", PathConfig(root="link", mode="rw", write_approval=False))]
    sandbox = OSSandbox(places, cwd=str(workdir))
    started = sandbox.start(["sh", "-c", f"echo new > {workdir}/link/file"], approved=False)
    assert started.process.wait() == 0
    assert (workdir / "real/file").read_text() == "new\n"


def test_a_root_that_commands_could_lead_elsewhere_is_refused(workdir: Path) -> None:
    (workdir / "data").symlink_to("/srv")
    with pytest.raises(ValueError, match=r"data leads through the link .*/data, which commands can change"):
        run(workdir, "true", data=PathConfig(root="data", mode="rw"))


def test_what_was_there_stays_although_a_command_makes_its_directory_look_like_a_repository(workdir: Path) -> None:
    (workdir / "src").mkdir()
    for folder in (workdir, workdir / "src"):
        (folder / "config").write_text("mine")
    assert (
        len(run(workdir, "for d in . src; do for n in HEAD objects refs .envrc; do touch $d/$n; done; done")) == 4
    )
    for folder in (workdir, workdir / "src"):
        assert (folder / "config").read_text() == "mine"
        assert not (folder / ".envrc").exists()


def test_files_of_the_same_name_in_two_roots_are_both_kept(workdir: Path) -> None:
    for name in ("a", "b"):
        (workdir / name).mkdir()
    a, b = (PathConfig(root=name, mode="rw", write_approval=False) for name in ("a", "b"))
    lines = run(workdir, "echo a > a/.envrc; echo b > b/.envrc", here=a, b=b)
    assert {Path(line.rpartition(" ")[2]).read_text() for line in lines} == {"a\n", "b\n"}


def test_a_directory_that_another_command_exchanges_for_a_link_leads_the_sweep_nowhere(
    workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, home = workdir / "project", workdir / "home"
    (project / "d/.vscode/closed").mkdir(parents=True)
    (project / "d/.envrc").touch()
    (home / ".vscode/closed").mkdir(parents=True)
    (home / ".envrc").write_text("mine")
    home.chmod(0o500)
    before = sorted(home.rglob("*"))
    (project / "d").rename(project / "d2")
    (project / "d").symlink_to(home)
    for name in (".envrc", ".vscode"):
        with pytest.raises(NotADirectoryError):
            kept_back(str(project / "d" / name), str(project), workdir / "quarantine")
    monkeypatch.setattr(os, "access", lambda path, _: str(path) == str(project))  # root may look into anything
    monkeypatch.setattr(os.path, "islink", lambda _: False)  # as it was when it was looked at
    open_up(str(project))
    assert sorted(home.rglob("*")) == before
    assert home.stat().st_mode & 0o777 == 0o500


def until(path: Path) -> None:
    limit = time.monotonic() + 10
    while not path.exists():
        assert time.monotonic() < limit
        time.sleep(0.01)


def test_what_one_command_made_is_not_there_before_another_one_that_makes_it_again(workdir: Path) -> None:
    first = start(workdir, "echo evil > .envrc; while [ ! -e go ]; do sleep 0.02; done")
    until(workdir / ".envrc")
    second = start(workdir, "while [ -e .envrc ]; do sleep 0.02; done; echo evil > .envrc")
    (workdir / "go").touch()
    assert len(end(first)) == 1
    assert len(end(second)) == 1
    assert [path.name for path in workdir.iterdir()] == ["go"]


def test_what_another_command_may_have_made_is_left_to_its_sweep(workdir: Path) -> None:
    first = start(workdir, "while [ ! -e go ]; do sleep 0.02; done")
    (workdir / ".envrc").write_text("mine")
    assert run(workdir, "true") == []
    (workdir / "go").touch()
    (line,) = end(first)
    assert Path(line.rpartition(" ")[2]).read_text() == "mine"


def test_what_was_replaced_during_a_command_stays_and_is_told(workdir: Path) -> None:
    (workdir / ".envrc").write_text("mine")
    started = start(workdir, "touch begun; while [ ! -e go ]; do sleep 0.02; done; echo evil >> .envrc")
    until(workdir / "begun")
    (workdir / "new").write_text("mine too\n")
    (workdir / "new").rename(workdir / ".envrc")
    (workdir / "go").touch()
    (line,) = end(started)
    assert line.startswith(f"{workdir}/.envrc was changed or replaced while the command ran")
    assert (workdir / ".envrc").read_text().startswith("mine too\n")


_KILLED = """
import os, signal, sys, time
sys.path[:0] = {path!r}
from pathlib import Path
from test_swept_files import start, until
start(Path({project!r}), "echo evil > {name}; touch begun; sleep 10")
until(Path({project!r}, "begun"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def kill_one_that_made(name: str, project: Path) -> None:
    words = _KILLED.format(path=[*sys.path, str(Path(__file__).parent)], project=str(project), name=name)
    assert subprocess.run([sys.executable, "-c", words], check=False).returncode == -signal.SIGKILL
    assert (project / name).exists()


def test_what_a_command_made_whose_program_was_killed_is_looked_at_before_the_next_one(workdir: Path) -> None:
    (workdir / ".bashrc").write_text("mine")
    kill_one_that_made(".envrc", workdir)
    with pytest.raises(LaunchError, match=r"an earlier command may have made .*/\.envrc, ") as refused:
        run(workdir, "true")
    (workdir.parent / "other").mkdir()
    assert run(workdir.parent / "other", "true") == []
    record = Path(str(refused.value).rpartition(" ")[2])
    assert record.exists()
    (workdir / ".envrc").unlink()
    assert run(workdir, "true") == []
    assert not record.exists()


def test_the_record_of_a_killed_program_is_removed_if_its_command_made_nothing_of_that_kind(workdir: Path) -> None:
    kill_one_that_made("file", workdir)
    assert run(workdir, "true") == []


def test_files_of_a_root_that_another_command_could_not_write_are_not_its(workdir: Path) -> None:
    (workdir / "lib").mkdir()
    (workdir / "lib/.envrc").write_text("mine")
    first = start(workdir, "while [ ! -e go ]; do sleep 0.02; done", lib=PathConfig(root="lib", mode="ro"))
    assert run(workdir, "true") == []
    (workdir / "go").touch()
    assert end(first) == []
    assert (workdir / "lib/.envrc").read_text() == "mine"
