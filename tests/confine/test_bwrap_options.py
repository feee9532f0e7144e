"""What the options of Bubblewrap do is what the profile says, read back by a reader that knows only its manual."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path, PurePosixPath
from random import Random
from tempfile import TemporaryDirectory

import pytest
from bwrap_reader import Inside, read_options
from hypothesis import given
from hypothesis import strategies as st
from trees import Tree, new_tree, random_profile

from signoff.confine.bubblewrap import MountKind, mounts_of, options
from signoff.confine.errors import LaunchError
from signoff.confine.profile import OSProfile, PathAccess, PathMap
from signoff.confine.system import system_files, system_links

NONE, READ, WRITE = PathAccess
OWN = ("/tmp", "/proc", "/dev", "/sys")
seeds = st.integers(0, 2**32)


def read_back(profile: OSProfile, cwd: str = "/usr") -> Inside:
    return read_options(options(profile, mounts_of(profile), system_links(network=profile.network), cwd))


def access_of(profile: OSProfile, path: str) -> str:
    return profile.visible().at(path).name.lower()


def paths_around(tree: Tree) -> list[str]:
    """Real paths in a tree, beside it and elsewhere."""
    real = [path for path in tree.paths() if path not in tree.links]
    beside = [f"{folder}b/x" for folder in tree.folders]
    return [
        *real,
        *beside,
        "/",
        "/new",
        "/usr/bin/new",
        "/usr",
        "/etc/shadow",
        "/etc/new",
        "/var/tmp",
        "/home/x",
        "/root",
    ]


# -- Files.


@given(seeds)
def test_the_options_allow_at_each_path_what_the_profile_says(seed: int) -> None:
    random = Random(seed)
    with new_tree(random) as tree:
        profile = random_profile(random, tree)
        inside = read_back(profile)
        for path in paths_around(tree):
            assert inside.access(path) == access_of(profile, path), path


@given(seeds)
def test_no_directory_on_the_way_to_a_mount_can_be_renamed(seed: int) -> None:
    random = Random(seed)
    with new_tree(random) as tree:
        inside = read_back(random_profile(random, tree))
        for mounted in inside.mounts:
            for above in PurePosixPath(mounted).parents:
                can_be_renamed = str(above) != "/" and inside.access(str(above.parent)) == "write"
                assert not can_be_renamed or str(above) in inside.mounts, above


@given(seeds)
def test_mounts_come_after_those_above_them(seed: int) -> None:
    random = Random(seed)
    with new_tree(random) as tree:
        order = read_back(random_profile(random, tree)).order
        assert len(set(order)) == len(order)
        for number, path in enumerate(order):
            assert not any(PurePosixPath(path).is_relative_to(later) for later in order[number + 1 :])


@given(seeds)
def test_a_hidden_directory_is_passed_only_to_what_is_visible_in_it(seed: int) -> None:
    random = Random(seed)
    with new_tree(random) as tree:
        profile = random_profile(random, tree)
        shown, inside = profile.visible(), read_back(profile)
        for path, mounted in inside.mounts.items():
            if mounted.source is None and not mounted.own and path != "/":
                leads = any(access and place.startswith(f"{path}/") for place, access in shown)
                assert mounted.mode == ("0111" if leads else "0000")


def test_a_root_that_may_be_read_as_a_whole_is_shown_as_a_whole(tmp_path: Path) -> None:
    profile = OSProfile(PathMap({"/": READ, str(tmp_path): NONE}), system_files(network=False))
    inside = read_back(profile)
    assert inside.access("/etc/anything") == "read"
    assert inside.access(str(tmp_path / "x")) == "none"
    assert inside.links == {}
    assert all(inside.access(path) == "own" for path in ("/proc/1/environ", "/dev/sda"))


def test_the_scratch_directory_is_of_the_command_alone_unless_it_is_a_root(tmp_path: Path) -> None:
    assert read_back(OSProfile()).access("/tmp/x") == "own"
    root = PathMap({"/tmp": READ})
    assert read_back(OSProfile(root)).access("/tmp/x") == "read"
    assert read_back(OSProfile(PathMap({str(tmp_path): WRITE}))).access(str(tmp_path)) == "write"


# -- Names that would be options, or end one.


@pytest.mark.parametrize(
    "name", ["-x", "--", "--bind", "--args", "a b", "k=v", "'", '"', "$(x)", "\t", "ä", "\udcff", "a,b"]
)
def test_no_name_is_taken_for_anything_but_a_name(tmp_path: Path, name: str) -> None:
    top = tmp_path / name
    (top / name).mkdir(parents=True)
    profile = OSProfile(PathMap({str(top): WRITE, str(top / name): READ}))
    inside = read_back(profile, cwd=str(top))
    assert inside.access(str(top / "x")) == "write"
    assert inside.access(str(top / name / "x")) == "read"
    assert inside.values["--chdir"] == str(top)
    assert read_back(OSProfile(PathMap({str(top): WRITE}))).flags == inside.flags


@pytest.mark.parametrize("name", ["a\nb", "a\0b", "a\n--bind\n/\n/"])
def test_a_name_with_a_line_break_or_nul_is_no_place(name: str) -> None:
    with pytest.raises(ValueError, match="resolve it first"):
        PathMap({f"/top/{name}": WRITE})


# -- What is closed beside files.


@pytest.mark.parametrize("network", [False, True])
def test_everything_else_is_of_the_command_alone(network: bool) -> None:
    profile = OSProfile(runtime=system_files(network=network), network=network)
    inside = read_back(profile)
    namespaces = {f"--unshare-{kind}" for kind in ("user", "ipc", "pid", "uts", "cgroup-try")}
    alone = {"--disable-userns", "--new-session", *([] if network else ["--unshare-net"])}
    assert inside.flags == namespaces | alone
    assert inside.values["--cap-drop"] == "ALL"
    assert inside.values["--hostname"] == "confined"
    assert {path for path, mounted in inside.mounts.items() if mounted.writable} == {"/proc", "/dev", "/tmp"}


def test_settings_of_the_kernel_are_read_only() -> None:
    inside = read_back(OSProfile())
    assert not inside.mounts["/proc/sys"].writable
    assert inside.order.index("/proc") < inside.order.index("/proc/sys")


def test_the_names_of_hosts_are_there_with_the_network_only() -> None:
    with_network = set(dict(system_files(network=True))) - set(dict(system_files(network=False)))
    assert with_network <= {os.path.realpath("/etc/resolv.conf")}


# -- What cannot be kept is refused.


@pytest.mark.parametrize(
    ("places", "why"),
    [
        ({"missing": WRITE}, "is to be writable, and is not there"),
        ({"": WRITE, "missing": READ}, "is protected, and is not there"),
        ({"": WRITE, "missing": NONE}, "is protected, and is not there"),
        ({"": WRITE, "folder/missing": NONE}, "is protected, and is not there"),
        ({"link": READ}, "leads elsewhere through a link"),
        ({"": WRITE, "link": READ}, "leads elsewhere through a link"),
        ({"link/inner": WRITE}, "leads elsewhere through a link"),
        ({"": WRITE, "nowhere": READ}, "leads elsewhere through a link"),
        ({"": WRITE, "nowhere/x": READ}, "is protected, and is not there|leads"),
        ({"": WRITE, "pipe": NONE}, "is neither a file nor a directory"),
        ({"": WRITE, "file/x": READ}, "cannot be looked at"),
    ],
)
def test_a_profile_that_the_files_do_not_allow_to_keep_is_refused(
    tmp_path: Path, places: dict[str, PathAccess], why: str
) -> None:
    (tmp_path / "folder/inner").mkdir(parents=True)
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("folder")
    (tmp_path / "nowhere").symlink_to("missing")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LaunchError, match=why):
        mounts_of(OSProfile(PathMap({str(tmp_path / name): access for name, access in places.items()})))


@pytest.mark.parametrize(
    "path", ["/", "/proc", "/proc/self", "/proc/sys/kernel", "/sys", "/sys/kernel", "/dev", "/dev/shm"]
)
def test_what_is_made_anew_for_each_command_is_never_writable(path: str) -> None:
    with pytest.raises(LaunchError, match="never writable"):
        mounts_of(OSProfile(PathMap({os.path.realpath(path): WRITE})))


@pytest.mark.parametrize("path", ["/proc", "/proc/1", "/proc/sys", "/dev", "/dev/shm"])
def test_what_the_host_has_there_is_not_shown_either(path: str) -> None:
    with pytest.raises(LaunchError, match="of its own"):
        mounts_of(OSProfile(PathMap({path: READ})))


def test_a_file_of_the_system_with_something_hidden_below_is_looked_at() -> None:
    """It is not left to Bubblewrap whether it is there, for then what is below might be seen."""
    kinds = {mount.path: mount.kind for mount in mounts_of(OSProfile(runtime=system_files(network=False)))}
    assert os.path.isdir("/usr/src")
    assert kinds["/usr"] is MountKind.READ_ONLY
    assert kinds["/usr/src"] is MountKind.HIDDEN_DIRECTORY
    assert kinds["/etc/passwd"] is MountKind.SYSTEM


def test_a_place_may_be_very_deep() -> None:
    with TemporaryDirectory() as made:
        path = os.path.realpath(made)
        deep = path + "/a" * 1_200
        for depth in range(1, 1_201):
            os.mkdir(path + "/a" * depth)
        try:
            assert [mount.path for mount in mounts_of(OSProfile(PathMap({deep: READ})))] == [deep]
        finally:
            for depth in range(1_200, 0, -1):
                os.rmdir(path + "/a" * depth)


def test_what_is_not_there_and_cannot_be_made_is_left_out() -> None:
    with TemporaryDirectory() as made:
        top = os.path.realpath(made)
        profile = OSProfile(PathMap({top: READ, f"{top}/missing": NONE, f"{top}/b": NONE, f"{top}/b/c": READ}))
        assert [mount.path for mount in mounts_of(profile)] == [top]


def test_the_random_trees_reach_what_is_easily_got_wrong() -> None:
    kinds = [
        (above, access, is_file) for above in PathAccess for access in PathAccess for is_file in (False, True)
    ]
    wanted = {kind for kind in kinds if kind[0] is not kind[1]} | {("begins", True)}
    wanted |= {("pin", access, is_file) for access in (NONE, READ) for is_file in (False, True)}
    found, seed = set(), 0
    while not wanted <= found:
        seed += 1
        assert seed < 400, wanted - found
        random = Random(seed)
        with new_tree(random) as tree:
            shown = random_profile(random, tree).paths
            places = dict(shown)
            for place, access in places.items():
                above = shown.at(os.path.dirname(place))
                found.add((above, access, os.path.isfile(place)))
                nearest = next((str(each) for each in PurePosixPath(place).parents if str(each) in places), None)
                if nearest and above is WRITE and os.path.dirname(place) != nearest:
                    found.add(("pin", access, os.path.isfile(place)))
            names = sorted(places)
            found.update(
                ("begins", places[a] > places[b])
                for a, b in pairwise(names)
                if b.startswith(a) and b[len(a)] != "/"
            )


def test_each_directory_above_a_protected_place_is_a_mount_which_nobody_can_rename(tmp_path: Path) -> None:
    base = Path(os.path.realpath(tmp_path))
    (base / "a/b/hooks").mkdir(parents=True)
    profile = OSProfile(PathMap({str(base): WRITE, str(base / "a/b/hooks"): READ}), system_files(network=False))
    kinds = {mount.path: mount.kind for mount in mounts_of(profile)}
    assert kinds[str(base / "a")] is MountKind.WRITABLE
    assert kinds[str(base / "a/b")] is MountKind.WRITABLE
    assert kinds[str(base / "a/b/hooks")] is MountKind.READ_ONLY
