"""Private files are whole or not there, and nobody else may read them at any moment."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from signoff.private_files import new_file, put


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Path]:
    umask = os.umask(0)
    yield tmp_path / "file"
    os.umask(umask)


def modes(folder: Path) -> list[int]:
    return [file.stat().st_mode & 0o777 for file in folder.iterdir()]


def test_a_new_file_is_for_its_owner_alone_from_the_beginning(target: Path) -> None:
    with new_file(target, replaces=True) as file:
        file.write(b"x")
        assert modes(target.parent) == [0o600]
    assert modes(target.parent) == [0o600]


def test_the_old_content_stays_until_the_new_one_is_whole(target: Path) -> None:
    put(target, b"old")
    with new_file(target, replaces=True) as file:
        file.write(b"new")
        file.flush()
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"new"


def test_what_fails_leaves_the_old_content_and_nothing_else(target: Path) -> None:
    put(target, b"old")
    with pytest.raises(ZeroDivisionError), new_file(target, replaces=True) as file:
        file.write(bytes(1 // 0))
    assert [(file.name, file.read_bytes()) for file in target.parent.iterdir()] == [("file", b"old")]


def test_a_file_that_is_not_to_be_replaced_is_left_alone(target: Path) -> None:
    put(target, b"old")
    with pytest.raises(FileExistsError), new_file(target, replaces=False):
        pass
    assert target.read_bytes() == b"old"


def test_a_link_is_replaced_and_what_it_leads_to_stays(target: Path) -> None:
    other = target.with_name("other")
    put(other, b"other")
    target.symlink_to(other)
    put(target, b"new")
    assert (target.is_symlink(), target.read_bytes(), other.read_bytes()) == (False, b"new", b"other")


def test_permissions_that_are_asked_for_hold_whatever_the_umask_says(target: Path) -> None:
    os.umask(0o077)
    put(target, b"x", mode=0o644)
    assert modes(target.parent) == [0o644]
