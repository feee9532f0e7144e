"""A command is never allowed more than the file tools: what these refuse, or would ask about, it cannot do.

The file tools are the judge here, by the verdicts that they give on single paths. Four things can only be said of
a single file, not of a place, and a profile does not say them: that a file has many names, that its name hides
characters, that a new name begins with a dash, and that a name is protected. Protected files that are there are
left out for each command anew (`OSSandbox`), and new ones are moved away after it; see below.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from os_profile_world import LESS, OPEN, World, configs, new_world, owns, plain_configs
from pydantic import ValidationError

from signoff.confine.checks import Check
from signoff.confine.detect import Usable
from signoff.confine.errors import LaunchError
from signoff.confine.profile import EVERYWHERE, OSProfile, PathAccess, PathMap
from signoff.confine.system import system_files
from signoff.policy.verdict import Level
from signoff.tools import os_sandbox
from signoff.tools.file_sandbox import FileSandbox, SandboxConfig
from signoff.tools.os_profile import OSProfileConfig, derive_os_sandbox_profile, derived, is_of_the_system
from signoff.tools.os_sandbox import OSSandbox, Started
from signoff.tools.roots import Operation, PathConfig
from signoff.tools.shell_rules import ShellConfig

READ_ONLY = PathMap({"/": PathAccess.READ})
GRADES: dict[Operation, PathAccess] = {"read": PathAccess.READ, "write": PathAccess.WRITE}
EVERYTHING = OSProfile(EVERYWHERE, EVERYWHERE, network=True, unix_sockets=True, environment=None)
SHELLS = (None, ShellConfig(network=False), ShellConfig(network=True))


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with new_world() as made:
        yield made


def derive(world: World, config: SandboxConfig, *, approved: bool, explicit: OSProfile | None = None) -> OSProfile:
    return derive_os_sandbox_profile(config, None, explicit, cwd=world.cwd, approved=approved)


def accepted(world: World, config: SandboxConfig, *, roots_have_links: bool = True) -> bool:
    """False for a configuration with a root that commands could lead elsewhere: there is no profile for it."""
    try:
        derive(world, config, approved=True)
    except ValueError as error:
        if "which commands can change" not in str(error):
            raise
        links = (os.path.realpath(place) != os.path.normpath(place) for place in written_roots(world, config))
        assert any(links) is roots_have_links
        return False
    return True


def written_roots(world: World, config: SandboxConfig) -> list[str]:
    return [f"{world.cwd}/{entry.root}" for entry in config.paths.values()]


def accepted_configs(world: World) -> st.SearchStrategy[SandboxConfig]:
    return configs(world).filter(lambda config: accepted(world, config))


def says(tools: FileSandbox, operation: Operation, path: str) -> tuple[bool, set[str]]:
    """Whether the file tools let a file be touched at all, and why they would ask."""
    verdict = tools.verdict(operation, path)
    return verdict.level is not Level.BLOCK, set(verdict.reasons) if verdict.level is Level.ASK else set()


# -- Never more than the file tools.


@settings(max_examples=100)
@given(st.data())
def test_what_a_profile_allows_the_file_tools_allow(world: World, data: st.DataObject) -> None:
    require_never_more(world, data.draw(accepted_configs(world)))


def test_so_it_is_for_each_root_alone_and_with_another(world: World) -> None:
    for config in filter(partial(accepted, world), plain_configs(world)):
        require_never_more(world, config)


def require_never_more(world: World, config: SandboxConfig) -> None:
    tools = FileSandbox(config, cwd=world.cwd)
    unasked, approved = (derive(world, config, approved=each) for each in (False, True))
    assert unasked <= approved
    on_copies = derived(tools.places, ShellConfig(network=True), approved=False, copies=True)
    assert not on_copies.network
    assert on_copies.paths.meet(READ_ONLY) <= unasked.paths  # what it writes is shown before it counts
    assert on_copies.paths <= approved.paths
    for path in world.paths(config):
        real = os.path.realpath(path)
        for operation, grade in GRADES.items():
            if approved.paths.at(real) >= grade:
                allowed, reasons = says(tools, operation, path)
                assert allowed, f"{operation} {path}"
                if unasked.paths.at(real) >= grade:
                    assert reasons <= {"protected name"}, f"{operation} {path}: {reasons}"


_NESTED = ((".", "a"), (".", "a/b"), ("a", "a/b"))
_ROOTS = ("la", "lo", "l1", "~/p", "a/../ab", "a/own", ".github", "a/.git/hooks", "c/bare/hooks")
_PROTECTED = (".envrc", "a/.bashrc", "a/.git/config", "a/.git/hooks/pre-commit", "c/bare/hooks/update")


def regions(world: World) -> dict[str, Callable[[SandboxConfig], bool]]:
    """What is easily got wrong: whether a configuration is about it."""
    last: dict[bool, tuple[SandboxConfig, PathMap]] = {}

    def at(config: SandboxConfig, path: str, *, approved: bool = False) -> PathAccess:
        if approved not in last or last[approved][0] is not config:
            last[approved] = (config, derive(world, config, approved=approved).paths)
        return last[approved][1].at(f"{world.cwd}/{path}")

    def entries(config: SandboxConfig, root: str) -> list[PathConfig]:
        return [entry.model_copy(update={"root": "."}) for entry in config.paths.values() if entry.root == root]

    def nested(config: SandboxConfig, outer: PathAccess, inner: PathAccess) -> bool:
        return any(
            entries(config, above)
            and entries(config, below)
            and (at(config, above), at(config, below)) == (outer, inner)
            for above, below in _NESTED
        )

    def twice(config: SandboxConfig, *both: PathConfig) -> bool:
        roots = {entry.root for entry in config.paths.values()}
        return any(both in combinations(entries(config, root), 2) for root in roots)

    def has_missing(config: SandboxConfig) -> bool:
        return any(entries(config, root) for root in ("missing", "a/missing", "a/b/missing"))

    none, _, write = PathAccess
    found: dict[str, Callable[[SandboxConfig], bool]] = {
        f"{inner.name} in {outer.name}": lambda c, outer=outer, inner=inner: nested(c, outer, inner)
        for outer in PathAccess
        for inner in PathAccess
        if outer is not inner
    }
    found |= {
        "beside a root whose name begins its own": lambda c: at(c, "a") is write and at(c, "ab") is none,
        "more with approval": lambda c: at(c, "a") < at(c, "a", approved=True),
        "a missing root in a writable one": lambda c: has_missing(c) and at(c, "a/b/missing") is write,
        "a missing root alone": lambda c: has_missing(c) and at(c, "a/b/missing") is none,
    }
    for less in LESS:
        fewer = OPEN.model_copy(update=less)
        found |= {
            f"{less} alone": lambda c, fewer=fewer: any(entries(c, root) == [fewer] for root in (".", "a", "a/b")),
            f"{less}, then open": lambda c, fewer=fewer: twice(c, fewer, OPEN),
            f"open, then {less}": lambda c, fewer=fewer: twice(c, OPEN, fewer),
        }
    for root in _ROOTS:
        found[f"an open root {root}"] = lambda c, root=root: OPEN in entries(c, root)
    found["a read-only root /proc/self"] = lambda c: any(entry.mode == "ro" for entry in entries(c, "/proc/self"))
    for path in _PROTECTED:
        found[f"{path} in a writable root"] = lambda c, path=path: at(c, path) is write
    return found


def test_the_random_configurations_reach_what_is_easily_got_wrong(world: World) -> None:
    """A generator that has lost a region proves nothing about it."""
    missing = regions(world)

    def all_reached(config: SandboxConfig) -> bool:
        for name in [name for name, reached in missing.items() if reached(config)]:
            del missing[name]
        return not missing

    try:
        find(
            accepted_configs(world),
            all_reached,
            settings=settings(max_examples=6000, database=None, phases=[Phase.generate]),
        )
    except NoSuchExample:
        pytest.fail(f"not reached: {', '.join(missing)}")


# -- Limits that are given beyond.


def limits(world: World) -> st.SearchStrategy[OSProfileConfig]:
    places = st.sampled_from(["a", "a/b", "ab", ".", "la", "missing", "/usr", "/usr/share", "/etc/passwd", "/"])
    lists = st.lists(places, max_size=3).map(tuple)
    names = st.lists(st.sampled_from(["PATH", "LANG", "OTHER"])).map(tuple)
    maybe = st.one_of(st.none(), lists)
    return st.builds(
        OSProfileConfig,
        read=maybe,
        write=maybe,
        hide=lists,
        network=st.sampled_from([None, False, True]),
        environment=st.one_of(st.none(), names),
    )


@given(st.data())
def test_limits_only_take_away(world: World, data: st.DataObject) -> None:
    config, explicit = data.draw(accepted_configs(world)), data.draw(limits(world)).profile(world.cwd)
    for approved in (False, True):
        ceiling = derive(world, config, approved=approved)
        limited = derive(world, config, approved=approved, explicit=explicit)
        assert limited == ceiling.intersect(explicit)
        assert limited <= ceiling
        assert limited <= explicit


@given(st.data())
def test_limits_say_what_they_say(world: World, data: st.DataObject) -> None:
    """Judged place by place, with a containment test of its own."""
    given_limits = data.draw(limits(world))
    profile = given_limits.profile(world.cwd)

    def within(path: str, places: tuple[str, ...]) -> bool:
        real = (os.path.realpath(os.path.join(world.cwd, place)) for place in places)
        return any(PurePosixPath(path).is_relative_to(place) for place in real)

    for path in (*world.files(), "/usr/share/x", "/usr/bin/x", "/etc/passwd", "/etc/x"):
        hidden = within(path, given_limits.hide)
        assert (profile.runtime.at(path) is PathAccess.NONE) is hidden
        writable = given_limits.write is None or within(path, given_limits.write)
        readable = given_limits.read is None or within(path, (*given_limits.read, *(given_limits.write or ())))
        wanted = PathAccess.NONE if hidden or not readable else PathAccess.WRITE if writable else PathAccess.READ
        assert profile.paths.at(path) is wanted
    assert profile.network is (given_limits.network is not False)


def test_what_is_left_out_limits_nothing_and_an_empty_list_allows_nothing(world: World) -> None:
    config = SandboxConfig(paths={"a": PathConfig(root="a", mode="rw", write_approval=False)})
    ceiling = derive(world, config, approved=False)
    assert OSProfileConfig().profile(world.cwd) == EVERYTHING
    assert derive(world, config, approved=False, explicit=OSProfileConfig().profile(world.cwd)) == ceiling
    nothing = OSProfileConfig(read=(), write=(), environment=()).profile(world.cwd)
    none = derive(world, config, approved=False, explicit=nothing)
    assert (none.paths, none.environment) == (PathMap(), frozenset())
    read_only = OSProfileConfig(write=()).profile(world.cwd)
    assert derive(world, config, approved=False, explicit=read_only).paths.at(f"{world.cwd}/a") is PathAccess.READ


@pytest.mark.parametrize("block", [{"wirte": []}, {"network": "no"}, {"hide": None}, {"write": "a"}])
def test_a_limit_that_is_misspelt_is_an_error_and_no_limit_is_lost(block: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        OSProfileConfig.model_validate(block)


# -- The files of the system.


def test_the_files_of_the_system_are_in_no_home_directory_and_hold_none(world: World) -> None:
    people = [entry.pw_dir for entry in pwd.getpwall() if entry.pw_uid == 0 or 1000 <= entry.pw_uid < 60000]
    for network in (False, True):
        runtime = system_files(network=network)
        for home in (*people, str(Path.home()), str(world.top)):
            assert runtime.limited(os.path.realpath(home), PathAccess.NONE) == runtime


def test_the_files_of_the_system_are_read_only_and_what_is_hidden_of_them_stays_hidden(world: World) -> None:
    config = SandboxConfig(paths={"a": PathConfig(root="a", mode="rw", write_approval=False)})
    shown = derive(world, config, approved=True).visible()
    assert shown.at("/usr/share") is PathAccess.READ
    assert PathAccess.WRITE not in {access for _, access in system_files(network=True)}
    for place in ("/usr/src", "/usr/src/app/.env", "/usr/local/src", "/usr/local/src/x"):  # somebody's own work
        assert shown.at(os.path.realpath(place)) is PathAccess.NONE
    for hidden in ("/usr/share", "/usr", "/bin"):
        explicit = OSProfileConfig(hide=(hidden,)).profile(world.cwd)
        limited = derive(world, config, approved=True, explicit=explicit).visible()
        assert limited.at(os.path.realpath(hidden)) is PathAccess.NONE
        assert limited.at(f"{os.path.realpath(hidden)}/x") is PathAccess.NONE
        assert limited.at(f"{world.cwd}/a") is PathAccess.WRITE


@pytest.mark.parametrize("root", ["/usr/src/app", "/usr/local/src/app", "/usr/share/app"])
def test_a_root_within_the_files_of_the_system_is_no_more_readable_than_another(root: str) -> None:
    asks, endings = PathConfig(root=root, read_approval=True), PathConfig(root=root, suffixes=(".md",))
    inner = (f"{root}/inner", PathConfig(root=f"{root}/inner"))
    for config, approved in ((asks, False), (asks, True), (endings, False), (endings, True)):
        shown = derived([(root, config), inner], approved=approved, shell=None).visible()
        readable = config is asks and approved
        assert shown.at(f"{root}/x") is (PathAccess.READ if readable else PathAccess.NONE)
        assert shown.at(inner[0]) is PathAccess.READ
        assert shown.at("/usr/share/x") is PathAccess.READ


@pytest.mark.parametrize("root", ["/", "/usr", "/etc"])
def test_a_root_around_the_files_of_the_system_leaves_programs_what_they_need(root: str) -> None:
    shown = derived([(root, PathConfig(root=root, read_approval=True))], approved=False, shell=None).visible()
    assert shown.at("/usr/share/x") is PathAccess.READ
    assert shown.at("/etc/shadow") is PathAccess.NONE


def test_only_the_shell_tool_gives_the_network(world: World) -> None:
    for shell in SHELLS:
        profile = derive_os_sandbox_profile(SandboxConfig(), shell, cwd=world.cwd)
        assert profile.network is (shell is not None and shell.network)
        assert not profile.unix_sockets
        off = OSProfile(EVERYWHERE, EVERYWHERE, network=False, unix_sockets=True, environment=None)
        assert not derive_os_sandbox_profile(SandboxConfig(), shell, off, cwd=world.cwd).network


# -- The places of signoff itself.


@given(st.data())
def test_keys_queue_and_settings_are_hidden_however_wide_a_profile_is(world: World, data: st.DataObject) -> None:
    below = data.draw(st.sampled_from(["own", "work/a/own", "work/la/own", "/usr/share", "/usr/lib"]))
    wide = SandboxConfig(
        paths={
            "all": PathConfig(root="/", read_approval=False),
            "a": PathConfig(root="a", mode="rw", write_approval=False),
        }
    )
    config = data.draw(st.one_of(accepted_configs(world), st.just(wide)))
    explicit = data.draw(st.sampled_from([None, EVERYTHING]))
    variables = owns(world, below)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        places = [
            variables["SIGNOFF_KEYS_DIR"],
            variables["SIGNOFF_QUEUE"],
            *(f"{variables[f'XDG_{kind}_HOME']}/signoff" for kind in ("CONFIG", "DATA", "STATE")),
        ]
        for approved in (False, True):
            try:
                shown = derive(world, config, approved=approved, explicit=explicit).visible()
            except ValueError as error:
                if below != "work/la/own" or "which commands can change" not in str(error):
                    raise
                continue
            for place in places:
                real = os.path.realpath(place)
                assert shown.limited(real, PathAccess.NONE) == shown, place


@pytest.mark.parametrize("variable", ["SIGNOFF_KEYS_DIR", "SIGNOFF_QUEUE", "XDG_CONFIG_HOME", "XDG_DATA_HOME"])
def test_no_command_can_lead_signoff_to_other_keys_or_another_queue(world: World, variable: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(variable, f"{world.cwd}/la/own/keys")
        for root, refused in ((".", True), ("a", False)):
            config = SandboxConfig(paths={"around": PathConfig(root=root, mode="rw", write_approval=False)})
            assert accepted(world, config, roots_have_links=False) is not refused


def test_the_queue_and_the_keys_of_the_usual_places_are_hidden(world: World) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SIGNOFF_KEYS_DIR", "SIGNOFF_QUEUE"):
            patch.delenv(name)
        shown = derive(world, SandboxConfig(paths={"all": PathConfig(root="/")}), approved=True).visible()
    assert shown.at(f"{world.top}/own/config/signoff/keys/deciding.key") is PathAccess.NONE
    assert shown.at(f"{world.top}/own/data/signoff/queues/default/queue.db") is PathAccess.NONE
    assert shown.at(f"{world.top}/own/data/other") is PathAccess.READ


@pytest.mark.parametrize(("root", "refused"), [("la", True), ("l1", True), ("a/lb", True), ("a/b", False)])
def test_a_root_through_a_link_that_commands_can_change_is_refused(world: World, root: str, refused: bool) -> None:
    around = PathConfig(root=".", mode="rw", write_approval=False)
    for read_only in (False, True):
        mode = "ro" if read_only else "rw"
        config = SandboxConfig(paths={"a": around.model_copy(update={"mode": mode}), "b": PathConfig(root=root)})
        assert accepted(world, config) is not (refused and not read_only)


@pytest.mark.parametrize("root", ["/", "/var", "~", "{T}", "{T}/home"])
def test_a_directory_that_is_too_wide_is_refused_as_writable(world: World, root: str) -> None:
    place = str(world.top / "home") if root == "~" else world.root(root)
    config = SandboxConfig(paths={"wide": PathConfig(root=place, mode="rw")})
    with pytest.raises(ValueError, match="too wide"):
        derive(world, config, approved=True)


OF_THE_SYSTEM = ["/proc", "/sys", "/dev", "/etc", "/usr", "/bin", "/lib", "/boot"]
BELOW = ["/usr/bin", "/usr/local/lib", "/usr/local/src", "/usr/src", "/etc/cron.d", "/sys/kernel", "/proc/self"]


@pytest.mark.parametrize("root", [*OF_THE_SYSTEM, *BELOW])
def test_no_directory_of_the_system_is_writable_whether_it_is_named_or_one_above_it(root: str) -> None:
    if not os.path.isdir(root):
        pytest.skip("there is none")
    config = SandboxConfig(paths={"system": PathConfig(root=root, mode="rw")})
    words = "cannot be writable for commands: programs and settings of the system could be changed from inside"
    with pytest.raises(ValueError, match=words):
        derive_os_sandbox_profile(config)
    read_only = SandboxConfig(paths={"system": PathConfig(root=root)})
    assert derive_os_sandbox_profile(read_only).paths.at(root) <= PathAccess.READ


@pytest.mark.parametrize("path", ["/usr/src/app", "/usr/local/src/app", "/usrs", "/opt/app", "/var/tmp", "/srv"])
def test_other_directories_are_not_of_the_system(path: str) -> None:
    assert not is_of_the_system(path)


def test_the_table_of_jobs_is_of_the_system() -> None:
    assert is_of_the_system("/var/spool/cron/crontabs")


# -- Protected names.

_OF_GIT = {"config", "config.worktree", "commondir", "gitdir", "hooks", "modules"}


def git_may_write(path: str) -> bool:
    """True for the exemption: in a repository, commands may write what git itself writes, the file tools ask."""
    for mark in ("/.git/", "/bare/"):
        inside = path.partition(mark)[2].split("/")
        if inside[0] == "worktrees":
            inside = inside[2:]
        if inside[0]:
            return inside[0] not in _OF_GIT
    return False


class Recorder:
    """A backend that starts nothing, and keeps the profile."""

    name = "recorder"
    checks = frozenset(Check)

    def __init__(self) -> None:
        self.profile = OSProfile()

    def start(
        self, argv: object, now: Callable[[], OSProfile], *, meanwhile: Callable[[], object], **_: object
    ) -> Any:
        self.profile = now()
        meanwhile()


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    with pytest.MonkeyPatch.context() as patch:
        made = Recorder()
        patch.setattr(os_sandbox, "first_usable", lambda names: Usable(made))
        yield made


@given(st.data())
def test_no_command_changes_a_protected_file(world: World, recorder: Recorder, data: st.DataObject) -> None:
    require_protected_kept(world, recorder, data.draw(accepted_configs(world)))


def test_so_it_is_whatever_root_holds_it(world: World, recorder: Recorder) -> None:
    for config in filter(partial(accepted, world), plain_configs(world)):
        require_protected_kept(world, recorder, config)


def require_protected_kept(world: World, recorder: Recorder, config: SandboxConfig) -> None:
    tools = FileSandbox(config, cwd=world.cwd)
    for approved in (False, True):
        confined = OSSandbox(tools.places, cwd=world.cwd)
        confined.start(["true"], approved=approved)
        assert recorder.profile <= confined.profile(approved=approved)
        for path in world.files():
            if recorder.profile.paths.at(path) is PathAccess.WRITE:
                assert path != f"{world.cwd}/tools.py"
                assert "protected name" not in says(tools, "write", path)[1] or git_may_write(path), path


@pytest.mark.parametrize("hidden", [True, False])
def test_what_a_command_needs_besides_is_shown_unless_it_is_hidden(
    world: World, recorder: Recorder, hidden: bool
) -> None:
    needed = f"{world.top}/out"
    limits = OSProfileConfig(hide=(needed,) if hidden else ())
    confined = OSSandbox(FileSandbox(SandboxConfig(), cwd=world.cwd).places, None, limits, cwd=world.cwd)
    confined.start(["true"], approved=True, reads=[needed, f"{world.top}/own/keys", f"{world.top}/own/queue"])
    shown = recorder.profile.visible()
    assert shown.at(f"{needed}/x.txt") is (PathAccess.NONE if hidden else PathAccess.READ)
    assert shown.at(f"{world.top}/own/keys/deciding.key") is PathAccess.NONE
    assert shown.at(f"{world.top}/own/queue/queue.db") is PathAccess.NONE


def test_what_a_command_needs_besides_shows_no_hidden_root_in_it_and_no_work_of_others(
    world: World, recorder: Recorder
) -> None:
    hidden = {
        "endings": PathConfig(root="a", suffixes=(".md",)),
        "asks": PathConfig(root="ab", read_approval=True),
    }
    confined = OSSandbox(FileSandbox(hidden, cwd=world.cwd).places, cwd=world.cwd)
    reads = [world.cwd, "/usr", "/usr/src/app/.venv", f"{world.cwd}/a/b"]
    confined.start(["true"], approved=False, reads=reads)
    shown = recorder.profile.visible()
    read = {f"{world.cwd}/x", f"{world.cwd}/a/b/x", "/usr/src/app/.venv/bin/python", "/usr/share/x"}
    for path in (*read, f"{world.cwd}/a/x", f"{world.cwd}/ab/x", "/usr/src/app/.env", "/usr/local/src/x"):
        assert shown.at(path) is (PathAccess.READ if path in read else PathAccess.NONE), path


# -- What a command made.


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a nested root, a queue in it, and protected files in each."""
    for name in (".envrc", "lib/.envrc", "lib/.git/config", ".signoff/queue.db", "x.txt"):
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    for variable, place in {"XDG_DATA_HOME": "data", "SIGNOFF_QUEUE": "project/.signoff"}.items():
        monkeypatch.setenv(variable, str(tmp_path / place))
    return tmp_path / "project"


