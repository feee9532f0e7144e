"""Puts one fault at a time into a copy of the sandbox, and runs the quick tests on it: each must be found.

Usage: python mutants.py [WORD ...]    only the faults whose names have one of the words

A fault is one text in place of another, which occurs exactly once. It ends with 1 if one stays alive, or if the
tests fail on a copy without a fault.
"""

# ruff: noqa: E501 - the changed texts are as they stand

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from hypothesis import Phase, settings

__all__ = ["LIBRARY", "MUTANTS", "Mutant", "mutated"]

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
LIBRARY = TOP / "core/signoff"
QUICK = {
    "confine/profile.py": "tests/confine/test_profile_laws.py",
    "confine/bubblewrap.py": "tests/confine/test_bwrap_options.py",
    "confine/seccomp.py": "tests/confine/test_seccomp_filter.py",
    "confine/mountinfo.py": "tests/confine/test_mounts_read_back.py",
    "confine/protected_names.py": "tests/confine/test_protected_below.py",
    "tools": "tests/tools/test_os_profile.py",
}
"""The tests, by the files that they are about: these come first. None starts a sandbox: they tell the same everywhere."""

LIMIT = 600


@dataclass(frozen=True, slots=True)
class Mutant:
    """A fault.

    Attributes:
        name: What is wrong, in words.
        file: The file, below ``core/signoff``.
        old: The text that it changes.
        new: The text in its place.
    """

    name: str
    file: str
    old: str
    new: str


_PROFILE, _BWRAP, _SECCOMP = (f"confine/{name}.py" for name in ("profile", "bubblewrap", "seccomp"))
_NAMES, _DERIVE, _SANDBOX = "confine/protected_names.py", "tools/os_profile.py", "tools/os_sandbox.py"

