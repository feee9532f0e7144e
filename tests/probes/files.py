"""Writing and reading files that are not a command's to write or read."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shlex
import stat
from pathlib import Path

from probes.bench import Attempt, Kind, Vacuous, number_of, probe, python_of_the_system, require_root

__all__: list[str] = []


# -- Writing.


@probe(Kind.BOUNDARY, "create a file outside the roots")
def w01(at: Attempt) -> bool:
    at.sh(f"echo x > {at.outside}/new; mkdir {at.outside}/folder; echo x > {at.base}/new")
    return at.changed(at.outside) or (at.base / "new").exists()


@probe(Kind.BOUNDARY, "overwrite a file outside")
def w02(at: Attempt) -> bool:
    at.sh(f"echo changed > {at.outside}/file; echo changed >> {at.outside}/secret; rm {at.outside}/file")
    return at.changed(at.outside)


@probe(Kind.BOUNDARY, "write into the read-only root (new, append, delete, mkdir)")
def w03(at: Attempt) -> bool:
    at.sh(f"cd {at.ro}; echo x > new; echo x >> file; rm -f file; mkdir folder; mv {at.ro} {at.base}/ro2")
    return not at.ro.exists() or at.changed(at.ro)


@probe(Kind.BOUNDARY, "write into the caller's home directory")
def w04(at: Attempt) -> bool:
    at.sh(f"echo x > {at.home}/.profile; echo x >> {at.home}/file; mkdir -p {at.home}/.config/autostart")
    return at.changed(at.home)


@probe(Kind.BOUNDARY, "write through a symbolic link made in the writable root")
def w05(at: Attempt) -> bool:
    at.sh(
        f"ln -s {at.outside}/file link; echo x > link; ln -s {at.outside} folder; echo x > folder/new;"
        f"ln -s {at.ro} ro; echo x > ro/new; ln -s ../outside relative; echo x > relative/other"
    )
    return at.changed(at.outside, at.ro)


@probe(Kind.BOUNDARY, "hard-link an outside file in, then write it")
def w06(at: Attempt) -> bool:
    before = at.settings.read_bytes()
    for number, path in enumerate((at.outside / "file", at.ro / "file", at.settings)):
        at.sh(f"ln {path} link{number} && echo x >> link{number}")
    return at.changed(at.outside, at.ro) or at.settings.read_bytes() != before


@probe(Kind.BOUNDARY, "rename a file out of or into the writable root")
def w07(at: Attempt) -> bool:
    script = f"""
for number, folder in enumerate(({str(at.outside)!r}, {str(at.ro)!r})):
    attempt(os.rename, folder + "/file", f"in{{number}}")
    attempt(os.rename, "file", folder + "/out")
for number in (316, 276):  # renameat2 with RENAME_EXCHANGE
    print(call(number, -100, b"file", -100, {os.fsencode(at.ro / "file")!r}, 2))
"""
    at.python(script)
    return at.changed(at.outside, at.ro)


@probe(Kind.BOUNDARY, "'..' out of the writable root")
def w08(at: Attempt) -> bool:
    at.sh("echo x > ../outside/new; cd ..; echo x > new; cd outside && echo x > other")
    return at.changed(at.outside) or (at.base / "new").exists()


@probe(Kind.BOUNDARY, "by /proc/self/root and /proc/self/cwd")
def w09(at: Attempt) -> bool:
    at.sh(
        f"for p in self thread-self; do"
        f"  echo x > /proc/$p/root{at.outside}/new; echo x > /proc/$p/cwd/../outside/new2;"
        f"echo x > /proc/$p/root{at.ro}/new; done"
    )
    return at.changed(at.outside, at.ro)


@probe(Kind.BOUNDARY, "by /proc/PID/root and /proc/PID/cwd of any process")
def w10(at: Attempt) -> bool:
    other = at.bystander()
    beside = f"../../{at.base.name}/outside"  # from the place of another probe it leads here as well
    at.sh(
        f"for p in {other.pid} $(ls /proc | grep '^[0-9]'); do"
        f"  (echo x > /proc/$p/root{at.outside}/new; echo x > /proc/$p/cwd/{beside}/new2) 2>/dev/null; done"
    )
    return at.changed(at.outside)


@probe(Kind.BOUNDARY, "an inherited descriptor of an outside directory and file")
def w11(at: Attempt) -> bool:
    at.pass_fds = [os.open(at.outside, os.O_RDONLY), os.open(at.outside / "file", os.O_RDWR)]
    for number in at.pass_fds:
        at.stack.callback(os.close, number)
    script = f"""
