"""The `FileSandbox` and the `ShellTool` as PydanticAI toolsets.

```python
files = DeclaredToolset.of_files(FileSandbox({"project": {"root": ".", "mode": "rw"}}))
agent = Agent("...", toolsets=[ApprovalToolset(files)])
```
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Self

from pydantic_ai import FunctionToolset
from pydantic_ai.exceptions import ToolFailed

from signoff.binding import ChangedSinceApprovedError
from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool

__all__ = ["DeclaredToolset"]


class DeclaredToolset(FunctionToolset[Any]):
    """Methods of an object that declares what its calls would do.

    `ApprovalToolset` finds the object behind each method and asks it, also through prefixed, renamed and combined
    toolsets. Other tools that are added are decided as in every toolset. Used without an `ApprovalToolset`,
    nothing is asked. What a call cannot do (a file that is missing, a text that does not occur, a file that was
    changed after the approval) is told to the model; what it must not do ends the run.

    Args:
        methods: The tools.
        id: Id of the toolset, unique within an agent.
    """

    def __init__(self, methods: Sequence[Callable[..., Any]], *, id: str) -> None:  # noqa: A002
        super().__init__([_telling_failures(method) for method in methods], id=id)

    @classmethod
    def of_files(cls, sandbox: FileSandbox) -> Self:
        """`read_file`, `write_file`, `edit_file` and `list_files` of a sandbox."""
        methods = (sandbox.read_file, sandbox.write_file, sandbox.edit_file, sandbox.list_files)
        return cls(methods, id="files")

    @classmethod
    def of_shell(cls, shell: ShellTool) -> Self:
        """`run_command` of a shell."""
        return cls([shell.run_command], id="shell")


def _telling_failures(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def tool(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except (OSError, ValueError) as error:
            # A block of ours is a PermissionError without an error number of the operating system.
            blocked = isinstance(error, PermissionError) and error.errno is None
            if blocked and not isinstance(error, ChangedSinceApprovedError):
                raise
            raise ToolFailed(f"{type(error).__name__}: {error}") from error

    return tool