MUTANTS = (
    # The model.
    Mutant("prefix of a path without its separator", _PROFILE, 'path = path.rpartition("/")[0] or "/"', 'path = path[:-1] or "/"'),
    Mutant("the same, where mounts are made", _PROFILE, ' and (path == place or place == "/" or path[len(place)] == "/")', ""),
    Mutant("meet as union", _PROFILE, "min(self.at(path), other.at(path))", "max(self.at(path), other.at(path))"),
    Mutant("places of one map only in a meet", _PROFILE, "min(self.at(path), other.at(path)) for path in {*self._places, *other._places}", "min(self.at(path), other.at(path)) for path in self._places"),
    Mutant("union of environments", _PROFILE, "self.environment & other.environment", "self.environment | other.environment"),
    Mutant("network of one of two", _PROFILE, "self.network and other.network", "self.network or other.network"),
    Mutant("sockets of one of two", _PROFILE, "self.unix_sockets and other.unix_sockets", "self.unix_sockets or other.unix_sockets"),
    Mutant("runtime not limited", _PROFILE, "self.runtime.meet(other.runtime)", "self.runtime"),
    Mutant("no normal form", _PROFILE, "if self.at(path) != access:", "if True:"),
    Mutant("the last place given decides", _PROFILE, "sorted(places or {}, key=_depth)", "(places or {})"),
    Mutant("dots in a place", _PROFILE, '("", ".", "..")', '("", ".")'),
    # The derivation.
    Mutant("the literal rule: rw is writable", _DERIVE, "    if config.suffixes is not None or", '    if config.mode == "rw":\n        return PathAccess.WRITE\n    if config.suffixes is not None or'),
    Mutant("write_approval ignored", _DERIVE, "(config.write_approval and not approved", "(False and not approved"),
    Mutant("read_approval ignored", _DERIVE, "(config.read_approval and not approved)", "False"),
    Mutant("suffixes ignored", _DERIVE, "config.suffixes is not None or ", ""),
    Mutant("mode ignored", _DERIVE, 'if config.mode == "ro" or', "if False or"),
    Mutant("most permissive of two entries", _DERIVE, "min(access, places.get(path, access))", "max(access, places.get(path, access))"),
    Mutant("last of two entries", _DERIVE, "min(access, places.get(path, access))", "access"),
    Mutant("signoff's own places shown", _DERIVE, "(each.limited(own, PathAccess.NONE) for each in (paths, runtime))", "(each for each in (paths, runtime))"),
    Mutant("links of signoff's own places that commands can change", _DERIVE, '    links_to(_own_as_written(), "/", profile.paths)', "    pass"),
    Mutant("limits ignored", _DERIVE, "        profile = profile.intersect(explicit)\n", "        pass\n"),
    Mutant("limits alone", _DERIVE, "        profile = profile.intersect(explicit)\n", "        profile = explicit\n"),
    Mutant("hide ignored in the files of the system", _DERIVE, 'paths = runtime = _below("/", hidden)', 'paths, runtime = _below("/", hidden), _below("/", {})'),
    Mutant("wide roots writable", _DERIVE, "            _require_narrow(path)\n", "            pass\n"),
    Mutant("directories of the system only as they are named", _DERIVE, "is_below(path, os.path.realpath(each)) for each in _OF_THE_SYSTEM", "path == os.path.realpath(each) for each in _OF_THE_SYSTEM"),
    Mutant("/proc and /dev of the host", _DERIVE, 'if path.split("/")[1] not in _MADE_ANEW:', "if True:"),
    # Protected names.
    Mutant("protected files not carved out", _SANDBOX, "            return _without(profile, found)\n", "            return profile\n"),
    Mutant("hide ignored in what a command needs besides", _SANDBOX, ".meet(self._most_read)", ""),
    Mutant("roots in protected directories", _SANDBOX, "            paths = paths.limited(place, PathAccess.READ)\n", "            pass\n"),
    Mutant("links of roots that commands can change", _DERIVE, "if paths.at(here) is PathAccess.WRITE:", "if False:"),
    Mutant("the sweep looks into other roots", _SANDBOX, "protected_below(top, self._record.places, say)", "protected_below(top, (), say)"),
    Mutant("the sweep takes what was there", _SANDBOX, "set(self._states) - (changed - self._record.protected)", "set()"),
    Mutant("what cannot be looked into is passed over", _NAMES, "            if unseen is not None:\n", "            if False:\n"),
    Mutant("the rest of a repository is passed over", _NAMES, "        start = folder if", "        if is_repository:\n            continue\n        start = folder if"),
    Mutant("the rest of a queue is passed over", _NAMES, "            yield folder, PathAccess.NONE\n", "            yield folder, PathAccess.NONE\n            continue\n"),
    Mutant("hooks of a repository", _NAMES, '"hooks", "modules"', '"modules"'),
    Mutant("links to directories walked through", _NAMES, "        if folder != top and os.path.islink(folder):", "        if False:"),
    Mutant("rules in capital letters", _NAMES, "any(map(_RULES.fullmatch, names))", "any(map(_RULES.fullmatch, entries))"),
    # The options of Bubblewrap.
    Mutant("holes below files of the system left to chance", _BWRAP, " and path not in holding", ""),
    Mutant("missing hole skipped", _BWRAP, "    if above is PathAccess.WRITE:\n        raise", "    if False:\n        raise"),
    Mutant("missing writable place skipped", _BWRAP, "    if access is PathAccess.WRITE:\n        raise", "    if False:\n        raise"),
    Mutant("links followed", _BWRAP, "    if through_link:", "    if False:"),
    Mutant("pins dropped", _BWRAP, "for pin in takewhile(lambda each: each not in places, _above(path)):", "for pin in ():"),
    Mutant("read-only bound writable", _BWRAP, 'return ["--ro-bind", mount.source, mount.path]', 'return ["--bind", mount.source, mount.path]'),
    Mutant("hidden directories not sealed", _BWRAP, 'words += ["--remount-ro", mount.path]', "words += []"),
    Mutant("hidden directories passable", _BWRAP, '"0111" if mount.leads else "0000"', '"0111"'),
    Mutant("the new root not sealed", _BWRAP, '[*words, "--remount-ro", "/", "--chdir", cwd]', '[*words, "--chdir", cwd]'),
    Mutant("capabilities kept", _BWRAP, '"--cap-drop", "ALL", ', ""),
    Mutant("user namespaces inside", _BWRAP, '"--disable-userns", ', ""),
    Mutant("network shared", _BWRAP, '[] if profile.network else ["--unshare-net"]', "[]"),
    Mutant("processes shared", _BWRAP, '"--unshare-pid", ', ""),
    Mutant("settings of the kernel writable", _BWRAP, '"--ro-bind", "/proc/sys", "/proc/sys", ', ""),
    Mutant("deeper mounts first", _BWRAP, "key=lambda mount: (_depth(mount.path), mount.path)", "key=lambda mount: (-_depth(mount.path), mount.path)"),
    # Reading back.
    Mutant("what was exchanged is not noticed", _BWRAP, "if (line.device, line.root) != sources[mount.source]:", "if False:"),
    Mutant("what is not hidden is not noticed", _BWRAP, 'if line.type != "tmpfs":', "if False:"),
    Mutant("more that is writable is not noticed", _BWRAP, "if shown.at(path) is not PathAccess.WRITE and", "if False and"),
    Mutant("released before the root is sealed", _BWRAP, 'return own and not here["/"].writable', "return own"),
    # The filter.
    Mutant("upper half of an argument", _SECCOMP, "16 + 8 * number", "20 + 8 * number"),
    Mutant("clone3 let through", _SECCOMP, '_UNKNOWN = ("clone3", "openat2")', '_UNKNOWN = ("openat2",)'),
    Mutant("keys let through", _SECCOMP, '    "add_key", "request_key", "keyctl",\n', ""),
    Mutant("foreign machines let through", _SECCOMP, "        *_foreign(made_for.audit),\n", ""),
    Mutant("x32 let through", _SECCOMP, "(_AT_LEAST, 0, 1, _X32)", "(_AT_LEAST, 1, 1, _X32)"),
    Mutant("set-group-id let through", _SECCOMP, "_SET_ID = 0o6000", "_SET_ID = 0o4000"),
    Mutant("temporary files of any mode", _SECCOMP, "_CREATES = 0o100 | 0o20000000", "_CREATES = 0o100"),
    Mutant("TIOCSTI let through", _SECCOMP, "(0x5412, 0x541C, 0x5423)", "(0x541C, 0x5423)"),
    Mutant("Unix sockets let through", _SECCOMP, "((_UNIX,) if unix_sockets else ())", "(_UNIX,)"),
    Mutant("any netlink", _SECCOMP, "(_EQUAL, 0, 1, _ROUTE)", "(_EQUAL, 0, 0, _ROUTE)"),
    Mutant("pairs of datagram sockets", _SECCOMP, "(_EQUAL, 1, 0, _STREAM)", "(_EQUAL, 1, 1, _STREAM)"),
    Mutant("user namespaces by unshare", _SECCOMP, 'elif call in ("clone", "unshare"):', 'elif call == "clone":'),
)  # fmt: skip


