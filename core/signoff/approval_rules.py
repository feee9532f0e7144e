"""The rules by which a tool call needs approval, and their order.

In this order: a block (by the policy, by `PermissionError`, by ``"deny"`` in `tool_configs`) outranks everything;
then a policy that asks; then the setting of the tool in `tool_configs`; then anything that asks for approval: the
toolset itself, the mark on the function, the object that a method belongs to; then anything that says that none
is needed, last of all a policy that allows the call; then the default, for tools that the policy does not know.
"""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Literal, cast

from pydantic import ValidationError

from signoff.canonical import NotJsonError, canonical
from signoff.decorators import simple_approval_request
from signoff.policy.tool_rules import NOTHING_KNOWN, CallPolicy
from signoff.policy.verdict import Level, Verdict
from signoff.queue.amendment import EDIT
from signoff.session_memory import ApprovalMemory
from signoff.types import ApprovalContext, ApprovalRequest

__all__ = [
    "HOOKS",
    "ApprovalNeeds",
    "Question",
    "Setting",
    "default_setting",
    "has_hook",
    "hook_of",
    "mark_of",
    "questions",
    "speakers",
    "under_its_name",
]


Setting = Literal["required", "none"]
ToolSetting = Literal["required", "none", "deny"]

_SETTINGS: tuple[Setting, ...] = ("required", "none")
_TOOL_SETTINGS: tuple[ToolSetting, ...] = (*_SETTINGS, "deny")


def default_setting(given: Setting | None, *, tools_were_named: bool) -> Setting:
    """Return the setting of a tool that nothing else decides.

    A wrapper without a list of tools is there to have all calls approved. A wrapper with a list was told which
    ones, and document 003 says that the others run: its author has looked at them.

    Args:
        given: The setting that was given; it always holds.
        tools_were_named: True if there is a `tool_configs`, even an empty one, or a `pre_approved`.
    """
    if given is not None:
        return given
    return "none" if tools_were_named else "required"


HOOKS = ("check_approval", "needs_approval")
"""Methods by which a toolset, a function or its object decides if a call needs approval."""

_WORDS = (*HOOKS, "approval_request", "_requires_approval")
"""All names by which code speaks about a call: hooks, a description, and the mark of a function."""


@dataclass(frozen=True, slots=True)
class _Opinion:
    """The answer of a hook: a request, or that no approval is needed."""

    request: ApprovalRequest | None


