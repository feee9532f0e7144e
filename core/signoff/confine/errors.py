"""Errors of confining, and what a person can do about them."""

from __future__ import annotations

import signal

__all__ = ["LaunchError", "ended_words", "remedy_of"]

_EXTERNAL = "or say os_sandbox: external if that is the sandbox"
_REMEDIES = (
    (("uid map: Operation not permitted",),
     f"root needs the capability SETFCAP here: run as an ordinary user, give it to the container, {_EXTERNAL}"),
    (("RTM_NEWADDR", "uid map", "setting up uid"), "load the AppArmor profile for bwrap that your system brings"),
    (("Can't mount proc",), f"start the container with an unmasked /proc, {_EXTERNAL}"),
    (("mount /oldroot/dev/",), f"start the container with the usual devices in /dev, {_EXTERNAL}"),
    (("No space left", "nesting"),
     f"allow user namespaces: sysctl user.max_user_namespaces or a sandbox around this forbids them; {_EXTERNAL}"),
    (("No permissions to create new namespace", "Operation not permitted"),
     f"allow user namespaces: a chroot, a filter of system calls, or a sysctl forbids them; {_EXTERNAL}"),
    (("not installed",), "install bubblewrap (apt install bubblewrap)"),
    (("Landlock",), "use bwrap, or Linux 6.2 and later with landlock among its security modules"),
    (("on macOS only",), "use bwrap on Linux"),
    (("sandbox_apply",), "it is inside another sandbox of macOS; say os_sandbox: external if that one counts"),
    (("SIGKILL",), "try again; if it happens again, memory or processes are short"),
)  # fmt: skip


class LaunchError(RuntimeError):
    """A command was not started, because it could not be confined as its profile says.

    Args:
        words: The reason.
        remedy: What a person can do about it, if that is known.
    """

    def __init__(self, words: str, remedy: str = "") -> None:
        super().__init__(words)
        self.words = words
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.words}; {self.remedy}" if self.remedy else self.words


def remedy_of(line: str) -> str:
    """Return what a person can do about what a program said; "" if that is not known."""
    return next((remedy for words, remedy in _REMEDIES if any(word in line for word in words)), "")


def ended_words(code: int) -> str:
    """Return how a program ended, in words, by the return code that `subprocess` has for it."""
    if code >= 0:
        return f"ended with exit code {code}"
    number = -code
    name = signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
    return f"was ended by {name}"
