"""Other processes, their sockets and terminals, and the kernel's own doors."""

from __future__ import annotations

import ctypes
import fcntl
import os
import platform
import pty
import socket
import struct
import subprocess
import termios
import time
import tty

from probes.bench import Attempt, Kind, Vacuous, kill, number_of, probe, python_of_the_system, require_root, until

__all__: list[str] = []


# -- Processes of the host.


@probe(Kind.BOUNDARY, "signal a host process")
def i01(at: Attempt) -> bool:
    other = at.bystander()
    script = f"""
attempt(os.kill, {other.pid}, signal.SIGKILL)
attempt(os.killpg, {other.pid}, signal.SIGKILL)
try:
    signal.pidfd_send_signal(os.pidfd_open({other.pid}), signal.SIGKILL)
except OSError as error:
    print(error)
"""
    at.python(script)
    return until(lambda: other.poll() is not None, 0.1)


_MEMORY = """
kept = ctypes.create_string_buffer({secret!r}.encode(), 64)
print(ctypes.addressof(kept), flush=True)
for line in sys.stdin:
    print(kept.value.decode(), flush=True)
"""


def _remembering(at: Attempt) -> tuple[subprocess.Popen[str], int]:
    """A bystander with something in its memory, and where."""
    other = at.bystander(_MEMORY.format(secret=at.secret))
    assert other.stdout is not None
    return other, int(other.stdout.readline())


@probe(Kind.BOUNDARY, "ptrace or process_vm_readv a host process")
def i02(at: Attempt) -> bool:
    other, address = _remembering(at)
    script = f"""
text = ctypes.create_string_buffer(64)
class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
here, there = Piece(ctypes.addressof(text), 64), Piece({address}, 64)
print(libc.process_vm_readv({other.pid}, ctypes.byref(here), 1, ctypes.byref(there), 1, 0), text.value)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
if libc.ptrace(16, {other.pid}, None, None) == 0:
    os.waitpid({other.pid}, 0x40000000)
    words = [libc.ptrace(2, {other.pid}, {address} + place, None) for place in range(0, 64, 8)]
    print("traced", b"".join(struct.pack("q", word) for word in words))
    libc.ptrace(17, {other.pid}, None, None)
"""
    return at.secret in at.python(script).text


@probe(Kind.BOUNDARY, "write a host process's memory through /proc/PID/mem")
def i03(at: Attempt) -> bool:
    other, address = _remembering(at)
    script = f"""
try:
    number = os.open("/proc/{other.pid}/mem", os.O_RDWR)
    print(os.pwrite(number, b"changed\\0", {address}))
except OSError as error:
    print(error)
"""
    at.python(script)
    assert other.stdin is not None
    assert other.stdout is not None
    print("?", file=other.stdin, flush=True)
    return other.stdout.readline().strip() != at.secret


@probe(Kind.BOUNDARY, "attach a host System V shared-memory segment")
def i04(at: Attempt) -> bool:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
    key = int.from_bytes(os.urandom(3), "little") + 1
    segment = libc.shmget(key, 4096, 0o1600)
    if segment < 0:
        raise Vacuous("there is no System V shared memory")
    at.stack.callback(libc.shmctl, segment, 0, None)
    place = libc.shmat(segment, None, 0)
    text = at.secret.encode()
    ctypes.memmove(place, text, len(text))
    libc.shmdt(ctypes.c_void_p(place))
    script = f"""
libc.shmat.restype = ctypes.c_void_p
libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
for number in (libc.shmget({key}, 0, 0), {segment}):
    place = libc.shmat(number, None, 0)
    print(number, place)
    if place and place < 2**63:
        print(ctypes.string_at(place, {len(text)}).decode())
"""
    return at.secret in at.python(script).text


# -- Sockets of the host.


def _heard(at: Attempt, address: str) -> bool:
    """True if a listener of the host hears a command that sends to its address, as a stream or as datagrams."""
    heard = False
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        suffix = address + ("" if kind is socket.SOCK_STREAM else "-d")
        with socket.socket(socket.AF_UNIX, kind) as listener:
            listener.bind(suffix)
            listener.setblocking(False)
            if kind is socket.SOCK_STREAM:
                listener.listen()
            at.python(_SAY.format(kind=int(kind), address=suffix))
            heard |= _gets(listener)
        if not heard and not at.confined:
            return False
    return heard


_SAY = """
def say():
    with socket.socket(socket.AF_UNIX, {kind}) as mine:
        mine.connect({address!r})
        mine.send(b"hello")
def say_by_pair():
    mine, other = socket.socketpair(socket.AF_UNIX, {kind})
    mine.connect({address!r})
    mine.send(b"hello")
attempt(say)
attempt(say_by_pair)
"""