class ApprovalNeeds:
    """The rules of one wrapped toolset.

    Args:
        tool_configs: By tool name, a mapping with ``"approval"``: ``"required"``, ``"none"`` or ``"deny"``. A tool
            that is missing, or whose setting is None, is decided by the toolset, the function or the default. With
            ``"edit": True`` a reviewer may change the arguments of its calls and approve them so.
        default: The setting of tools that nothing else decides.
        policy: Rules on calls. A call that it blocks is blocked, and one that it asks about is asked about,
            whatever else is said. A call that it allows is not asked about for the default alone, if the policy
            knows the tool or its server.
        server: The server that the tools belong to, as the policy calls it; None for tools of the agent itself.

    Raises:
        ValueError: A setting or a key is unknown.
    """

    def __init__(
        self,
        tool_configs: Mapping[str, Mapping[str, Any]],
        default: Setting,
        *,
        policy: CallPolicy | None = None,
        server: str | None = None,
    ) -> None:
        if default not in _SETTINGS:
            raise ValueError(f'default_approval must be "required" or "none", not {default!r}')
        self._default = default
        self._policy = policy
        self._server = server
        self._settings = {name: _setting(name, config) for name, config in tool_configs.items()}
        self._editable = frozenset(name for name, config in tool_configs.items() if config.get("edit"))

    def request_for(
        self,
        ctx: ApprovalContext,
        toolset: object,
        function: Callable[..., Any] | None,
        memory: ApprovalMemory,
        *,
        marked_by: str | None = None,
    ) -> ApprovalRequest | None:
        """Return the request to ask for a call, or None if it needs no approval.

        Args:
            ctx: The call.
            toolset: The wrapped toolset, asked through `check_approval` or `needs_approval` if it has one; None
                if there is no toolset.
            function: The function behind the tool, if known.
            memory: Handed to a `check_approval` that wants it.
            marked_by: The framework's own reason to ask for approval, in its words.

        Raises:
            PermissionError: The policy, the setting, the toolset, the function or its object blocks the call.
            TypeError: A hook takes other arguments, or answers with something else, than documented.
        """
        # Hooks get a copy: a change that they make does not reach the call, so it must not be shown either.
        own = ctx.model_copy(update={"args": copy.deepcopy(ctx.args)})
        request = self._decided(own, toolset, function, memory, marked_by)
        if request is None:
            return None
        return self._honoring(self._masked(self._at_server(_in_full(request, ctx), ctx), ctx))

    @property
    def server(self) -> str | None:
        """The server that the tools belong to; None for tools of the agent itself."""
        return self._server

    def _at_server(self, request: ApprovalRequest, ctx: ApprovalContext) -> ApprovalRequest:
        """The request with the server that the tool belongs to, even if a hook named another one."""
        server = self._server_of(ctx)
        return request if server is None else request.model_copy(update={"server": server})

    def _server_of(self, ctx: ApprovalContext) -> str | None:
        return ctx.server or self._server

    def _honoring(self, request: ApprovalRequest) -> ApprovalRequest:
        """The request with the features that the settings allow besides running it as asked."""
        if request.tool_name not in self._editable:
            return request
        return request.model_copy(update={"honors": request.honors | {EDIT}})

    def _masked(self, request: ApprovalRequest, ctx: ApprovalContext) -> ApprovalRequest:
        """The request with the names that the policy adds to those that are masked."""
        added = () if self._policy is None else self._policy.masked_keys(self._server_of(ctx))
        if not added:
            return request
        names = tuple(dict.fromkeys((*request.masked_keys, *added)))
        return request.model_copy(update={"masked_keys": names})

    def _decided(
        self,
        ctx: ApprovalContext,
        toolset: object,
        function: Callable[..., Any] | None,
        memory: ApprovalMemory,
        marked_by: str | None,
    ) -> ApprovalRequest | None:
        setting = self._settings.get(ctx.tool_name)
        if setting == "deny":
            raise PermissionError(f"{ctx.tool_name} is blocked (tool_configs: deny)")
        verdict = self._unblocked(ctx)
        # All are asked, whatever the settings are, because each may block.
        opinions = [_of_toolset(toolset, ctx, memory), *_of_function(function, toolset, ctx, memory)]
        held = [opinion for opinion in opinions if opinion is not None]
        asked = next((opinion.request for opinion in held if opinion.request is not None), None)
        if verdict is not None and verdict.level is Level.ASK:
            return _as_policy_asks(asked or _as_declared(toolset, function, ctx) or _plain(ctx, ""), verdict)
        if setting == "none":
            return None
        why = "tool_configs: required" if setting == "required" else marked_by
        if why is not None:
            return asked or _as_declared(toolset, function, ctx) or _plain(ctx, why)
        if held:
            return asked
        allowed = verdict is not None and verdict.rule != NOTHING_KNOWN
        if allowed or self._default == "none":
            return None
        return _plain(ctx, "default_approval: required")

    def _unblocked(self, ctx: ApprovalContext) -> Verdict | None:
        """Return the verdict of the policy on a call; None if there is no policy.

        Raises:
            PermissionError: The policy blocks the call.
        """
        if self._policy is None:
            return None
        verdict = self._policy.verdict(ctx.tool_name, ctx.args, self._server_of(ctx))
        if verdict.level is Level.BLOCK:
            raise PermissionError(f"{ctx.tool_name} is blocked (policy: {_told(verdict)})")
        return verdict

    def hides(self, tool_name: str) -> bool:
        """True if a tool is not offered to a model: the policy blocks all its calls."""
        if self._policy is None:
            return False
        return self._policy.by_name_alone(tool_name, self._server).level is Level.BLOCK

    def never_asks(self, tool_name: str) -> bool:
        """True if the setting of a tool is ``"none"``, which outranks every mark that asks, but no policy."""
        return self._settings.get(tool_name) == "none"

    def asks_plainly(
        self,
        tool_name: str,
        toolset: object,
        function: Callable[..., Any] | None,
        *,
        marked_by: str | None = None,
    ) -> bool:
        """True if every call of a tool is asked about by its name and arguments alone.

        That is so if a setting, the framework or the default asks, and neither a hook nor a policy judges single
        calls. Then `request_for` makes a `simple_approval_request` of whatever arguments there are.
        """
        if self._policy is not None:
            return False
        unless_set = self._default if marked_by is None else "required"
        setting = self._settings.get(tool_name) or unless_set
        return setting == "required" and not _somebody_speaks(toolset, function, _WORDS)

    def lets_run(self, tool_name: str, toolset: object, function: Callable[..., Any] | None) -> bool:
        """True if a tool always runs: its setting is ``"none"``, and no policy and no hook could object."""
        if self._policy is not None:
            return False
        return self.never_asks(tool_name) and not _somebody_speaks(toolset, function, HOOKS)


