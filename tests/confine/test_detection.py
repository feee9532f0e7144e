"""Whether commands can be confined is found by confining one: a program that only looks right is found out."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from signoff.confine import bubblewrap
from signoff.confine.bubblewrap import Bubblewrap
from signoff.confine.detect import CHECKS, Unusable, Usable, detect, first_usable
from signoff.confine.errors import LaunchError
from signoff.confine.profile import OSProfile

Install = Callable[[str], None]


@pytest.fixture(autouse=True)
def _tried_anew() -> Iterator[None]:
    detect.cache_clear()
    yield
    detect.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a program in the place of Bubblewrap: the directories in which it is looked for are no setting."""
    monkeypatch.setattr(bubblewrap, "_PROGRAMS", (str(tmp_path / "bwrap"),))
    monkeypatch.setattr(bubblewrap, "_require_trusted", lambda path: None)
    monkeypatch.setattr(bubblewrap, "_SECONDS", 0.5)

    def put(body: str) -> None:
        program = tmp_path / "bwrap"
        program.write_text(f"#!{sys.executable} -IS\n{_FAKE}\n{body}\n")
        program.chmod(0o755)

    return put


REAL = shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin")
_FAKE = f"""
import json, os, sys
at = sys.argv.index("--args")
number = int(sys.argv[at + 1])
with open(number, "rb") as told:
    options = sys.argv[1:at] + told.read().decode().split("\\0")[:-1]
command = sys.argv[sys.argv.index("--") + 1:]
def of(name):
    return int(options[options.index(name) + 1])
def tell(pid):
    os.write(of("--info-fd"), json.dumps({{"child-pid": pid}}).encode())
    os.close(of("--info-fd"))
def confined(options):
    again = os.memfd_create("options", 0)
    os.write(again, "".join(word + "\\0" for word in options).encode())
    os.lseek(again, 0, 0)
    os.set_inheritable(again, True)
    os.execv({REAL!r}, ["bwrap", "--args", str(again), "--", *command])
def without(name, words=1):
    place = options.index(name)
    return options[:place] + options[place + words:]
"""


def unusable() -> Unusable:
    found = detect("bwrap")
    assert isinstance(found, Unusable)
    assert found.backend == "bwrap"
    assert first_usable(["bwrap"]) == (found,)
    assert found.reason in str(found)
    assert found.remedy in str(found)
    return found


# -- Programs that do not confine.


def test_one_that_drops_its_options_and_runs_the_command(install: Install) -> None:
    install("os.execvp(command[0], command)")
    found = unusable()
    assert found.reason == "no command can be started in it"
    assert "was not set up" in found.raw_line


def test_one_that_says_what_is_expected_and_runs_the_command(install: Install) -> None:
    install('tell(os.getpid()); os.read(of("--block-fd"), 1); os.execvp(command[0], command)')
    found = unusable()
    assert found.reason == "no command can be started in it"
    assert "the sandbox was not set up within" in found.raw_line


def test_one_that_says_and_does_nothing(install: Install) -> None:
    install("import time; time.sleep(60)")
    found = unusable()
    assert "was not set up within 0.5 seconds" in found.raw_line


def test_one_that_fails_says_why(install: Install) -> None:
    install('sys.exit("bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted")')
    found = unusable()
    assert "Failed RTM_NEWADDR" in found.raw_line
    assert "AppArmor profile" in found.remedy


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ("bwrap: setting up uid map: Permission denied", "AppArmor profile"),
        ("bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "unmasked /proc"),
        (
            "bwrap: Creating new namespace failed: nesting depth or max_*_namespaces exceeded (ENOSPC)",
            "max_user_namespaces",
        ),
        (
            "bwrap: No permissions to create new namespace, likely because the kernel does not allow it",
            "chroot",
        ),
        ("bwrap: setting up uid map: Operation not permitted", "SETFCAP"),
        ("bwrap: Can't bind mount /oldroot/dev/tty on /newroot/dev/tty: No such file", "usual devices"),
        ("bwrap: something else", "docs/sandbox.md"),
    ],
)
def test_what_a_person_can_do_follows_from_what_it_said(install: Install, said: str, remedy: str) -> None:
    install(f"sys.exit({said!r})")
    found = unusable()
    assert said in found.raw_line
    assert remedy in found.remedy


def test_none_at_all(install: Install) -> None:
    found = unusable()
    assert "not installed" in found.raw_line
    assert found.remedy == "install bubblewrap (apt install bubblewrap)"


