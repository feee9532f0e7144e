"""The ways to confine a command that this system may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any, Protocol

from signoff.confine.errors import LaunchError

if TYPE_CHECKING:
    import subprocess

    from signoff.confine.checks import Check
    from signoff.confine.profile import OSProfile

__all__ = ["BACKENDS", "Backend", "LaunchError", "backend_named"]

BACKENDS = ("bwrap", "landlock", "seatbelt")
"""Their names in settings."""


class Backend(Protocol):
    """A way to confine a command.

    Attributes:
        name: Its name in settings.
        checks: What it promises of the things that are tried before it is used.
        shows_copies: True if it can show other directories in the places of some.
        exact: True if it enforces profiles as they are; otherwise `enforced` says what it does.
    """

    name: str
    checks: frozenset[Check]
    shows_copies: bool
    exact: bool

    def enforced(self, profile: OSProfile) -> OSProfile:
        """Return what it enforces of a profile: the same, or less.

        Raises:
            LaunchError: It starts no command under the profile.
        """
        ...

    def start(
        self,
        argv: Sequence[str],
        profile_now: Callable[[], OSProfile],
        *,
        cwd: str,
        env: Mapping[str, str],
        replaced: Mapping[str, str] | None = None,
        links: Mapping[str, str] | None = None,
        meanwhile: Callable[[], object] | None = None,
        **streams: int | IO[Any] | None,
    ) -> subprocess.Popen[bytes]:
        """Start a command under a profile.

        Args:
            argv: The command, as words.
            profile_now: Returns what it may touch, as the files are now; called once.
            cwd: Its working directory.
            env: Its environment.
            replaced: Other directories by the places where they are mounted.
            links: Links to what it may touch, by their paths, with what they say.
            meanwhile: Called before the command runs, while its sandbox is set up if that takes time. What it
                raises ends the start.
            **streams: `stdin`, `stdout` and `stderr`, as for `subprocess.Popen`.

        Raises:
            LaunchError: It was not started.
        """
        ...


def backend_named(name: str) -> Backend:
    """Return a backend by its name in settings.

    Raises:
        ValueError: There is none of that name.
    """
    match name:
        case "bwrap":
            from signoff.confine.bubblewrap import Bubblewrap

            return Bubblewrap()
        case "landlock":
            from signoff.confine.landlock import Landlock

            return Landlock()
        case "seatbelt":
            from signoff.confine.seatbelt import Seatbelt

            return Seatbelt()
        case _:
            raise ValueError(f"there is no way to confine commands called {name!r}; known: {', '.join(BACKENDS)}")
