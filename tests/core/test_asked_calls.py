"""`@signoff.asks` and `signoff.ask`: plain Python that asks before it acts."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

import signoff
from answering import Answer, Reviewer, yes
from asked import Asked
from signoff import ApprovalController, ApprovalDeniedError
from signoff.asked_calls import forget_controller
from signoff.canonical import NotJsonError
from signoff.queue import Decision, StoredRequest


@pytest.fixture(autouse=True)
def _own_controller() -> Iterator[None]:
    """Each test asks in a queue of its own."""
    yield
    forget_controller()


def no(_: StoredRequest) -> Decision:
    return Decision(approved=False, note="not on a Friday")


def asked(**answer: Any) -> tuple[Asked, ApprovalController]:
    person = Asked(**{"approved": True, **answer})
    return person, ApprovalController(approval_callback=person)


def deploy(to: str, force: bool = False) -> str:
    """Deploy."""
    return f"{to} {force}"


# -- The decorator.


@pytest.mark.parametrize("decorate", [signoff.asks, signoff.asks()])
def test_an_approved_call_runs(decorate: Any, reviewed: Callable[[Answer], Reviewer]) -> None:
    reviewer = reviewed(yes)
    assert decorate(deploy)("staging") == "staging False"
    [request] = reviewer.seen
    assert (request.submission.tool_name, dict(request.submission.arguments)) == (
        "deploy",
        {"to": "staging", "force": False},
    )


async def test_an_asynchronous_function_waits(reviewed: Callable[[Answer], Reviewer]) -> None:
    reviewed(yes)

    @signoff.asks
    async def publish(to: str) -> str:
        return to

    assert inspect.iscoroutinefunction(publish)
    assert await asyncio.gather(publish("a"), publish("b")) == ["a", "b"]


def test_a_refused_call_does_not_run_and_says_why(reviewed: Callable[[Answer], Reviewer]) -> None:
    reviewed(no)
    ran: list[str] = []

    @signoff.asks
    def publish(to: str) -> None:
        ran.append(to)

    with pytest.raises(ApprovalDeniedError, match="not on a Friday"):
        publish("staging")
    assert not ran


def test_what_has_a_text_of_its_own_is_shown_by_it() -> None:
    person, controller = asked()

    @signoff.asks(controller=controller)
    def send(path: Path, data: bytes, *more: int, wait: timedelta, **options: str) -> str:
        return f"{path} {data!r} {more} {wait} {options}"

    said = send(Path("/a"), b"xyz", 1, 2, wait=timedelta(seconds=3), tone="kind")
    assert said == "/a b'xyz' (1, 2) 0:00:03 {'tone': 'kind'}"
    arguments = person.requests[0].arguments
    assert arguments is not None
    assert (arguments["path"], arguments["data"], arguments["more"]) == ("/a", "eHl6", [1, 2])
    assert (arguments["wait"], arguments["options"]) == ("PT3S", {"tone": "kind"})


def test_an_argument_that_cannot_be_shown_is_refused() -> None:
    person, controller = asked()
    with pytest.raises(NotJsonError, match="deploy"):
        signoff.asks(controller=controller)(deploy)(object())  # type: ignore[arg-type]
    assert not person.requests


def test_a_wrong_call_is_an_error_of_the_caller() -> None:
    person, controller = asked()
    with pytest.raises(TypeError, match="to"):
        signoff.asks(controller=controller)(deploy)()  # type: ignore[call-arg]
    assert not person.requests


def test_a_remembered_approval_is_for_these_arguments() -> None:
    person, controller = asked(remember="session")
    ask = signoff.asks(controller=controller)(deploy)
    assert [ask("a"), ask("a"), ask("a", force=True), ask(to="a", force=False)] == [
        "a False",
        "a False",
        "a True",
        "a False",
    ]
    assert person.times == 2


def test_a_remembered_approval_is_not_for_another_function_of_its_name() -> None:
    def made(folder: str) -> Any:
        space: dict[str, Any] = {"__name__": folder}
        exec("def drop(table): return __name__", space)  # as a module of that name
        return space["drop"]

    person, controller = asked(remember="session")
    drops = [signoff.asks(controller=controller)(made(each)) for each in ("test", "prod", "test")]
    assert [drop("orders") for drop in drops] == ["test", "prod", "test"]
    assert person.times == 2


def test_a_remembered_approval_is_not_for_another_function_in_its_place() -> None:
    def typed(line: str) -> Any:
        space: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(line, "<stdin>", "exec"), space)  # as in a console
        return space["drop"]

    person, controller = asked(remember="session")
    drops = [
        signoff.asks(controller=controller)(typed(f"def drop(table): return {text!r}"))
        for text in ("test", "prod")
    ]
    assert [drop("orders") for drop in drops] == ["test", "prod"]
    assert person.times == 2


@pytest.mark.parametrize("kind", ["closure", "lambda"])
def test_an_approval_of_a_function_without_a_place_of_its_own_is_not_remembered(kind: str) -> None:
    def drop_in(database: str) -> Any:
        def drop(table: str) -> str:
            return database + table

        return drop

    functions: tuple[Any, Any] = {
        "closure": (drop_in("test"), drop_in("prod")),
        "lambda": (lambda table: table, lambda table: 2 * table),
    }[kind]
    person, controller = asked(remember="session")
    for function in functions:
        with pytest.warns(RuntimeWarning, match="once"):
            signoff.asks(controller=controller)(function)("orders")
    assert person.times == 2


def test_an_approval_for_the_session_is_not_offered_for_a_closure(reviewed: Callable[[Answer], Reviewer]) -> None:
    reviewer, ran = reviewed(yes), list[str]()

    @signoff.asks
    def publish(to: str) -> None:
        ran.append(to)

    publish("staging")
    [request] = reviewer.seen
    assert "session" not in request.submission.supports


def test_keys_that_are_left_out_are_shown_and_not_matched() -> None:
    person, controller = asked(remember="session")
    ask = signoff.asks(controller=controller, exclude_keys={"force"}, description=lambda args: f"to {args['to']}")
    ask(deploy)("a")
    ask(deploy)("a", force=True)
    [request] = person.requests
    assert (request.description, request.payload) == ("to a", {"to": "a"})
    assert request.arguments == {"to": "a", "force": False}


def test_an_argument_that_changes_while_a_person_decides_does_not_run() -> None:
    names = ["a"]
    ran: list[list[str]] = []
    controller = ApprovalController(approval_callback=lambda _: (names.append("b"), Asked(approved=True)(_))[1])

    @signoff.asks(controller=controller)
    def remove(which: list[str]) -> None:
        ran.append(which)

    with pytest.raises(PermissionError, match="was changed since it was approved"):
        remove(names)
    assert not ran


def test_frameworks_see_the_function_as_it_was() -> None:
    ask = signoff.asks(deploy)
    assert inspect.signature(ask) == inspect.signature(deploy)
    assert (ask.__name__, ask.__doc__) == ("deploy", "Deploy.")


def test_what_is_no_function_is_not_decorated() -> None:
    with pytest.raises(TypeError, match="below the decorator of your framework"):
        signoff.asks(print)


def generates(to: str) -> Iterator[str]:
    yield to


async def generates_later(to: str) -> AsyncIterator[str]:
    yield to


@pytest.mark.parametrize("generator", [generates, generates_later])
def test_a_generator_is_not_decorated_for_its_body_runs_later(generator: Any) -> None:
    with pytest.raises(TypeError, match="not for a generator, such as generates"):
        signoff.asks(generator)


async def publishes(to: str) -> str:
    return to


@pytest.mark.parametrize("later", [publishes, generates, generates_later])
def test_a_function_that_hands_out_a_body_to_run_later_is_refused(later: Callable[[str], Any]) -> None:
    def calls(to: str) -> Any:
        return later(to)

    _, controller = asked()
    with pytest.raises(TypeError, match=r"calls returned a .*, which is refused"):
        signoff.asks(controller=controller)(calls)("staging")


async def test_an_asynchronous_function_that_hands_out_a_body_to_run_later_is_refused() -> None:
    async def calls(to: str) -> Any:
        return publishes(to)

    _, controller = asked()
    with pytest.raises(TypeError, match="calls returned a coroutine, which is refused"):
        await signoff.asks(controller=controller)(calls)("staging")


def test_a_method_is_not_decorated_for_its_object_would_not_be_seen() -> None:
    with pytest.raises(TypeError, match=r"call signoff\.ask in it"):

        class Mailer:
            @signoff.asks
            def send(self, to: str) -> None: ...


# -- One call.


def test_one_call_is_asked_about() -> None:
    person, controller = asked(note="go on")
    decision = signoff.ask("drop table", {"name": "orders"}, server="shop", controller=controller)
    assert decision.note == "go on"
    [request] = person.requests
    assert (request.tool_name, request.server, request.payload) == ("drop table", "shop", {"name": "orders"})


def test_one_call_that_is_refused_raises() -> None:
    _, controller = asked(approved=False, note="never")
    with pytest.raises(PermissionError, match="never"):
        signoff.ask("drop table", controller=controller)


def test_threads_of_a_process_are_one_agent(reviewed: Callable[[Answer], Reviewer]) -> None:
    reviewer = reviewed(yes)
    threads = [threading.Thread(target=signoff.ask, args=("deploy", {"to": str(n)})) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({request.asked_by.session for request in reviewer.seen}) == 1
