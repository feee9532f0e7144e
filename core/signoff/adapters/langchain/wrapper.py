"""A tool for programs that call it themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool

from signoff.adapters.langchain.tool import approved
from signoff.controller import ApprovalController
from signoff.needs import Setting
from signoff.policy.tool_rules import CallPolicy

__all__ = ["ApprovalToolWrapper"]


class ApprovalToolWrapper:
    """A LangChain tool for programs that call it themselves, asking first.

    It is not a LangChain tool: its `invoke` is awaited, which that of a `BaseTool` must not be. Give agents
    `approved(tool, controller)`, or the plain tool and an `ApprovalMiddleware`.

    Args:
        tool: The tool, with `check_approval` or a mark if it wants to be asked about differently.
        controller: Decides.
        default_approval: ``"required"`` or ``"none"``, for a tool that says nothing about approval.
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
            What the tool returned; a `ToolMessage` for a whole tool call.

        Raises:
            PermissionError: The call is blocked, or was not approved (`ApprovalDeniedError`).
            NotJsonError: The arguments cannot be shown to a reviewer as they are.
        """
        given: Any = args if isinstance(args, str) else dict(args)
        settings = None if config is None else RunnableConfig(**config)  # type: ignore[typeddict-item]
        return await self._approved.ainvoke(given, settings)

    ainvoke = invoke
