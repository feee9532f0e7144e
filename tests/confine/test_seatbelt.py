"""The policy for macOS never allows more than a profile, as a reader finds that evaluates it by itself."""

from __future__ import annotations

import gc
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.confine import seatbelt
from signoff.confine.checks import Check
from signoff.confine.detect import Unusable, Usable, detect
from signoff.confine.errors import LaunchError
from signoff.confine.profile import OSProfile, PathAccess, PathMap
from signoff.confine.seatbelt import Policy, Seatbelt, policy_of

NONE, READ, WRITE = PathAccess.NONE, PathAccess.READ, PathAccess.WRITE

# -- The reader. It shares nothing with what writes policies.

Form = str | list["Form"]
TOKEN = re.compile(r"""\s*(?:;[^\n]*\n\s*)*([()]|"(?:[^"\\]|\\.)*"|[^\s()";]+)""")


@dataclass(frozen=True)
class Asked:
    """An operation on a file, on an address of the internet, or on a Unix socket; of one of these."""

    operation: str
    path: str = ""
    address: str = ""
    socket: str = ""
    name: str = ""


def forms(text: str) -> list[Form]:
    stack: list[list[Form]] = [[]]
    at = 0
    while text[at:].strip():
        found = TOKEN.match(text, at)
        assert found, text[at : at + 40]
        at = found.end()
        match found[1]:
            case "(":
                stack.append([])
            case ")":
                done = stack.pop()
                stack[-1].append(done)
            case token:
                stack[-1].append(token)
    assert len(stack) == 1, "a parenthesis is open"
    return stack[0]


class Reader:
    """Answers what a policy allows: the last rule that matches decides.

    Args:
        policy: It.
        specific: True to let a rule for one operation count before those for a group, wherever they stand.
    """

    def __init__(self, policy: Policy, *, specific: bool = False) -> None:
        self._parameters = policy.parameters
        self._specific = specific
        first, *rules = forms(policy.text)
        assert first == ["version", "1"]
        self._rules: list[tuple[bool, list[str], list[Form]]] = []
        for rule in rules:
            assert isinstance(rule, list)
            assert rule[0] in ("allow", "deny")
            operations = [each for each in rule[1:] if isinstance(each, str)]
            filters = [each for each in rule[1:] if isinstance(each, list)]
            assert rule[1 : 1 + len(operations)] == operations != []
            self._rules.append((rule[0] == "allow", operations, filters))

    def allows(self, asked: Asked) -> bool:
        answer, rank = False, -1
        for allow, operations, filters in self._rules:
            named = max((self._rank(each, asked.operation) for each in operations), default=-1)
            if named >= 0 and (not filters or any(self._matches(each, asked) for each in filters)):
                if self._specific and named < rank:
                    continue
                answer, rank = allow, named
        return answer

    @staticmethod
    def _rank(pattern: str, operation: str) -> int:
        """The length of the part that is named; -1 if the operation is not meant."""
        if pattern == "default":
            return 0
        if pattern.endswith("*"):
            return len(pattern) if operation.startswith(pattern[:-1]) else -1
        return 1000 if pattern == operation else -1

    def _matches(self, form: Form, asked: Asked) -> bool:
        assert isinstance(form, list)
        match form:
            case ["literal", value]:
                return self._value(value) == (asked.path or asked.socket)
            case ["subpath", value]:
                return below(asked.path, self._value(value))
            case ["remote" | "local", "unix-socket", ["subpath", value]]:
                return below(asked.socket, self._value(value))
            case ["remote" | "local", "ip", '"*:*"']:
                return bool(asked.address)
            case ["target", "same-sandbox"]:
                return asked.name == "same-sandbox"
            case ["sysctl-name" | "global-name", value]:
                return self._value(value) == asked.name
            case ["sysctl-name-prefix", value]:
                return asked.name.startswith(self._value(value))
            case _:
                raise AssertionError(f"an unknown filter: {form}")

    def _value(self, form: Form) -> str:
        match form:
            case ["param", str(name)]:
                return self._parameters[json.loads(name)]
            case str(text):
                return str(json.loads(text))
            case _:
                raise AssertionError(f"an unknown value: {form}")


def below(path: str, place: str) -> bool:
    parts, above = [[part for part in each.split("/") if part] for each in (path, place)]
    return bool(path) and parts[: len(above)] == above


