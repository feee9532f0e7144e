"""What Landlock holds, what it does not, and that it never allows more than a profile, tried on the kernel."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from signoff.confine import landlock_launcher
from signoff.confine.checks import Check
from signoff.confine.detect import Usable, detect
from signoff.confine.errors import LaunchError
from signoff.confine.landlock import Landlock, rules_of
from signoff.confine.profile import OSProfile, PathAccess, PathMap
from signoff.confine.system import system_files

NONE, READ, WRITE = PathAccess.NONE, PathAccess.READ, PathAccess.WRITE
PYTHON = os.path.realpath(sys.executable)
RUNTIME = system_files(network=False).join(PathMap({os.path.realpath(sys.base_prefix): READ}))
VARIABLES = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "TMPDIR": "/tmp"}


@pytest.fixture
def landlock() -> Landlock:
    """The backend; without Landlock, tests are skipped, or fail where a sandbox is required."""
    found = detect("landlock")
    if isinstance(found, Usable):
        return Landlock()
    if os.environ.get("SIGNOFF_REQUIRE_SANDBOX") == "1":
        pytest.fail(f"SIGNOFF_REQUIRE_SANDBOX is 1, and there is no Landlock: {found}")
    pytest.skip(str(found))


@pytest.fixture
def base() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as made:
        top = Path(made).resolve()
        for name in ("rw/deep", "ro", "outside"):
            (top / name).mkdir(parents=True)
        (top / "rw/text").write_text("mine")
        (top / "ro/text").write_text("shared")
        (top / "outside/text").write_text("secret")
        yield top


def profile(base: Path, places: Mapping[str, PathAccess] | None = None, *, network: bool = False) -> OSProfile:
    places = {"rw": WRITE, "ro": READ} if places is None else places
    return OSProfile(PathMap({str(base / name): access for name, access in places.items()}), RUNTIME, network)


def ran(backend: Landlock | None, argv: list[str], given_profile: OSProfile, base: Path) -> tuple[int, str]:
    """Run a command, confined or, without a backend, not; its exit code and what it said."""
    with tempfile.TemporaryFile() as output:
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
        if backend is None:
            process = subprocess.Popen(argv, cwd=base / "rw", env=VARIABLES, **streams)  # type: ignore[call-overload]
        else:
            process = backend.start(argv, lambda: given_profile, cwd=str(base / "rw"), env=VARIABLES, **streams)
        try:
            code = process.wait(20)
        finally:
            process.kill()
            process.wait()
        output.seek(0)
        return code, output.read().decode("utf-8", "replace")


def python(script: str, *words: object) -> list[str]:
    """A command that prints ``done`` unless something raises an error."""
    return [PYTHON, "-I", "-S", "-c", textwrap.dedent(script) + "\nprint('done')", *map(str, words)]


# -- The rules, read by themselves.

NAMES = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=4).map(lambda parts: "/" + "/".join(parts))
MAPS = st.dictionaries(NAMES, st.sampled_from([NONE, READ, READ, WRITE]), max_size=6).map(PathMap)


def is_at_or_below(path: str, place: str) -> bool:
    parts, above = [[part for part in each.split("/") if part] for each in (path, place)]
    return parts[: len(above)] == above


def allowed(rules: Mapping[str, PathAccess], path: str) -> PathAccess:
    """What the kernel makes of rules: all that any directory at or above a path allows."""
    return max((access for place, access in rules.items() if is_at_or_below(path, place)), default=NONE)


@given(MAPS, MAPS, st.lists(NAMES, min_size=1, max_size=8))
@example(PathMap({"/a": WRITE, "/ab": READ, "/b": WRITE, "/b/a": READ}), PathMap(), ["/a"])
def test_rules_never_allow_more_than_the_profile_and_less_only_around_what_allows_less(
    paths: PathMap, runtime: PathMap, tried: list[str]
) -> None:
    given_profile = OSProfile(paths, runtime)
    shown = given_profile.visible()
    try:
        rules = rules_of(given_profile)
    except LaunchError:
        lower = [
            path
            for path, access in shown
            if access is NONE and any(above and is_at_or_below(path, place) for place, above in shown)
        ]
        assert lower or shown.at("/") is WRITE
        return
    for path in [*tried, *(place for place, _ in shown), *(f"{place}/x" for place, _ in shown)]:
        path = path.replace("//", "/")
        got, meant = allowed(rules, path), shown.at(path)
        assert got <= meant
        nearest = max((place for place, _ in shown if is_at_or_below(path, place)), key=len, default=None)
        if nearest and all(access >= meant for place, access in shown if is_at_or_below(place, nearest)):
            assert got is meant


def test_a_writable_directory_with_a_read_only_one_in_it_is_read_only_and_a_writable_one_in_that_is_not() -> None:
    places = {"/w": WRITE, "/w/.git": READ, "/w/.git/objects": WRITE, "/w/src": WRITE}
    rules = rules_of(OSProfile(PathMap(places)))
    assert rules == {"/w": READ, "/w/.git": READ, "/w/.git/objects": WRITE}
    assert rules_of(OSProfile(PathMap({"/v": WRITE, "/w": READ, "/w/a": WRITE}))) == {
        "/v": WRITE,
        "/w": READ,
        "/w/a": WRITE,
    }


@pytest.mark.parametrize("above", [READ, WRITE])
def test_a_hidden_place_in_a_readable_one_is_refused(above: PathAccess) -> None:
    with pytest.raises(LaunchError, match="/r/keys is hidden inside /r, which can be read"):
        rules_of(OSProfile(PathMap({"/r": above, "/r/keys": NONE})))


def test_of_the_files_of_the_system_all_beside_a_hidden_place_is_allowed(tmp_path: Path) -> None:
    for name in ("bin", "share/doc", "share/own/mine", "src/app"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "note.txt").touch()
    (tmp_path / "link").symlink_to("src")
    hidden = {str(tmp_path / name): NONE for name in ("src", "share/own", "missing")}
    runtime = PathMap({str(tmp_path): READ, **hidden})
    roots = PathMap({str(tmp_path / "src/app"): WRITE})
    assert rules_of(OSProfile(roots, runtime)) == {
        **{str(tmp_path / name): READ for name in ("bin", "note.txt", "share/doc")},
        str(tmp_path / "src/app"): WRITE,
    }


@pytest.mark.parametrize("place", ["/", "/dev", "/proc/sys", "/sys/fs"])
def test_places_of_the_system_are_never_writable(place: str) -> None:
    with pytest.raises(LaunchError, match="never writable"):
        rules_of(OSProfile(PathMap({place: WRITE})))


# -- What it holds. Each of these is done without it first, to show that it can be done.

FILES = {
    "make a file outside": ("open('../outside/new', 'w')", lambda base: (base / "outside/new").exists()),
    "change a file outside": (
        "open('../outside/text', 'a').write('!')",
        lambda base: (base / "outside/text").read_text() != "secret",
    ),
    "cut a file outside short": (
        "os.truncate('../outside/text', 0)",
        lambda base: (base / "outside/text").read_text() != "secret",
    ),
    "remove a file outside": ("os.remove('../outside/text')", lambda base: not (base / "outside/text").exists()),
    "move a file in": ("os.rename('../outside/text', 'moved')", lambda base: (base / "rw/moved").exists()),
    "move a file out": ("os.rename('text', '../outside/moved')", lambda base: (base / "outside/moved").exists()),
    "link a file in": ("os.link('../outside/text', 'linked')", lambda base: (base / "rw/linked").exists()),
    "link a read-only file in": ("os.link('../ro/text', 'linked')", lambda base: (base / "rw/linked").exists()),
    "write through a link": (
        "os.symlink('../outside/text', 'way'); open('way', 'a').write('!')",
        lambda base: (base / "outside/text").read_text() != "secret",
    ),
    "read a file outside": (
        "t = open('../outside/text').read(); open('seen', 'w').write(t)",
        lambda base: (base / "rw/seen").exists(),
    ),
    "read it by /proc": (
        "t = open('/proc/self/root' + os.path.abspath('../outside/text')).read(); open('seen', 'w').write(t)",
        lambda base: (base / "rw/seen").exists(),
    ),
    "list a directory outside": (
        "t = str(os.listdir('../outside')); open('seen', 'w').write(t)",
        lambda base: (base / "rw/seen").exists(),
    ),
    "make a file in the read-only directory": ("open('../ro/new', 'w')", lambda base: (base / "ro/new").exists()),
    "make an empty file there": ("os.mknod('../ro/new')", lambda base: (base / "ro/new").exists()),
    "make a directory there": ("os.mkdir('../ro/new')", lambda base: (base / "ro/new").exists()),
    "change a file there": (
        "open('../ro/text', 'a').write('!')",
        lambda base: (base / "ro/text").read_text() != "shared",
    ),
    "remove a file there": ("os.remove('../ro/text')", lambda base: not (base / "ro/text").exists()),
    "make a set-user-id file": (
        "os.chmod('text', 0o4755)",
        lambda base: bool((base / "rw/text").stat().st_mode & 0o4000),
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_files_are_out_of_reach(landlock: Landlock, base: Path, name: str) -> None:
    script, happened = FILES[name]
    argv = python(f"import os\n{script}")
    code, said = ran(landlock, argv, profile(base), base)
    assert code != 0
    assert "PermissionError" in said or "Invalid cross-device link" in said
    assert not happened(base)
    for left in ("seen", "way"):
        (base / "rw" / left).unlink(missing_ok=True)
    code, said = ran(None, argv, profile(base), base)
    assert (code, said) == (0, "done\n")
    assert happened(base)


CALLS = {
    "tcp": "import socket; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 2)",
    "udp": "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
    "tcp fast open": (
        "import socket; socket.socket().sendto(b'x', 0x20000000, ('127.0.0.1', int(sys.argv[1])))"  # MSG_FASTOPEN
    ),
    "a port": "import socket; socket.create_server(('127.0.0.1', 0))",
    "a socket in the read-only directory": "import socket; socket.socket(socket.AF_UNIX).connect('../ro/socket')",
    "an abstract socket": "import socket; socket.socket(socket.AF_UNIX).connect('\\0' + sys.argv[2])",
    "a signal": "os.kill(int(sys.argv[3]), 0)",
    "memory of another process": "open(f'/proc/{sys.argv[3]}/mem', 'rb')",
    "environment of another process": "open(f'/proc/{sys.argv[3]}/environ').read()",
    "command line of another process": "open(f'/proc/{sys.argv[3]}/cmdline').read()",
    "names of processes": "os.listdir('/proc')",
    "limits of another process": (
        "import resource; resource.prlimit(int(sys.argv[3]), resource.RLIMIT_CORE, (0, 0))"
    ),
    "shared memory": (
        "import ctypes; c = ctypes.CDLL(None, use_errno=True)\n"
        "i = c.shmget(0x51600ff, 4096, 0o1600)\n"
        "if i < 0: raise PermissionError\n"
        "c.shmctl(i, 0, None)"
    ),
    "a descriptor": "os.listdir(int(sys.argv[4]))",
}


@pytest.mark.parametrize("name", CALLS)
def test_processes_and_the_network_are_out_of_reach(landlock: Landlock, base: Path, name: str) -> None:
    if name == "a signal" and landlock_launcher._abi() < landlock_launcher._SCOPES_ABI:
        pytest.skip("Landlock keeps signals from others since Linux 6.12")
    abstract = f"signoff-{os.getpid()}-{time.monotonic_ns()}"
    server = socket.create_server(("127.0.0.1", 0))
    local, hidden = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
    local.bind(str(base / "ro/socket"))
    hidden.bind(f"\0{abstract}")
    other = subprocess.Popen(["sleep", "60"])
    directory = os.open(base / "outside", os.O_RDONLY)
    os.set_inheritable(directory, True)
    try:
        for listening in (local, hidden):
            listening.listen()
        argv = python(f"import os, sys\n{CALLS[name]}", server.getsockname()[1], abstract, other.pid, directory)
        given_profile = profile(base)
        assert ran(landlock, argv, given_profile, base)[0] != 0
        unconfined = subprocess.run(argv, cwd=base / "rw", close_fds=False, capture_output=True, check=False)
        assert (unconfined.returncode, unconfined.stdout) == (0, b"done\n"), unconfined.stderr
    finally:
        os.close(directory)
        other.kill()
        other.wait()
        for each in (server, local, hidden):
            each.close()


def test_the_network_is_there_where_the_profile_has_it(landlock: Landlock, base: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        argv = python(f"import sys\n{CALLS['tcp']}", server.getsockname()[1])
        assert ran(landlock, argv, profile(base, network=True), base) == (0, "done\n")


def test_it_has_no_privileges_no_dumps_and_few_processes(landlock: Landlock, base: Path) -> None:
    code, said = ran(
        landlock,
        python("""
            import ctypes, resource
            status = dict(line.split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
            print(status["CapEff"].strip(), status["NoNewPrivs"].strip(), status["Seccomp"].strip())
            print(resource.getrlimit(resource.RLIMIT_CORE), resource.getrlimit(resource.RLIMIT_NPROC)[1] <= 2048)
        """),
        profile(base),
        base,
    )
    assert (code, said) == (0, "0000000000000000 1 2\n(0, 0) True\ndone\n")


def test_what_a_command_may_it_can(landlock: Landlock, base: Path) -> None:
    code, said = ran(
        landlock,
        python("""
            import os, socket, subprocess
            assert open("../ro/text").read() == "shared"
            os.rename("text", "deep/text")
            os.link("deep/text", "again")
            os.truncate("again", 2)
            os.symlink("again", "way")
            os.mkfifo("pipe")
            os.makedirs("x/y")
            os.removedirs("x/y")
            open(os.environ["TMPDIR"] + "/scratch", "w").write("x")
            assert os.environ["HOME"] == os.environ["TMPDIR"] != "/tmp"
            open("/dev/null", "w").write("x")
            assert len(open("/dev/urandom", "rb").read(8)) == 8
            socket.socketpair()
            assert subprocess.run(["sh", "-c", "exit 7"]).returncode == 7
            assert subprocess.run(["sh", "-c", "kill -9 $$"]).returncode == -9
        """),
        profile(base),
        base,
    )
    assert (code, said) == (0, "done\n")
    assert (base / "rw/deep/text").read_text() == "mi"


def test_a_read_only_directory_makes_the_one_around_it_read_only_on_the_kernel_too(
    landlock: Landlock, base: Path
) -> None:
    places = {"rw": WRITE, "rw/deep": READ, "ro": READ}
    code, _ = ran(landlock, ["sh", "-c", "echo x > new; mv deep moved"], profile(base, places), base)
    assert code != 0
    assert sorted(each.name for each in (base / "rw").iterdir()) == ["deep", "text"]


# -- What it does not hold; `Landlock.checks` and its documentation say so.


def test_it_does_not_promise_namespaces_or_capabilities(landlock: Landlock) -> None:
    found = detect("landlock")
    assert isinstance(found, Usable)
    assert found.not_held == (Check.NETWORK, Check.PROCESSES, Check.CAPABILITIES)
    assert set(found.checks) == set(Check) - set(found.not_held)


def test_it_does_not_hide_names_or_keep_modes_and_times(landlock: Landlock, base: Path) -> None:
    script = (
        "import os\nos.chmod('../outside/text', 0o604); os.utime('../outside/text', (1, 1)); os.stat('../outside')"
    )
    assert ran(landlock, python(script), profile(base), base) == (0, "done\n")
    assert (base / "outside/text").stat().st_mtime == 1
    assert (base / "outside/text").read_text() == "secret"


def test_what_a_command_leaves_running_outlives_it(landlock: Landlock, base: Path) -> None:
    assert (
        ran(landlock, ["sh", "-c", "(sleep 0.3; echo late > late) >/dev/null 2>&1 &"], profile(base), base)[0] == 0
    )
    end = time.monotonic() + 10
    while not (base / "rw/late").exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert (base / "rw/late").exists()


# -- Starting.


def test_what_cannot_be_kept_is_not_started(landlock: Landlock, base: Path) -> None:
    (base / "way").symlink_to("outside")
    (base / "ro/way").symlink_to("../outside")
    argv = ["sh", "-c", "echo x > ran"]

    def start(given_profile: OSProfile, argv: list[str] = argv, cwd: str = "rw", **more: object) -> None:
        landlock.start(argv, lambda: given_profile, cwd=str(base / cwd), env=VARIABLES, **more)  # type: ignore[arg-type]

    with pytest.raises(LaunchError, match="in the places of some"):
        start(profile(base), replaced={str(base / "rw"): str(base / "outside")})
    with pytest.raises(LaunchError, match="Unix sockets"):
        start(OSProfile(profile(base).paths, RUNTIME, unix_sockets=True))
    for place in ("way", "way/deep", "ro/way"):
        (base / "outside/deep").mkdir(exist_ok=True)
        for access in (READ, WRITE):
            with pytest.raises(LaunchError, match="leads elsewhere through a link"):
                start(profile(base, {"rw": WRITE, place: access}))
    os.mkfifo(base / "rw/pipe")
    with pytest.raises(LaunchError, match="pipe is neither a file nor a directory"):
        start(profile(base, {"rw": READ, "rw/pipe": WRITE}))
    with pytest.raises(LaunchError, match="missing is to be writable, and is not there"):
        start(profile(base, {"rw": WRITE, "missing": WRITE}))
    with pytest.raises(LaunchError, match="cannot be the working directory"):
        start(profile(base), cwd="missing")
    with pytest.raises(LaunchError, match="no-such-program cannot be started: there is no such program"):
        start(profile(base), ["no-such-program"])
    with pytest.raises(LaunchError, match="text cannot be started: Permission denied"):
        start(profile(base), [str(base / "rw/text")])
    with pytest.raises(LaunchError, match="null"):
        start(profile(base), ["sh", "-c", "echo\0"])
    assert not (base / "rw/ran").exists()


def test_a_place_to_read_that_is_not_there_is_no_harm(landlock: Landlock, base: Path) -> None:
    argv = ["sh", "-c", "mkdir ../missing || exit 3"]
    assert ran(landlock, argv, profile(base, {"rw": WRITE, "missing": READ}), base)[0] == 3


def test_words_and_variables_arrive_as_they_are(landlock: Landlock, base: Path) -> None:
    name = os.fsdecode(b"odd \xff \xe2\x82\xac\n'\"")
    (base / "rw" / name.replace("\n", "")).mkdir()
    shown = python(
        "import os, sys, json\nprint(json.dumps([sys.argv[1:], os.environ.get('ODD'), os.getcwd()]))", name
    )
    process = landlock.start(
        shown,
        lambda: profile(base),
        cwd=str(base / "rw" / name.replace("\n", "")),
        env={"ODD": name},
        stdout=subprocess.PIPE,
    )
    said = process.communicate()[0].splitlines()
    words, variable, directory = json.loads(said[0])
    assert (words, variable, directory) == ([name], name, str(base / "rw" / name.replace("\n", "")))


def test_exit_codes_and_long_output_come_back(landlock: Landlock, base: Path) -> None:
    assert ran(landlock, ["sh", "-c", "exit 7"], profile(base), base)[0] == 7
    assert ran(landlock, ["sh", "-c", "kill -TERM $$"], profile(base), base)[0] == -signal.SIGTERM
    code, said = ran(landlock, ["sh", "-c", "yes | head -c 200000"], profile(base), base)
    assert (code, len(said)) == (0, 200_000)


def test_a_command_that_waits_is_started_and_has_no_descriptors_but_its_own(
    landlock: Landlock, base: Path
) -> None:
    argv = python("""
        import contextlib, os
        input()
        for number in range(3, 64):
            with contextlib.suppress(OSError):
                print(number, os.fstat(number))
    """)
    pipe = subprocess.PIPE
    process = landlock.start(
        argv, lambda: profile(base), cwd=str(base / "rw"), env=VARIABLES, stdin=pipe, stdout=pipe
    )
    assert process.communicate(b"go\n", 20) == (b"done\n", None)


def test_the_directory_for_temporary_files_is_the_commands_own_and_goes_with_it(
    landlock: Landlock, base: Path
) -> None:
    process = landlock.start(
        ["sh", "-c", "echo $TMPDIR; echo x > $TMPDIR/x"],
        lambda: profile(base),
        cwd=str(base / "rw"),
        env=VARIABLES,
        stdout=subprocess.PIPE,
    )
    scratch = Path(process.communicate()[0].decode().strip())
    assert (scratch / "x").read_text() == "x\n"
    assert scratch.stat().st_mode & 0o777 == 0o700
    del process
    gc.collect()
    assert not scratch.exists()


# -- Random trees, on the kernel.

PARTS = ["a", "b", "a/a", "a/b", "b/a", "a/a/a", "a/b/a"]
TREES = st.dictionaries(st.sampled_from(PARTS), st.sampled_from([NONE, READ, READ, WRITE, WRITE]), max_size=4)
TRY_ALL = """
    import os, sys
    for path in sys.argv[1:]:
        got = 0
        try:
            open(path + "/text").read()
            os.listdir(path)
            got = 1
        except OSError: pass
        try:
            open(path + "/new", "x").close()
            open(path + "/text", "r+").close()
            got = 2
        except OSError: pass
        print(got)
"""


@settings(max_examples=25)
@given(places=TREES)
def test_on_the_kernel_it_is_never_looser_than_the_profile(places: dict[str, PathAccess]) -> None:
    if not isinstance(detect("landlock"), Usable):
        assert os.environ.get("SIGNOFF_REQUIRE_SANDBOX") != "1"
        pytest.skip("no Landlock here")
    with tempfile.TemporaryDirectory() as made:
        top = Path(made).resolve()
        (top / "rw").mkdir()
        for part in PARTS:
            (top / part).mkdir(parents=True, exist_ok=True)
            (top / part / "text").write_text("x")
        given_profile = profile(top, {**places, "rw": WRITE})
        try:
            enforced = Landlock().enforced(given_profile).visible()
        except LaunchError:
            return
        code, said = ran(Landlock(), python(TRY_ALL, *(top / part for part in PARTS)), given_profile, top)
        assert code == 0, said
        for part, got in zip(PARTS, said.split(), strict=False):
            assert int(got) <= given_profile.visible().at(str(top / part))
            assert int(got) == enforced.at(str(top / part))


# -- Kernels without it, or with an old one.

WITHOUT = """
import ctypes, struct, sys
libc = ctypes.CDLL(None)
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x50000 | 38), (0x06, 0, 0, 0x7FFF0000)]
code = b"".join(struct.pack("=HBBI", *step) for step in steps)
memory = ctypes.create_string_buffer(code, len(code))
libc.prctl(38, 1, 0, 0, 0)
assert libc.prctl(22, 2, struct.pack("@HP", len(steps), ctypes.addressof(memory)), 0, 0) == 0
from signoff.confine.detect import detect
print(detect("landlock"))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="takes a system call away")
def test_without_landlock_in_the_kernel_nothing_starts() -> None:
    said = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True).stdout
    assert "no command can be started in it (the kernel has no Landlock, or it is not switched on)" in said
    assert "Linux 6.2" in said


