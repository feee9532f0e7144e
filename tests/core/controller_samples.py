"""Requests, callbacks and tools to try a controller with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from answering import Answer, Reviewer
from signoff.controller import ApprovalController
from signoff.effects import FileEdit, FileWrite
from signoff.types import (
    ApprovalContext,
    ApprovalDecision,
    ApprovalRequest,
)

MODES = ("interactive", "approve_all", "strict")
Ask = Callable[[ApprovalController, ApprovalRequest], Awaitable[ApprovalDecision]]
StartReviewer = Callable[[Answer], Reviewer]


def request_for(**payload: Any) -> ApprovalRequest:
    return ApprovalRequest(tool_name="deploy", description="Deploy", payload=payload)


def approve(request: ApprovalRequest) -> ApprovalDecision:
    return ApprovalDecision(approved=True)


def never(request: ApprovalRequest) -> ApprovalDecision:
    raise AssertionError("nobody should have been asked")


class Tool:
    """A tool that answers `check_approval` with what it was made with."""

    def __init__(self, answer: ApprovalRequest | BaseException | None) -> None:
        self.ran = False
        self.answer = answer

    def check_approval(self, ctx: ApprovalContext) -> ApprovalRequest | None:
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer

    def __call__(self) -> str:
        self.ran = True
        return "done"


class Counting:
    """A callback that counts how often it is asked."""

    def __init__(self, **answer: Any) -> None:
        self.asked = 0
        self.answer = ApprovalDecision(**answer)

    def __call__(self, request: ApprovalRequest) -> ApprovalDecision:
        self.asked += 1
        return self.answer


def edit(path: Path, old: str, new: str) -> ApprovalRequest:
    return ApprovalRequest(
        tool_name="edit_file",
        description="Edit a file",
        payload={"path": str(path)},
        effects=(FileEdit(str(path), old, new),),
    )


def write(path: Path, content: str) -> ApprovalRequest:
    return ApprovalRequest(
        tool_name="write_file",
        description="Write a file",
        payload={"path": str(path)},
        effects=(FileWrite(str(path), content),),
    )