def _somebody_speaks(toolset: object, function: Callable[..., Any] | None, words: tuple[str, ...]) -> bool:
    """True if a toolset, a function or its object has a hook or a mark of one of these names."""
    # A loop: this runs at every call, and a generator costs more than what it yields.
    for each in (toolset, *speakers(function)):  # noqa: SIM110
        if has_hook(each, words):
            return True
    return False


def _setting(tool_name: str, config: Mapping[str, Any]) -> ToolSetting | None:
    if not isinstance(config, Mapping):
        raise ValueError(f'tool_configs[{tool_name!r}] must be like {{"approval": "required"}}')  # noqa: TRY004
    unknown = set(config) - {"approval", "edit"}
    if unknown:
        raise ValueError(f"tool_configs[{tool_name!r}] has unknown keys: {', '.join(sorted(unknown))}")
    if type(config.get("edit", False)) is not bool:
        raise ValueError(f"tool_configs[{tool_name!r}]: edit must be true or false, not {config['edit']!r}")
    setting = config.get("approval")
    if setting == "once_per_session":
        raise ValueError(
            f'tool_configs[{tool_name!r}]: "once_per_session" is not for a setting to say; the reviewer decides '
            'how far an approval reaches, so use "required" and let them approve for the session'
        )
    if setting is not None and setting not in _TOOL_SETTINGS:
        raise ValueError(
            f'tool_configs[{tool_name!r}]: approval must be "required", "none" or "deny", not {setting!r}'
        )
    return cast("ToolSetting | None", setting)


def _of_toolset(toolset: object, ctx: ApprovalContext, memory: ApprovalMemory) -> _Opinion | None:
    check = hook_of(toolset, "check_approval")
    if check is not None:
        return _checked(check, ctx, memory)
    needs = hook_of(toolset, "needs_approval")
    return None if needs is None else _needed(needs, ctx)


def _of_function(
    function: Callable[..., Any] | None, toolset: object, ctx: ApprovalContext, memory: ApprovalMemory
) -> Iterator[_Opinion | None]:
    for question in _questions(function, toolset, ctx, "check_approval"):
        yield _renamed(_checked(question.hook, question.context, memory), question, ctx)
    for question in _questions(function, toolset, ctx, "needs_approval"):
        yield _renamed(_needed(question.hook, question.context), question, ctx)
    if mark_of(function, "_requires_approval") is True:
        yield _Opinion(_plain(ctx, "@requires_approval"))


def _checked(hook: Callable[..., Any], ctx: ApprovalContext, memory: ApprovalMemory) -> _Opinion | None:
    answer = _call(hook, (ctx.tool_name, ctx.args, memory), (ctx,))
    if isinstance(answer, bool | Mapping):
        raise TypeError(
            f"check_approval answered with {type(answer).__name__}; answer with None or an ApprovalRequest"
        )
    return _opinion(answer, ctx, "check_approval")


def _needed(hook: Callable[..., Any], ctx: ApprovalContext) -> _Opinion | None:
    answer = _call(hook, (ctx.tool_name, ctx.args))
    # Here False means no approval; None comes from a function that forgot to answer, so the call is asked about.
    return _opinion(True if answer is None else answer, ctx, "needs_approval")


def _renamed(opinion: _Opinion | None, question: Question, ctx: ApprovalContext) -> _Opinion | None:
    if opinion is None or opinion.request is None:
        return opinion
    return _Opinion(under_its_name(opinion.request, question, ctx))