READS = ("file-read-data", "file-read-xattr", "file-map-executable", "process-exec", "process-exec-interpreter")
WRITES = ("file-write-data", "file-write-create", "file-write-mode", "file-write-xattr", "file-write-times")
SOCKETS = ("network-outbound", "network-inbound", "network-bind")
DEVICES = {"/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/"}
BOTH = (False, True)


# -- Files.

NAMES = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=4).map(lambda parts: "/" + "/".join(parts))
MAPS = st.dictionaries(NAMES, st.sampled_from([NONE, READ, WRITE, WRITE]), max_size=6).map(PathMap)
PROFILES = st.builds(OSProfile, MAPS, MAPS, st.booleans(), st.booleans())


def around(profile: OSProfile) -> list[str]:
    """The places of a profile, what leads to them, and paths in and beside them."""
    found = {"/", "/dev/null", "/dev/urandom", "/dev/sda", "/x"}
    for place, _ in profile.visible():
        parts = place.strip("/").split("/")
        found |= {"/" + "/".join(parts[:count]) for count in range(len(parts) + 1)}
        found |= {f"{place.rstrip('/')}/x", f"{place.rstrip('/')}x", f"{place.rstrip('/')}/a/b"}
    return sorted(found)


@given(PROFILES)
def test_files_are_what_the_profile_says_but_for_what_is_documented(profile: OSProfile) -> None:
    shown = profile.visible()
    visible = [place for place, access in shown if access]
    for specific in BOTH:
        reader = Reader(policy_of(profile), specific=specific)
        for path in around(profile):
            access = shown.at(path)
            for operation in READS:
                if path not in DEVICES:
                    assert reader.allows(Asked(operation, path)) is (access >= READ), (operation, path)
            for operation in WRITES:
                if path not in DEVICES:
                    assert reader.allows(Asked(operation, path)) is (access >= WRITE), (operation, path)
            metadata = access >= READ or any(below(place, path) for place in visible) or path in DEVICES
            assert reader.allows(Asked("file-read-metadata", path)) is metadata
            assert not reader.allows(Asked("file-write-setugid", path))


@given(PROFILES)
def test_devices_and_the_root_are_a_fixed_few(profile: OSProfile) -> None:
    reader, nothing = Reader(policy_of(profile)), Reader(policy_of(OSProfile()))
    for path in DEVICES:
        for operation in (*READS, *WRITES):
            if reader.allows(Asked(operation, path)):
                access = WRITE if operation in WRITES else READ
                assert profile.visible().at(path) >= access or nothing.allows(Asked(operation, path))
    allowed = {(each, path) for path in DEVICES for each in (*READS, *WRITES) if nothing.allows(Asked(each, path))}
    assert {path for each, path in allowed if each in WRITES} == {"/dev/null", "/dev/zero"}
    assert {each for each, path in allowed if path == "/"} == {"file-read-data", "file-read-xattr"}


@given(PROFILES)
def test_what_leads_to_a_place_keeps_its_name_and_other_writable_files_do_not_have_to(profile: OSProfile) -> None:
    shown = profile.visible()
    places = [place for place, _ in shown]
    for specific in BOTH:
        reader = Reader(policy_of(profile), specific=specific)
        for path in around(profile):
            removed = reader.allows(Asked("file-write-unlink", path))
            leads = any(below(place, path) for place in places)
            assert removed is (shown.at(path) is WRITE and not leads), path


def test_a_protected_directory_stays_where_it_is() -> None:
    places = {
        "/w": WRITE,
        "/w/vendor/lib/.git/hooks": READ,
        "/w/secret": NONE,
        "/w/.git": READ,
        "/w/.git/objects": WRITE,
    }
    reader = Reader(policy_of(OSProfile(PathMap(places))))
    for path in (
        "/w",
        "/w/vendor",
        "/w/vendor/lib",
        "/w/vendor/lib/.git",
        "/w/.git",
        "/w/.git/objects",
        "/w/secret",
    ):
        assert not reader.allows(Asked("file-write-unlink", path))
    for path in ("/w/vendor/other", "/w/x", "/w/.git/objects/x"):
        assert reader.allows(Asked("file-write-unlink", path))
    assert reader.allows(Asked("file-write-create", "/w/vendor/x"))
    assert not reader.allows(Asked("file-write-create", "/w/secret/x"))


# -- Network, sockets, processes.


