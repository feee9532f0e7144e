"""What each of the demo agents sets out to do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from signoff.demo.project import saved_files, shop_files
from signoff.demo.script import Call

__all__ = ["SAVE_PROJECT", "refactor_turns", "release_turns", "runner_turns"]

Turns = Sequence[Sequence[Call]]

SAVE_PROJECT = "save project"
"""Name of the group that the `refactor` agent saves its files as."""

_EDITED_IN_PLACE = ("pyproject.toml", "src/app/cli.py")
_TESTS = "python3 -m unittest discover -s tests"


def refactor_turns() -> Turns:
    """Look at the project, then save all files at once."""
    look = [Call("list_files", {"path": "src"}), Call("read_file", {"path": "src/app/models.py"})]
    return [look, [_save(path, content) for path, content in saved_files().items()]]


def runner_turns() -> Turns:
    """Run one command after the other; the tests again after what might have broken them."""
    todo = "grep -rn TODO src | sort && wc -l src/app/*.py"
    commands = [_TESTS, "ls -R src", todo, "rm -rf build dist", _TESTS, "ls -R src"]
    return [[Call("run_command", {"command": command})] for command in commands]


def release_turns() -> Turns:
    """Announce a release to other services, one call after the other."""
    return [[_ticket()], [_release()], [_announcement()]]


def _save(path: str, content: str) -> Call:
    if path in _EDITED_IN_PLACE:
        return Call("edit_file", {"path": path, **_difference(shop_files()[path], content)})
    return Call("write_file", {"path": path, "content": content})


def _difference(before: str, after: str) -> dict[str, str]:
    """The part between the lines that two texts have in common at their beginning and end."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    start = _common(old, new)
    old, new = old[start:], new[start:]
    end = _common(old[::-1], new[::-1])
    return {"old": "".join(old[: len(old) - end]), "new": "".join(new[: len(new) - end])}


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines two texts begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _ticket() -> Call:
    fields = {
        "type": "release",
        "labels": ["shop", "1.4.2"],
        "checklist": [
            {"step": "tests are green", "done": True},
            {"step": "stock export is switched off", "done": False},
        ],
        "due": "Friday 17:00",
    }
    return Call("create_ticket", {"project": "SHOP", "title": "Release 1.4.2", "fields": fields})


def _release() -> Call:
    body = {
        "release": {
            "name": "shop",
            "version": "1.4.2",
            "artifacts": [
                {"file": "shop-1.4.2-py3-none-any.whl", "size": 18_204, "signed": True},
                {"file": "shop-1.4.2.tar.gz", "size": 15_871, "signed": True},
            ],
            "rollout": {"strategy": "canary", "steps": [5, 25, 100], "pause_minutes": 30},
        },
        "environment": "production",
        "dry_run": False,
    }
    return Call("http_post", {"url": "https://api.example.com/v1/releases", "body": body})


def _announcement() -> Call:
    body = {
        "channel": "customers",
        "subject": "Shop 1.4.2",
        "text": "Canvas bags are back in stock. The shop stays open during the update.",
        "recipients": {"list": "newsletter", "count": 4_812},
    }
    return Call("http_post", {"url": "https://api.example.com/v1/announcements", "body": body})
