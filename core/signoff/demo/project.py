"""The throw-away project that the demo agents work on: a small shop."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

__all__ = ["create_project", "saved_files", "shop_files"]

_STORED_SUFFIX = ".txt"
"""The suffix of the stored files; without it, tools would treat the shop's code as code of signoff."""

_LEFTOVERS = {
    "build/lib/app/models.py": "# Copied here by the build of version 1.4.1.\n",
    "dist/shop-1.4.1-py3-none-any.whl": "Stands for what an earlier build left behind.\n",
}


def create_project(folder: Path) -> None:
    """Write the project into a folder, which is created if it is missing.

    Args:
        folder: The folder; files that are there are replaced.
    """
    for path, content in {**shop_files(), **_LEFTOVERS}.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")


def shop_files() -> dict[str, str]:
    """The files of the project as the agents find it, by path."""
    return dict(sorted(_read(resources.files(__package__) / "shop")))


def saved_files() -> dict[str, str]:
    """The files that the `refactor` agent saves, by path: changed ones and new ones."""
    return dict(sorted(_read(resources.files(__package__) / "saved")))


def _read(directory: Traversable, prefix: str = "") -> list[tuple[str, str]]:
    found = []
    for entry in directory.iterdir():
        if entry.is_dir():
            found += _read(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(_STORED_SUFFIX):
            found.append((prefix + entry.name.removesuffix(_STORED_SUFFIX), entry.read_text("utf-8")))
    return found
