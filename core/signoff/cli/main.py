"""The entry point of the command ``signoff``.

It only chooses the parts to load, and makes sure that every way to end has its documented exit code: an
interpreter that dies of an unexpected error ends with 1, which `ask` reserves for a person's no.
"""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from signoff.cli.exit_codes import ExitCode

__all__ = ["main"]

DEBUG_VARIABLE = "SIGNOFF_DEBUG"


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run one command and end the process with its exit code.

    Args:
        arguments: The words after the program's name; those of the process by default.
    """
    _never_fail_on_characters()
    code = _run(sys.argv[1:] if arguments is None else arguments)
    sys.exit(int(code))


def _run(arguments: Sequence[str]) -> int:
    try:
        code = _dispatch(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        code = ExitCode.BROKEN_PIPE
    except KeyboardInterrupt:
        code = ExitCode.INTERRUPTED
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not end with a code that means "no"
        code = ExitCode.FAULT
        with contextlib.suppress(Exception):  # if the message cannot be written, the exit code still tells
            _report_fault(error)
    _drop_what_cannot_be_written()
    return code


def _dispatch(arguments: Sequence[str]) -> int:
    gc.disable()  # loaded modules stay: there is no garbage among them
    if arguments[:1] == ["hook"]:
        from signoff.cli.hook import parse_plain_call as parse_hook
        from signoff.cli.hook import run_hook

        hook = parse_hook(arguments)
        if hook is not None:
            run_hook(hook)
    from signoff.cli.status import parse_plain_call, run_status

    status_call = parse_plain_call(arguments)
    if status_call is not None:
        code = run_status(status_call)
        gc.freeze()  # all is closed; the interpreter need not walk through it at its end
        return code
    from signoff.cli.commands import run_group

    gc.enable()
    return run_group(arguments)


def _never_fail_on_characters() -> None:
    """Let a terminal that lacks a character show its code instead."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_what_cannot_be_written() -> None:
    """Redirect output that cannot be written: a failing last flush would change the exit code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _report_fault(error: Exception) -> None:
    import traceback

    from signoff.cli.output import complain

    if os.environ.get(DEBUG_VARIABLE):
        for line in "".join(traceback.format_exception(error)).splitlines():
            complain(line)
    else:
        complain(
            f"a fault in signoff itself ({type(error).__name__}: {error});"
            f" set {DEBUG_VARIABLE}=1 and run it again to see where"
        )
