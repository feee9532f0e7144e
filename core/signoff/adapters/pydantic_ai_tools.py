"""The `FileSandbox` and the `ShellTool` as PydanticAI toolsets.

```python
files = DeclaredToolset.of_files(FileSandbox({"project": {"root": ".", "mode": "rw"}}))
agent = Agent("...", toolsets=[ApprovalToolset(files)])
```
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Protocol, Self

from pydantic_ai import FunctionToolset
from pydantic_ai.exceptions import ToolFailed

from signoff.tools.file_sandbox import FileSandbox
from signoff.tools.shell import ShellTool
from signoff.types import ApprovalContext, ApprovalRequest

__all__ = ["DeclaredToolset"]


class _Declaring(Protocol):
    def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None: ...

    def approval_request(self, ctx: ApprovalContext) -> ApprovalRequest | None: ...


class DeclaredToolset(FunctionToolset[Any]):
    """Methods of an object that declares what its calls would do.

    `ApprovalToolset` finds `check_approval` here. Used without it, nothing is asked. What a call cannot do (a
    file that is missing, a text that does not occur) is told to the model; what it must not do ends the run.

    Args:
        owner: Says what needs approval.
        methods: Its tools.
        id: Id of the toolset, unique within an agent.
    """

    def __init__(self, owner: _Declaring, methods: Sequence[Callable[..., Any]], *, id: str) -> None:  # noqa: A002
        super().__init__([_telling_failures(method) for method in methods], id=id)
        self.owner = owner

    @classmethod
    def of_files(cls, sandbox: FileSandbox) -> Self:
        """`read_file`, `write_file`, `edit_file` and `list_files` of a sandbox."""
        methods = (sandbox.read_file, sandbox.write_file, sandbox.edit_file, sandbox.list_files)
        return cls(sandbox, methods, id="files")

    @classmethod
    def of_shell(cls, shell: ShellTool) -> Self:
        """`run_command` of a shell."""
        return cls(shell, [shell.run_command], id="shell")

    def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        """Ask the owner.

        Raises:
            PermissionError: The call is blocked.
        """
        return self.owner.check_approval(ctx)

    def approval_request(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        """The owner's request for a call that it would not have asked about.

        Raises:
            PermissionError: The call is blocked.
        """
        return self.owner.approval_request(ctx)


def _telling_failures(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def tool(*args: Any, **kwargs: Any) -> Any:
        try:
            return method(*args, **kwargs)
        except (OSError, ValueError) as error:
            # A block of ours is a PermissionError without an error number of the operating system.
            if isinstance(error, PermissionError) and error.errno is None:
                raise
            raise ToolFailed(f"{type(error).__name__}: {error}") from error

    return tool
