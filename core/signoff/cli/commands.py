"""The group of all verbs, and the exit codes for their errors."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

import click

from signoff import __version__
from signoff.cli.exit_codes import EXIT_CODE_TABLE, ExitCode
from signoff.cli.groups import LateGroup
from signoff.cli.options import chosen_place, queue_option
from signoff.cli.output import at_terminal, complain
from signoff.queue.errors import QueueError, QueueNotFoundError

__all__ = [
    "run_group",
    "signoff",
]


_EPILOG = f"""\b
Examples:
  signoff                        open the screen
  signoff demo                   see it work, in a throw-away folder
  signoff list                   what waits
  signoff show 1a2b3c4d          all of one request
  signoff reject 1a2b3c4d --note "keep the old name"
  signoff ask --tool deploy --arg to=staging && ./deploy.sh staging
  signoff history --since 1h --state rejected

\b
Exit codes:
{EXIT_CODE_TABLE}
"""

_HOMES = {
    "acp-proxy": ("signoff.cli.acp_proxy", "acp_proxy"),
    "approve": ("signoff.cli.decide", "approve"),
    "ask": ("signoff.cli.ask", "ask"),
    "config": ("signoff.cli.config", "config"),
    "demo": ("signoff.cli.demo", "demo"),
    "doctor": ("signoff.cli.doctor", "doctor"),
    "grants": ("signoff.cli.grants", "grants"),
    "history": ("signoff.cli.history", "history"),
    "hook": ("signoff.cli.hook_command", "hook"),
    "init": ("signoff.cli.init", "init"),
    "list": ("signoff.cli.pending", "list_pending"),
    "mcp-ask": ("signoff.cli.mcp_ask", "mcp_ask"),
    "mcp-proxy": ("signoff.cli.mcp_proxy", "mcp_proxy"),
    "policy": ("signoff.cli.policy.commands", "policy"),
    "popup": ("signoff.cli.popup", "popup"),
    "queue": ("signoff.cli.queue", "queue"),
    "reject": ("signoff.cli.decide", "reject"),
    "reviewers": ("signoff.cli.reviewers", "reviewers"),
    "sandbox": ("signoff.cli.sandbox", "sandbox"),
    "serve": ("signoff.cli.serve", "serve"),
    "show": ("signoff.cli.show", "show"),
    "status": ("signoff.cli.status_command", "status"),
    "token": ("signoff.cli.token", "token"),
}
"""The module of each verb, and its name there."""

_HOW_A_QUEUE_BEGINS = (
    "a queue comes into being when an agent asks for the first time, or when the screen is opened;"
    " another one is named with --queue or SIGNOFF_QUEUE"
)


@click.group(
    cls=LateGroup,
    homes=_HOMES,
    invoke_without_command=True,
    epilog=_EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@queue_option
@click.version_option(__version__, message="signoff %(version)s")
@click.option("--theme", metavar="NAME", envvar="SIGNOFF_THEME", show_envvar=True, help="Colors of the screen.")
@click.option("--ascii", "ascii_only", is_flag=True, help="Draw the screen with ASCII characters only.")
@click.option("--plain", is_flag=True, help="No full screen: text line by line, for screen readers.")
@click.option("--read-only", is_flag=True, help="Look only: nothing that is typed decides anything.")
@click.pass_context
def signoff(context: click.Context, *, theme: str | None, ascii_only: bool, plain: bool, read_only: bool) -> int:
    """Agents ask, people sign off. Without a verb: open the screen."""
    if context.invoked_subcommand is not None:
        return ExitCode.OK
    plain = plain or os.environ.get("TERM") == "dumb"
    # Textual draws on stderr. What is drawn into a file would count as shown.
    drawn_on = sys.stdout if plain else sys.stderr
    if not at_terminal(sys.stdin, sys.stdout, drawn_on):
        what = "--plain" if plain else "the screen"
        raise click.UsageError(f"{what} needs a terminal; without one: signoff list, show, approve, reject")
    from signoff.settings_yaml import ConfigError

    try:
        if plain:
            return _talk(read_only=read_only)
        return _open_screen(theme, ascii_only=ascii_only, read_only=read_only)
    except ConfigError as error:
        for problem in error.problems:
            complain(str(problem))
        return ExitCode.USAGE
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _open_screen(theme: str | None, *, ascii_only: bool, read_only: bool) -> int:
    import gc

    gc.disable()  # modules loaded from here on stay; the screen switches it on again
    from signoff_tui.app import run
    from signoff_tui.settings.resolve import Personal

    chosen = Personal(dict(os.environ), theme, ascii_only).choose()
    stopped = run(chosen_place(), theme=theme, ascii_only=ascii_only, read_only=read_only, chosen=chosen)
    if stopped is None:
        return ExitCode.OK
    with contextlib.suppress(OSError):  # the terminal may be gone
        complain(str(stopped))
    return stopped.exit_code


def _talk(*, read_only: bool) -> int:
    from msgspec.structs import asdict

    from signoff.cli.plain import PlainSettings, run_plain
    from signoff.queue import open_review_queue
    from signoff_tui.settings import SETTINGS_VARIABLE, ScreenSettings, load_settings, settings_file

    file = settings_file(os.environ)
    settings = load_settings(file) if os.environ.get(SETTINGS_VARIABLE) or file.exists() else ScreenSettings()
    plain_settings = PlainSettings(**asdict(settings.guard), read_only=read_only)
    with open_review_queue(chosen_place()) as queue:
        return run_plain(queue, plain_settings)


def run_group(arguments: Sequence[str]) -> int:
    """Run the verb that the arguments name.

    Returns:
        The exit code. Errors were reported on standard error, in a sentence.
    """
    try:
        # Not `signoff.main`: that ends a broken pipe with 1, the code of a person's no.
        with signoff.make_context("signoff", list(arguments)) as context:
            code = signoff.invoke(context)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.ClickException as error:
        complain(_with_help(error))
        return ExitCode.USAGE
    except QueueNotFoundError as error:
        complain(f"{error}; {_HOW_A_QUEUE_BEGINS}")
        return error.exit_code
    except QueueError as error:
        complain(str(error))
        return error.exit_code
    return int(code or ExitCode.OK)


def _with_help(error: click.ClickException) -> str:
    message = error.format_message().rstrip(".")
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f"{message}; see: {context.command_path if context else 'signoff'} --help"
