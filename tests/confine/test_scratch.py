"""Directories that are there as long as the process that made them, even if it is killed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from signoff.confine.scratch import directory_while_alive

_PREFIX = "signoff-review-"
_HOLDS = f"""
import sys
sys.path[:0] = {sys.path!r}
from pathlib import Path
from signoff.confine.scratch import directory_while_alive
with directory_while_alive({_PREFIX!r}) as path:
    Path(path, "0/closed").mkdir(parents=True)
    Path(path, "0/closed/link").symlink_to(sys.argv[1])
    Path(path, "0/closed").chmod(0)
    print(path, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def held(outside: Path) -> tuple[subprocess.Popen[str], Path]:
    """A process that holds a directory, in which a link leads to another one."""
    outside.mkdir(exist_ok=True)
    (outside / "file").write_text("mine\n")
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", _HOLDS, str(outside)], stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def next_start() -> None:
    with directory_while_alive(_PREFIX) as path:
        assert os.stat(path).st_mode & 0o777 == 0o700
    assert not Path(path).exists()


def test_what_a_killed_process_left_is_removed_at_the_next_start(temporary: Path) -> None:
    process, left = held(temporary / "outside")
    with process:
        process.kill()
        process.wait()
        assert (left / "0").is_dir()
        next_start()
    assert not left.exists()
    assert (temporary / "outside/file").read_text() == "mine\n"


def test_what_a_living_process_holds_stays(temporary: Path) -> None:
    process, lives = held(temporary / "outside")
    with process:
        next_start()
        assert (lives / "0").is_dir()
        process.communicate("")
    assert not lives.exists()


def test_a_link_of_such_a_name_is_not_followed(temporary: Path) -> None:
    private = temporary / "private"
    private.mkdir(0o700)
    (private / "file").write_text("mine\n")
    (temporary / f"{_PREFIX}link").symlink_to(private)
    next_start()
    assert (private / "file").read_text() == "mine\n"


def test_a_directory_that_others_may_enter_is_none_of_ours(temporary: Path) -> None:
    open_to_all = temporary / f"{_PREFIX}open"
    open_to_all.mkdir()
    open_to_all.chmod(0o755)
    next_start()
    assert open_to_all.is_dir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory to another user")
def test_a_directory_of_another_user_stays(temporary: Path) -> None:
    other = temporary / f"{_PREFIX}other"
    other.mkdir(0o700)
    os.chown(other, 65534, 65534)
    next_start()
    assert other.is_dir()


def test_one_that_is_made_while_others_start_is_not_removed(temporary: Path) -> None:
    processes = [
        subprocess.Popen([sys.executable, "-c", _MANY], env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)})
        for _ in range(4)
    ]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert [*temporary.iterdir()] == []


_MANY = f"""
from pathlib import Path
from signoff.confine.scratch import directory_while_alive
for _ in range(200):
    with directory_while_alive({_PREFIX!r}) as path:
        Path(path, "file").write_text("")
        assert Path(path, "file").exists()
"""
