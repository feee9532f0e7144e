"""`signoff ask`: a shell script asks for approval and waits."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, cast

import click

from signoff.cli.ask_call import AskError, AskOptions, build_request
from signoff.cli.ask_waiting import Answer, Asker, Stopped, ask_and_wait, stoppable
from signoff.cli.exit_codes import ExitCode
from signoff.cli.options import chosen_place, json_option, queue_option
from signoff.cli.output import complain, print_json, print_note
from signoff.queue.records import DecisionSource

if TYPE_CHECKING:
    from signoff.controller import Mode
    from signoff.types import ApprovalContext, ApprovalDecision

__all__ = ["ask"]

_EPILOG = """\b
Examples:
  signoff ask --tool deploy --arg to=staging && ./deploy.sh staging
  signoff ask --tool shell --command "$cmd" && sh -c "$cmd"
  signoff ask --tool write --file app.ini --content-from new.ini \\
      && cp new.ini app.ini
  make-args | signoff ask --tool create_issue --args-json - --json

\b
Exit codes: 0 approved, 1 rejected, 2 wrong use, 3 expired, 4 withdrawn,
5 queue trouble, 129/130/143 stopped by a signal, 141 nobody reads the output.
A request that still waits when the command ends is withdrawn.
Run the call only on 0.
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

    The reviewer's words, or with --json the whole answer, go to standard output.
    """
    try:
        request = build_request(AskOptions(**call))
        context = _context(call["tool"], request.arguments or {}, session, key)
    except AskError as error:
        raise click.UsageError(str(error)) from error
    asker = Asker(agent, session, chosen_place(), cast("Mode", mode))
    try:
        with stoppable():
            answer = ask_and_wait(request, context, asker)
    except Stopped as stopped:
        complain(f"{stopped}; a request that still waited is withdrawn")
        return stopped.exit_code
    _print_answer(answer, as_json=as_json)
    return _exit_code(answer)


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


def _exit_code(answer: Answer) -> int:
    if answer.decision.approved is True:
        return ExitCode.OK
    if answer.failure is not None:
        return answer.failure.exit_code
    return _CODE_OF_SOURCE.get(answer.decision.source, ExitCode.NO)


def _print_answer(answer: Answer, *, as_json: bool) -> None:
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
