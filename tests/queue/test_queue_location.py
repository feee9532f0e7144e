"""Where a queue lives, and which places are refused."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from queue_samples import call

from signoff.queue import (
    AgentInfo,
    QueueNotFoundError,
    QueuePlaceError,
    open_agent_queue,
    open_review_queue,
)
from signoff.queue import location as place_module
from signoff.queue.location import file_system_of, locate

INFO = AgentInfo("refactor", "s-41", "/work")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A data directory that is nobody else's."""
    monkeypatch.delenv("SIGNOFF_QUEUE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return tmp_path / "share"


@pytest.fixture
def place(tmp_path):
    """The place of a queue that exists."""
    open_review_queue(tmp_path / "queue").close()
    return tmp_path / "queue"


@pytest.mark.parametrize(
    ("given", "variable", "expected"),
    [
        (None, None, "share/signoff/queues/default"),
        (None, "team", "share/signoff/queues/team"),
        (None, "", "share/signoff/queues/default"),
        ("mine", "team", "share/signoff/queues/mine"),
        ("./mine", None, "mine"),
        ("sub/mine", None, "sub/mine"),
        (None, "./mine", "mine"),
        (Path("mine"), None, "mine"),
    ],
)
@pytest.mark.skipif(os.uname().sysname == "Darwin", reason="macOS has no XDG directories")
def test_a_name_is_in_the_data_directory_and_a_path_is_where_it_says(
    home, tmp_path, monkeypatch, given, variable, expected
):
    monkeypatch.chdir(tmp_path)
    if variable is not None:
        monkeypatch.setenv("SIGNOFF_QUEUE", variable)
    assert locate(given).directory == tmp_path / expected


def test_an_absolute_path_is_taken_as_it_is():
    assert locate("/srv/queue").directory == Path("/srv/queue")


@pytest.mark.parametrize("name", ["a b", "-a", "a\n", "a\0", "ä", "x" * 65])
def test_odd_names_are_refused(home, name):
    with pytest.raises(QueuePlaceError, match="not the name"):
        locate(name)


def test_a_home_of_nobody_is_refused():
    with pytest.raises(QueuePlaceError, match="names no directory"):
        locate("~no-such-user-here/queue")


def test_looking_for_a_queue_does_not_make_one(tmp_path):
    with pytest.raises(QueueNotFoundError):
        open_review_queue(tmp_path / "queue", create=False)
    assert list(tmp_path.iterdir()) == []


def test_a_directory_without_a_database_is_no_queue(place):
    (place / "queue.db").unlink()
    with pytest.raises(QueueNotFoundError):
        open_review_queue(place, create=False)


def test_an_existing_queue_is_found(place):
    open_review_queue(place, create=False).close()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o277])
def test_nobody_else_may_enter_whatever_the_umask(tmp_path, umask):
    before = os.umask(umask)
    try:
        with open_agent_queue(INFO, tmp_path / "new" / "queue") as agent:
            agent.submit(call())
            bell = agent._engine.hang_bell("key", "key")  # a sleeper's pipe, while it hangs
            found = {path: path.lstat() for path in (tmp_path / "new").rglob("*")}
            bell.close()
    finally:
        os.umask(before)
    assert {"queue.db", "queue.db-wal", "queue.db-shm", "write.lock"} <= {p.name for p in found}
    for path, each in found.items():
        expected = 0o700 if stat.S_ISDIR(each.st_mode) else 0o600
        assert stat.S_IMODE(each.st_mode) == expected, path


def test_a_place_reached_through_a_link_is_refused(place, tmp_path):
    (tmp_path / "link").symlink_to(place)
    with pytest.raises(QueuePlaceError, match="is a link"):
        open_review_queue(tmp_path / "link")


def test_a_link_on_the_way_below_the_data_directory_is_refused(home, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (home / "signoff").mkdir(parents=True)
    (home / "signoff" / "queues").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(QueuePlaceError, match="is a link"):
        open_review_queue("default")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("inside", ["bells", "leases", "queue.db"])
def test_links_inside_are_refused(place, tmp_path, inside):
    (place / inside).rename(tmp_path / "moved")
    (place / inside).symlink_to(tmp_path / "moved")
    with pytest.raises(QueuePlaceError, match=r"link|regular"):
        open_review_queue(place)


@pytest.mark.parametrize(("inside", "mode"), [("", 0o755), ("bells", 0o710), ("queue.db", 0o644)])
def test_wider_modes_are_refused_and_the_remedy_is_named(place, inside, mode):
    (place / inside).chmod(mode)
    with pytest.raises(QueuePlaceError, match="chmod"):
        open_review_queue(place)


def test_a_way_that_others_could_change_is_refused(home):
    open_review_queue("default").close()
    (home / "signoff").chmod(0o755)
    open_review_queue("default").close()
    (home / "signoff").chmod(0o777)
    with pytest.raises(QueuePlaceError, match="chmod"):
        open_review_queue("default")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("inside", ["", "queue.db"])
def test_what_belongs_to_somebody_else_is_refused(place, inside):
    os.chown(place / inside, 12345, -1)
    with pytest.raises(QueuePlaceError, match="belongs to user 12345"):
        open_review_queue(place)


def test_a_file_in_the_way_is_refused(tmp_path):
    (tmp_path / "queue").touch(mode=0o600)
    with pytest.raises(QueuePlaceError, match="not a directory"):
        open_review_queue(tmp_path / "queue", create=False)


def _mounts(tmp_path, *points):
    table = tmp_path / "mountinfo"
    lines = [
        f"{n} 1 0:{n} / {point} rw,relatime shared:1 - {kind} source rw" for n, (point, kind) in enumerate(points)
    ]
    table.write_text("".join(f"{line}\n" for line in lines))
    return table


def test_the_file_system_is_that_of_the_nearest_mount(tmp_path):
    inner = tmp_path / "with space"
    inner.mkdir()
    escaped = str(inner).replace(" ", r"\040")
    table = _mounts(tmp_path, ("/", "ext4"), (escaped, "nfs4"), (tmp_path, "btrfs"))
    assert file_system_of(tmp_path, table) == "btrfs"
    assert file_system_of(inner, table) == "nfs4"


def test_a_later_mount_on_the_same_point_hides_the_earlier(tmp_path):
    table = _mounts(tmp_path, ("/", "ext4"), ("/", "overlay"))
    assert file_system_of(tmp_path, table) == "overlay"


def test_without_a_mount_table_the_file_system_is_unknown(tmp_path):
    assert file_system_of(tmp_path, tmp_path / "nothing") == ""


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "9p", "fuse.sshfs", "virtiofs"])
def test_network_file_systems_are_refused(place, monkeypatch, kind):
    monkeypatch.setattr(place_module, "file_system_of", lambda _: kind)
    with pytest.raises(QueuePlaceError, match="local disk"):
        open_review_queue(place)


@pytest.mark.parametrize("kind", ["ext4", "btrfs", "overlay", "tmpfs", "fuseblk", "zfs", ""])
def test_local_file_systems_are_fine(place, monkeypatch, kind):
    monkeypatch.setattr(place_module, "file_system_of", lambda _: kind)
    open_review_queue(place).close()
