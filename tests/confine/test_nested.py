"""What is found inside other sandboxes, containers and a chroot: it works, or the true reason and a remedy."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from signoff.confine import bubblewrap
from signoff.confine.bubblewrap import find_program
from signoff.confine.detect import Unusable, detect

pytestmark = pytest.mark.usefixtures("real_sandbox")

_NEW_USER_NAMESPACE = 0x10000000
_AS_ROOT_INSIDE = ("unshare", "-Urmpf", "--mount-proc")
_OUTER = ("bwrap", "--unshare-user", "--unshare-pid", "--bind", "/", "/", "--proc", "/proc", "--dev", "/dev")

_COPY = "mount -t tmpfs none /mnt; mkdir /mnt/root; mount --rbind / /mnt/root"

_TRIES = """
import json, subprocess, sys, tempfile
from pathlib import Path
from signoff.confine.bubblewrap import Bubblewrap
from signoff.confine.detect import Unusable, detect
from signoff.confine.profile import OSProfile, PathAccess, PathMap
from signoff.confine.system import system_files

found = detect("bwrap")
did = {}
if not isinstance(found, Unusable):
    made = tempfile.TemporaryDirectory()
    base = Path(made.name).resolve()
    (base / "mine").mkdir()
    (base / "secret").write_text("secret")
    profile = OSProfile(PathMap({str(base / "mine"): PathAccess.WRITE}), system_files(network=False))
    argv = ["/bin/sh", "-c", sys.argv[1]]
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
    env = {"PATH": "/usr/bin:/bin"}
    process = Bubblewrap().start(argv, lambda: profile, cwd=str(base / "mine"), env=env, **streams)
    process.wait(20)
    did = {path.name: path.read_text().strip() for path in (base / "mine").iterdir()}
    did["outside"] = sorted(path.name for path in base.iterdir())
    did["secret"] = (base / "secret").read_text()
reason = str(found) if isinstance(found, Unusable) else ""
print(json.dumps([reason, did, isinstance(detect("landlock"), Unusable)]))
"""
_ESCAPES = """
try() { name=$1; shift; if "$@"; then echo done > $name; else echo stopped > $name; fi; }
echo done > write
try read cat ../secret
echo changed > ../secret
echo made > ../made
try namespace unshare -U true
try unmount umount /proc/sys
try remount mount -o remount,rw /usr
try tunable sh -c ': >> /proc/sys/kernel/core_pattern'
"""


def found_in(around: Sequence[str]) -> Any:
    """The reason against bwrap there, or what a command did in it; and whether Landlock cannot be used either."""
    done = subprocess.run(
        [*around, sys.executable, "-c", _TRIES, _ESCAPES],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if done.returncode:
        assert "Traceback" not in done.stderr, done.stderr
        pytest.skip(f"there is no such place here: {done.stderr}")
    return json.loads(done.stdout)


def test_it_confines_in_namespaces_of_another() -> None:
    reason, did, _ = found_in(_AS_ROOT_INSIDE)
    assert reason == ""
    assert did.pop("write") == "done"
    assert (did.pop("outside"), did.pop("secret")) == (["mine", "secret"], "secret")
    assert len(did) == 5
    assert set(did.values()) == {"stopped"}


PLACES = {
    "a masked /proc": (
        (*_OUTER, "--ro-bind", "/dev/null", "/proc/version"),
        ("Can't mount proc", "unmasked /proc"),
    ),
    "another sandbox": (
        ("bwrap", "--unshare-user", "--disable-userns", *_OUTER[2:]),
        ("nesting depth", "os_sandbox: external"),
    ),
    "no user namespaces": (
        (*_AS_ROOT_INSIDE, "sh", "-c", 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$@"', "sh"),
        ("nesting depth", "max_user_namespaces"),
    ),
    "a chroot": (
        ("unshare", "-Urm", "sh", "-c", f'{_COPY}; exec chroot /mnt/root "$@"', "sh"),
        ("No permissions to create new namespace", "a chroot"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_where_it_cannot_the_reason_is_told(place: str) -> None:
    around, words = PLACES[place]
    reason, _, landlock_too = found_in(around)
    assert reason
    assert all(each in reason for each in words), reason
    assert landlock_too is isinstance(detect("landlock"), Unusable)


def test_where_root_has_no_number_its_program_is_taken_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a user namespace of an ordinary user, files of the root outside belong to nobody."""
    trusted, changed = os.pipe()
    if not (child := os.fork()):
        words = b"cannot"
        if ctypes.CDLL(None).unshare(_NEW_USER_NAMESPACE) == 0 and os.stat("/usr/bin/env").st_uid != 0:
            try:
                words = find_program().encode()
                monkeypatch.setattr(bubblewrap, "_is_root_outside", lambda owner: False)
                find_program()
            except Exception as error:  # noqa: BLE001
                words += b": " + str(error).encode()
        os.write(changed, words)
        os._exit(0)
    os.close(changed)
    os.waitpid(child, 0)
    said = os.read(trusted, 4096).decode()
    os.close(trusted)
    if said == "cannot":
        pytest.skip("no user namespace without root can be made")
    program = find_program()
    assert said == f"{program}: {program} does not belong to root alone"
