"""`signoff doctor`: says what works, and what to do about what does not."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from signoff import __version__
from signoff.adapters.hooks import DIALECTS, dialect
from signoff.adapters.hooks.calls import REFUSED, Dialect
from signoff.adapters.hooks.installation import SettingsError, has_hook, trial_line, without_hook
from signoff.cli.exit_codes import ExitCode
from signoff.cli.init import is_here, own_program
from signoff.cli.options import chosen_place, queue_option
from signoff.cli.output import counted
from signoff.cli.page import Page, Style
from signoff.present.reveal import one_line
from signoff.queue.errors import QueueError, QueueNotFoundError, ReviewerKeysError

if TYPE_CHECKING:
    from signoff.queue import ReviewQueue

__all__ = ["doctor"]

_EPILOG = """\b
Example:
  signoff doctor

\b
Exit codes: 0 nothing is wrong, 1 something is.
"""


class Grade(StrEnum):
    """The grade of a result."""

    OK = "ok"
    NOTE = "note"
    WRONG = "wrong"


_STYLES: dict[Grade, Style] = {Grade.OK: "yes", Grade.NOTE: "muted", Grade.WRONG: "high"}


class CheckResult(NamedTuple):
    """The result of one check.

    Attributes:
        grade: Its grade.
        subject: The thing.
        words: What was found.
        remedy: What to do; "" for nothing.
    """

    grade: Grade
    subject: str
    words: str
    remedy: str = ""


@click.command(epilog=_EPILOG, short_help="Check queue, keys, screen, rules and hooks.")
@queue_option
def doctor() -> int:
    """Check queue, key, settings of the screen, rules that you trust, and the hook of each coding agent.

    Each hook that is installed is run as its agent would run it, in a queue that is thrown away: it has to
    ask, and a no has to keep the call from running.
    """
    wrong = False
    for finding in _findings():
        wrong = wrong or finding.grade is Grade.WRONG
        page = Page.on(sys.stdout)
        label, style = f"{finding.grade:<7}", _STYLES[finding.grade]
        text = one_line(f"{finding.subject}: {finding.words}")
        page.add(text, label=label, fold="", at_words=True, label_style=style)
        if finding.remedy:
            page.add(one_line(finding.remedy), label=f"{'':7}to do: ", fold="", at_words=True)
        page.write(sys.stdout)
        sys.stdout.flush()
    return ExitCode.NO if wrong else ExitCode.OK


def _findings() -> Iterator[CheckResult]:
    yield CheckResult(Grade.OK, "signoff", f"{__version__} on Python {sys.version.split()[0]}, {own_program()}")
    yield from _queue()
    yield _key()
    yield from _screen()
    yield _rules()
    yield _sandbox()
    for name in sorted(DIALECTS):
        spoken = dialect(name)
        if is_here(spoken):
            yield _hook(name, spoken)


def _queue() -> Iterator[CheckResult]:
    from signoff.queue import queue_stats

    try:
        stats = queue_stats(chosen_place())
    except QueueNotFoundError:
        yield CheckResult(Grade.OK, "queue", "there is none yet; it begins with the first request")
        return
    except QueueError as error:
        yield CheckResult(Grade.WRONG, "queue", str(error))
        return
    yield CheckResult(
        Grade.OK, "queue", f"{counted(stats.pending, 'request')} waiting, {counted(stats.agents, 'agent')}"
    )
    if stats.history_loss:
        yield CheckResult(Grade.WRONG, "history", stats.history_loss, "signoff history verify")
    if stats.approving:
        who = counted(stats.approving, "agent")
        yield CheckResult(
            Grade.NOTE, "agents", f"{who} in mode approve_all: nobody is asked", "look: signoff, then 2"
        )
    if stats.screen_open is False:
        yield CheckResult(Grade.NOTE, "screen", "none is open on this queue", "signoff")


def _key() -> CheckResult:
    from signoff.queue.keys import identity, trust
    from signoff.queue.keys.folder import keys_folder

    try:
        key = identity.load(keys_folder())
        own = None if key is None else key.public
        trusted = {each.key_id for each in trust.load(keys_folder())}
    except ReviewerKeysError as error:
        return CheckResult(Grade.WRONG, "key", str(error))
    if own is None:
        return CheckResult(Grade.OK, "key", "there is none yet; it is made with your first yes")
    if own.key_id in trusted:
        return CheckResult(Grade.OK, "key", f"{own.key_id}, which agents of this user believe")
    return CheckResult(
        Grade.WRONG,
        "key",
        f"agents of this user do not believe {own.key_id}, so no yes of yours counts here",
        f"signoff reviewers trust '{own.line()}'",
    )


def _screen() -> Iterator[CheckResult]:
    from signoff_tui.settings.resolve import Personal

    try:
        chosen = Personal(os.environ).choose()
    except ValueError as error:
        yield from (CheckResult(Grade.WRONG, "settings", fault) for fault in str(error).splitlines())
        return
    for problem in chosen.problems:
        yield CheckResult(Grade.WRONG, "theme", problem)
    if chosen.ascii_only:
        words = "only ASCII is drawn: the locale is not UTF-8, or the terminal has no more"
        yield CheckResult(Grade.NOTE, "terminal", words, "export LC_ALL=C.UTF-8, if it has")
    elif os.environ.get("TERM", "dumb") in ("", "dumb", "unknown"):
        yield CheckResult(Grade.NOTE, "terminal", "it cannot show the screen", "signoff --plain")
    else:
        yield CheckResult(Grade.OK, "terminal", os.environ["TERM"])


def _rules() -> CheckResult:
    from signoff.policy.trust import TrustError, changed_files, trusted_files

    try:
        changed, known = changed_files(), trusted_files()
    except TrustError as error:
        return CheckResult(Grade.WRONG, "rules", str(error))
    if not changed:
        return CheckResult(Grade.OK, "rules", f"{counted(len(known), 'file')} trusted, none changed since")
    names = ", ".join(changed)
    return CheckResult(
        Grade.WRONG,
        "rules",
        f"changed or gone since you trusted them, so agents refuse them: {names}",
        f"read them, then: signoff policy trust {changed[0]}",
    )


def _sandbox() -> CheckResult:
    from signoff.confine.detect import Unusable, detect

    found = detect("bwrap")
    if isinstance(found, Unusable):
        return CheckResult(Grade.NOTE, "sandbox", f"commands cannot be confined: {found.reason}", found.remedy)
    return CheckResult(Grade.OK, "sandbox", "commands can be confined with Bubblewrap")


# -- The hooks.

_NOTE = "a trial of signoff doctor: nothing is to run"
_SECONDS = 30.0


def _hook(name: str, spoken: Dialect) -> CheckResult:
    place, path = spoken.place, spoken.place.file(os.environ)
    install = f"signoff init {name}"
    try:
        text = path.read_bytes().decode("utf-8") if path.exists() else ""
        exact = has_hook(text, place, own_program())
        other = not exact and without_hook(text, place) != text
        command = trial_line(text, place, own_program())
    except (OSError, UnicodeDecodeError, SettingsError) as error:
        return CheckResult(Grade.WRONG, spoken.title, f"{path} cannot be read: {error}")
    if not exact and not other:
        return CheckResult(Grade.NOTE, spoken.title, f"no hook in {path} asks before each call", install)
    if not exact:
        words = f"the hook in {path} is not as signoff init writes it, so calls may run that you did not approve"
        return CheckResult(Grade.WRONG, spoken.title, words, install)
    with tempfile.TemporaryDirectory(prefix="signoff-doctor-") as made:
        why_not = asyncio.run(_why_not(command, spoken, Path(made).resolve()))
    if why_not:
        return CheckResult(Grade.WRONG, spoken.title, why_not, f"run it by hand: {command}")
    unused = spoken.why_unused()
    if unused:
        return CheckResult(Grade.WRONG, spoken.title, unused, place.still_to_do)
    words = "its hook asks, and a no or a failure keeps the call from running"
    return CheckResult(Grade.OK, spoken.title, words, f"once, {place.still_to_do}" if unused is None else "")


async def _why_not(command: str, spoken: Dialect, folder: Path) -> str:
    """Run a hook in a queue of its own, and return what is wrong with it; "" if nothing is."""
    from signoff.queue import open_review_queue

    try:
        async with asyncio.timeout(_SECONDS):
            with open_review_queue(folder / "queue", reviewer="signoff doctor") as queue:
                answering = asyncio.create_task(_reject_one(queue))
                ended = await _run(command, json.dumps(spoken.trial(str(folder))).encode(), folder)
                if not answering.done():
                    answering.cancel()
                    await asyncio.wait([answering])  # it looks into the folder until it has ended
                    return f"its hook asked nobody and ended with {ended.code}: {ended.said}"
            if not ended.refuses(spoken) or _NOTE not in ended.said:
                return f"its hook asked, was told no, and ended with {ended.code}: {ended.said}"
            if not ended.answers_alone:
                words = (
                    "its hook prints more than its answer, so a call that a reviewer changes would run unchanged"
                )
                return f"{words}: {ended.answer.splitlines()[0]}"
            ended = await _run(command, b"{", folder)
    except TimeoutError:
        return f"its hook did not end within {_SECONDS:g} seconds"
    except QueueError as error:
        return f"no queue can be made to try it in: {error}"
    return "" if ended.refuses(spoken) else f"its hook lets calls run when it fails: it ended with {ended.code}"


class _Ended(NamedTuple):
    """A run of a hook.

    Attributes:
        code: Its exit code.
        answer: What it wrote to standard output.
        said: What it wrote to standard error.
    """

    code: int
    answer: str
    said: str

    @property
    def answers_alone(self) -> bool:
        """True if standard output has at most one JSON value: all agents pass over anything else."""
        try:
            json.loads(self.answer or "null")
        except ValueError:
            return False
        return True

    def refuses(self, spoken: Dialect) -> bool:
        """True if the agent takes it for a no."""
        no = spoken.refused(None, self.said, hard=False)
        return self.code == REFUSED or (self.code, self.answer) == (no.exit_code, no.line)


async def _run(command: str, event: bytes, folder: Path) -> _Ended:
    process = await asyncio.create_subprocess_shell(
        command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=folder,
        env={**os.environ, "SIGNOFF_QUEUE": str(folder / "queue")},
        start_new_session=True,
    )
    try:
        answer, errors = await process.communicate(event)
    finally:
        if process.returncode is None:
            os.killpg(process.pid, 9)
            await process.wait()
    said = errors.decode("utf-8", "replace").strip() or "not a word"
    return _Ended(process.returncode or 0, answer.decode("utf-8", "replace"), said)


async def _reject_one(queue: ReviewQueue) -> None:
    """Reject the first request."""
    from signoff.queue import Decision

    async for found in queue.watch():
        for request in (change.request for change in found.changes if change.request.pending):
            decision = Decision(approved=False, note=_NOTE)
            queue.decide(request.id, request.revision, request.submission.digest, decision)
            return
