"""Which language a file is written in, told by its name alone.

Content is never looked at: guessing from it is slow, often wrong, and lets an agent choose.
The names are the usual short names of highlighters, such as the aliases of Pygments.
"""

from __future__ import annotations

import re
from pathlib import PurePath

__all__ = ["language_of", "language_or_none"]

_BY_NAME = {
    ".bash_profile": "bash",
    ".bashrc": "bash",
    ".env": "bash",
    ".profile": "bash",
    ".zshrc": "zsh",
    "cmakelists.txt": "cmake",
    "containerfile": "docker",
    "dockerfile": "docker",
    "gnumakefile": "make",
    "go.mod": "go",
    "justfile": "make",
    "makefile": "make",
    "rakefile": "ruby",
}

_BY_SUFFIX = {
    ".bash": "bash",
    ".bat": "batch",
    ".c": "c",
    ".cc": "cpp",
    ".cfg": "ini",
    ".cmake": "cmake",
    ".cpp": "cpp",
    ".cs": "csharp",
    ".css": "css",
    ".diff": "diff",
    ".ex": "elixir",
    ".exs": "elixir",
    ".fish": "fish",
    ".go": "go",
    ".graphql": "graphql",
    ".h": "c",
    ".hpp": "cpp",
    ".hs": "haskell",
    ".htm": "html",
    ".html": "html",
    ".ini": "ini",
    ".java": "java",
    ".js": "javascript",
    ".json": "json",
    ".jsonl": "json",
    ".jsx": "jsx",
    ".kt": "kotlin",
    ".less": "less",
    ".lua": "lua",
    ".md": "markdown",
    ".mjs": "javascript",
    ".mk": "make",
    ".nix": "nix",
    ".patch": "diff",
    ".php": "php",
    ".pl": "perl",
    ".proto": "protobuf",
    ".ps1": "powershell",
    ".py": "python",
    ".pyi": "python",
    ".r": "r",
    ".rb": "ruby",
    ".rs": "rust",
    ".rst": "rst",
    ".scala": "scala",
    ".scss": "scss",
    ".sh": "bash",
    ".sql": "sql",
    ".svg": "xml",
    ".swift": "swift",
    ".tcss": "css",
    ".tex": "latex",
    ".tf": "terraform",
    ".toml": "toml",
    ".ts": "typescript",
    ".tsx": "tsx",
    ".vue": "vue",
    ".xml": "xml",
    ".yaml": "yaml",
    ".yml": "yaml",
    ".zig": "zig",
    ".zsh": "zsh",
}

_LANGUAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9+#._-]{0,39}", re.ASCII)


def language_of(path: str) -> str | None:
    """Name the language of a file, None if its name does not tell."""
    name = PurePath(path).name.lower()
    return _BY_NAME.get(name) or _BY_SUFFIX.get(PurePath(name).suffix)


def language_or_none(name: object) -> str | None:
    """A language that somebody else named, None if it does not look like the name of one."""
    return name.lower() if isinstance(name, str) and _LANGUAGE.fullmatch(name) else None