def _as_declared(
    toolset: object, function: Callable[..., Any] | None, ctx: ApprovalContext
) -> ApprovalRequest | None:
    """The description of a call by a toolset or function that would not have asked about it."""
    describe = hook_of(toolset, "approval_request")
    asked = [] if describe is None else [Question(describe, ctx)]
    for question in (*asked, *_questions(function, toolset, ctx, "approval_request")):
        opinion = _opinion(_call(question.hook, (question.context,)), ctx, "approval_request")
        if opinion is not None and opinion.request is not None:
            return under_its_name(opinion.request, question, ctx)
    return None


def _questions(
    function: Callable[..., Any] | None, toolset: object, ctx: ApprovalContext, hook: str
) -> Iterator[Question]:
    """The hooks of a function; a method of the toolset itself has none of its own."""
    found = questions(function, ctx, hook)
    if toolset is None:
        return found
    return (question for question in found if getattr(question.hook, "__self__", None) is not toolset)


def _call(hook: Callable[..., Any], *spellings: Iterable[Any]) -> Any:
    """Call a hook with the first of the argument lists that its signature takes."""
    signature = inspect.signature(hook)
    for arguments in map(tuple, spellings):
        try:
            signature.bind(*arguments)
        except TypeError:
            continue
        try:
            return hook(*arguments)
        except ValidationError as error:  # frameworks would take it for a mistake of the model
            raise TypeError(f"{hook!r} failed: {error}") from error
    raise TypeError(f"{hook!r} takes other arguments than documented: {signature}")


def _opinion(answer: object, ctx: ApprovalContext, hook: str) -> _Opinion | None:
    """The opinion that an answer expresses; `NotImplemented` leaves the call to others."""
    return None if answer is NotImplemented else _Opinion(_request_from(answer, ctx, hook))


def _request_from(answer: object, ctx: ApprovalContext, hook: str) -> ApprovalRequest | None:
    if answer is None or answer is False:
        return None
    if answer is True:
        return _plain(ctx, hook)
    if isinstance(answer, ApprovalRequest):
        return answer
    if isinstance(answer, Mapping):
        try:
            return ApprovalRequest(**{**dict(_plain(ctx, hook)), **answer})
        except (ValidationError, NotJsonError) as error:
            raise TypeError(f"{hook} answered with a mapping that is no request: {error}") from error
    if inspect.iscoroutine(answer):
        answer.close()
        raise TypeError(f"{hook} must not be asynchronous: it decides from configuration and arguments")
    raise TypeError(
        f"{hook} answered with {type(answer).__name__}; answer with None, a bool or an ApprovalRequest"
    )


def _in_full(request: ApprovalRequest, ctx: ApprovalContext) -> ApprovalRequest:
    """The request with all arguments of the call, even if a hook left some out."""
    if request.arguments is None:  # those of the call are shown
        return request
    try:
        canonical(ctx.args)
    except NotJsonError:  # of a plain function: only the hook's own version can be shown
        return request
    return request.model_copy(update={"arguments": ctx.args})


def _plain(ctx: ApprovalContext, why: str) -> ApprovalRequest:
    request = simple_approval_request(ctx.tool_name, ctx.args)
    return request.model_copy(update={"why": why})


def _as_policy_asks(request: ApprovalRequest, verdict: Verdict) -> ApprovalRequest:
    """The request with the policy's reason after the reasons of others."""
    why = "; ".join(each for each in (request.why, f"policy: {_told(verdict)}") if each)
    return request.model_copy(update={"why": why})


def _told(verdict: Verdict) -> str:
    """The rule that decided, and the reasons."""
    return "; ".join(each for each in (verdict.rule, *verdict.reasons) if each)


# -- The hooks of a function that is a tool, and the way to call them.
#
# A function may carry its own `check_approval`; the method of an object that has one is that object's business.
# Both are found through `functools.partial` and through wrappers made with `functools.wraps`.
#
# An object answers for its own tools only. About the tools of others it returns `NotImplemented`, which is no
# opinion: None would mean no approval, and let a call run that nobody has looked at.

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Question:
    """One hook that has to be asked about a call.

    Attributes:
        hook: The hook: the `check_approval` of the function or of the object that it belongs to.
        context: The call, under the name that the hook knows it by.
    """

    hook: Callable[..., Any]
    context: ApprovalContext