for number in range(3, 256):
    for name in ("new", "../outside/new2", "../" * 9 + {str(at.outside)[1:]!r} + "/new3"):
        try:
            os.close(os.open(name, os.O_CREAT | os.O_WRONLY, dir_fd=number))
            print("made", number)
        except OSError as error:
            pass
    try:
        os.write(number, b"changed")
        print("wrote", number)
    except OSError as error:
        pass
"""
    at.python(script)
    return at.changed(at.outside)


@probe(Kind.BOUNDARY, "/dev/shm shared with the host")
def w12(at: Attempt) -> bool:
    return _shared(at, ["/dev/shm"])


@probe(Kind.BOUNDARY, "/tmp, /var/tmp, /run/user shared with the host")
def w13(at: Attempt) -> bool:
    return _shared(at, ["/tmp", "/var/tmp", f"/run/user/{os.getuid()}", "/run", "/run/lock", "/var/lock"])


def _shared(at: Attempt, folders: list[str]) -> bool:
    paths = [Path(folder, at.secret) for folder in folders]
    at.sh("\n".join(f"(echo x > {path}) 2>/dev/null" for path in paths))
    found = [path for path in paths if path.exists()]
    for path in found:
        path.unlink(missing_ok=True)  # two of the directories may be one
    return bool(found)


@probe(Kind.BOUNDARY, "change mode, times or attributes of files that it may not write")
def w14(at: Attempt) -> bool:
    script = f"""
for folder in ({str(at.ro)!r}, {str(at.outside)!r}):
    for path in (folder, folder + "/file"):
        attempt(os.chmod, path, 0o777)
        attempt(os.utime, path, (1, 1))
        attempt(os.setxattr, path, "user.probe", b"x")
        attempt(os.chown, path, os.getuid(), os.getgid())
        try:
            number = os.open(path, os.O_RDONLY)
        except OSError as error:
            print(error)
            continue
        attempt(os.fchmod, number, 0o777)
        attempt(os.utime, number, (1, 1))
        attempt(os.setxattr, number, "user.probe", b"x")
        attempt(os.utime, f"/proc/self/fd/{{number}}", (1, 1))
"""
    at.python(script)
    return at.changed(at.outside, at.ro)


@probe(Kind.BOUNDARY, "truncate(2) a file that it may not write")
def w15(at: Attempt) -> bool:
    at.python(
        "".join(f"attempt(os.truncate, {str(folder / 'file')!r}, 0)\n" for folder in (at.ro, at.outside, at.home))
    )
    return at.changed(at.ro, at.outside, at.home)


_REMOUNT = """
REMOUNT, BIND, RECURSIVE, LEAVE = 32, 4096, 16384, 2
places = [line.split()[4] for line in open("/proc/self/mountinfo")]
for place in sorted({ro, *(each for each in places if each.startswith(base))}):
    path = os.fsencode(place)
    print(place, libc.mount(None, path, None, REMOUNT | BIND, None), libc.mount(None, path, None, REMOUNT, None))
    put(ro + "/new")
    print("unmount", libc.umount2(path, 0), libc.umount2(path, LEAVE))
    put(ro + "/new2")
class Attributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "user")]
plain = Attributes(0, 1, 0, 0)
print("mount_setattr", libc.syscall(442, -100, os.fsencode(ro), 0x8000, ctypes.byref(plain), 32))
copy = libc.syscall(428, -100, os.fsencode(ro), 1 | 0o2000000)  # open_tree with OPEN_TREE_CLONE
print("open_tree", copy)
print("mount_setattr", libc.syscall(442, copy, b"", 0x1000, ctypes.byref(plain), 32))
attempt(lambda: os.close(os.open("new3", os.O_CREAT | os.O_WRONLY, dir_fd=copy)))
put(ro + "/new4")
for place in (outside, ro):
    put(place + "/new5")
