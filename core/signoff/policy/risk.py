"""How much harm a call could do: low, medium or high, with reasons.

Computed from what the call declares (effects, arguments), never from what it says about itself. Reasons are
short stable words that the screen shows next to the level. When in doubt the level goes up, not down.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

from signoff.effects import Command, Effect, FileEdit, FileWrite
from signoff.policy.risk_command import command_findings
from signoff.present.reveal import reveal
from signoff.queue.records import Risk

__all__ = ["Assessment", "Finding", "assess"]

Finding = tuple[Risk, str]
"""One reason and the level it asks for."""

_ORDER = {Risk.LOW: 0, Risk.MEDIUM: 1, Risk.HIGH: 2}

# Files and directories that other programs run or obey without asking anybody. All in lower case: some file
# systems do not tell cases apart.
_CI = frozenset({".github", ".gitlab-ci.yml", ".circleci", ".buildkite", "jenkinsfile"})
_STARTUP = frozenset(
    {
        ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile",
        ".zlogin", ".envrc", ".gitconfig", "config.fish", "crontab", "authorized_keys", "sitecustomize.py",
        "usercustomize.py",
    }
)  # fmt: skip
_RULES = frozenset(
    {"signoff.yaml", "signoff.yml", ".mcp.json", ".claude", ".vscode", ".cursor", ".codex", ".gemini"}
)
_BUILD = frozenset(
    {
        "pyproject.toml", "setup.py", "setup.cfg", "package.json", "makefile", "dockerfile", "cargo.toml",
        "build.rs", "conftest.py", "tox.ini", "noxfile.py", "justfile", ".pre-commit-config.yaml", "go.mod",
        "cmakelists.txt",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Assessment:
    """The risk of a call and why it is not lower."""

    risk: Risk
    reasons: tuple[str, ...]


def assess(
    tool_name: str,
    arguments: Mapping[str, Any],
    effects: Sequence[Effect],
    cwd: str,
    *,
    description: str = "",
) -> Assessment:
    """Judge a tool call.

    Args:
        tool_name: Name of the tool.
        arguments: Full arguments.
        effects: What the call declares it would do; empty when the tool declares nothing.
        cwd: Absolute working directory: the project that the agent may be expected to work in.
        description: What the tool says of the call; it is only looked through for hidden characters.

    Returns:
        The highest level any reason asks for, with all reasons, each once, in order of discovery.
    """
    findings = [
        *_effects(effects, cwd),
        *_arguments(arguments, declared=bool(effects)),
        *_hostile(tool_name, [description, *_texts(arguments)]),
    ]
    risk = max((level for level, _ in findings), key=_ORDER.__getitem__, default=Risk.LOW)
    return Assessment(risk, tuple(dict.fromkeys(reason for _, reason in findings)))


def _effects(effects: Sequence[Effect], cwd: str) -> Iterator[Finding]:
    for effect in effects:
        match effect:
            case FileWrite(path=path) | FileEdit(path=path):
                yield from _path(path, cwd)
            case Command(command=command, env=env):
                yield from command_findings(command)
                if env:
                    yield Risk.MEDIUM, "environment"


def _path(path: str, cwd: str) -> Iterator[Finding]:
    root = next((root for root in (cwd, os.path.realpath(cwd)) if PurePath(path).is_relative_to(root)), cwd)
    parts = PurePath(os.path.relpath(os.path.normpath(path), root)).parts or (os.curdir,)
    names = {part.lower() for part in parts}
    name = parts[-1].lower()
    if parts[0] == os.pardir:
        yield Risk.HIGH, "outside-root"
    if ".git" in names:
        yield Risk.HIGH, "git-internals"
    if names & _CI:
        yield Risk.HIGH, "ci-file"
    if name in _STARTUP or ".ssh" in names:
        yield Risk.HIGH, "start-up-file"
    if names & _RULES:
        yield Risk.HIGH, "rules-file"
    if name in _BUILD:
        yield Risk.MEDIUM, "build-file"


def _arguments(arguments: Mapping[str, Any], *, declared: bool) -> Iterator[Finding]:
    """Judge a structured call; what a tool does beyond its declared effects is unknown."""
    if not declared:
        yield Risk.MEDIUM, "unknown-effects"
    for text in _texts(arguments.get("method")):
        if text.upper() == "DELETE":
            yield Risk.HIGH, "delete"
    for key in ("url", "uri", "host", "endpoint"):
        if any(_texts(arguments.get(key))):
            yield Risk.MEDIUM, "network"


def _hostile(tool_name: str, texts: Iterable[str]) -> Iterator[Finding]:
    if reveal(tool_name, "tool_name").warns or any(reveal(text, "content").warns for text in texts):
        yield Risk.MEDIUM, "hidden-chars"


def _texts(value: object) -> Iterable[str]:
    """Every string in a JSON value, keys included."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            waiting.extend(item.keys())
            waiting.extend(item.values())
        elif isinstance(item, (list, tuple)):
            waiting.extend(item)
