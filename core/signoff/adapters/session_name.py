"""The name of a session on screen, by which a person tells it from others: folder, subject, program and branch."""

from __future__ import annotations

from pathlib import Path

__all__ = ["session_name", "short_subject"]

_LONGEST_SUBJECT = 40
_MOST_READ = 4_000


def session_name(title: str, project: str, subject: str = "") -> str:
    """Return the name of a session in a project: ``shop fix the price, Claude Code (main)``.

    What tells sessions apart comes first: there is not always room for all of it.

    Args:
        title: The program, or server, for people.
        project: Absolute path of the folder that it works in.
        subject: What the session is about; "" if that is not known.
    """
    branch = _branch(Path(project))
    about = " ".join(filter(None, (Path(project).name or "/", subject)))
    return f"{about}, {title} ({branch})" if branch else f"{about}, {title}"


def short_subject(text: str) -> str:
    """Return the beginning of what a session is about, in whole words and without secrets."""
    from signoff.policy.redaction.masking import DEFAULT_REDACTION

    words = DEFAULT_REDACTION.mask_text(" ".join(text[:_MOST_READ].split())).text
    return words if len(words) <= _LONGEST_SUBJECT else f"{words[:_LONGEST_SUBJECT].rpartition(' ')[0]}…"


def _branch(project: Path) -> str:
    """The branch that is checked out; "" if there is none, or it cannot be read."""
    for folder in (project, *project.parents):
        place = folder / ".git"
        try:
            if place.is_file():  # of a worktree
                place = folder / _beginning(place).removeprefix("gitdir:").strip()
            head = _beginning(place / "HEAD")
        except (OSError, ValueError):
            continue
        return head.removeprefix("ref: refs/heads/").strip() if head.startswith("ref: refs/heads/") else ""
    return ""


def _beginning(path: Path) -> str:
    """The beginning of a file; anything else that may be there is not waited for.

    Raises:
        OSError, ValueError: There is no file, or it is no text.
    """
    if not path.is_file():
        raise FileNotFoundError(path)
    with path.open("rb") as file:
        return file.read(4_096).decode("utf-8")