@given(PROFILES)
def test_the_network_is_there_only_where_the_profile_has_it(profile: OSProfile) -> None:
    for specific in BOTH:
        reader = Reader(policy_of(profile), specific=specific)
        for operation in SOCKETS:
            assert reader.allows(Asked(operation, address="192.0.2.1:443")) is profile.network
        assert reader.allows(Asked("system-socket")) is profile.network


@given(PROFILES)
def test_unix_sockets_are_those_that_a_command_may_use_and_see(profile: OSProfile) -> None:
    shown = profile.visible()
    for specific in BOTH:
        reader = Reader(policy_of(profile), specific=specific)
        for path in around(profile):
            access = shown.at(path) if profile.unix_sockets else NONE
            assert reader.allows(Asked("network-outbound", socket=path)) is (access >= READ)
            assert reader.allows(Asked("network-bind", socket=path)) is (access >= WRITE)
        names = Asked("network-outbound", socket="/private/var/run/mDNSResponder")
        assert reader.allows(names) is (profile.network or (profile.unix_sockets and shown.at("/private") >= READ))


@given(PROFILES)
def test_other_processes_and_services_are_out_of_reach(profile: OSProfile) -> None:
    reader = Reader(policy_of(profile))
    for operation in ("signal", "process-info-pidinfo"):
        assert reader.allows(Asked(operation, name="same-sandbox"))
        assert not reader.allows(Asked(operation, name="others"))
    for operation in (
        "mach-lookup", "mach-register", "mach-priv-task-port", "sysctl-write", "ipc-posix-shm-read-data",
        "iokit-open", "appleevent-send", "lsopen", "system-fsctl", "file-link", "job-creation",
    ):  # fmt: skip
        assert not reader.allows(Asked(operation, name="com.apple.anything"))
    assert not reader.allows(Asked("sysctl-read", name="kern.procargs2"))
    assert reader.allows(Asked("sysctl-read", name="hw.ncpu"))
    assert "no-sandbox" not in policy_of(profile).text


# -- Names of files are no part of the text.

HOSTILE = st.text(st.sampled_from('()"\\;#|*?[]{}^$ =\tabé\x7f\udcff'), min_size=1, max_size=30).filter(
    lambda name: name not in (".", "..")
)


@given(st.lists(HOSTILE, min_size=3, max_size=3, unique=True))
def test_hostile_names_change_nothing_in_the_text(names: Sequence[str]) -> None:
    plain = {"/w": WRITE, "/w/a": READ, "/w/a/b": NONE, "/w/c/d": WRITE}
    renamed = {f"/{'/'.join(names[: path.count('/')])}": access for path, access in list(plain.items())[:3]}
    usual = policy_of(OSProfile(PathMap(dict(list(plain.items())[:3])), network=True, unix_sockets=True))
    policy = policy_of(OSProfile(PathMap(renamed), network=True, unix_sockets=True))
    assert policy.text == usual.text
    assert {*policy.parameters.values()} == {*renamed, "/"}
    reader = Reader(policy)
    for path, access in renamed.items():
        assert reader.allows(Asked("file-read-data", path)) is (access >= READ)
        assert reader.allows(Asked("file-write-data", path)) is (access >= WRITE)
    assert not reader.allows(Asked("file-read-data", "/etc/passwd"))


def test_names_that_look_like_rules_are_names() -> None:
    name = '/x")) (allow default) (allow file-read* (subpath "/w'
    policy = policy_of(OSProfile(PathMap({name: READ, "/=-p(version 1)(allow default)": READ})))
    assert "allow default" not in policy.text
    assert set(re.findall(r"[A-Z]+_[0-9]+", policy.text)) == set(policy.parameters)
    assert not Reader(policy).allows(Asked("file-read-data", "/etc/passwd"))


# -- Starting.


@pytest.fixture
def base() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as made:
        top = Path(made).resolve()
        for name in ("rw/hole", "ro"):
            (top / name).mkdir(parents=True)
        yield top


