"""What holds for the programs of every Python framework with an adapter, and a person who decides."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Any, NamedTuple

import pytest

from answering import waiting, yes
from clients.client_bench import no
from clients.python_frameworks import (
    CRASHING,
    ClaudeAgentSdk,
    ConnectOnion,
    ConnectOnionWithOurPlugin,
    Framework,
    LangChain,
    LangChainBlocking,
    LangChainInterrupts,
    McpClient,
    OpenAIAgents,
    PydanticAI,
    output_of,
)
from clients.scripted_model import ScriptedModel
from signoff.queue import Decision, RequestState, ReviewQueue, StoredRequest, open_review_queue
from signoff.queue.amendment import EDIT
from system_bench import eventually

BLOCKING = (LangChainBlocking, ConnectOnion, ConnectOnionWithOurPlugin)
"""Those whose programs have no event loop, and so no way to cancel their run but Ctrl+C."""
CANCELLING = (PydanticAI, LangChain, LangChainInterrupts, OpenAIAgents, ClaudeAgentSdk, McpClient)
EVERY = (*CANCELLING, *BLOCKING)
EDITING = tuple(kind for kind in EVERY if EDIT in kind.supports)


@pytest.fixture
def program(request: pytest.FixtureRequest, tmp_path: Path) -> Framework:
    found: Framework = request.param(tmp_path)
    return found


def on(*kinds: type[Framework]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("program", kinds, indirect=True, ids=lambda kind: kind.__name__)


class WaitingCall(NamedTuple):
    """A call that nobody has answered yet."""

    asked: StoredRequest
    queue: ReviewQueue
    model: ScriptedModel[Any]
    process: Popen[str]

    def withdrawn(self) -> str:
        """Wait until the request is withdrawn; returns the recorded reason."""

        def is_withdrawn() -> bool:
            self.queue.pending()  # notes who is gone
            return self.queue.get(self.asked.id).state is RequestState.WITHDRAWN

        eventually(is_withdrawn, "the request is withdrawn")
        return self.queue.get(self.asked.id).state_note or ""


@contextmanager
def waiting_call(program: Framework) -> Iterator[WaitingCall]:
    """Run a program until its call waits."""
    with (
        open_review_queue(program.place) as queue,
        program.model([[program.sends("anna")], program.says("done")]) as model,
        program.begin(model) as process,
    ):
        try:
            [asked] = eventually(queue.pending, "the call waits")
            yield WaitingCall(asked, queue, model, process)
        finally:
            process.kill()


def assert_told_why(program: Framework, model: ScriptedModel[Any], words: str) -> None:
    """Nothing ran, and the model knows why."""
    assert (words if program.tells_why else "Connection closed") in model.told[0]
    assert program.sent == []


# -- Answers.


@on(*EVERY)
def test_an_approved_call_runs_as_it_was_shown(program: Framework) -> None:
    with program.reviewed(yes) as reviewer:
        program.run([program.sends("anna")])
    [asked] = reviewer.seen
    assert (asked.submission.arguments or {}).items() >= program.arguments("anna").items()
    assert asked.asked_by.via == program.via
    assert program.sent == ["anna"]


@on(*EVERY)
def test_a_reviewer_is_offered_what_the_framework_can_do(program: Framework) -> None:
    with program.reviewed(yes) as reviewer:
        program.run([program.sends("anna")])
    assert [asked.submission.supports for asked in reviewer.seen] == [program.supports]


@on(*EVERY)
def test_the_model_reads_the_words_of_a_soft_no_and_goes_on(program: Framework) -> None:
    with program.reviewed(no("ask her first")):
        model, _ = program.run([program.sends("anna")])
    assert "ask her first" in model.told[0]
    assert (program.sent, model.asked) == ([], 2)


@on(*EVERY)
def test_a_hard_no_ends_the_turn_with_all_its_calls(program: Framework) -> None:
    def stop_the_first(request: StoredRequest) -> Decision | None:
        first = (request.submission.arguments or {}).items() >= program.arguments("anna").items()
        return Decision(approved=False, note="wrong plan", hard=True) if first else None

    with program.reviewed(stop_the_first), open_review_queue(program.place) as queue:
        model, output = program.run([program.sends("anna"), program.sends("bob")], [program.sends("carl")])
        assert not queue.pending()
    assert (program.sent, model.asked) == ([], 1)
    assert "wrong plan" in output


@on(*EDITING)
def test_an_edited_call_runs_as_edited(program: Framework) -> None:
    with program.reviewed(lambda asked: Decision(approved=True, instead=program.changed(asked, "bob"))):
        program.run([program.sends("anna")])
    assert program.sent == ["bob"]


@on(*EVERY)
def test_an_approval_for_the_session_answers_equal_calls_and_no_other(program: Framework) -> None:
    with program.reviewed(lambda _: Decision(approved=True, remember=True)) as reviewer:
        program.run(*([program.sends(to)] for to in ("anna", "anna", "bob")))
    assert len(reviewer.seen) == 2
    assert program.sent == ["anna", "anna", "bob"]


# -- Ends without an answer.


@on(*CANCELLING)
def test_the_request_of_a_run_that_the_program_cancels_is_withdrawn(program: Framework) -> None:
    with waiting_call(program) as call:
        call.process.send_signal(signal.SIGUSR1)
        assert call.withdrawn() == "the agent stopped waiting"
    assert program.sent == []


@on(*EVERY)
def test_the_request_of_a_program_that_is_interrupted_is_withdrawn(program: Framework) -> None:
    with waiting_call(program) as call:
        call.process.send_signal(signal.SIGINT)
        call.withdrawn()
        output_of(call.process)
    assert program.sent == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "ended"])
@on(*EVERY)
def test_the_request_of_a_program_that_is_gone_is_withdrawn(program: Framework, number: signal.Signals) -> None:
    with waiting_call(program) as call:
        call.process.send_signal(number)
        call.withdrawn()
    assert program.sent == []


@on(*EVERY)
def test_nobody_answers_in_time(program: Framework) -> None:
    with program.reviewed(waiting):
        model, _ = program.run([program.sends("anna")], SIGNOFF_EXPIRES_IN="0.5")
    assert_told_why(program, model, "expired")


# -- Faults.


@on(*EVERY)
def test_a_queue_that_cannot_be_used_keeps_the_call_from_running(program: Framework) -> None:
    program.place.write_text("no queue")
    model, _ = program.run([program.sends("anna")])
    assert_told_why(program, model, "is not a directory")


def remove(place: Path) -> None:
    trash = place.with_name("trash")  # at once, so that nobody finds it half removed
    place.rename(trash)
    shutil.rmtree(trash)


def replace(place: Path) -> None:
    place.rename(place.with_name("elsewhere"))
    open_review_queue(place).close()


@pytest.mark.parametrize("harm", [remove, replace])
@on(*EVERY)
def test_a_queue_that_is_lost_while_a_call_waits_keeps_it_from_running(
    program: Framework, harm: Callable[[Path], None]
) -> None:
    with waiting_call(program) as call:
        harm(program.place)
        output_of(call.process)
    assert_told_why(program, call.model, "what waited there does not run")


@on(*EVERY)
def test_a_fault_on_our_side_keeps_the_call_from_running(program: Framework) -> None:
    program.controller = CRASHING
    model, output = program.run([program.sends("anna")])
    assert "out of order" in "".join([*model.told, output])
    assert program.sent == []


@on(*EVERY)
def test_a_setting_that_cannot_be_used_is_told_before_the_model_is_asked(program: Framework) -> None:
    model, output = program.run([program.sends("anna")], SIGNOFF_EXPIRES_IN="never")
    assert "SIGNOFF_EXPIRES_IN is 'never'" in output
    assert model.asked == 0


@on(*(kind for kind in EVERY if not issubclass(kind, ConnectOnion)))
def test_a_framework_that_is_missing_is_told_before_the_model_is_asked(program: Framework) -> None:
    model, output = program.run([program.sends("anna")], python=program.other_python)
    assert f"pip install 'signoff[{program.extra}]'" in output
    assert model.asked == 0
