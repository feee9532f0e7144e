"""`signoff ask`: asks for approval from a shell script and waits."""

from __future__ import annotations

import hashlib
import math
import os
import signal
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from signoff.canonical import NotJsonError, canonical, parse_json
from signoff.cli.ask_wait import AskAnswer, Asker, Stopped, ask_and_wait, stoppable
from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import chosen_place, json_option, queue_option
from signoff.cli.output import at_terminal, complain, print_json, print_note
from signoff.effects import Command, Effect, FileWrite
from signoff.queue.amendment import EDIT
from signoff.queue.records import DecisionSource

if TYPE_CHECKING:
    from signoff.approved_call import EditedCall
    from signoff.controller import Mode
    from signoff.types import ApprovalContext, ApprovalDecision, ApprovalRequest


__all__ = [
    "MAX_SECONDS",
    "AskError",
    "AskOptions",
    "ask",
    "build_request",
]


_EPILOG = """\b
Examples:
  signoff ask --tool deploy --arg to=staging && ./deploy.sh staging
  signoff ask --tool shell --command "$cmd" --run
  signoff ask --tool write --file app.ini --content-from new.ini \\
      && cp new.ini app.ini
  make-args | signoff ask --tool create_issue --args-json - --json

\b
Exit codes: 0 approved, 1 rejected, 2 wrong use, 3 expired, 4 withdrawn,
5 queue trouble, 129/130/143 stopped by a signal, 141 nobody reads the output.
A request that still waits when the command ends is withdrawn.
Run the call only on 0. With --run the command runs here, and 0 to 255 is its
exit code.
"""

_CODE_OF_SOURCE = {
    DecisionSource.EXPIRY: ExitCode.EXPIRED,
    DecisionSource.WITHDRAWAL: ExitCode.WITHDRAWN,
    DecisionSource.ERROR: ExitCode.QUEUE,
}


@click.command(epilog=_EPILOG)
@click.option("--tool", required=True, metavar="NAME", help="What would be called.")
@click.option("--server", metavar="NAME", help="The server of the tool; an approval is for this one only.")
@click.option("--description", metavar="TEXT", help="One line for the reviewer.")
@click.option("--arg", "arguments", multiple=True, metavar="NAME=VALUE", help="A text argument. Repeatable.")
@click.option("--args-json", "arguments_json", metavar="JSON", help="All arguments as an object; - reads stdin.")
@click.option("--command", metavar="TEXT", help="A command line that would be run in this directory.")
@click.option(
    "--run",
    "runs",
    is_flag=True,
    help="Run the approved --command, which the reviewer may edit; ends with its exit code.",
)
@click.option(
    "--print",
    "prints",
    is_flag=True,
    help="Print the approved --command, which the reviewer may edit, for a script that runs exactly that.",
)
@click.option("--file", metavar="PATH", help="A file that would be written; needs --content-from.")
@click.option("--content-from", metavar="FILE", help="The new content of --file; - reads stdin.")
@click.option(
    "--payload-json",
    metavar="JSON",
    help="What an approval for the session covers, as an object; all arguments by default. - reads stdin.",
)
@click.option("--group", metavar="ID", help="Requests with the same group may be decided together.")
@click.option(
    "--expires-in",
    type=float,
    metavar="SECONDS",
    envvar="SIGNOFF_EXPIRES_IN",
    show_envvar=True,
    help="Give up after so long; never by default.",
)
@click.option("--agent", metavar="NAME", help="Your name on screen (else SIGNOFF_AGENT, else 'shell').")
@click.option("--session", metavar="ID", help="Your conversation (else SIGNOFF_SESSION, else a new one).")
@click.option(
    "--key",
    metavar="KEY",
    help="Your own id for the call: asking again finds the first until it was approved. Needs a session.",
)
@click.option(
    "--mode",
    type=click.Choice(["interactive", "approve_all", "strict"]),
    default="interactive",
    envvar="SIGNOFF_MODE",
    show_envvar=True,
    help="Ask a person, or say yes, or no, to everything.",
)
@queue_option
@json_option
def ask(*, agent: str | None, session: str | None, key: str | None, mode: str, as_json: bool, **call: Any) -> int:
    """Ask for approval, wait, and end with 0 only if it was given.

    The reviewer's words, or with --json the whole answer, go to standard output; with --run and --print that is
    for the command.
    """
    options = AskOptions(**call)
    if as_json and options.uses_command:
        raise click.UsageError("--json, --run and --print all want standard output; give one of them")
    try:
        request = build_request(options)
        context = _context(options.tool, request.arguments or {}, session, key)
    except AskError as error:
        raise click.UsageError(str(error)) from error
    edited = _edited_call(request, context)
    if options.uses_command:
        context = context.model_copy(update={"honors": request.honors, "check_edited": edited})
    asker = Asker(agent, session, chosen_place(), cast("Mode", mode))
    try:
        with stoppable():
            answer = ask_and_wait(request, context, asker)
    except Stopped as stopped:
        complain(f"{stopped}; a request that still waited is withdrawn")
        return stopped.exit_code
    if not options.uses_command:
        _print_answer(answer, as_json=as_json)
        return _exit_code(answer)
    decision = answer.decision
    complain(_in_words(decision))
    if decision.approved is not True:
        return _exit_code(answer)
    try:
        command = _approved_command(edited.request or request, decision)
    except PermissionError as error:
        complain(str(error))
        return ExitCode.CHANGED
    if decision.instead is not None:
        complain(f"edited by {decision.by}: {command}")
    if decision.note:
        complain(decision.note)
    return _run(command) if options.runs else _print_command(command)