def _gets(listener: socket.socket) -> bool:
    try:
        if listener.type == socket.SOCK_STREAM:
            mine, _ = listener.accept()
            mine.close()
            return True
        return bool(listener.recv(9))
    except BlockingIOError:
        return False


@probe(Kind.BOUNDARY, "abstract unix socket of a host process")
def i05(at: Attempt) -> bool:
    return _heard(at, f"\0{at.secret}")


@probe(Kind.BOUNDARY, "pathname unix socket outside the roots (docker.sock, D-Bus, ssh-agent)")
def i06(at: Attempt) -> bool:
    return _heard(at, str(at.outside / "socket"))


@probe(Kind.BOUNDARY, "host daemon's socket inside the read-only root (read-only does not stop connect)")
def i07(at: Attempt) -> bool:
    return _heard(at, str(at.ro / "socket"))


@probe(Kind.HARDENING, "host daemon's socket inside the writable root")
def i08(at: Attempt) -> bool:
    return _heard(at, str(at.rw / "socket"))


# -- Terminals.

_CONTROLLING = """
import fcntl, os, sys, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 1)
os.execvp(sys.argv[1], sys.argv[1:])
"""


@probe(Kind.BOUNDARY, "push characters into the caller's terminal (TIOCSTI)")
def i09(at: Attempt) -> bool:
    ours, theirs = pty.openpty()
    at.stack.callback(os.close, ours)
    at.stack.callback(os.close, theirs)
    tty.setraw(theirs)
    at.before = [python_of_the_system(), "-I", "-c", _CONTROLLING]
    script = """
import fcntl, termios
numbers = [0, 1, 2]
for path in ("/dev/tty", "/dev/console", "/proc/self/fd/0"):
    try:
        numbers.append(os.open(path, os.O_RDWR | os.O_NOCTTY))
    except OSError as error:
        print(error)
for number in numbers:
    attempt(fcntl.ioctl, number, termios.TIOCSTI, b"x")
    letter = ctypes.create_string_buffer(b"y")
    high = ctypes.c_ulong(termios.TIOCSTI | 1 << 32)  # the kernel looks at the lower half
    print(libc.ioctl(number, high, letter))
    paste = ctypes.create_string_buffer(bytes([3]))
    print(libc.ioctl(number, ctypes.c_ulong(0x541C), paste))
"""
    process = at.start(at.python_words(script), stdin=theirs)
    out, err = process.communicate(timeout=20)
    at.ended(out, err, process.returncode)
    waiting = fcntl.ioctl(theirs, termios.FIONREAD, bytes(4))
    return struct.unpack("i", waiting)[0] > 0


# -- What goes on after the end.


def _ticking(at: Attempt) -> str:
    """A script that goes on for two seconds, and shows it."""
    return (
        f"i=0; while [ $i -lt 100 ] && [ -d {at.rw} ]; do echo x >> {at.rw}/ticks; sleep 0.02; i=$((i + 1)); done"
    )


def _ticks_on(at: Attempt) -> bool:
    """True if a script still goes on."""
    ticks = at.rw / "ticks"
    time.sleep(0.1)  # what was killed is dead by then
    before = ticks.stat().st_size if ticks.exists() else 0
    return until(lambda: ticks.exists() and ticks.stat().st_size > before, 0.5)


@probe(Kind.BOUNDARY, "a background process outlives the command", "setsid")
def i10(at: Attempt) -> bool:
    script = _ticking(at)
    at.sh(f"setsid sh -c '{script}' < /dev/null > /dev/null 2>&1 & while [ ! -e ticks ]; do sleep 0.01; done")
    return _ticks_on(at)


@probe(Kind.BOUNDARY, "the command outlives a killed launcher", "setsid")
def i11(at: Attempt) -> bool:
    at.bare = ["sh", "-c", '"$@" & wait', "-"]
    process = at.start(["setsid", "--wait", "sh", "-c", at.begun(f"({_ticking(at)}) > /dev/null 2>&1")])
    assert process.stdout is not None
    line = process.stdout.readline()
    until((at.rw / "ticks").exists)
    kill(process)
    at.ended(line, b"", process.returncode)
    return _ticks_on(at)


# -- Doors of the kernel.


@probe(Kind.HARDENING, "create a user namespace (attack surface of the kernel)")
def i12(at: Attempt) -> bool:
    clone, clone3 = {"x86_64": 56, "aarch64": 220}.get(platform.machine(), -1), 435
    script = f"""
USER = 0x10000000
def tried(name, way):
    child = os.fork()
    if child == 0:
        os._exit(0 if way() == 0 else 1)
    if os.waitpid(child, 0)[1] == 0:
        print("made by", name)
def by_clone():
    found = libc.syscall({clone}, USER | signal.SIGCHLD, None, None, None, None)
    if found == 0:
        os._exit(0)
    return 0 if found > 0 else 1
def by_clone3():
    arguments = (ctypes.c_uint64 * 8)(USER, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    found = libc.syscall({clone3}, arguments, 64)
    if found == 0:
        os._exit(0)
    return 0 if found > 0 else 1
tried("unshare", lambda: libc.unshare(USER))
tried("clone", by_clone)
tried("clone3", by_clone3)
"""
    return "made by" in at.python(script).text


