"""Answers to the interrupts of LangChain's `HumanInTheLoopMiddleware`, from the queue."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from langchain_core.messages import AIMessage, ToolCall
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, Interrupt

from signoff.adapters.batches import all_decided
from signoff.adapters.look_ahead import look_ahead
from signoff.approved_call import EditedCall
from signoff.canonical import canonical
from signoff.controller import ApprovalController
from signoff.decorators import simple_approval_request
from signoff.expiry import ExpiresIn, seconds_of, within
from signoff.queue.amendment import EDIT
from signoff.types import (
    ApprovalContext,
    ApprovalDecision,
    ApprovalRequest,
    denial_text,
)

__all__ = ["InterruptError", "aanswer_interrupts", "answer_interrupts"]


class InterruptError(RuntimeError):
    """A graph waits for an answer that cannot be given: nothing of it runs."""


def answer_interrupts(
    agent: Any,
    input: Any,  # noqa: A002 - the name of LangGraph
    config: RunnableConfig,
    controller: ApprovalController | None = None,
    *,
    expires_in: ExpiresIn | None = None,
) -> Any:
    """Run an agent, have a person answer each of its interrupts, and return its final state.

    The agent pauses by `HumanInTheLoopMiddleware`, in either of its modes, and has a checkpointer. A rejection
    reaches the model with the reviewer's words, and so does a call about which nobody decided. The calls of a turn
    are one group, and the agent goes on when all are answered. Tools that the middleware lets run do not ask.
    Arguments can be edited in batched mode, where the middleware allows it; the tool validates them.

    Args:
        agent: The compiled graph.
        input: Its input, as for `invoke`; None goes on with a thread that is interrupted already.
        config: Its configuration, with the ``thread_id``.
        controller: The controller that decides; by default a new one, which asks in the local queue.
        expires_in: Seconds (or a `timedelta`) after which a request expires; None leaves it to the controller.

    Raises:
        ApprovalDeniedError: A call was refused hard. The graph stays interrupted, and the calls that wait do not
            run.
        InterruptError: An interrupt is not one of the middleware, its call is not one that the model made, or its
            settings do not let a person reject it.
    """
    return asyncio.run(
        _driven(
            input,
            config,
            controller,
            expires_in,
            partial(asyncio.to_thread, agent.invoke),
            partial(asyncio.to_thread, agent.get_state),
        )
    )


async def aanswer_interrupts(
    agent: Any,
    input: Any,  # noqa: A002 - the name of LangGraph
    config: RunnableConfig,
    controller: ApprovalController | None = None,
    *,
    expires_in: ExpiresIn | None = None,
) -> Any:
    """Do as `answer_interrupts` in asynchronous code. Cancelling it withdraws the requests.

    Raises:
        ApprovalDeniedError: As for `answer_interrupts`.
        InterruptError: As for `answer_interrupts`.
    """
    return await _driven(input, config, controller, expires_in, agent.ainvoke, agent.aget_state)


async def _driven(
    given: Any,
    config: RunnableConfig,
    controller: ApprovalController | None,
    expires_in: ExpiresIn | None,
    invoke: Callable[..., Awaitable[Any]],
    get_state: Callable[..., Awaitable[Any]],
) -> Any:
    controller = controller if controller is not None else ApprovalController()
    seconds = seconds_of(expires_in)
    state = await get_state(config) if given is None else None
    if state is None or not state.interrupts:
        await invoke(given, config)
        state = await get_state(config)
    while state.interrupts:
        answers = await _answers(controller, state.values, state.interrupts, config, seconds)
        await invoke(Command(resume=answers), config)
        state = await get_state(config)
    return state.values


@dataclass(frozen=True, slots=True)
class _PausedCall:
    """A call that waits in an interrupt.

    Attributes:
        interrupt: Id of the interrupt.
        call: The call as the model made it.
        editable: True if the middleware takes other arguments.
        batched: True if its answer is one of a list.
    """

    interrupt: str
    call: ToolCall
    editable: bool
    batched: bool


async def _answers(
    controller: ApprovalController,
    state: Any,
    interrupts: Sequence[Interrupt],
    config: RunnableConfig,
    seconds: float | None,
) -> dict[str, Any]:
    """The answers of a person to all interrupts of a turn, by their ids.

    Raises:
        ApprovalDeniedError: One of them was refused hard.
        InterruptError: One of them cannot be answered.
    """
    turn = _turn(state)
    calls = _paused(turn, interrupts)
    decisions = await all_decided(
        [_decision(controller, turn, calls, place, config, seconds) for place in range(len(calls))]
    )
    answers: dict[str, Any] = {}
    for paused, decision in zip(calls, decisions, strict=True):
        answer = _for_langchain(paused.call, decision)
        if paused.batched:
            answers.setdefault(paused.interrupt, {"decisions": []})["decisions"].append(answer)
        else:
            answers[paused.interrupt] = answer
    return answers


async def _decision(
    controller: ApprovalController,
    turn: AIMessage,
    calls: Sequence[_PausedCall],
    place: int,
    config: RunnableConfig,
    seconds: float | None,
) -> ApprovalDecision:
    paused = calls[place]
    call = paused.call
    own = config.get("metadata") or {}
    later = [look_ahead(each.call["name"], each.call["args"]) for each in calls[place + 1 :]]
    metadata = {
        **own,
        "via": "langchain",
        "caller": own.get("lc_agent_name") or own.get("caller"),
        "run_id": (config.get("configurable") or {}).get("thread_id") or turn.id,
        "run_step": turn.id,
        "tool_call_id": call["id"],
        "batch_id": turn.id,
        "batch_position": place,
        "batch_remaining": later,
    }
    arguments = copy.deepcopy(call["args"])
    context = ApprovalContext(tool_name=call["name"], args=arguments, metadata=metadata)
    request = _request(call["name"], arguments, paused, turn)
    edited = EditedCall(context, request, dict, lambda changed: None)
    context = context.model_copy(update={"honors": frozenset({EDIT}), "check_edited": edited})
    return await controller.request_approval(within(request, seconds), context)


def _request(name: str, arguments: dict[str, Any], paused: _PausedCall, turn: AIMessage) -> ApprovalRequest:
    plain = simple_approval_request(name, arguments)
    return plain.model_copy(
        update={
            "why": "HumanInTheLoopMiddleware",
            "group_id": turn.id,
            "honors": frozenset({EDIT}) if paused.editable else frozenset(),
        }
    )


def _for_langchain(call: ToolCall, decision: ApprovalDecision) -> dict[str, Any]:
    """The answer that the middleware takes for a decision."""
    if decision.approved is not True:
        return {"type": "reject", "message": denial_text(decision)}
    if decision.instead is None:
        return {"type": "approve"}
    if decision.instead.arguments is None:
        words = f"Not run: the reviewer {decision.instead.words}, which cannot be told"
        return {"type": "reject", "message": words}
    return _edit(call, copy.deepcopy(dict(decision.instead.arguments)))


def _edit(call: ToolCall, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": "edit", "edited_action": {"name": call["name"], "args": arguments}}


# -- The calls that wait, as the model made them.


def _turn(state: Any) -> AIMessage:
    """The message of the model whose calls wait.

    Raises:
        InterruptError: There is none.
    """
    messages = state.get("messages") if isinstance(state, Mapping) else getattr(state, "messages", None)
    found = next((each for each in reversed(messages or []) if isinstance(each, AIMessage)), None)
    if found is None or not found.id or not found.tool_calls:
        raise InterruptError("not answered: the graph waits, but its model has made no call")
    return found


def _paused(turn: AIMessage, interrupts: Sequence[Interrupt]) -> list[_PausedCall]:
    """The calls of all interrupts, in the order of the turn.

    Raises:
        InterruptError: One is not a call of the turn, waits twice, or cannot be answered.
    """
    left = list(turn.tool_calls)
    found = [each for interrupt in interrupts for each in _of_interrupt(interrupt, left)]
    position = {id(call): place for place, call in enumerate(turn.tool_calls)}
    return sorted(found, key=lambda each: position[id(each.call)])


def _of_interrupt(interrupt: Interrupt, left: list[ToolCall]) -> list[_PausedCall]:
    match interrupt.value:
        case {"type": "tool_approval", "tool_call_id": str(call_id)} as said:
            _require(_taken_types(getattr(interrupt, "response_schema", None)))
            # LangGraph checks changed arguments only when it has begun to run the others of the turn.
            return [_PausedCall(interrupt.id, _taken(left, said, call_id), editable=False, batched=False)]
        case {"action_requests": list(actions), "review_configs": list(configs)} if len(actions) == len(configs):
            allowed = [frozenset(config.get("allowed_decisions") or ()) for config in configs]
            for each in allowed:
                _require(each)
            calls = [_taken(left, action) for action in actions]
            return [
                _PausedCall(interrupt.id, call, editable="edit" in each, batched=True)
                for call, each in zip(calls, allowed, strict=True)
            ]
    raise InterruptError("not answered: the graph waits for something else than the approval of a call")


def _require(allowed: frozenset[str]) -> None:
    if not allowed >= {"approve", "reject"}:
        raise InterruptError("not answered: HumanInTheLoopMiddleware must allow both 'approve' and 'reject'")


def _taken_types(schema: Any) -> frozenset[str]:
    """The decisions that the JSON schema of an interrupt of one call names."""
    discriminator = schema.get("discriminator") if isinstance(schema, Mapping) else None
    return frozenset(discriminator.get("mapping") or ()) if isinstance(discriminator, Mapping) else frozenset()


def _taken(left: list[ToolCall], said: Mapping[str, Any], call_id: str | None = None) -> ToolCall:
    """Take the call that an interrupt is about out of those of the turn."""
    for place, call in enumerate(left):
        same = call["name"] == said.get("name") and canonical(call["args"]) == canonical(said.get("args"))
        if same and call_id in (None, call["id"]):
            return left.pop(place)
    raise InterruptError(f"not answered: the model has made no such call of {said.get('name')} in this turn")
