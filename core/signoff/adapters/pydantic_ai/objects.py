"""Plain objects, the `FileSandbox` and the `ShellTool` among them, as PydanticAI toolsets.

`ApprovalToolset` takes such an object as it is. The classes here are for whoever wants to combine, filter or
rename its tools first:

```python
files = DeclaredToolset.of_files(FileSandbox({"project": {"root": ".", "mode": "rw"}}))
agent = Agent("...", toolsets=[ApprovalToolset(files.prefixed("project"))])
```
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

from pydantic_ai import BinaryContent, FunctionToolset
from pydantic_ai.exceptions import ToolFailed

from signoff.adapters.plain_objects import tools_of
from signoff.binding import ChangedSinceApprovedError
from signoff.tools.attachment import Attachment
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool

__all__ = ["DeclaredToolset", "ObjectToolset"]


class DeclaredToolset(FunctionToolset[Any]):
    """Methods of an object that declares what its calls would do.

    `ApprovalToolset` finds the object behind each method and asks it, also through prefixed, renamed and combined
    toolsets. Other tools that are added are decided as in every toolset. Used without an `ApprovalToolset`,
    nothing is asked. What a call cannot do (a file that is missing, a text that does not occur, a file that was
    changed after the approval) is told to the model; what it must not do ends the run. An `Attachment` reaches the
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
    """The tools of a plain object; `signoff.adapters.plain_objects` says which those are.

    Args:
        given: The object. Its `check_approval` or `needs_approval` is asked about every call.

    Raises:
        TypeError: It has no tools.
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
        # A block of ours is a PermissionError without an error number of the operating system.
        blocked = isinstance(error, PermissionError) and error.errno is None
        if blocked and not isinstance(error, ChangedSinceApprovedError):
            raise
        raise ToolFailed(f"{type(error).__name__}: {error}") from error
