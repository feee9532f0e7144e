"""The kind of a file's content, by its first bytes, and its language, by its name."""

from __future__ import annotations

import mimetypes
import re
from pathlib import PurePath

__all__ = [
    "image_size",
    "is_binary",
    "language_of",
    "language_or_none",
    "media_type",
    "size_text",
    "text_of",
]


UNKNOWN = "application/octet-stream"

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"PK\x05\x06", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x7fELF", "application/x-elf"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"\x00asm", "application/wasm"),
)


def is_binary(data: bytes) -> bool:
    """True if content cannot be read as text: it has a NUL or is not UTF-8."""
    return text_of(data) is None


def text_of(data: bytes) -> str | None:
    """Return content as text; None if it has a NUL or is not UTF-8."""
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def media_type(data: bytes, path: str) -> str:
    """Name the media type of binary content.

    Args:
        data: The content; its first bytes outrank the name, which anybody can choose.
        path: The name of the file.

    Returns:
        A type as registered by IANA, or in common use; `application/octet-stream` if unknown.
    """
    for magic, name in _MAGIC:
        if data.startswith(magic):
            return name
    # The tables of this Python only: the machine's own would make the answer depend on it.
    guessed, encoding = mimetypes.MimeTypes().guess_type(PurePath(path).name)
    return guessed if guessed and not encoding else UNKNOWN


def image_size(data: bytes) -> tuple[int, int] | None:
    """Return the width and height in pixels that an image says it has; None if it is none, or says nothing."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR" and len(data) >= 24:
        return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    if data[:6] in {b"GIF87a", b"GIF89a"} and len(data) >= 10:
        return int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    return _jpeg_size(data) if data.startswith(b"\xff\xd8") else None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """The size in the frame header of a JPEG; its segments are walked until there."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in {0xC4, 0xC8, 0xCC}:
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None


def size_text(size: int) -> str:
    """A number of bytes as people say it: ``512 bytes``, ``2.3 KB``, ``4.0 MB``."""
    if size < 1024:
        return f"{size} byte{'' if size == 1 else 's'}"
    return f"{size / 1024:,.1f} KB" if size < 1024 * 1024 else f"{size / (1024 * 1024):,.1f} MB"


# -- The language of a file, from its name alone.
#
# The content is never looked at: guessing from it is slow, often wrong, and lets an agent choose. The names are
# the usual short names of highlighters, such as the aliases of Pygments.

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
    """Return the name of a language as somebody gave it; None if it does not look like one."""
    return name.lower() if isinstance(name, str) and _LANGUAGE.fullmatch(name) else None
