"""Tools from a file of the project, ``tools.py``.

Loading the file runs it: it belongs to the application, and write access to it would let an agent do anything.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, StrictBool

from signoff.approval_rules import mark_of
from signoff.decorators import simple_approval_request
from signoff.tools.confined_call import confined
from signoff.tools.os_sandbox import OSSandbox
from signoff.tools.setting_faults import made_from
from signoff.types import ApprovalContext, ApprovalRequest

__all__ = ["CustomToolConfig", "CustomTools", "load_custom_tools"]

Setting = Literal["required", "none"]

_MARKS = ("check_approval", "_requires_approval")


class CustomToolConfig(BaseModel):
    """The settings of one function."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    approval: Setting | None = None
    """Whether its calls have to be approved. Left out: as @requires_approval on the function says."""
    confined: StrictBool = False
    """Whether it runs in a process of its own, in the sandbox that ``require_os_sandbox`` makes for commands: for
    functions that start programs. Arguments and result are JSON."""


class CustomTools:
    """Functions that are tools, with the rules on their approval.

    A block by the function's own `check_approval` outranks everything. Then the setting of the tool decides, then
    the function with its mark, then `default_approval`. The functions in `tools` carry that decision, so that it
    holds with `execute_tool` and in every toolset they are put into.

    Args:
        functions: The functions by the names that the agent calls.
        configs: Settings by the same names; a tool that is missing has none.
        default_approval: The setting of tools without a setting and a mark.

    Raises:
        ValueError: A setting names no function.
    """

    def __init__(
        self,
        functions: Mapping[str, types.FunctionType],
        configs: Mapping[str, CustomToolConfig] | None = None,
        *,
        default_approval: Setting = "none",
    ) -> None:
        self._originals = dict(functions)
        self._settings = {name: config.approval for name, config in (configs or {}).items()}
        self._default = default_approval
        for name in self._settings:
            if name not in self._originals:
                raise ValueError(f'custom tool "{name}" has settings but no function')
        self._tools = {name: self._deciding(name, function) for name, function in functions.items()}

    @property
    def tools(self) -> Mapping[str, Callable[..., Any]]:
        """The functions that are tools, by name."""
        return dict(self._tools)

    @property
    def tool_configs(self) -> dict[str, dict[str, Any]]:
        """The settings of tools that have one, in the form for `ApprovalToolset`."""
        return {name: {"approval": setting} for name, setting in self._settings.items() if setting is not None}

    def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        """Check whether a call has to be approved.

        Returns:
            The request, None if none is needed, or `NotImplemented` for the tools of others.

        Raises:
            PermissionError: The function's own `check_approval` blocks the call.
            TypeError: It returned something undocumented.
        """
        function = self._originals.get(ctx.tool_name)
        if function is None:
            return NotImplemented  # type: ignore[no-any-return]  # no opinion
        own = _own_request(function, ctx)
        setting = self._settings.get(ctx.tool_name)
        if setting == "none":
            return None
        if own is not None:
            return own
        if setting == "required":
            return _plain(ctx, "custom_tools: required")
        if mark_of(function, "_requires_approval") is True:
            return _plain(ctx, "@requires_approval")
        return _plain(ctx, "default_approval: required") if self._default == "required" else None

    def _deciding(self, name: str, function: types.FunctionType) -> types.FunctionType:
        """The function with this object's decision in place of its own mark."""
        copy = types.FunctionType(
            function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
        )
        copy.__kwdefaults__ = function.__kwdefaults__
        copy.__annotations__ = function.__annotations__
        copy.__doc__ = function.__doc__
        copy.__module__ = function.__module__
        copy.__dict__.update({key: value for key, value in function.__dict__.items() if key not in _MARKS})

        def check_approval(ctx: ApprovalContext) -> ApprovalRequest | None:
            return self.check_approval(ctx.model_copy(update={"tool_name": name}))

        copy.check_approval = check_approval  # type: ignore[attr-defined]
        return copy


def load_custom_tools(
    path: str | Path,
    allowed: Iterable[str] | Mapping[str, CustomToolConfig | Mapping[str, Any] | None],
    *,
    default_approval: Setting = "none",
    os_sandbox: OSSandbox | None = None,
) -> CustomTools:
    """Load functions from a Python file; nothing else in it becomes a tool.

    Args:
        path: The file, such as ``tools.py``. It is run, as if it were imported.
        allowed: Names of the functions, or their settings by name.
        default_approval: The setting of tools without a setting and without `requires_approval`.
        os_sandbox: The sandbox for functions that are `confined`.

    Raises:
        FileNotFoundError: There is no such file.
        ImportError: Running the file failed; the cause is attached.
        ValueError: A name is not that of a public function there, its settings are not valid, or it is to be
            confined, and there is no sandbox.
    """
    given = dict(allowed) if isinstance(allowed, Mapping) else dict.fromkeys(allowed)
    configs = {name: _config(name, config) for name, config in given.items()}
    module = _loaded(Path(path).resolve())
    functions = {name: _function(module, name) for name in given}
    for name in [name for name, config in configs.items() if config.confined]:
        if os_sandbox is None:
            raise ValueError(
                f'custom tool "{name}" is to be confined; that takes a sandbox with require_os_sandbox'
            )
        functions[name] = confined(functions[name], str(Path(path).resolve()), os_sandbox)
    return CustomTools(functions, configs, default_approval=default_approval)


def _config(name: str, given: CustomToolConfig | Mapping[str, Any] | None) -> CustomToolConfig:
    if isinstance(given, CustomToolConfig):
        return given
    return made_from(CustomToolConfig, {} if given is None else given, ("custom_tools", name))


def _loaded(path: Path) -> types.ModuleType:
    """Run a file as a module of its own, which no ``import`` finds."""
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there; custom tools are defined in it")
    name = f"signoff_custom_tools_{sha256(str(path).encode()).hexdigest()[:16]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # annotations of the classes in it are looked up there
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise ImportError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    return module


def _function(module: types.ModuleType, name: str) -> types.FunctionType:
    found = vars(module).get(name)
    public = [other for other, value in vars(module).items() if inspect.isfunction(value) and other[:1] != "_"]
    if name not in vars(module):
        close = get_close_matches(name, public, 1)
        hint = f'; did you mean "{close[0]}"?' if close else ""
        raise ValueError(f'custom tool "{name}" is not in {module.__file__}{hint}')
    if name not in public or not inspect.isfunction(found):
        raise ValueError(f'custom tool "{name}" in {module.__file__} is not a public function')
    return found


def _own_request(function: types.FunctionType, ctx: ApprovalContext) -> ApprovalRequest | None:
    check = mark_of(function, "check_approval")
    answer = None if check is None else check(ctx)
    if answer is None or answer is NotImplemented:
        return None
    if not isinstance(answer, ApprovalRequest):
        raise TypeError(f"check_approval answered with {type(answer).__name__}; answer with None or a request")
    return answer


def _plain(ctx: ApprovalContext, why: str) -> ApprovalRequest:
    return simple_approval_request(ctx.tool_name, ctx.args).model_copy(update={"why": why})