# -- Why one did not set up a sandbox.


def refusal(**streams: Any) -> LaunchError:
    with pytest.raises(LaunchError) as caught:
        Bubblewrap().start(["true"], OSProfile, cwd="/", env={}, **streams)
    return caught.value


@pytest.mark.parametrize(
    "told", ["", "child = os.fork()\nif not child: os._exit(1)\ntell(child); time.sleep(0.1)"]
)
def test_what_it_says_is_the_reason_whenever_it_fails(install: Install, told: str, tmp_path: Path) -> None:
    install(f'import time\n{told}\nsys.exit("bwrap: Can\'t mount proc on /newroot/proc")')
    said = "the sandbox was not set up: bwrap: Can't mount proc on /newroot/proc"
    with (tmp_path / "output").open("w+b") as output:
        for streams in ({"stdout": output, "stderr": subprocess.STDOUT}, {"stderr": subprocess.PIPE}):
            error = refusal(**streams)
            assert error.words == said
            assert "unmasked /proc" in str(error)


def test_without_words_the_exit_code_is_told(install: Install, capfd: pytest.CaptureFixture[str]) -> None:
    install("sys.exit(3)")
    words = "the sandbox was not set up: bwrap ended with exit code 3"
    assert str(refusal(stderr=subprocess.DEVNULL)) == words
    install('sys.exit("bwrap: no")')
    above = ", and its own words stand above"
    assert str(refusal()) == f"{words[:-1]}1{above}"
    assert capfd.readouterr().err == "bwrap: no\n"


def test_or_the_signal_that_ended_it(install: Install) -> None:
    install("os.kill(os.getpid(), 9)")
    error = refusal()
    assert error.words == "the sandbox was not set up: bwrap was ended by SIGKILL"
    assert error.remedy == "try again; if it happens again, memory or processes are short"


@pytest.mark.usefixtures("real_sandbox")
def test_a_command_that_the_system_cannot_start_is_told() -> None:
    with pytest.raises(LaunchError, match="bwrap cannot be started: Argument list too long"):
        Bubblewrap().start(["x" * (1 << 20)], OSProfile, cwd="/", env={})


# -- Programs that confine less.

LESS = {
    "--unshare-net": "it has a network of its own",
    "--cap-drop": "it has no capabilities",
    "--seccomp": "its system calls are filtered",
}


@pytest.mark.usefixtures("real_sandbox")
@pytest.mark.parametrize(("option", "words"), [("--unshare-net", 1), ("--seccomp", 2)])
def test_one_that_leaves_out_an_option(install: Install, option: str, words: int) -> None:
    install(f"confined(without({option!r}, {words}))")
    found = unusable()
    assert found.reason == f"a command ran in it and was not confined: not so: {LESS[option]}"
    assert found.remedy == "do not use this one"


@pytest.mark.usefixtures("real_sandbox")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root has capabilities to keep")
def test_one_that_keeps_the_capabilities_of_root(install: Install) -> None:
    install('confined(without("--cap-drop", 2))')
    assert LESS["--cap-drop"] in unusable().reason


@pytest.mark.usefixtures("real_sandbox")
@pytest.mark.parametrize(
    "change",
    [
        'options = ["--bind" if word == "--ro-bind" else word for word in options]',
        'options = without("--unshare-pid")',
        'options = [*options, "--bind", "/", "/"]',
        'options = [*options, "--bind", "/etc", "/etc"]',
        'options = ["--remount-ro" == word and "--dir" or word for word in options]',
    ],
)
def test_one_that_mounts_more(install: Install, change: str) -> None:
    install(f"{change}\nconfined(options)")
    unusable()


# -- The real one.


@pytest.mark.usefixtures("real_sandbox")
def test_the_real_one_is_tried_once_in_a_process() -> None:
    found = detect("bwrap")
    assert isinstance(found, Usable)
    assert found.checks == CHECKS
    assert detect("bwrap") is found


def test_a_program_that_others_can_change_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "_PROGRAMS", (str(tmp_path / "bwrap"),))
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o777)
    assert "does not belong to root alone" in unusable().raw_line


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a program of root's")
def test_a_set_user_id_program_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "_PROGRAMS", (str(tmp_path / "bwrap"),))
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755 | stat.S_ISUID)
    assert "is set-user-id" in unusable().raw_line


def test_no_program_is_looked_for_in_a_place_of_the_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bubblewrap, "_PROGRAMS", (str(tmp_path / "other/bwrap"),))
    assert "not installed" in unusable().raw_line