def _context(tool: str, arguments: dict[str, Any], session: str | None, key: str | None) -> ApprovalContext:
    from signoff.types import ApprovalContext

    if key is None:
        return ApprovalContext(tool_name=tool, args=arguments)
    run = session or os.environ.get("SIGNOFF_SESSION")
    if not key or not run:
        raise AskError("--key takes a text and needs --session or SIGNOFF_SESSION: keys belong to a session")
    return ApprovalContext(
        tool_name=tool,
        args=arguments,
        metadata={"run_id": run, "run_step": "signoff ask", "tool_call_id": key},
    )


# -- The command that was approved, which is not the one that was asked if the reviewer edited it.


def _edited_call(request: ApprovalRequest, context: ApprovalContext) -> EditedCall:
    """The check of an edited command: another one may be asked about as this one was."""
    from signoff.approved_call import EditedCall

    def asked_so(changed: ApprovalContext) -> ApprovalRequest:
        command = str(changed.args.get("command"))
        effects = tuple(
            replace(effect, command=command) if isinstance(effect, Command) else effect
            for effect in request.effects
        )
        return request.model_copy(update={"arguments": changed.args, "payload": changed.args, "effects": effects})

    return EditedCall(context, request, lambda arguments: arguments, asked_so)


def _approved_command(approved: ApprovalRequest, decision: ApprovalDecision) -> str:
    """Return the command that was approved.

    Raises:
        PermissionError: The working directory leads elsewhere than was shown.
    """
    from signoff.approved_call import bound_to, require_approved

    (command,) = (effect for effect in approved.effects if isinstance(effect, Command))
    with bound_to(approved, decision.snapshot, decision.instead):
        require_approved(approved.tool_name, approved.payload, [command])
    return command.command


def _print_command(command: str) -> int:
    if at_terminal(sys.stdout):
        print_note(command)
    else:
        sys.stdout.buffer.write(command.encode() + b"\n")
    return ExitCode.OK


