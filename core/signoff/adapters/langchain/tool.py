"""A LangChain tool that asks before it runs."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForToolRun, CallbackManagerForToolRun
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langchain_core.tools.base import ArgsSchema, _get_runnable_config_param
from pydantic import Field

from signoff.adapters.langchain.calls import AgentCall, ToolInput, approval_context, definition_of
from signoff.adapters.turns import taking_turns, taking_turns_in_threads
from signoff.approval_rules import ApprovalNeeds, Setting, mark_of, questions
from signoff.approved_call import HONORS, EditedCall, bound_to, told
from signoff.canonical import NotJsonError, canonical
from signoff.controller import ApprovalController
from signoff.expiry import ExpiresIn, seconds_of, within
from signoff.policy.tool_rules import CallPolicy
from signoff.types import (
    ApprovalContext,
    ApprovalDecision,
    ApprovalDeniedError,
    ApprovalRequest,
    DecisionSource,
)

__all__ = [
    "ApprovalToolWrapper",
    "ApprovedTool",
    "approved",
    "asking_for",
]


def approved(
    tool: BaseTool,
    controller: ApprovalController,
    *,
    default_approval: Setting = "required",
    policy: CallPolicy | None = None,
    server: str | None = None,
    expires_in: ExpiresIn | None = None,
) -> BaseTool:
    """Make a tool ask before it runs, for agents and for direct calls.

    The result has the name, the description, the schema and the settings of the tool, and is called like it. The
    tool itself, its `func` or its `coroutine` may decide whether to ask: by `check_approval`, `needs_approval` or
    `@requires_approval`. A blocked call raises `PermissionError`, a refused one its subclass
    `ApprovalDeniedError`.

    Args:
        tool: The tool to wrap.
        controller: The controller that decides.
        default_approval: ``"required"`` or ``"none"``, for a tool that does not decide itself.
        policy: Rules on calls, such as `Setup.call_policy`. A call that it blocks is blocked in every mode, and
            one that it asks about is asked about whatever the tool says; one that it allows is not asked about for
            the default alone. If it knows neither a tool nor its server, the default decides. For a tool that asks
            already, it is one more demand.
        server: The server that the tool belongs to, as the policy calls it; None for a tool of the agent itself.
            An approval is for this server only.
        expires_in: Seconds (or a `timedelta`) after which a request expires that sets no time itself, as with
            `@requires_approval`; None leaves it to the agent's middleware and the controller.

    Raises:
        ValueError: A setting is unknown.
    """
    needs = ApprovalNeeds({}, default_approval, policy=policy, server=server)
    asking = asking_for(tool, controller, needs).expiring_in(seconds_of(expires_in))
    if not isinstance(tool, ApprovedTool) or policy is None:
        return asking
    return asking.held_to(ApprovalNeeds({}, "none", policy=policy, server=server))


def asking_for(tool: BaseTool, controller: ApprovalController, needs: ApprovalNeeds) -> ApprovedTool:
    """Return the tool with a question before each call; one that asks already stays as it is.

    Args:
        tool: The tool.
        controller: The controller that decides.
        needs: The rules on which calls are asked about.
    """
    if isinstance(tool, ApprovedTool):
        return tool
    settings = {name: getattr(tool, name) for name in BaseTool.model_fields}
    return ApprovedTool(**{**settings, "tool": tool, "controller": controller, "needs": needs})


@dataclass(frozen=True, slots=True)
class _CallQuestion:
    """The question about one call.

    Attributes:
        request: The request.
        context: The call.
        arguments: Its arguments in canonical form.
        edited: Checks arguments that a reviewer changed.
    """

    request: ApprovalRequest
    context: ApprovalContext
    arguments: str
    edited: EditedCall


class ApprovedTool(BaseTool):
    """A tool whose calls are approved before they run.

    The question comes between LangChain's validation and the tool: the shown arguments are those of the call.
    """

    tool: BaseTool = Field(exclude=True)
    """The tool that runs."""
    controller: ApprovalController = Field(exclude=True)
    """The controller that decides."""
    needs: ApprovalNeeds = Field(exclude=True)
    """The rules on which calls are asked about."""
    demands: tuple[ApprovalNeeds, ...] = Field(default=(), exclude=True)
    """Demands of agents or further policies: they may only block a call or have it asked about."""
    expires_in: float | None = Field(default=None, exclude=True)
    """Seconds after which a request expires that sets no time itself."""
    call: AgentCall | None = Field(default=None, exclude=True)
    """The one call that this is made for, if an agent makes it."""

    def held_to(self, *demands: ApprovalNeeds) -> ApprovedTool:
        """Return the tool with demands besides its own rules."""
        return self.model_copy(update={"demands": (*self.demands, *demands)})

    def expiring_in(self, seconds: float | None) -> ApprovedTool:
        """Return the tool with requests that expire, unless it sets a time already."""
        if seconds is None or self.expires_in is not None:
            return self
        return self.model_copy(update={"expires_in": seconds})

    def for_call(self, call: AgentCall) -> ApprovedTool:
        """Return the tool for one call of an agent."""
        return self.model_copy(update={"call": call})

    @property
    def hidden(self) -> bool:
        """True if one of its policies blocks all its calls, so that no model should be offered it."""
        return any(needs.hides(self.name) for needs in (self.needs, *self.demands))

    @property
    def func(self) -> Callable[..., Any] | None:
        """The function of the tool, which asks too and returns what `invoke` does.

        Some frameworks call it; LangGraph reads its type hints.
        """
        function: Callable[..., Any] | None = getattr(self.tool, "func", None)
        if function is None:
            return None

        @wraps(function)
        def asks(*args: Any, **kwargs: Any) -> Any:
            return self.invoke(*_input_of(function, args, kwargs))

        return asks

    @property
    def coroutine(self) -> Callable[..., Any] | None:
        """The asynchronous function of the tool, which asks too."""
        function: Callable[..., Any] | None = getattr(self.tool, "coroutine", None)
        if function is None:
            return None

        @wraps(function)
        async def asks(*args: Any, **kwargs: Any) -> Any:
            return await self.ainvoke(*_input_of(function, args, kwargs))

        return asks

    @property
    def args(self) -> dict[str, Any]:
        """Properties of the schema."""
        return self.tool.args

    @property
    def tool_call_schema(self) -> ArgsSchema:
        """The schema of the arguments for a model."""
        return self.tool.tool_call_schema

    def get_input_schema(self, config: RunnableConfig | None = None) -> Any:
        """The schema of the input, with injected arguments."""
        return self.tool.get_input_schema(config)

    @property
    def _injected_args_keys(self) -> frozenset[str]:
        return self.tool._injected_args_keys  # noqa: SLF001 - LangChain's own protocol between tools

    def _to_args_and_kwargs(
        self, tool_input: str | dict[str, Any], tool_call_id: str | None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        # The tool validates in its own way; `_run` and `_arun` get the result.
        args, kwargs = self.tool._to_args_and_kwargs(tool_input, tool_call_id)  # noqa: SLF001 - see above
        return (ToolInput(tuple(args), kwargs, tool_call_id),), {}

    def _run(
        self,
        given: ToolInput,
        *,
        config: RunnableConfig,
        run_manager: CallbackManagerForToolRun | None = None,
    ) -> Any:
        run = self.tool._run  # noqa: SLF001 - what LangChain calls as well
        extras = _extras(run, config, run_manager)
        question = self._question(given, config)
        if question is None:
            return run(*given.args, **{**given.kwargs, **extras})
        with taking_turns_in_threads(question.request.effects):
            decision = self._decision_sync(question)
            with self._carrying_out(question, decision, given) as approved:
                return self._told(run(*approved.args, **{**approved.kwargs, **extras}), decision)

    async def _arun(
        self,
        given: ToolInput,
        *,
        config: RunnableConfig,
        run_manager: AsyncCallbackManagerForToolRun | None = None,
    ) -> Any:
        arun = self.tool._arun  # noqa: SLF001 - what LangChain calls as well
        has_own = type(self.tool)._arun is not BaseTool._arun  # noqa: SLF001
        taking = arun if has_own else self.tool._run  # noqa: SLF001 - whose signature LangChain looks at
        extras = _extras(taking, config, run_manager)
        question = self._question(given, config)
        if question is None:
            return await arun(*given.args, **{**given.kwargs, **extras})
        async with taking_turns(question.request.effects):
            decision = await self._decision(question)
            with self._carrying_out(question, decision, given) as approved:
                return self._told(await arun(*approved.args, **{**approved.kwargs, **extras}), decision)

    def _told(self, result: Any, decision: ApprovalDecision) -> Any:
        """The result for the model; of a tool that also returns an artifact, only the content is changed."""
        if self.response_format == "content_and_artifact" and isinstance(result, tuple) and len(result) == 2:
            return told(result[0], decision.instead), result[1]
        return told(result, decision.instead)

    def _question(self, given: ToolInput, config: RunnableConfig) -> _CallQuestion | None:
        """The question about a call; None if it needs no approval.

        Raises:
            PermissionError: The call is blocked, or was refused before, or its arguments cannot be shown as they
                are and an agent made it.
            NotJsonError: They cannot be shown, and no agent made it.
        """
        self._require_wanted()
        try:
            context = approval_context(self.tool, given, config, self.call)
        except NotJsonError as error:
            if self.call is None:
                raise
            decision = ApprovalDecision(approved=False, note=str(error), mode="soft", source=DecisionSource.ERROR)
            self.call.refuse(decision)
            raise ApprovalDeniedError(decision) from error
        server = next((each.server for each in (self.needs, *self.demands) if each.server is not None), None)
        context = context.model_copy(update={"server": server})
        arguments = canonical(context.args)
        request = self._request_for(context)
        if request is None:
            return None
        edited = EditedCall(
            context,
            request,
            lambda changed: given.changed_to(self.tool, changed).shown(self.tool),
            self._request_for,
        )
        context = context.model_copy(update={"honors": HONORS, "check_edited": edited})
        request = within(request.with_definition(definition_of(self.tool)), self.expires_in)
        return _CallQuestion(request, context, arguments, edited)

    def _request_for(self, context: ApprovalContext) -> ApprovalRequest | None:
        """The request by the tool's own rules, or else by those of an agent; None if none of them asks.

        Raises:
            PermissionError: One of them blocks the call.
        """
        call = context, self.tool, _function_behind(self.tool, context), self.controller.memory
        demanded = [demand.request_for(*call) for demand in self.demands]  # each of them may block
        requests = [each for each in (self.needs.request_for(*call), *demanded) if each is not None]
        if not requests:
            return None
        names = tuple(dict.fromkeys(name for each in requests for name in each.masked_keys))
        return requests[0].model_copy(update={"masked_keys": names}) if names else requests[0]

    async def _decision(self, question: _CallQuestion) -> ApprovalDecision:
        if self.call is None:
            return await self.controller.request_approval(question.request, question.context)
        return await self.call.decision(self.controller, question.request, question.context)

    def _decision_sync(self, question: _CallQuestion) -> ApprovalDecision:
        if self.call is None:
            return self.controller.request_approval_sync(question.request, question.context)
        return self.call.decision_sync(self.controller, question.request, question.context)

    @contextmanager
    def _carrying_out(
        self, question: _CallQuestion, decision: ApprovalDecision, given: ToolInput
    ) -> Iterator[ToolInput]:
        """Run the body as the execution of the approved call, with the approved input.

        Raises:
            PermissionError: The call was not approved, or is not the approved one.
        """
        if decision.approved is not True:
            if self.call is not None:
                self.call.refuse(decision)
            raise ApprovalDeniedError(decision)
        self._require_wanted()
        if canonical(given.shown(self.tool)) != question.arguments:
            raise PermissionError(f"{self.name} was not run: its arguments were changed since it was approved")
        request, instead = question.request, decision.instead
        if instead is not None and instead.arguments is not None:
            request = question.edited.request or request
            given = given.changed_to(self.tool, copy.deepcopy(dict(instead.arguments)))
        with bound_to(request, decision.snapshot, instead):
            yield given

    def _require_wanted(self) -> None:
        refusal = None if self.call is None else self.call.standing_refusal()
        if refusal is not None:
            raise ApprovalDeniedError(refusal)


def _input_of(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[dict[str, Any], RunnableConfig | None]:
    """The input and the configuration of a tool that stand for a call of its function.

    Raises:
        TypeError: The function does not take the arguments.
        PermissionError: One of them has no name, so that the tool could not be called with it.
    """
    signature = inspect.signature(function)
    bound = signature.bind(*args, **kwargs)
    named: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        match signature.parameters[name].kind:
            case inspect.Parameter.VAR_POSITIONAL:
                raise PermissionError("not run: its arguments need names, to be shown; call the tool by invoke")
            case inspect.Parameter.VAR_KEYWORD:
                named.update(value)
            case _:
                named[name] = value
    config = named.pop(_get_runnable_config_param(function) or "", None)
    return named, config


def _extras(method: Callable[..., Any], config: RunnableConfig, run_manager: Any) -> Mapping[str, Any]:
    """The values that `BaseTool` passes to a tool besides its arguments, if the tool accepts them."""
    extras: dict[str, Any] = {}
    if "run_manager" in inspect.signature(method).parameters:
        extras["run_manager"] = run_manager
    if wanted := _get_runnable_config_param(method):
        extras[wanted] = config
    return extras


def _function_behind(tool: BaseTool, ctx: ApprovalContext) -> Callable[..., Any] | None:
    """The function of a tool that speaks about approval, or else the one that would run."""
    candidates = [getattr(tool, name, None) for name in ("func", "coroutine", "_run", "_arun")]
    functions: list[Callable[..., Any]] = [candidate for candidate in candidates if callable(candidate)]
    return next((function for function in functions if _has_a_say(function, ctx)), functions[0])


def _has_a_say(function: Callable[..., Any], ctx: ApprovalContext) -> bool:
    return mark_of(function, "_requires_approval") is True or any(questions(function, ctx))


# -- A tool for programs that call it themselves.


class ApprovalToolWrapper:
    """A LangChain tool for programs that call it themselves, asking first.

    It is not a LangChain tool: its `invoke` is awaited, which that of a `BaseTool` must not be. Give agents
    `approved(tool, controller)`, or the plain tool and an `ApprovalMiddleware`.

    Args:
        tool: The tool, with `check_approval` or a mark if it wants to be asked about differently.
        controller: The controller that decides.
        default_approval: ``"required"`` or ``"none"``, for a tool that does not decide itself.
        policy: Rules on calls, as for `approved`.
        server: The server that the tool belongs to, as for `approved`.

    Raises:
        ValueError: The setting is unknown.
    """

    def __init__(
        self,
        tool: BaseTool,
        controller: ApprovalController,
        *,
        default_approval: Setting = "required",
        policy: CallPolicy | None = None,
        server: str | None = None,
    ) -> None:
        self.tool = tool
        self.controller = controller
        self._approved = approved(
            tool, controller, default_approval=default_approval, policy=policy, server=server
        )

    async def invoke(
        self, args: str | Mapping[str, Any], config: RunnableConfig | Mapping[str, Any] | None = None
    ) -> Any:
        """Run the tool if it is approved. Cancelling the call withdraws the request.

        Args:
            args: Arguments of the call, or a whole tool call as a model made it.
            config: LangChain's configuration of the call. A `check_approval` finds it in its context's metadata.

        Returns:
            The result of the tool; a `ToolMessage` for a whole tool call.

        Raises:
            PermissionError: The call is blocked, or was not approved (`ApprovalDeniedError`).
            NotJsonError: The arguments cannot be shown to a reviewer as they are.
        """
        given: Any = args if isinstance(args, str) else dict(args)
        settings = None if config is None else RunnableConfig(**config)  # type: ignore[typeddict-item]
        return await self._approved.ainvoke(given, settings)

    ainvoke = invoke
