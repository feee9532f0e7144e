"""The process that parses: kept warm, replaced when it breaks, and never trusted to be there."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from signoff.policy.shell import worker
from signoff.policy.shell.plain_commands import plain_facts
from signoff.policy.shell.shfmt_tree import facts_of_tree
from signoff.policy.shell.syntax_model import Part, ShellFacts
from signoff.policy.shell.worker import read_command


@pytest.fixture(autouse=True)
def _nothing_remembered() -> None:
    worker._CHILD.forget()


def names(facts: ShellFacts) -> list[str]:
    return [part.words[0].text for part in facts.parts]


def child() -> int:
    process = worker._CHILD._process
    assert process is not None
    return process.pid


def test_the_process_stays_for_the_next_command() -> None:
    read_command("(ls)")
    before = child()
    read_command("(cat)")
    assert child() == before


def test_a_process_that_was_killed_is_replaced() -> None:
    read_command("(ls)")
    before = child()
    os.kill(before, signal.SIGKILL)
    os.waitid(os.P_PID, before, os.WEXITED | os.WNOWAIT)
    assert names(read_command("(cat)")) == ["cat"]
    assert child() != before


def test_a_process_that_hangs_means_that_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    read_command("(ls)")
    monkeypatch.setattr(worker, "_SECONDS", 0.05)
    os.kill(child(), signal.SIGSTOP)
    assert read_command("(rm x)").floors == ("could not be parsed (TimeoutError)",)


def test_a_forked_process_gets_one_of_its_own() -> None:
    read_command("(ls)")
    before = child()
    pid = os.fork()
    if pid == 0:
        os._exit(0 if names(read_command("(cat)")) == ["cat"] and child() != before else 1)
    assert os.waitpid(pid, 0)[1] == 0
    assert names(read_command("(true)")) == ["true"]
    assert child() == before


def test_threads_take_turns() -> None:
    found: list[list[str]] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(names(read_command(f"(prog{n})")))) for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted([f"prog{n}"] for n in range(8))


def test_variables_that_shells_run_are_not_seen_by_the_parsers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: os.PathLike[str]
) -> None:
    script = os.path.join(tmp_path, "env.sh")  # noqa: PTH118
    with open(script, "w") as file:  # noqa: PTH123
        file.write(f"echo ran > {tmp_path}/ran\n")
    monkeypatch.setenv("BASH_ENV", script)
    read_command("(ls $X)")
    assert not os.path.exists(os.path.join(tmp_path, "ran"))  # noqa: PTH110, PTH118


def test_reading_runs_nothing(tmp_path: os.PathLike[str]) -> None:
    target = os.path.join(tmp_path, "made")  # noqa: PTH118
    read_command(f"echo $(touch {target}) `touch {target}` > {target}")
    assert not os.path.exists(target)  # noqa: PTH110


plain_texts = st.text(st.sampled_from("ab cd'\"|&;<>-=*?/.:12#$(){}!\\\t\n~^[]@%+,_"), max_size=14)


@settings(max_examples=120)
@given(plain_texts)
@example("1?a")
@example("a@b c")
@example("a ==")
def test_what_is_read_at_once_is_what_the_parsers_read(text: str) -> None:
    plain = plain_facts(text)
    if plain is None:
        return
    parsed = worker._CHILD.read(text)
    assert [_without_feed(part) for part in plain.parts] == [_without_feed(part) for part in parsed.parts]
    assert not parsed.floors


def _without_feed(part: Part) -> tuple[object, ...]:
    return part.words, part.piped


def test_the_numbers_that_an_old_shfmt_prints_for_operators_are_asked_about() -> None:
    call = {"Type": "CallExpr", "Args": []}
    tree = {
        "Type": "File",
        "Stmts": [{"Cmd": {"Type": "BinaryCmd", "Op": 13, "X": {"Cmd": call}, "Y": {"Cmd": call}}}],
    }
    assert facts_of_tree(tree).floors == ("has operators that an shfmt before 3.14 does not name",)
