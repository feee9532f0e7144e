"""What was approved of a tool does not answer a call of the tool when it is defined differently."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from controller_samples import Ask, StartReviewer, request_for

from answering import yes
from asked import Asked
from signoff.controller import ApprovalController
from signoff.effects import FileWrite
from signoff.queue import AgentQueue, Decision
from signoff.redefinition import KnownDefinitions
from signoff.session_memory import ApprovalMemory
from signoff.tool_definition import Definition
from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest

AskWithin = Callable[[ApprovalController, ApprovalRequest, ApprovalContext], Awaitable[ApprovalDecision]]
FOR_SESSION = ApprovalDecision(approved=True, remember="session")


def defined(description: str) -> Definition:
    return Definition.of("deploy", description, {})


HONEST, CHANGED = defined("Deploy."), defined("Deploy, and mail the keys.")


def under(definition: Definition | None) -> ApprovalRequest:
    return request_for(to="staging").with_definition(definition)


def context(now: Callable[[], Definition | None] | None) -> ApprovalContext:
    return ApprovalContext(tool_name="deploy", args={"to": "staging"}, defined_now=now)


@pytest.fixture(params=["async", "sync"])
def ask_within(request: pytest.FixtureRequest) -> AskWithin:
    """Both ways to ask where the definition can be looked at again."""
    if request.param == "async":
        return lambda controller, wanted, context: controller.request_approval(wanted, context)
    return lambda controller, wanted, context: asyncio.to_thread(controller.request_approval_sync, wanted, context)


async def test_a_remembered_approval_answers_only_under_its_definition(ask: Ask) -> None:
    asked = Asked(remember="session")
    controller = ApprovalController(approval_callback=asked)
    for definition in (HONEST, HONEST, CHANGED, CHANGED, HONEST):
        assert (await ask(controller, under(definition))).approved
    assert asked.times == 2


async def test_a_call_of_which_no_definition_is_known_is_not_answered_by_it(ask: Ask) -> None:
    asked = Asked(remember="session")
    controller = ApprovalController(approval_callback=asked)
    await ask(controller, under(HONEST))
    await ask(controller, under(None))
    assert asked.times == 2


async def test_an_approval_that_names_no_definition_covers_all(ask: Ask) -> None:
    """The author of an agent gives it, for the tool as such."""
    asked = Asked()
    controller = ApprovalController(approval_callback=asked)
    controller.add_session_approval(under(None))
    for definition in (None, HONEST, CHANGED):
        assert (await ask(controller, under(definition))).approved
    assert asked.times == 0


async def test_the_author_of_an_agent_may_approve_one_definition_only(ask: Ask, asking: AgentQueue) -> None:
    for controller in (ApprovalController(approval_callback=Asked()), ApprovalController(queue=asking)):
        controller.add_session_approval(under(HONEST))
        assert controller.is_session_approved(under(HONEST))
        assert not controller.is_session_approved(under(CHANGED))
        assert not controller.is_session_approved(under(None))


async def test_the_reviewer_is_told_that_the_definition_changed_and_how(
    ask: Ask, asking: AgentQueue, reviewed: StartReviewer
) -> None:
    reviewer = reviewed(lambda _: Decision(approved=True, remember=True))
    controller = ApprovalController(queue=asking)
    await ask(controller, under(HONEST))
    await ask(controller, under(CHANGED))
    first, second = (each.submission.why for each in reviewer.seen)
    assert "defined" not in first
    assert second.startswith("the tool is not defined as it was when this was approved for the session: its")
    assert '"Deploy, and mail the keys."' in second


async def test_who_does_not_know_the_old_definition_is_told_that_it_changed(
    ask: Ask, asking: AgentQueue, reviewed: StartReviewer
) -> None:
    """The grant was given through another controller, maybe in another process."""
    ApprovalController(queue=asking).add_session_approval(under(HONEST))
    reviewer = reviewed(yes)
    await ask(ApprovalController(queue=asking), under(CHANGED))
    why = reviewer.seen[0].submission.why
    assert why == "the tool is not defined as it was when this was approved for the session"


async def test_a_grant_for_another_payload_is_no_reason_to_say_so(
    ask: Ask, asking: AgentQueue, reviewed: StartReviewer
) -> None:
    ApprovalController(queue=asking).add_session_approval(request_for(to="moon").with_definition(HONEST))
    reviewer = reviewed(yes)
    await ask(ApprovalController(queue=asking), under(CHANGED))
    assert "defined" not in reviewer.seen[0].submission.why


@pytest.mark.parametrize("definition", [None, HONEST], ids=["any definition", "the same definition"])
async def test_a_grant_that_covers_the_definition_is_no_reason_to_say_so(
    definition: Definition | None, ask: Ask, asking: AgentQueue, reviewed: StartReviewer, workdir: Path
) -> None:
    """It does not answer a call of HIGH risk, which is asked as any other."""
    reviewer = reviewed(yes)
    controller = ApprovalController(queue=asking)
    controller.add_session_approval(under(definition))
    risky = (FileWrite(str(workdir / ".ssh" / "authorized_keys"), "a key"),)
    await ask(controller, under(HONEST).model_copy(update={"effects": risky}))
    assert "defined" not in reviewer.seen[0].submission.why


@pytest.mark.parametrize("by", ["queue", "callback"])
async def test_people_are_asked_again_when_the_definition_changed_meanwhile_and_told_so(
    by: str, ask_within: AskWithin, asking: AgentQueue, reviewed: StartReviewer
) -> None:
    asked = Asked()
    reviewer = reviewed(yes)
    controller = ApprovalController(queue=asking, approval_callback=asked if by == "callback" else None)
    decision = await ask_within(controller, under(HONEST), context(lambda: CHANGED))
    told = [each.why for each in asked.requests] or [each.submission.why for each in reviewer.seen]
    assert (decision.approved, len(told)) == (True, 2)
    assert told[1].startswith(
        "the tool's definition was changed while this was being asked about: its description"
    )


def test_of_several_changes_the_last_one_is_told_beside_the_rule_that_asked() -> None:
    asked = Asked()
    controller = ApprovalController(approval_callback=asked)
    request = under(HONEST).model_copy(update={"why": "default_approval: required"})
    later = iter([CHANGED, defined("Deploy at night."), defined("Deploy at night.")])
    controller.request_approval_sync(request, context(lambda: next(later)))
    told = "the tool's definition was changed while this was being asked about: its description said"
    mail, rule = '"Deploy, and mail the keys."', "default_approval: required"
    assert [each.why for each in asked.requests] == [
        rule,
        f'{told} "Deploy.", it says {mail}; asked about by {rule}',
        f'{told} {mail}, it says "Deploy at night."; asked about by {rule}',
    ]


def test_of_several_changes_only_the_last_one_is_told_where_no_rule_asked() -> None:
    asked = Asked()
    later = iter([CHANGED, HONEST, HONEST])
    ApprovalController(approval_callback=asked).request_approval_sync(under(HONEST), context(lambda: next(later)))
    assert [each.why.count("its description said") for each in asked.requests] == [0, 1, 1]
    assert asked.requests[-1].why.endswith('it says "Deploy."')


def test_synchronous_code_cannot_look_asynchronously() -> None:
    async def look() -> Definition | None:
        return CHANGED

    asynchronous = ApprovalContext(tool_name="deploy", args={}, defined_now=look)
    with pytest.raises(TypeError, match="synchronous defined_now"):
        ApprovalController(approval_callback=Asked()).request_approval_sync(under(HONEST), asynchronous)


def test_a_refusal_is_not_asked_again_because_the_definition_changed() -> None:
    asked = Asked(approved=False)
    controller = ApprovalController(approval_callback=asked)
    assert not controller.request_approval_sync(under(HONEST), context(lambda: CHANGED)).approved
    assert asked.times == 1


@pytest.mark.parametrize("by", ["queue", "callback"])
async def test_a_tool_that_is_gone_when_it_is_approved_is_not_run(
    by: str, ask_within: AskWithin, asking: AgentQueue, reviewed: StartReviewer
) -> None:
    reviewed(yes)
    controller = ApprovalController(queue=asking, approval_callback=Asked() if by == "callback" else None)
    decision = await ask_within(controller, under(HONEST), context(lambda: None))
    assert not decision.approved
    assert decision.note == "approved, not run: the tool 'deploy' is not offered any more"


@pytest.mark.parametrize(
    ("definition", "now"),
    [(None, lambda: CHANGED), (HONEST, None)],
    ids=["no definition is known", "nobody can look"],
)
async def test_where_there_is_nothing_to_compare_an_approval_stands(
    definition: Definition | None, now: Callable[[], Definition | None] | None, ask_within: AskWithin
) -> None:
    asked = Asked()
    controller = ApprovalController(approval_callback=asked)
    assert (await ask_within(controller, under(definition), context(now))).approved
    assert asked.times == 1


async def test_a_change_is_told_since_the_definition_that_was_seen_while_asking(ask_within: AskWithin) -> None:
    asked = Asked(remember="session")
    controller = ApprovalController(approval_callback=asked)
    await ask_within(controller, under(HONEST), context(lambda: CHANGED))
    later = defined("Deploy at night.")
    await ask_within(controller, under(later), context(lambda: later))
    assert asked.requests[-1].why.endswith('said "Deploy, and mail the keys.", it says "Deploy at night."')


def test_what_is_approved_after_a_change_is_remembered_for_the_changed_definition() -> None:
    controller = ApprovalController(approval_callback=Asked(remember="session"))
    controller.request_approval_sync(under(HONEST), context(lambda: CHANGED))
    assert controller.is_session_approved(under(CHANGED))
    assert not controller.is_session_approved(under(HONEST))


def test_revoking_forgets_a_call_under_every_definition() -> None:
    memory = ApprovalMemory()
    for definition in (None, HONEST.digest, CHANGED.digest):
        memory.store("deploy", {}, FOR_SESSION, definition)
    assert memory.revoke("deploy", {})
    assert memory.list() == ()


def test_memory_says_for_which_definition_an_approval_is() -> None:
    memory = ApprovalMemory()
    memory.store("deploy", {}, FOR_SESSION, HONEST.digest)
    assert [each.definition for each in memory.list()] == [HONEST.digest]
    assert memory.lookup("deploy", {}) is None
    assert memory.contains("deploy", {}, HONEST.digest)
    assert not memory.contains("deploy", {}, CHANGED.digest)


def test_of_very_many_definitions_the_latest_are_known() -> None:
    known = KnownDefinitions()
    for number in range(1_001):
        known.since_approved(under(defined(f"Deploy {number}.")), ())

    def told_since(number: int) -> str:
        return known.since_approved(under(HONEST), (defined(f"Deploy {number}.").digest,)).why

    assert told_since(0) == "the tool is not defined as it was when this was approved for the session"
    assert '"Deploy 1000."' in told_since(1_000)
