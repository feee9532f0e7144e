"""Which files a sandbox covers: resolving, and the configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from signoff.tools.roots import PathConfig, follow, followed

# -- resolving ---------------------------------------------------------------------------------------------


def test_a_path_without_links_is_where_it_says(workdir: Path) -> None:
    assert follow("a/./b//../c", str(workdir)) == f"{workdir}/a/c"


def test_a_link_in_the_middle_is_followed_before_its_parent_is_taken(workdir: Path) -> None:
    (workdir / "far" / "away").mkdir(parents=True)
    (workdir / "link").symlink_to("far/away")
    assert follow("link/../x", str(workdir)) == f"{workdir}/far/x"


def test_a_link_that_dangles_leads_to_what_it_names(workdir: Path) -> None:
    (workdir / "link").symlink_to("/nowhere/at/all")
    assert follow("link/x", str(workdir)) == "/nowhere/at/all/x"


@pytest.mark.parametrize("path", ["/proc/self/cwd/a", "/dev/fd/3", "/dev/null", "link/a", "/../proc/1/root"])
def test_what_means_another_place_for_every_process_is_refused(workdir: Path, path: str) -> None:
    (workdir / "link").symlink_to("/proc/self/cwd")
    with pytest.raises(PermissionError, match="every process"):
        follow(path, str(workdir))


def test_a_circle_of_links_is_refused(workdir: Path) -> None:
    (workdir / "a").symlink_to("b/x")
    (workdir / "b").symlink_to("a/y")
    with pytest.raises(PermissionError, match="circle"):
        follow("a", str(workdir))


@pytest.mark.parametrize(("links", "bearable"), [(40, True), (41, False)])
def test_so_many_links_are_followed_as_the_kernel_follows(workdir: Path, links: int, bearable: bool) -> None:
    for number in range(links):
        (workdir / str(number)).symlink_to(str(number + 1))
    (workdir / str(links)).write_text("")
    if bearable:
        (workdir / "0").read_text()
        assert follow("0", str(workdir)) == f"{workdir}/{links}"
    else:
        with pytest.raises(OSError, match="symbolic links"):
            (workdir / "0").read_text()
        with pytest.raises(PermissionError, match="too many links"):
            follow("0", str(workdir))


def test_every_name_on_the_way_is_told(workdir: Path) -> None:
    (workdir / "sub").mkdir()
    (workdir / "sub" / "second").symlink_to(workdir / "file")
    (workdir / "first").symlink_to("sub/second")
    names = ["sub/second", "file", "file"]
    assert followed("first", str(workdir)) == [f"{workdir}/{name}" for name in names]


def test_what_is_below_a_file_is_refused(workdir: Path) -> None:
    (workdir / "file").write_text("")
    with pytest.raises(PermissionError, match="cannot be looked at: Not a directory"):
        follow("file/x", str(workdir))


def test_a_path_that_is_long_before_it_is_resolved_is_refused(workdir: Path) -> None:
    with pytest.raises(PermissionError, match="longer than any path"):
        follow("./" * 2_048, str(workdir))


@pytest.mark.parametrize("path", ["file/", "file/.", "file/..", "file/../other", "file//", "link"])
def test_no_path_leads_through_a_file(workdir: Path, path: str) -> None:
    (workdir / "file").write_text("")
    (workdir / "link").symlink_to("file/")
    with pytest.raises(PermissionError, match="not a directory"):
        follow(path, str(workdir))


@pytest.mark.parametrize(("length", "bearable"), [(255, True), (256, False)])
def test_a_name_may_be_as_long_as_the_kernel_lets_it_be(workdir: Path, length: int, bearable: bool) -> None:
    """Also below what is not there yet, where nobody else would say so."""
    path = f"missing/{'x' * length}"
    if bearable:
        assert follow(path, str(workdir)) == f"{workdir}/{path}"
    else:
        with pytest.raises(PermissionError, match="longer than any path"):
            follow(path, str(workdir))


@pytest.mark.parametrize(("length", "bearable"), [(4095, True), (4096, False)])
def test_a_path_may_be_as_long_as_the_kernel_lets_it_be(length: int, bearable: bool) -> None:
    path = ("/missing" + "/x" * length)[: length - 1] + "y"
    if bearable:
        assert follow(path, "/") == path
    else:
        with pytest.raises(PermissionError, match="longer than any path"):
            follow(path, "/")


# -- configuration -----------------------------------------------------------------------------------------


def test_a_root_is_read_only_and_asks_before_writing_unless_it_says_otherwise() -> None:
    config = PathConfig(root=".")
    assert (config.mode, config.write_approval, config.read_approval) == ("ro", True, False)


def test_what_is_allowed_cannot_be_changed_afterwards() -> None:
    config = PathConfig(root=".")
    with pytest.raises(ValidationError, match="frozen"):
        config.root = "/"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("block", "write", "read"),
    [
        ({"write": "none"}, False, False),
        ({"read": "required"}, True, True),
        ({"write": "required", "read": "none"}, True, False),
    ],
)
def test_approval_can_be_written_as_a_block(block: dict[str, str], write: bool, read: bool) -> None:
    config = PathConfig.model_validate({"root": ".", "approval": block})
    assert (config.write_approval, config.read_approval) == (write, read)


@pytest.mark.parametrize(
    "fields",
    [
        {"mode": "rwx"},
        {"write_aproval": False},
        {"approval": {"write": "no"}},
        {"approval": {"delete": "none"}},
        {"approval": "none"},
        {"approval": {"write": "none"}, "write_approval": True},
        {"write_approval": "yes"},
    ],
)
def test_a_configuration_that_is_not_understood_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PathConfig.model_validate({"root": ".", **fields})
