"""The hook of Mistral Vibe: ``pre_tool``.

Its input and output are described in the program itself: ask it about hooks. The hook is run before every call,
also of sub-agents and of programs that the model writes, which need no yes themselves. All calls of a turn ask
at the same time. No answer ends a turn, and no words go along with a yes. Vibe reads no answer beside a code
other than 0, and runs the call unless the hook is strict: so a no is an answer with code 0.

What its tools write, byte for byte, was measured with the program (3.0.2), and is compared with it by ``make
clients``:

- A file keeps its line ends, whatever the arguments have; a new one is written as it is named. Line ends of two
  kinds, and those of the old kind, are refused here.
- ``write_file`` leaves a byte order mark out, and edits keep it. The encoding of other files is guessed, so those
  that are not UTF-8 are refused here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from signoff.adapters.hooks.calls import EventError, HookCall, Reply, directory_of, event_name, object_of, text_of
from signoff.adapters.hooks.own_tools import OwnTools

if TYPE_CHECKING:
    from signoff.adapters.hooks.text_files import TextFile
    from signoff.effects import FileWrite

__all__ = ["DIALECT", "Vibe"]

_EVENT = "pre_tool"
_FILES = "file_system."
"""What the names of the tools begin with that have no server and need none."""

_LEFT_TO_THE_AGENT = frozenset(
    {
        *("read_file", "skill.read", "vibe.todo", "vibe.unified_harness_scratchpad"),
        *("agents.list", "agents.list_configs", "process.list", "process.output", "self.sleep", "self.wait"),
    }
)
"""Tools that read, plan, or wait. Every other tool asks, also one that is new."""


class Vibe(OwnTools):
    """The dialect of Mistral Vibe."""

    agent = "vibe"
    title = "Mistral Vibe"
    event = _EVENT
    lacks: frozenset[Literal["hard"]] = frozenset({"hard"})
    shells = frozenset({"bash", "process.start"})
    directory = "cwd"
    writing = frozenset({"write_file", "search_replace"})
    finds_relative = True

    def read(self, event: Mapping[str, Any]) -> HookCall | None:
        """Return the call that an event is about; None if it is one that nobody is asked about.

        Raises:
            EventError: It is another event.
        """
        name = event_name(event, _EVENT)
        tool, arguments = text_of(event, "tool_name").removeprefix(_FILES), object_of(event, "tool_input")
        if tool in _LEFT_TO_THE_AGENT:
            return None
        if tool == "bash" and not arguments.keys() <= {"command", "timeout"}:
            raise EventError("the event has arguments of bash that this hook does not know")
        if tool == "search_replace" and arguments.get("replace_all") is False:  # what is so without it is no news
            arguments = {name: value for name, value in arguments.items() if name != "replace_all"}
        cwd, parent = directory_of(event), text_of(event, "parent_session_id", optional=True)
        return HookCall(
            event=name,
            tool=tool,
            server=None,
            arguments=arguments,
            session=parent or text_of(event, "session_id"),
            cwd=cwd,
            call_id=text_of(event, "tool_call_id", optional=True),
            sub_agent="sub-agent" if parent else "",
            project=cwd,
        )

    def trial(self, cwd: str) -> dict[str, Any]:
        """Return an event of a call that does nothing."""
        return {
            "hook_event_name": _EVENT,
            "session_id": "trial",
            "cwd": cwd,
            "tool_name": f"{_FILES}bash",
            "tool_input": {"command": "true"},
        }

    def file_after(self, call: HookCall, path: str) -> FileWrite:
        """Return the file that a call leaves behind.

        Raises:
            SnapshotError: The tool would refuse the call, or what it would do is not known before.
        """
        from signoff.adapters.hooks.text_files import line_feeds, read_text_file, text_argument
        from signoff.effects import FileWrite, SnapshotError
        from signoff.present.snapshot.files import named

        file = read_text_file(path)
        texts = [file.text, *(each for each in call.arguments.values() if isinstance(each, str))]
        if file.is_mixed or any("\r" in line_feeds(each) for each in texts) or file.mark.startswith(b"\xff"):
            raise SnapshotError(
                f"{named(path)}, or the call, has line ends that the tool may change, or is UTF-16"
            )
        if call.tool == "search_replace":
            after = file.encoded(_edited(call, path, file), crlf=file.crlf > 0)
        else:
            text = text_argument(call.arguments, "content")
            kept = line_feeds(text) if "\n" in file.text else text
            after = file._replace(mark=b"").encoded(kept, crlf=file.crlf > 0)
        return FileWrite(path, after, replaces=file.sha256)

    def arguments_for(self, call: HookCall, path: str, content: bytes) -> dict[str, Any]:
        """Return arguments with which a tool writes exactly this content.

        Raises:
            ValueError: There are none.
        """
        from signoff.adapters.hooks.text_files import line_feeds, read_text_file, require_written

        file = read_text_file(path)
        text = file.decoded(content)
        if call.tool == "write_file":
            changed = {**call.arguments, "content": text}
        elif "content" in call.arguments:
            raise ValueError("several edits cannot be told to write something else")
        else:
            changed = {**call.arguments, "old_string": file.text, "new_string": line_feeds(text)}
        require_written(content, lambda: self.file_after(call._replace(arguments=changed), path))
        return changed

    def approved(self, call: HookCall, note: str, arguments: Mapping[str, Any] | None) -> Reply:
        """Return the answer that lets a call run; the words are shown to the person in the terminal."""
        changed = {} if arguments is None else {"hook_specific_output": {"tool_input": dict(arguments)}}
        return Reply(0, {"decision": "allow", **changed, **({"system_message": note} if note else {})})

    def refused(self, call: HookCall | None, reason: str, *, hard: bool) -> Reply:
        """Return the answer that keeps a call from running; the agent goes on in any case."""
        return Reply(0, {"decision": "deny", "reason": reason}, reason)


def _edited(call: HookCall, path: str, file: TextFile) -> str:
    """The text after the edits of a call.

    Raises:
        SnapshotError: One of them is not clear.
    """
    from signoff.adapters.hooks.text_files import line_feeds, require_one_place, text_argument
    from signoff.effects import SnapshotError

    blocks = call.arguments.get("content")
    if blocks is None:
        blocks = [
            {
                **call.arguments,
                "old_str": call.arguments.get("old_string"),
                "new_str": call.arguments.get("new_string"),
            }
        ]
    if not file.sha256 or not isinstance(blocks, list) or not all(isinstance(each, dict) for each in blocks):
        raise SnapshotError("there is no such file, or the call names no edits")
    text = file.text
    for block in blocks:
        old, new = (line_feeds(text_argument(block, key)) for key in ("old_str", "new_str"))
        everywhere = block.get("replace_all") is True
        require_one_place(path, text, old, new, everywhere=everywhere, there=True)
        text = text.replace(old, new)
    return text


DIALECT = Vibe()