@pytest.fixture
def mac(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A system that passes for macOS, whose `sandbox-exec` only tells its words and variables."""
    program = tmp_path / "sandbox-exec"
    program.write_text(
        f"#!{sys.executable}\nimport json, os, sys\n"
        "print(json.dumps([sys.argv[1:], dict(os.environ), os.getcwd()]))\n"
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(seatbelt, "_PROGRAM", str(program))
    monkeypatch.setattr(sys, "platform", "darwin")


def start(base: Path, places: dict[str, PathAccess], **more: object) -> subprocess.Popen[bytes]:
    paths = PathMap({str(base / name): access for name, access in places.items()})
    return Seatbelt().start(
        ["-x", "echo", "(allow default)"],
        lambda: OSProfile(paths),
        cwd=str(base / "rw"),
        env={"HOME": "/tmp", "ODD": "é"},
        stdout=subprocess.PIPE,
        **more,  # type: ignore[arg-type]
    )


@pytest.mark.skipif(sys.platform == "darwin", reason="it is there")
def test_it_is_refused_elsewhere(base: Path) -> None:
    with pytest.raises(LaunchError, match="on macOS only"):
        start(base, {"rw": WRITE})
    found = detect("seatbelt")
    assert isinstance(found, Unusable)
    assert str(found).startswith(
        "seatbelt: no command can be started in it (Seatbelt is there on macOS only); use bwrap"
    )


def test_the_program_is_the_systems_own() -> None:
    assert seatbelt._PROGRAM == "/usr/bin/sandbox-exec"


@pytest.mark.usefixtures("mac")
def test_a_command_is_started_with_the_policy_of_its_profile(base: Path) -> None:
    process = start(base, {"rw": WRITE, "rw/hole": READ, "ro": READ})
    words, variables, cwd = json.loads(process.communicate()[0])
    scratch = variables["TMPDIR"]
    assert (variables["HOME"], variables["ODD"], cwd) == (scratch, "é", str(base / "rw"))
    end = words.index("--")
    assert words[end + 1 :] == ["-x", "echo", "(allow default)"]
    assert words[end - 2] == "-p"
    assert set(words[: end - 2 : 2]) == {"-D"}
    policy = Policy(words[end - 1], dict(word.split("=", 1) for word in words[1 : end - 2 : 2]))
    reader = Reader(policy)
    for path, access in {"rw": WRITE, "rw/hole": READ, "ro": READ, "ro/x": READ, "other": NONE}.items():
        assert reader.allows(Asked("file-read-data", str(base / path))) is (access >= READ)
        assert reader.allows(Asked("file-write-data", str(base / path))) is (access >= WRITE)
    assert reader.allows(Asked("file-write-create", f"{scratch}/x"))
    assert Path(scratch).is_dir()
    del process
    gc.collect()
    assert not Path(scratch).exists()


@pytest.mark.usefixtures("mac")
def test_what_cannot_be_kept_is_not_started(base: Path) -> None:
    (base / "way").symlink_to("ro")
    for places, words in (
        ({"rw": WRITE, "missing": WRITE}, "missing is to be writable, and is not there"),
        ({"rw": WRITE, "rw/.git": READ}, ".git is protected, and is not there"),
        ({"rw": WRITE, "way": READ}, "way leads elsewhere through a link"),
        ({"/dev": WRITE}, "/dev is never writable"),
        ({"/": WRITE}, "/ is never writable"),
    ):
        with pytest.raises(LaunchError, match=words):
            start(base, places)
    with pytest.raises(LaunchError, match="in the places of some"):
        start(base, {"rw": WRITE}, replaced={"/a": "/b"})
    (base / "rw/hole").rmdir()
    (base / "rw").rmdir()
    with pytest.raises(LaunchError, match="cannot be started in"):
        start(base, {"ro": READ})


@pytest.mark.usefixtures("mac")
def test_a_name_in_other_letters_than_on_the_disk_is_refused(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = os.listdir

    def as_on_a_volume_that_tells_no_cases_apart(path: Path) -> list[str]:
        return ["Hole" if name == "hole" else name for name in listed(path)]

    monkeypatch.setattr(os, "listdir", as_on_a_volume_that_tells_no_cases_apart)
    start(base, {"rw": WRITE}).communicate()
    with pytest.raises(LaunchError, match="has another spelling on the disk"):
        start(base, {"rw": WRITE, "rw/hole": READ})


def test_it_promises_what_can_be_looked_at_on_macos() -> None:
    assert Seatbelt.checks == set(Check) - {
        Check.NETWORK,
        Check.PROCESSES,
        Check.PRIVILEGES,
        Check.CAPABILITIES,
        Check.FILTERED,
    }


@pytest.mark.skipif(sys.platform != "darwin", reason="needs macOS")
def test_it_confines_a_command() -> None:
    found = detect("seatbelt")
    assert isinstance(found, Usable), str(found)