def started_in(project: Path, recorder: Recorder) -> Started:
    nested = {"lib": PathConfig(root="lib"), "all": PathConfig(root=".", mode="rw", write_approval=False)}
    tools = FileSandbox(nested, cwd=str(project))
    return OSSandbox(tools.places, cwd=str(project)).start(["true"], approved=True)


def content(top: Path) -> dict[str, str]:
    return {str(path.relative_to(top)): path.read_text() for path in top.rglob("*") if path.is_file()}


def test_what_was_there_before_a_command_stays(project: Path, recorder: Recorder) -> None:
    before = content(project)
    started = started_in(project, recorder)
    assert started.swept() == []
    assert content(project) == before


DISGUISES = {
    "nothing": (),
    "a repository": ("objects/x", "refs/x", "HEAD"),
    "a queue": ("queue.db", "bells", "leases"),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_what_a_command_made_and_others_would_obey_is_moved_away(
    project: Path, recorder: Recorder, disguise: str
) -> None:
    before = content(project)
    started = started_in(project, recorder)
    (project / "sub").mkdir()
    (project / "sub/new.txt").write_text("kept")
    for folder in (project, project / "sub"):
        (folder / ".vscode").mkdir()
        (folder / ".vscode/tasks.json").write_text("moved")
        for name in DISGUISES[disguise]:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).touch()
    lines = started.swept()
    disguises = {f"{folder}{name}": "" for folder in ("", "sub/") for name in DISGUISES[disguise]}
    assert content(project) == before | {"sub/new.txt": "kept"} | disguises
    kept = sorted(
        path.relative_to(project.parent / "data/signoff/kept-back")
        for path in (project.parent / "data").rglob("tasks.json")
    )
    assert [path.parts[2:] for path in kept] in (
        [(".vscode", "tasks.json"), ("sub", ".vscode", "tasks.json")],
        [("sub", ".vscode", "tasks.json"), (".vscode", "tasks.json")],
    )
    assert len(lines) == 2
    assert all("was made" in line and "kept-back" in line for line in lines)


def test_what_nobody_can_look_into_is_told_and_refused(
    project: Path, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "shut").mkdir()
    started = started_in(project, recorder)
    scandir = os.scandir

    def shut(path: str) -> Any:
        if str(path).endswith("/shut"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", shut)  # root may look into anything
    (project / ".vscode").mkdir()
    told = started.swept()
    assert any("shut cannot be looked into" in line for line in told)
    assert not (project / ".vscode").exists()
    with pytest.raises(LaunchError, match="shut cannot be looked into"):
        started_in(project, recorder)