def _run(command: str) -> int:
    """Run a command in the place of this process, so that terminal, signals and exit code are its own."""
    from signoff.tools.shell import shell_call  # takes a while, and most only ask

    words, environment = shell_call(command)
    sys.stdout.flush()
    sys.stderr.flush()
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores these, and a program would go on doing so
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execve(words[0], words, environment)  # noqa: S606 - the shell is the first of the words
    except OSError as error:
        complain(f"not run: {words[0]} cannot be started: {error.strerror}")
        return ExitCode.FAULT


def _exit_code(answer: AskAnswer) -> int:
    if answer.decision.approved is True:
        return ExitCode.OK
    if answer.failure is not None:
        return answer.failure.exit_code
    return _CODE_OF_SOURCE.get(answer.decision.source, ExitCode.NO)


def _print_answer(answer: AskAnswer, *, as_json: bool) -> None:
    decision = answer.decision
    complain(_in_words(decision))
    if as_json:
        print_json(
            {
                "approved": decision.approved is True,
                "source": decision.source,
                "by": decision.by,
                "note": decision.note,
                "mode": None if decision.approved else decision.mode,
                "remember": decision.remember,
                "id": answer.request_id,
            }
        )
    elif decision.note and decision.source is DecisionSource.REVIEWER:
        print_note(decision.note)


def _in_words(decision: ApprovalDecision) -> str:
    from signoff.types import denial_text

    if decision.approved is True:
        return f"approved by {decision.by or decision.source}"
    return denial_text(decision)


# -- The request from the options of `signoff ask`.

MAX_SECONDS = 10 * 365 * 86_400
"""The longest deadline that is accepted: ten years."""


class AskError(ValueError):
    """The options do not describe a request; the message says what to change."""


@dataclass(frozen=True, slots=True)
class AskOptions:
    """The options of a command line; see ``signoff ask --help``."""

    tool: str
    server: str | None
    description: str | None
    arguments: tuple[str, ...]
    arguments_json: str | None
    command: str | None
    file: str | None
    content_from: str | None
    payload_json: str | None
    group: str | None
    expires_in: float | None
    runs: bool = False
    prints: bool = False

    @property
    def uses_command(self) -> bool:
        """True if the command is used as it was approved, so that a reviewer may edit it."""
        return self.runs or self.prints


def build_request(options: AskOptions) -> ApprovalRequest:
    """Read the files that the options name, and describe the call.

    The payload, which an approval for the session would cover, is complete: all arguments; for a command its text
    and working directory; for a file its path and the hash of its content.

    Raises:
        AskError: The options contradict each other, or something cannot be read.
    """
    from signoff.types import ApprovalRequest

    _refuse_contradictions(options)
    where = _working_directory()
    given = _given_arguments(options)
    effects: list[Effect] = []
    if options.command is not None:
        effects.append(_command(options.command, where, given))
    if options.file is not None:
        effects.append(_file_write(options.file, options.content_from or "", given))
    payload = given if options.payload_json is None else _payload(options.payload_json, given)
    return ApprovalRequest(
        tool_name=options.tool,
        server=options.server,
        description=options.description or _describe(options),
        payload=payload,
        arguments=given,
        group_id=options.group,
        effects=tuple(effects),
        why="asked with signoff ask",
        expires_in=options.expires_in,
        honors=frozenset({EDIT}) if options.uses_command else frozenset(),
    )


def _refuse_contradictions(options: AskOptions) -> None:
    if options.arguments and options.arguments_json is not None:
        raise AskError("give the arguments with --arg or with --args-json, not with both")
    if (options.file is None) is not (options.content_from is None):
        raise AskError("--file and --content-from belong together: where to write, and what")
    if options.runs and options.prints:
        raise AskError("--run runs the command, --print leaves that to the script; give one of them")
    if options.uses_command and (options.command is None or options.file is not None):
        raise AskError("--run and --print are for a --command alone")
    if [options.arguments_json, options.content_from, options.payload_json].count("-") > 1:
        raise AskError("standard input can be read only once; give one of the '-' as a file or as text")
    seconds = options.expires_in
    if seconds is not None and not (math.isfinite(seconds) and 0 < seconds <= MAX_SECONDS):
        raise AskError(f"--expires-in takes more than 0 and at most {MAX_SECONDS} seconds")
    for name in ("tool", "server", "description", "command", "file", "group"):
        _refuse_broken_text(f"--{name}", getattr(options, name))
    if not options.tool.strip():
        raise AskError("--tool is empty; name what would be called")
    if options.server is not None and not options.server.strip():
        raise AskError("--server is empty; name the server of the tool, or leave it out")


