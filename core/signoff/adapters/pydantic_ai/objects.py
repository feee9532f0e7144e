"""Plain objects, the `FileSandbox` and the `ShellTool` among them, as PydanticAI toolsets.

`ApprovalToolset` takes such an object as it is. The classes here are for combining, filtering or renaming its
tools first:

```python
files = DeclaredToolset.of_files(FileSandbox({"project": {"root": ".", "mode": "rw"}}))
agent = Agent("...", toolsets=[ApprovalToolset(files.prefixed("project"))])
```

The tools of a plain object:

An object lists them itself with an attribute `tools`, a mapping from names to functions: the names are those that
the model calls, and that the object's hooks get. `FileSandbox` and `ShellTool` do:

```python
class Mailbox:
    @property
    def tools(self):
        return {"send_mail": self.send}
```

Without that attribute its tools are its public methods: the functions of its class and its bases whose names do
not begin with an underscore, in the order in which they are written. Approval hooks, properties, static methods
and class methods are left out.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any, Self

from pydantic_ai import BinaryContent, FunctionToolset
from pydantic_ai.exceptions import ToolFailed

from signoff.approved_call import ChangedSinceApprovedError
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.safe_io import Attachment
from signoff.tools.shell import ShellTool

__all__ = [
    "DeclaredToolset",
    "ObjectToolset",
    "tools_of",
]


class DeclaredToolset(FunctionToolset[Any]):
    """Methods of an object that declares the effects of its calls.

    `ApprovalToolset` finds the object behind each method and asks it, also through prefixed, renamed and combined
    toolsets. Other tools that are added are decided as in every toolset. Used without an `ApprovalToolset`,
    nobody is asked. A failure of a call (a file that is missing, a text that does not occur, a file that was
    changed after the approval) is reported to the model; a blocked call ends the run. An `Attachment` reaches the
    model as the file that it is.

    Args:
        methods: The tools, synchronous or asynchronous; a mapping names them.
        id: Id of the toolset, unique within an agent.
    """

    def __init__(
        self,
        methods: Sequence[Callable[..., Any]] | Mapping[str, Callable[..., Any]],
        *,
        id: str | None,  # noqa: A002
    ) -> None:
        super().__init__(id=id)
        named = methods.items() if isinstance(methods, Mapping) else ((None, method) for method in methods)
        for name, method in named:
            self.add_function(_telling_failures(method), name=name)

    @classmethod
    def of_files(cls, sandbox: FileSandbox) -> Self:
        """The tools of a sandbox, such as `read_file` and `write_file`."""
        return cls(sandbox.tools, id="files")

    @classmethod
    def of_shell(cls, shell: ShellTool) -> Self:
        """`run_command` of a shell."""
        return cls(shell.tools, id="shell")


class ObjectToolset(DeclaredToolset):
    """The tools of a plain object, as `signoff.adapters.pydantic_ai.objects` describes.

    Args:
        given: The object. Its `check_approval` or `needs_approval` is asked about every call.

    Raises:
        TypeError: The object has no tools.
    """

    def __init__(self, given: object) -> None:
        super().__init__(tools_of(given), id=None)
        self.given = given


def _telling_failures(method: Callable[..., Any]) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(method):

        @functools.wraps(method)
        async def waiting_tool(*args: Any, **kwargs: Any) -> Any:
            with _failures_told():
                return _for_model(await method(*args, **kwargs))

        return waiting_tool

    @functools.wraps(method)
    def tool(*args: Any, **kwargs: Any) -> Any:
        with _failures_told():
            return _for_model(method(*args, **kwargs))

    return tool


def _for_model(result: Any) -> Any:
    if isinstance(result, Attachment):
        return BinaryContent(result.data, media_type=result.media_type)
    return result


@contextmanager
def _failures_told() -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        # A block by signoff is a PermissionError without an error number of the operating system.
        blocked = isinstance(error, PermissionError) and error.errno is None
        if blocked and not isinstance(error, ChangedSinceApprovedError):
            raise
        raise ToolFailed(f"{type(error).__name__}: {error}") from error


_HOOKS = frozenset({"check_approval", "needs_approval", "approval_request"})


def tools_of(given: object) -> dict[str, Callable[..., Any]]:
    """Return the tools of an object by name, as functions that can be called.

    Args:
        given: Any object that is not a class.

    Raises:
        TypeError: The object has no tools, or names one that cannot be called.
    """
    named = getattr(given, "tools", None)
    found = dict(named) if isinstance(named, Mapping) else _public_methods(given)
    if not found or inspect.isclass(given):
        raise TypeError(f"{given!r} is neither a toolset nor an object with public methods that could be tools")
    for name, function in found.items():
        if not callable(function):
            raise TypeError(f"{given!r} names a tool {name!r} that cannot be called: {function!r}")
    return found


def _public_methods(given: object) -> dict[str, Callable[..., Any]]:
    kind = type(given)
    written = dict.fromkeys(name for base in reversed(kind.__mro__) for name in vars(base))
    return {name: getattr(given, name) for name in written if _is_public_method(kind, name)}


def _is_public_method(kind: type, name: str) -> bool:
    if name.startswith("_") or name in _HOOKS:
        return False
    return isinstance(inspect.getattr_static(kind, name), FunctionType)
