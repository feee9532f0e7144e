"""The errors of a queue.

```
QueueError                     something about the queue; nothing was decided
├── QueueNotFoundError         there is no queue at that place
├── QueuePlaceError            the place is unsafe: foreign owner, open modes, links, network file system
├── QueueVersionError          it is of another signoff's format; it was not touched
├── QueueUnavailableError      locked, read-only, full, corrupt or closed; says which
│   ├── QueueAwayError         its server does not answer, or is being restarted; it may come back
│   ├── QueueGoneError         it was removed, replaced or set back while it was open
│   └── DamagedRecordError     one record cannot be read; the others can
├── UnknownRequestError        no request has that id
├── RequestConflictError       the same request key was used again for other content
├── InvalidSubmissionError     the submission contradicts itself
├── GrantRefusedError          the queue does not remember this approval
└── ReviewerKeysError          no key to sign with, or no usable list of trusted reviewers
```

Every error knows the exit code with which the command line ends on it.
"""

from __future__ import annotations

__all__ = [
    "CLOSED_CONNECTION",
    "FORKED_CONNECTION",
    "DamagedRecordError",
    "GrantRefusedError",
    "InvalidSubmissionError",
    "QueueAwayError",
    "QueueError",
    "QueueGoneError",
    "QueueNotFoundError",
    "QueuePlaceError",
    "QueueUnavailableError",
    "QueueVersionError",
    "RequestConflictError",
    "ReviewerKeysError",
    "UnknownRequestError",
]

CLOSED_CONNECTION = "this connection to the queue is closed; open a new one"
FORKED_CONNECTION = "this connection to the queue was opened before a fork; open one of its own in each process"


class QueueError(Exception):
    """Something about the queue went wrong; nothing was decided."""

    exit_code = 5


class QueueNotFoundError(QueueError):
    """There is no queue at that place."""


class QueuePlaceError(QueueError):
    """The place of the queue is unsafe; the message says what to change."""


class QueueVersionError(QueueError):
    """The queue is of another signoff's format and was not touched; the message says what to do."""


class QueueUnavailableError(QueueError):
    """The queue is locked, read-only, full, corrupt or closed; the message says which."""


class QueueAwayError(QueueUnavailableError):
    """The server of the queue does not answer, or is being stopped or started; it may come back by itself."""


class QueueGoneError(QueueUnavailableError):
    """The queue was removed, replaced or set back while it was open; the message says where and what to do.

    A connection that ends with it stays so: an agent goes on with `AgentQueue.replacement`, a reviewer
    calls `ReviewQueue.reopen`.

    Args:
        message: All of it.
        what: The event that befell the queue, as in "was removed".
    """

    def __init__(self, message: str, what: str = "is gone") -> None:
        super().__init__(message)
        self.what = what
        """The event that befell the queue, as in "was removed"."""


class DamagedRecordError(QueueUnavailableError):
    """One record of the queue cannot be read; the message says which."""


class UnknownRequestError(QueueError):
    """No request has that id."""

    exit_code = 6


class RequestConflictError(QueueError):
    """A request key was used again for other content."""

    exit_code = 2


class InvalidSubmissionError(QueueError, ValueError):
    """A submission contradicts itself, for example a blob does not have the hash it is filed under."""

    exit_code = 2


class GrantRefusedError(QueueError):
    """The queue does not remember an approval that wide, or not of this request; the message says why."""

    exit_code = 9


class ReviewerKeysError(QueueError):
    """The key that signs decisions, or the list of trusted reviewers, cannot be used; says what to do."""