"""


def _remount(at: Attempt) -> str:
    return f"ro, base, outside = {str(at.ro)!r}, {str(at.base)!r}, {str(at.outside)!r}\n{_REMOUNT}"


@probe(Kind.BOUNDARY, "remount the read-only root writable, or unmount what covers it", "unshare", "mount")
def w16(at: Attempt) -> bool:
    ro, own = shlex.quote(str(at.ro)), "-m" if os.geteuid() == 0 else "-Urm"
    # Without a sandbox: in a mount namespace with the right to mount, and the root read-only.
    cover = f'mount --bind {ro} {ro} && mount -o remount,bind,ro {ro} && exec "$@"'
    at.bare = ["unshare", own, "sh", "-c", cover, "-"]
    at.python(_remount(at))
    return at.changed(at.ro, at.outside)


@probe(Kind.BOUNDARY, "new user namespace, then remount, unmount or overlay")
def w17(at: Attempt) -> bool:
    overlay = f"""
USER, MOUNTS = 0x10000000, 0x00020000
user, group = os.getuid(), os.getgid()
print("unshare", libc.unshare(USER | MOUNTS), libc.unshare(USER), libc.unshare(MOUNTS))
for name, text in (("setgroups", "deny"), ("uid_map", f"0 {{user}} 1"), ("gid_map", f"0 {{group}} 1")):
    try:
        with open("/proc/self/" + name, "w") as file:
            file.write(text)
    except OSError as error:
        print(error)
os.makedirs("upper", exist_ok=True), os.makedirs("work", exist_ok=True)
layers = b"lowerdir={at.ro},upperdir={at.rw}/upper,workdir={at.rw}/work"
print("overlay", libc.mount(b"overlay", {os.fsencode(at.ro)!r}, b"overlay", 0, layers))
"""
    at.python(f"{overlay}{_remount(at)}")
    return at.changed(at.ro, at.outside)


@probe(Kind.BOUNDARY, "chroot or open_by_handle_at to leave what it sees")
def w18(at: Attempt) -> bool:
    require_root()
    handle = _handle_of(at.outside / "file")
    script = f"""
handle = {handle!r}
for place in (".", "/", "/usr", {str(at.ro)!r}):
    number = os.open(place, os.O_RDONLY)
    found, error = call({number_of("open_by_handle_at")}, number, ctypes.create_string_buffer(handle), os.O_WRONLY)
    print("handle", place, found, error)
    if found >= 0:
        os.write(found, b"changed")
os.makedirs("jail", exist_ok=True)
attempt(os.chroot, "jail")
for _ in range(40):
    attempt(os.chdir, "..")
attempt(os.chroot, ".")
put({str(at.outside / "new")!r})
"""
    at.python(script)
    return at.changed(at.outside)


def _handle_of(path: Path) -> bytes:
    """The handle of a file, as name_to_handle_at(2) tells it."""
    libc = ctypes.CDLL(None, use_errno=True)
    size = 128
    handle = ctypes.create_string_buffer(size.to_bytes(4, "little") + bytes(4 + size), 8 + size)
    mount = ctypes.c_int()
    if libc.name_to_handle_at(-100, os.fsencode(path), handle, ctypes.byref(mount), 0):
        raise Vacuous("this file system has no handles")
    return handle.raw


@probe(Kind.BOUNDARY, "make a device node of the disk, or open an existing one")
def w19(at: Attempt) -> bool:
    require_root()
    devices = {at.base.stat().st_dev}
    for path in Path("/sys/class/block").glob("*/dev"):
        devices.add(os.makedev(*map(int, path.read_text().split(":"))))
    script = f"""
found = []
for device in {devices!r}:
    found.append(f"disk-{{device}}")
    attempt(os.mknod, found[-1], 0o600 | {stat.S_IFBLK}, device)
for folder, _, names in os.walk("/dev"):
    found += [os.path.join(folder, name) for name in names]
