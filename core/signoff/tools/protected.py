"""Names of files that other programs run or obey without asking anybody, or that hold the rules of approval.

Writing one of them is a way to run code later, so it is asked about wherever it lies. All names are compared in
lower case: some file systems do not tell cases apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from signoff.effects import FileWrite
from signoff.policy.risk import assess
from signoff.queue.records import Risk

__all__ = ["is_protected"]

_DIRECTORIES = frozenset(
    {
        ".git", ".hg", ".jj",
        ".github", ".gitlab", ".gitea", ".forgejo", ".circleci", ".buildkite", ".husky", ".githooks",
        ".vscode", ".idea", ".zed", ".devcontainer", ".claude", ".cursor", ".codex", ".gemini", ".windsurf",
        ".continue", ".ssh", ".cargo", ".direnv", ".emacs.d", ".signoff",
    }
)  # fmt: skip
"""Whatever is in them is protected, and so are files of that name."""

_BELOW_CONFIG = frozenset(
    {"autostart", "environment.d", "fish", "git", "nvim", "nushell", "systemd", "direnv", "mise", "signoff"}
)
"""Directories that are protected within ``.config``."""

_FILES = frozenset(
    {
        ".mcp.json", "mcp.json", ".claude.json", ".cursorrules", ".envrc", ".direnvrc", ".mise.toml", "mise.toml",
        ".profile", ".login", ".logout", ".inputrc", ".xinitrc", ".xprofile", ".xsession", ".xsessionrc",
        ".pam_environment", ".gitconfig", ".gitmodules", ".gitlab-ci.yml", ".travis.yml", ".vimrc", ".gvimrc",
        ".exrc", ".nvimrc", ".nvim.lua", ".emacs", ".dir-locals.el", ".gdbinit", ".lldbinit", ".tmux.conf",
        ".screenrc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", ".irbrc", ".pryrc", ".rprofile",
        ".pythonrc", ".pythonrc.py", ".pypirc", ".devcontainer.json", ".gitattributes", ".pre-commit-config.yaml",
        ".pre-commit-config.yml", ".drone.yml", ".drone.yaml", "azure-pipelines.yml", "azure-pipelines.yaml",
        ".pdbrc",
    }
)  # fmt: skip

_SHELL_START = re.compile(r"\.(ba|z|k|mk|c|tc|da|a|ya|fi)?sh(rc|env|_?(profile|login|logout|aliases|functions)).*")
"""Shell start-up files, also parts of them such as ``.bashrc.local``."""

_ZSH_START = re.compile(r"\.z(profile|login|logout)")

_RULES = re.compile(r"\.?signoff\.(ya?ml|json|toml)")


_PATH_FILE = re.compile(r".*\.pth")
"""Lines of Python that every start of the interpreter runs (https://docs.python.org/3/library/site.html)."""


def is_protected(names: Sequence[str]) -> bool:
    """Tell whether writing a file needs a question because of its name.

    Args:
        names: Components of its path, from the top of what the agent works in.
    """
    lower = [name.lower() for name in names]
    if not lower:
        return False
    last = lower[-1]
    return (
        not _DIRECTORIES.isdisjoint(lower)
        or any(outer == ".config" and inner in _BELOW_CONFIG for outer, inner in pairwise(lower))
        or last in _FILES
        or any(pattern.fullmatch(last) is not None for pattern in (_SHELL_START, _ZSH_START, _RULES, _PATH_FILE))
        or assess("", {}, (FileWrite("/" + "/".join(names), ""),), "/").risk is Risk.HIGH
    )
