"""The exit codes of commands: a documented interface that scripts depend on, so they never change."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["EXIT_CODE_TABLE", "ExitCode", "StatusCode"]


class ExitCode(IntEnum):
    """The exit codes of every command but `status`.

    Codes from 128 follow the shell's convention: 128 plus the number of the signal.
    """

    OK = 0
    """Done. For `ask`: approved; no other code means that."""
    NO = 1
    """`ask`: rejected. `approve`, `grants widen`, `history prune`, `policy trust`: not confirmed.

    `demo`: an agent failed. `doctor`: something is wrong. `init`: a file was left as it was. `sandbox check`:
    nothing can confine commands. `sandbox exec --mode review`: a change was not approved.
    """
    USAGE = 2
    """The command was called in a way that makes no sense; nothing was done."""
    EXPIRED = 3
    """`ask`: the deadline passed. Nobody decided."""
    WITHDRAWN = 4
    """`ask`: the request was taken back. Nobody decided."""
    QUEUE = 5
    """There is no queue, it cannot be used, or the request could not be posted. Nothing was decided."""
    NOT_FOUND = 6
    """No request, grant or key has that id."""
    TOO_LATE = 7
    """The request had already ended; the decision was not taken."""
    CHANGED = 8
    """The request has changed since it was shown; the decision was not taken."""
    REFUSED = 9
    """The queue does not accept this decision, or this grant, for this request."""
    BROKEN = 11
    """`history verify`: a record was changed, is missing or in another place, or a signature is wrong."""
    FAULT = 70
    """A fault in signoff itself. For `ask`: not approved."""
    HANGUP = 129
    """The terminal went away; `ask` withdrew its request, the screen sent nothing that was held."""
    INTERRUPTED = 130
    """Ctrl+C, or SIGINT to the screen; `ask` withdrew its request, the screen sent nothing that was held."""
    QUIT = 131
    """SIGQUIT to the screen, which sent nothing that was held."""
    BROKEN_PIPE = 141
    """The reader of the output went away."""
    TERMINATED = 143
    """SIGTERM; `ask` withdrew its request, the screen sent nothing that was held."""


class StatusCode(IntEnum):
    """The exit codes of `status`."""

    NOTHING = 0
    """No request waits."""
    WAITING = 10
    """At least one request waits, none of them of HIGH risk."""
    HIGH = 20
    """At least one request of HIGH risk waits."""
    NOT_CONNECTED = 30
    """There is no queue, or it cannot be read."""


EXIT_CODE_TABLE = """\
    0  done; for `ask`: approved
    1  ask: rejected; approve, grants widen, history prune,
       policy trust: not confirmed; demo: an agent failed;
       doctor: something is wrong; init: a file was left as
       it was; sandbox: nothing can confine, or a change was
       not approved
    2  wrong use of the command; nothing was done
    3  ask: the deadline passed, nobody decided
    4  ask: the request was withdrawn, nobody decided
    5  no queue, or it cannot be used; nothing was decided
    6  no request, grant or key has that id
    7  too late: the request had already ended
    8  changed: the request is not what was shown
    9  refused: not what this request accepts
   11  history verify: a record was changed, is missing, or
       stands in another place, or a signature is wrong
   70  a fault in signoff itself; nothing was approved
  129  the terminal went away, 130 Ctrl+C, 131 SIGQUIT,
       143 SIGTERM: `ask` withdraws its request first,
       the screen sends nothing that is held
  141  the reader of the output went away

`signoff status` alone: 0 nothing waits, 10 requests wait,
20 HIGH risk waits, 30 no queue, or it cannot be read."""
"""The table that --help and the documentation show."""