def _refuse_broken_text(name: str, text: str | None) -> None:
    """Refuse bytes that are not UTF-8: they arrive as lone surrogates, and their meaning is unclear."""
    try:
        (text or "").encode("utf-8")
    except UnicodeEncodeError:
        raise AskError(f"{name} is not UTF-8 text") from None


def _given_arguments(options: AskOptions) -> dict[str, Any]:
    if options.arguments_json is not None:
        return _json_object("--args-json", options.arguments_json)
    found: dict[str, Any] = {}
    for pair in options.arguments:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise AskError(f"--arg takes NAME=VALUE, not {pair!r}")
        if name in found:
            raise AskError(f"--arg {name} is given twice; for a list use --args-json")
        _refuse_broken_text("--arg", pair)
        found[name] = value
    return found


def _json_object(option: str, text: str) -> dict[str, Any]:
    raw: str | bytes = _read_input("-") if text == "-" else text
    try:
        value = parse_json(raw.decode("utf-8") if isinstance(raw, bytes) else raw)
    except UnicodeDecodeError:
        raise AskError(f"{option}: standard input is not UTF-8 text") from None
    except NotJsonError as error:
        raise AskError(f"{option}: {error}") from error
    if not isinstance(value, dict):
        raise AskError(f'{option} takes a JSON object such as {{"to": "staging"}}')
    return value


def _payload(text: str, given: dict[str, Any]) -> dict[str, Any]:
    """The payload of an approval for the session: it may leave arguments free, but not change them."""
    payload = _json_object("--payload-json", text)
    for name, value in payload.items():
        if name in given and canonical(value) != canonical(given[name]):
            raise AskError(
                f"--payload-json has another value for {name!r} than the call;"
                " give the argument as it is, or leave it out so that it may be anything"
            )
    return payload


def _working_directory() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - text is what is stored and compared
    except OSError as error:
        raise AskError(f"the working directory cannot be used: {error.strerror}; change to another") from error


def _command(command: str, cwd: str, given: dict[str, Any]) -> Effect:
    if not command.strip():
        raise AskError("--command is empty; give the command line that would run")
    _add(given, command=command, cwd=cwd)
    return Command(command, cwd)


def _file_write(path: str, content_from: str, given: dict[str, Any]) -> Effect:
    if not path:
        raise AskError("--file is empty; name the file that would be written")
    absolute = os.path.abspath(path)  # noqa: PTH100 - keeps links visible: what is shown is what was named
    content = _read_input(content_from)
    _add(given, path=absolute, size=len(content), sha256=hashlib.sha256(content).hexdigest())
    return FileWrite(absolute, content)


def _add(given: dict[str, Any], **facts: Any) -> None:
    for name, value in facts.items():
        if name in given:
            raise AskError(f"the argument {name!r} is filled in by --command or --file; leave it out")
        given[name] = value


def _read_input(source: str) -> bytes:
    if source == "-" and sys.stdin is None:
        raise AskError("standard input is closed")
    try:
        return sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except (OSError, ValueError) as error:
        raise AskError(f"cannot read {source}: {getattr(error, 'strerror', None) or error}") from error


def _describe(options: AskOptions) -> str:
    if options.command is not None:
        return f"run {options.command}"
    return f"write {options.file}" if options.file is not None else f"call {options.tool}"