@probe(Kind.HARDENING, "io_uring, bpf or perf_event_open available")
def i13(at: Attempt) -> bool:
    script = f"""
for name, result in {{
    "io_uring": call(425, 1, bytes(120)),
    "bpf": call({number_of("bpf")}, 0, None, 0),
    "perf": call({number_of("perf_event_open")}, None, 0, -1, -1, 0),
}}.items():
    if result[0] >= 0 or result[1] in (errno.EFAULT, errno.EINVAL, errno.E2BIG):
        print("reached", name, result)
"""
    return "reached" in at.python(script).text


@probe(Kind.BOUNDARY, "regain privileges: capabilities, or set-user-id programs that work")
def i14(at: Attempt) -> bool:
    said = at.sh("grep -E '^(Cap|NoNewPrivs)' /proc/self/status").text
    status = dict(line.split(":\t", 1) for line in said.splitlines() if ":\t" in line)
    held = any(int(status[f"Cap{name}"], 16) for name in ("Eff", "Prm", "Inh", "Bnd", "Amb")) if status else False
    return held or status.get("NoNewPrivs") == "0"


@probe(Kind.BOUNDARY, "join a host namespace (setns on /proc/PID/ns or an inherited one)")
def i15(at: Attempt) -> bool:
    require_root()
    other = at.bystander()
    at.pass_fds = [os.open(f"/proc/self/ns/{kind}", os.O_RDONLY) for kind in ("net", "mnt", "ipc")]
    for number in at.pass_fds:
        at.stack.callback(os.close, number)
    script = f"""
kinds = ("net", "mnt", "ipc", "uts")
paths = [f"/proc/{{pid}}/ns/{{kind}}" for pid in ({other.pid}, 1, os.getppid()) for kind in kinds]
numbers = list(range(3, 64))
for path in paths:
    try:
        numbers.append(os.open(path, os.O_RDONLY))
    except OSError as error:
        print(error)
numbers.append(attempt(os.pidfd_open, {other.pid}))
for number in numbers:
    if number is not None and any(libc.setns(number, kind) == 0 for kind in (0, 0x40000000 | 0x08000000)):
        print("joined", os.readlink("/proc/self/ns/net"), os.readlink("/proc/self/ns/ipc"))
"""
    joined = [line for line in at.python(script).text.splitlines() if line.startswith("joined")]
    ours = [os.readlink(f"/proc/self/ns/{kind}") for kind in ("net", "ipc")]  # noqa: PTH115 - no file
    return any(name in line for line in joined for name in ours)


@probe(Kind.HARDENING, "no filter of system calls, or another table of calls slips past it")
def i16(at: Attempt) -> bool:
    read = number_of("process_vm_readv")
    script = f"""
class Piece(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
text, other = ctypes.create_string_buffer(b"from"), ctypes.create_string_buffer(8)
here, there = Piece(ctypes.addressof(other), 5), Piece(ctypes.addressof(text), 5)
for number in ({read}, 0x40000000 | {read}, 0x40000000 | 539):
    found = libc.syscall(ctypes.c_long(number), os.getpid(), ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    print("called" if found == 5 else "refused", number)
if libc.syscall(ctypes.c_long(0x40000000 | 39)) > 0:
    print("called by x32")
{_BY_INT80 if platform.machine() == "x86_64" else ""}
"""
    return "called" in at.python(script).text


_BY_INT80 = """
import mmap
child = os.fork()
if child == 0:
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes.fromhex("53b814000000cd805bc3"))  # getpid by the 32-bit table
    place = ctypes.addressof(ctypes.c_char.from_buffer(code))
    os._exit(0 if ctypes.CFUNCTYPE(ctypes.c_int)(place)() == os.getpid() else 1)
if os.waitpid(child, 0)[1] == 0:
    print("called by the 32-bit table")
"""


@probe(Kind.HARDENING, "no limit against fork bombs (RLIMIT_NPROC or pids cgroup below 4096)")
def i17(at: Attempt) -> bool:
    script = """
import glob, resource
limits = [number for number in resource.getrlimit(resource.RLIMIT_NPROC)[:1] if number >= 0]
for path in glob.glob("/sys/fs/cgroup/**/pids.max", recursive=True)[:1]:
    text = open(path).read().strip()
    limits += [int(text)] if text.isdigit() else []
print("least", min(limits, default=1 << 30))
"""
    said = at.python(script).text.split()
    return int(said[said.index("least") + 1]) >= 4096 if "least" in said else False
