"""The risk of changing a file, by its name: what other programs run or obey without asking anybody."""

from __future__ import annotations

import itertools
import os.path
from collections.abc import Iterator
from pathlib import PurePath, PurePosixPath

from signoff.queue.records import Risk

__all__ = ["lies_in_bare_repository", "path_findings"]

# All in lower case: some file systems do not tell cases apart.
_CI = frozenset({".github", ".gitlab-ci.yml", ".circleci", ".buildkite", "jenkinsfile"})
_STARTUP = frozenset(
    {
        ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile",
        ".zlogin", ".envrc", ".gitconfig", "config.fish", "crontab", "authorized_keys", "sitecustomize.py",
        "usercustomize.py",
    }
)  # fmt: skip
_RULES = frozenset(
    {"signoff.yaml", "signoff.yml", "deciding.key", "reviewers.pub", ".mcp.json", ".claude", ".vscode", ".cursor"}
    | {".codex", ".gemini"}
)
_BUILD = frozenset(
    {
        "pyproject.toml", "setup.py", "setup.cfg", "package.json", "makefile", "dockerfile", "cargo.toml",
        "build.rs", "conftest.py", "tox.ini", "noxfile.py", "justfile", ".pre-commit-config.yaml", "go.mod",
        "cmakelists.txt",
    }
)  # fmt: skip


_REPOSITORY = ("HEAD", "objects", "refs")
"""What makes git take a folder for a repository; see gitrepository-layout(5)."""


def lies_in_bare_repository(path: str) -> bool:
    """Tell whether a file lies in a folder that git takes for a repository, or would make one of its folder.

    Args:
        path: Absolute path; the file need not be there.
    """
    if os.path.basename(path).lower() == "head":  # noqa: PTH119 - names are compared
        return True
    folders = itertools.accumulate(PurePosixPath(path).parent.parts, os.path.join)
    return any(all(os.path.lexists(os.path.join(folder, name)) for name in _REPOSITORY) for folder in folders)  # noqa: PTH118


def path_findings(path: str, cwd: str) -> Iterator[tuple[Risk, str]]:
    """Yield the reasons why a change of a file is not low risk.

    Args:
        path: Absolute path of the file.
        cwd: Absolute directory of the project.
    """
    root = next((root for root in (cwd, os.path.realpath(cwd)) if PurePath(path).is_relative_to(root)), cwd)
    parts = PurePath(os.path.relpath(os.path.normpath(path), root)).parts or (os.curdir,)
    names = {part.lower() for part in parts}
    name = parts[-1].lower()
    if parts[0] == os.pardir:
        yield Risk.HIGH, "outside-root"
    if ".git" in names or lies_in_bare_repository(path):
        yield Risk.HIGH, "git-internals"
    if names & _CI:
        yield Risk.HIGH, "ci-file"
    if name in _STARTUP or ".ssh" in names:
        yield Risk.HIGH, "start-up-file"
    if names & _RULES:
        yield Risk.HIGH, "rules-file"
    if name in _BUILD:
        yield Risk.MEDIUM, "build-file"