for path in found:
    try:
        if os.stat(path).st_mode & 0o170000 == {stat.S_IFBLK}:
            os.close(os.open(path, os.O_RDONLY))  # nothing is written
            print("opened", path)
    except OSError as error:
        print(error)
"""
    return "opened" in at.python(script).text


@probe(Kind.BOUNDARY, "open kernel tunables for writing (/proc/sys, /proc/sysrq-trigger, /sys)")
def w20(at: Attempt) -> bool:
    require_root()
    script = """
tunables = ["/proc/sysrq-trigger", "/proc/irq/default_smp_affinity", "/proc/acpi/wakeup", "/proc/mtrr"]
tunables += ["/proc/sys/kernel/" + name for name in ("core_pattern", "modprobe", "hostname", "panic", "sysrq")]
tunables += ["/proc/sys/vm/" + name for name in ("swappiness", "overcommit_memory", "drop_caches")]
tunables += ["/proc/sys/fs/" + name for name in ("protected_symlinks", "suid_dumpable", "binfmt_misc/register")]
tunables += ["/sys/power/state", "/sys/kernel/uevent_helper", "/sys/fs/cgroup/cgroup.procs"]
tunables += ["/sys/module/kernel/parameters/panic"]
for path in tunables:
    try:
        os.close(os.open(path, os.O_WRONLY))  # nothing is written
        print("opened", path)
    except OSError as error:
        print(error)
"""
    return "opened" in at.python(script).text


@probe(Kind.HARDENING, "plant a set-user-id file in the writable root")
def w21(at: Attempt) -> bool:
    script = """
mode, flags = 0o6755, os.O_CREAT | os.O_WRONLY
os.umask(0)
for name in ("plain", "descriptor", "relative", "second"):
    put(name)
attempt(os.chmod, "plain", mode)
attempt(os.chmod, "plain", 0o4755)
attempt(os.chmod, "relative", mode, dir_fd=os.open(".", os.O_RDONLY))
attempt(os.fchmod, os.open("descriptor", os.O_RDONLY), mode)
print("fchmodat2", call(452, -100, b"second", mode, 0))
attempt(os.open, "opened", flags, mode)
attempt(os.mknod, "node", 0o100000 | mode)
print("creat", libc.creat(b"created", mode))
how = struct.pack("QQQ", flags, mode, 0)
print("openat2", call(437, -100, b"second-opened", how, len(how)))
"""
    at.python(script)
    found = [path for path in at.rw.rglob("*") if path.lstat().st_mode & (stat.S_ISUID | stat.S_ISGID)]
    return any(path.is_file() for path in found)


@probe(Kind.HARDENING, "core dump of a crashed process lands in the writable root")
def w22(at: Attempt) -> bool:
    if Path("/proc/sys/kernel/core_pattern").read_text().startswith(("|", "/")):
        raise Vacuous("this system keeps core dumps elsewhere")
    before = at.made(at.rw)
    script = """
import resource
for limit in (resource.RLIM_INFINITY, resource.getrlimit(resource.RLIMIT_CORE)[1]):
    attempt(resource.setrlimit, resource.RLIMIT_CORE, (limit, limit))
child = os.fork()
if child == 0:
    os.abort()
