"""The hook of GitHub Copilot CLI: ``preToolUse``.

Its input and output are those of https://docs.github.com/en/copilot/reference/hooks-reference. The hook is run
before every call, also of sub-agents; no answer ends a turn. All calls of a turn ask at the same time.

What its tools write, byte for byte, was measured with the program (1.0.102), and is compared with it by ``make
clients``:

- ``create`` writes its argument as it is, where there is no file.
- ``edit`` gives the new text the line ends of the file, and keeps a byte order mark. A file that is not UTF-8 is
  damaged, so it is refused here, as is one with line ends of two kinds.
- An edit that removes whole lines takes their last line end with it.
- A text that is not found is looked for without regard to blanks and to the form of quotes. Such a call is
  refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from signoff.adapters.hooks.calls import REFUSED, HookCall, Reply, directory_of, object_of, text_of
from signoff.adapters.hooks.own_tools import OwnTools

if TYPE_CHECKING:
    from signoff.effects import FileWrite
    from signoff.types import ApprovalDecision

__all__ = ["DIALECT", "Copilot"]

_EVENT = "preToolUse"

_LEFT_TO_THE_AGENT = frozenset(
    {
        *("glob", "grep", "rg", "view", "fetch_copilot_cli_documentation", "report_intent"),
        *("list_bash", "read_bash", "list_agents", "read_agent"),
        *("ask_user", "exit_plan_mode", "update_todo"),
    }
)
"""Tools that read, plan, or ask the person in the terminal. Every other tool asks, also one that is new."""

_SUB_AGENTS = frozenset({"task"})
_PLAIN_SUB_AGENT = frozenset({"agent_type", "description", "mode", "model", "name", "prompt"})
"""Arguments with which a sub-agent only starts, here: its calls come here one by one."""

_PATCH = "apply_patch"
"""A tool of some models, whose arguments are one text."""


class Copilot(OwnTools):
    """The dialect of GitHub Copilot CLI."""

    agent = "copilot"
    title = "Copilot CLI"
    event = _EVENT
    lacks: frozenset[Literal["hard"]] = frozenset({"hard"})
    shells = frozenset({"bash"})
    writing = frozenset({"create", "edit"})
    from_cwd = frozenset({_PATCH})
    path = "path"

    def read(self, event: Mapping[str, Any]) -> HookCall | None:
        """Return the call that an event is about; None if it is one that nobody is asked about.

        Raises:
            EventError: It is another event.
        """
        tool, patch = text_of(event, "toolName"), event.get("toolArgs")
        as_text = tool == _PATCH and isinstance(patch, str)
        arguments = {"patch": patch} if as_text else object_of(event, "toolArgs")
        if tool in _LEFT_TO_THE_AGENT or (tool in _SUB_AGENTS and arguments.keys() <= _PLAIN_SUB_AGENT):
            return None
        cwd = directory_of(event)
        return HookCall(
            event=_EVENT,  # the event does not tell
            tool=tool,
            server=None,  # its name and that of the tool cannot be told apart
            arguments=arguments,
            session=text_of(event, "parentAgentId", optional=True) or text_of(event, "sessionId"),
            cwd=cwd,
            sub_agent=text_of(event, "agentType", optional=True),
            project=cwd,
        )

    def arguments_instead(self, call: HookCall, decision: ApprovalDecision) -> dict[str, Any]:
        """Return the arguments with which the tool does what a reviewer approved in place of the call.

        Raises:
            ValueError: There are none.
        """
        if call.tool == _PATCH and decision.instead is not None:
            raise ValueError("a patch runs as it is, or not at all")
        return super().arguments_instead(call, decision)

    def trial(self, cwd: str) -> dict[str, Any]:
        """Return an event of a call that does nothing."""
        return {"sessionId": "trial", "cwd": cwd, "toolName": "bash", "toolArgs": {"command": "true"}}

    def file_after(self, call: HookCall, path: str) -> FileWrite:
        """Return the file that a call leaves behind.

        Raises:
            SnapshotError: The tool would refuse the call, or what it would do is not known before.
        """
        from signoff.adapters.hooks.text_files import (
            line_feeds,
            read_text_file,
            require_one_place,
            text_argument,
        )
        from signoff.effects import FileWrite, SnapshotError
        from signoff.present.snapshot.files import named

        file = read_text_file(path)
        if call.tool == "create":
            if file.sha256:
                raise SnapshotError(f"{named(path)} is there already; edit it")
            return FileWrite(path, text_argument(call.arguments, "file_text").encode(), replaces="")
        if not file.sha256:
            raise SnapshotError(f"{named(path)} is not there; create it")
        if file.is_mixed or "\r" in file.text or file.mark.startswith(b"\xff"):
            raise SnapshotError(
                f"{named(path)} has line ends of two kinds, or is UTF-16, and the tool may change it"
            )
        old, new = (line_feeds(text_argument(call.arguments, key)) for key in ("old_str", "new_str"))
        require_one_place(path, file.text, old, new, everywhere=False, there=True)
        if not new and _is_whole_lines(old, file.text):
            old += "\n"
        return FileWrite(path, file.encoded(file.text.replace(old, new), crlf=file.crlf > 0), replaces=file.sha256)

    def arguments_for(self, call: HookCall, path: str, content: bytes) -> dict[str, Any]:
        """Return arguments with which a tool writes exactly this content.

        Raises:
            ValueError: There are none.
        """
        from signoff.adapters.hooks.text_files import line_feeds, read_text_file, require_written

        file = read_text_file(path)
        text = file.decoded(content)
        if call.tool == "create":
            changed = {**call.arguments, "file_text": text}
        else:
            changed = {**call.arguments, "old_str": file.text, "new_str": line_feeds(text)}
        require_written(content, lambda: self.file_after(call._replace(arguments=changed), path))
        return changed

    def approved(self, call: HookCall, note: str, arguments: Mapping[str, Any] | None) -> Reply:
        """Return the answer that lets a call run."""
        changed = {} if arguments is None else {"modifiedArgs": dict(arguments)}
        told = {"additionalContext": note} if note else {}
        return Reply(0, {"permissionDecision": "allow", **changed, **told})

    def refused(self, call: HookCall | None, reason: str, *, hard: bool) -> Reply:
        """Return the answer that keeps a call from running; the agent goes on in any case."""
        return Reply(REFUSED, {"permissionDecision": "deny", "permissionDecisionReason": reason}, reason)


def _is_whole_lines(old: str, text: str) -> bool:
    """True if a text is all of one line or several, but for the last line end.

    Raises:
        SnapshotError: It begins with an empty line, which may be one of them or not.
    """
    from signoff.effects import SnapshotError

    before, _, behind = text.partition(old)
    whole = (not before or before.endswith("\n")) and behind.startswith("\n") and not old.endswith("\n")
    if whole and old.startswith("\n"):
        raise SnapshotError("the text to remove begins with an empty line; name more of its surroundings")
    return whole


DIALECT = Copilot()