@pytest.mark.parametrize("abi", [1, 2])
def test_an_old_landlock_is_refused(monkeypatch: pytest.MonkeyPatch, abi: int) -> None:
    class Old:
        def syscall(self, *_: object) -> int:
            return abi

    monkeypatch.setattr(landlock_launcher, "_libc", Old())
    with pytest.raises(Exception, match=f"too old .version {abi}, not 3."):
        landlock_launcher._abi()


@pytest.mark.parametrize(
    ("abi", "network", "fields"),
    [
        (3, False, (0x7FFF,)),
        (4, False, (0x7FFF, 3)),
        (4, True, (0x7FFF, 0)),
        (5, False, (0xFFFF, 3)),
        (6, False, (0xFFFF, 3, 3)),
        (9, True, (0xFFFF, 0, 3)),
    ],
)
def test_each_kernel_is_asked_for_all_that_it_can_deny(
    monkeypatch: pytest.MonkeyPatch, abi: int, network: bool, fields: tuple[int, ...]
) -> None:
    asked: list[bytes] = []

    class Kernel:
        def syscall(self, number: int, told: bytes, size: ctypes.c_size_t, flags: int) -> int:
            assert (number, size.value, flags) == (444, len(told), 0)
            asked.append(told)
            return 3

    monkeypatch.setattr(landlock_launcher, "_libc", Kernel())
    assert landlock_launcher._ruleset(abi, network=network) == 3
    assert asked == [b"".join(field.to_bytes(8, sys.byteorder) for field in fields)]