def pytest_sessionstart() -> None:
    """As a plugin of pytest: do not look for the smallest example of a fault; that there is one is enough."""
    phases = (Phase.explicit, Phase.generate)
    settings.register_profile("unshrunk", settings.get_profile("signoff"), phases=phases)
    settings.load_profile("unshrunk")


def mutated(mutant: Mutant | None, place: Path) -> Path:
    """Make a copy of the library with a fault, or without one, and return the directory to import it from.

    Raises:
        ValueError: The text that a mutant changes does not occur exactly once.
    """
    copy = place / "core"
    shutil.copytree(TOP / "core", copy, ignore=shutil.ignore_patterns("__pycache__"))
    if mutant is not None:
        file = copy / "signoff" / mutant.file
        text = file.read_text()
        if (times := text.count(mutant.old)) != 1:
            raise ValueError(f"{mutant.name}: its text occurs {times} times in {mutant.file}")
        file.write_text(text.replace(mutant.old, mutant.new))
    return copy


def _killed_by(mutant: Mutant | None) -> str:
    """The test that fails, or ""."""
    with tempfile.TemporaryDirectory() as made:
        copy = mutated(mutant, Path(made))
        first = [test for file, test in QUICK.items() if mutant is not None and mutant.file.startswith(file)]
        tests = [*first, *(test for test in QUICK.values() if test not in first)]
        env = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(copy), str(TOP / "tui"), str(TOP), str(HERE)]),
            "HYPOTHESIS_STORAGE_DIRECTORY": str(Path(made) / "examples"),
        }
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "--tb=no",
            "-p",
            "no:cacheprovider",
            "-p",
            "mutants",
            *tests,
        ]
        told = subprocess.run(
            command, cwd=TOP, env=env, capture_output=True, text=True, timeout=LIMIT, check=False
        )
    if told.returncode == 0:
        return ""
    failed = [line for line in told.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" - ")[0].rpartition("::")[2] if failed else f"exit code {told.returncode}"


def main(*words: str) -> int:
    """Try all mutants, and print which are killed."""
    chosen = [mutant for mutant in MUTANTS if not words or any(word in mutant.name for word in words)]
    start = time.monotonic()
    with ThreadPoolExecutor(max_workers=2) as pool:
        control = pool.submit(_killed_by, None)
        results = zip(chosen, pool.map(_killed_by, chosen), strict=True)
        alive = 0
        for mutant, test in results:
            alive += not test
            print(f"{'killed' if test else 'ALIVE '}  {mutant.name}{f'  ({test})' if test else ''}", flush=True)
    if control.result():
        print(f"the tests fail without a fault: {control.result()}")
    print(f"{len(chosen) - alive} of {len(chosen)} killed ({time.monotonic() - start:.0f} s)")
    return 1 if alive or control.result() else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