print(os.waitpid(child, 0))
"""
    at.python(script)
    return bool(at.made(at.rw) - before)


# -- Reading.


@probe(Kind.BOUNDARY, "read a file outside the roots")
def r01(at: Attempt) -> bool:
    return at.secret in at.sh(f"cat {at.outside}/secret ../outside/secret").text


@probe(Kind.BOUNDARY, "read it through a link or /proc/*/root")
def r02(at: Attempt) -> bool:
    other = at.bystander()
    script = (
        f"ln -s {at.outside}/secret link; cat link; ln -s ../outside folder; cat folder/secret;"
        f"for p in self {other.pid} $(ls /proc | grep '^[0-9]'); do"
        f"  cat /proc/$p/root{at.outside}/secret /proc/$p/cwd/secret; done"
    )
    return at.secret in at.sh(script).text


@probe(Kind.BOUNDARY, "read in the caller's home directory")
def r03(at: Attempt) -> bool:
    return at.secret in at.sh(f"cat {at.home}/secret; cat ~/secret").text


@probe(Kind.BOUNDARY, "read /etc/shadow")
def r04(at: Attempt) -> bool:
    require_root()
    try:
        first = Path("/etc/shadow").read_text().splitlines()[0]
    except (OSError, IndexError):
        raise Vacuous("there is no /etc/shadow") from None
    return first in at.sh("cat /etc/shadow /etc/shadow- /etc/gshadow").text


@probe(Kind.HARDENING, "list names outside the roots (parent, home, /)")
def r05(at: Attempt) -> bool:
    names = ("canary-base", "canary-outside", "canary-home")
    for folder, name in zip((at.base, at.outside, at.home), names, strict=True):
        (folder / name).touch()
    said = at.sh(
        f"ls -a {at.base} .. {at.outside} {at.home} /; echo {at.base}/* {at.base}/*/* {at.base.parent}/*"
    ).text
    needed = {"bin", "sbin", "dev", "etc", "proc", "sys", "tmp", "usr", at.base.parts[1]}
    top = {name for name in os.listdir("/") if name not in needed and not name.startswith("lib")}  # noqa: PTH208
    return any(name in said for name in names) or not top.isdisjoint(said.splitlines())


@probe(Kind.HARDENING, "secrets in the environment that it was started with")
def r06(at: Attempt) -> bool:
    return at.key in at.sh("env; export -p; cat /proc/self/environ /proc/$$/environ").text


@probe(Kind.BOUNDARY, "environment of a host process (/proc/PID/environ)")
def r07(at: Attempt) -> bool:
    other = at.bystander()
    said = at.sh(
        f"cat /proc/{other.pid}/environ; for p in $(ls /proc | grep '^[0-9]'); do cat /proc/$p/environ; done"
    )
    return f"BYSTANDER={at.secret}" in said.text


@probe(Kind.HARDENING, "the launcher's secrets in /proc: environment or command line of any process in view")
def r08(at: Attempt) -> bool:
    return at.key in at.sh("cat /proc/[0-9]*/environ /proc/[0-9]*/task/*/environ /proc/[0-9]*/cmdline").text


@probe(Kind.HARDENING, "see host processes (a bystander's command line)")
def r09(at: Attempt) -> bool:
    at.bystander()
    return f"--word={at.secret}" in at.sh("cat /proc/[0-9]*/cmdline").text


@probe(Kind.HARDENING, "kernel log and physical memory (syslog, /dev/kmsg, /dev/mem, /proc/kcore)")
def r10(at: Attempt) -> bool:
    script = f"""
text = ctypes.create_string_buffer(4096)
print("log", call({number_of("syslog")}, 3, text, 4096)[0])
for path in ("/dev/kmsg", "/dev/mem", "/dev/port", "/proc/kcore", "/proc/kmsg"):
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        print("read", path, len(os.read(number, 16)))
    except OSError as error:
        print(error)
"""
    said = at.python(script).text.splitlines()
    return any(line.startswith("read ") or (line.startswith("log ") and int(line[4:]) > 0) for line in said)


@probe(Kind.HARDENING, "a key in the caller's session keyring")
def r11(at: Attempt) -> bool:
    add, control = number_of("add_key"), number_of("keyctl")
    # The command is started from a session with a keyring of its own, with a key.
    session = f"""
import ctypes, os, sys
libc = ctypes.CDLL(None)
libc.syscall({control}, 1, None)
libc.syscall({add}, b"user", b"probe", b"{at.secret}", {len(at.secret)}, -3)
os.execvp(sys.argv[1], sys.argv[1:])
"""
    at.before = [python_of_the_system(), "-c", session]
    script = f"""
found, error = call({control}, 10, -3, b"user", b"probe", 0)
print("found", found, error)
text = ctypes.create_string_buffer(256)
print(call({control}, 11, found, text, 256), text.value)
for line in open("/proc/keys"):
    print(line)
"""
    with contextlib.suppress(OSError):
        return at.secret in at.python(script).text
    return False