def hook_of(owner: object, name: str) -> Any:
    """A hook of an object; None if there is none.

    Args:
        owner: A toolset, a function or its object.
        name: Name of the hook.

    Raises:
        TypeError: Reading the hook fails: a property that fails is not taken for one that is absent.
    """
    if _is_without(type(owner), (name,)):
        return getattr(owner, name, None)
    try:
        return getattr(owner, name)
    except AttributeError as error:
        about = owner if error.obj is None else error.obj  # another object, if the owner passes lookups on
        absent = inspect.getattr_static(about, name, _ABSENT) is _ABSENT
        if absent and error.name == name:
            return None
        raise TypeError(
            f"{name} of {type(owner).__name__} cannot be looked up, so nobody knows what needs approval: {error}"
        ) from error


def has_hook(owner: object, names: Collection[str]) -> bool:
    """True if an object has a hook by one of these names.

    Raises:
        TypeError: Reading a hook fails.
    """
    if not _is_without(type(owner), names):
        return any(hook_of(owner, name) is not None for name in names)
    # A loop: this runs at every call, and a generator costs more than what it yields.
    for name in names:  # noqa: SIM110
        if getattr(owner, name, None) is not None:
            return True
    return False


def _is_without(kind: type[object], names: Collection[str]) -> bool:
    """True if no code runs, and could fail, when the names are looked up in instances of a class.

    Checked every time: classes may be changed.
    """
    if kind is FunctionType:  # which cannot be changed
        return True
    if kind.__getattribute__ is not object.__getattribute__:
        return False
    ways = ("__getattr__", *names)
    # A loop, as above.
    for base in kind.__mro__:  # noqa: SIM110
        if not base.__dict__.keys().isdisjoint(ways):
            return False
    return True


def mark_of(function: object, name: str) -> Any:
    """Return the attribute that a function, or one that it wraps, was marked with; None if there is none.

    Raises:
        TypeError: Reading it fails.
    """
    marks = (hook_of(layer, name) for layer in _layers(function))
    return next((mark for mark in marks if mark is not None), None)


def questions(function: object, ctx: ApprovalContext, hook: str = "check_approval") -> Iterator[Question]:
    """Yield all hooks that have to be asked about a call of a function.

    An object is asked about its method by the method's own name, because a tool may be called anything, and by the
    name of the tool, because the object may know it by that.

    Args:
        function: The function behind the tool.
        ctx: The call.
        hook: Name of the hook.

    Raises:
        TypeError: Reading a hook fails.
    """
    mark = mark_of(function, hook)
    if mark is not None:
        yield Question(mark, ctx)
    for layer in _layers(function):
        owner = getattr(layer, "__self__", None)
        owned = None if inspect.isclass(owner) else hook_of(owner, hook)
        if owned is not None:
            for name in dict.fromkeys((getattr(layer, "__name__", ctx.tool_name), ctx.tool_name)):
                yield Question(owned, ctx.model_copy(update={"tool_name": name}))
            return


def speakers(function: object) -> Sequence[object]:
    """All objects that may have a hook for a function: itself, functions that it wraps, and its object."""
    found: list[object] = []
    for layer in _layers(function):
        found.append(layer)
        owner = getattr(layer, "__self__", None)
        if owner is not None and not inspect.isclass(owner):
            found.append(owner)
    return found


def under_its_name(request: ApprovalRequest, question: Question, ctx: ApprovalContext) -> ApprovalRequest:
    """The request under the tool name that the model called, unless the hook chose one itself."""
    if request.tool_name != question.context.tool_name or request.tool_name == ctx.tool_name:
        return request
    return request.model_copy(update={"tool_name": ctx.tool_name})


def _layers(function: object) -> Sequence[object]:
    """A function and, from the outside in, the functions that it wraps."""
    found: list[object] = []
    while function is not None and not (found and any(function is known for known in found)):
        found.append(function)
        wrapped = getattr(function, "__wrapped__", None)
        function = function.func if isinstance(function, functools.partial) else wrapped
    return found
