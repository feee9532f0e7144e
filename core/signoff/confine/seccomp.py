"""A filter of system calls for a confined process, as a program of classic BPF.

What it closes cannot be closed by hiding files: sockets of the host's services, keys of the session, other
processes' memory, new user namespaces, characters pushed into the caller's terminal. See seccomp(2) and
seccomp_unotify(2) for the form, and the tables of system calls in the kernel's sources for the numbers.
"""

from __future__ import annotations

import errno
import platform
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

__all__ = ["UnknownMachineError", "filter_program"]


class UnknownMachineError(RuntimeError):
    """There is no table of system calls for this machine."""


@dataclass(frozen=True, slots=True)
class _Machine:
    audit: int
    numbers: dict[str, int]


_X86_64 = {
    "open": 2, "ioctl": 16, "socket": 41, "socketpair": 53, "clone": 56, "creat": 85, "chmod": 90, "fchmod": 91,
    "ptrace": 101, "syslog": 103, "mknod": 133, "uselib": 134, "_sysctl": 156, "modify_ldt": 154,
    "pivot_root": 155, "adjtimex": 159, "chroot": 161, "acct": 163, "settimeofday": 164, "mount": 165,
    "umount2": 166, "swapon": 167, "swapoff": 168, "reboot": 169, "iopl": 172, "ioperm": 173, "create_module": 174,
    "init_module": 175, "delete_module": 176, "quotactl": 179, "nfsservctl": 180, "lookup_dcookie": 212,
    "clock_settime": 227, "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250, "openat": 257,
    "mknodat": 259, "fchmodat": 268, "unshare": 272, "perf_event_open": 298, "fanotify_init": 300,
    "name_to_handle_at": 303, "open_by_handle_at": 304, "clock_adjtime": 305, "setns": 308,
    "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "kexec_file_load": 320,
    "bpf": 321, "userfaultfd": 323,
    "shmget": 29, "shmat": 30, "shmctl": 31, "semget": 64, "semop": 65, "semctl": 66, "msgget": 68, "msgsnd": 69,
    "msgrcv": 70, "msgctl": 71, "semtimedop": 220, "mq_open": 240, "mq_unlink": 241, "prlimit64": 302,
}  # fmt: skip
_AARCH64 = {
    "ioctl": 29, "mknodat": 33, "umount2": 39, "mount": 40, "pivot_root": 41, "nfsservctl": 42, "chroot": 51,
    "fchmod": 52, "fchmodat": 53, "openat": 56, "quotactl": 60, "acct": 89, "unshare": 97, "kexec_load": 104,
    "init_module": 105, "delete_module": 106, "clock_settime": 112, "syslog": 116, "ptrace": 117, "reboot": 142,
    "settimeofday": 170, "adjtimex": 171, "lookup_dcookie": 18, "socket": 198, "socketpair": 199, "add_key": 217,
    "request_key": 218, "keyctl": 219, "clone": 220, "swapon": 224, "swapoff": 225, "perf_event_open": 241,
    "fanotify_init": 262, "name_to_handle_at": 264, "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268,
    "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "finit_module": 273, "bpf": 280,
    "userfaultfd": 282, "kexec_file_load": 294,
    "mq_open": 180, "mq_unlink": 181, "msgget": 186, "msgctl": 187, "msgrcv": 188, "msgsnd": 189, "semget": 190,
    "semctl": 191, "semtimedop": 192, "semop": 193, "shmget": 194, "shmctl": 195, "shmat": 196, "prlimit64": 261,
}  # fmt: skip
_EVERYWHERE = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428, "move_mount": 429,
    "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433, "clone3": 435, "openat2": 437,
    "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442, "quotactl_fd": 443, "fchmodat2": 452,
    "open_tree_attr": 467,
}  # fmt: skip
"""System calls since Linux 5.1 have one number on all machines."""

_MACHINES = {
    "x86_64": _Machine(0xC000003E, _X86_64 | _EVERYWHERE),
    "aarch64": _Machine(0xC00000B7, _AARCH64 | _EVERYWHERE),
}

_DENIED = (
    "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp", "pidfd_getfd",
    "add_key", "request_key", "keyctl",
    "io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open", "userfaultfd",
    "mount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr", "move_mount", "fsopen", "fsconfig",
    "fsmount", "fspick", "mount_setattr", "setns", "name_to_handle_at", "open_by_handle_at", "fanotify_init",
    "init_module", "finit_module", "delete_module", "create_module", "kexec_load", "kexec_file_load", "reboot",
    "swapon", "swapoff", "syslog", "acct", "quotactl", "quotactl_fd", "settimeofday", "clock_settime", "adjtimex",
    "clock_adjtime", "iopl", "ioperm", "modify_ldt", "uselib", "_sysctl", "lookup_dcookie", "nfsservctl",
)  # fmt: skip
_OF_NAMESPACES = (
    "shmget", "shmat", "shmctl", "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv", "msgctl",
    "mq_open", "mq_unlink",
)  # fmt: skip
"""They reach what other processes share, unless there is a namespace that keeps them apart."""
_LIMITS = "prlimit64"
_UNKNOWN = ("clone3", "openat2")
"""Their arguments lie in memory, which a filter cannot read. As unknown calls, programs do without them."""

_SET_ID = 0o6000
_CREATES = 0o100 | 0o20000000
"""``O_CREAT`` and ``O_TMPFILE``; otherwise the mode of an open is not used, and can be anything."""
_MODES = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "mknod": 1, "mknodat": 2, "creat": 1}
"""The argument that is a mode."""
_OPENS = {"open": (1, 2), "openat": (2, 3)}
"""The arguments that are flags and mode."""
_NEW_USER_NAMESPACE = 0x10000000
_TERMINAL_CONTROLS = (0x5412, 0x541C, 0x5423)
"""``TIOCSTI``, ``TIOCLINUX`` and ``TIOCSETD``: the kernel looks at the lower 32 bits of a request only."""
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_ROUTE = 0
_TYPE_BITS, _STREAM = 0xF, 1

_LOAD, _EQUAL, _AT_LEAST, _BITS, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER_AT, _MACHINE_AT = 0, 4
_X32 = 0x40000000

_Step = tuple[int, int, int, int]


@cache
def filter_program(
    *, network: bool, unix_sockets: bool, namespaces: bool = True, machine: str | None = None
) -> bytes:
    """Return the filter, in the form of ``struct sock_filter``.

    Args:
        network: True if the process shares the network of the host.
        unix_sockets: True if it may make Unix sockets.
        namespaces: True if it has namespaces of its own. Without them, it gets no memory, semaphores or queues to
            share, sets no limits of others, and makes no sockets of the internet unless it has the network.
        machine: Name of the machine, as `platform.machine` has it; this one by default.

    Raises:
        UnknownMachineError: There is no table for the machine.
    """
    name = platform.machine() if machine is None else machine
    try:
        made_for = _MACHINES[name]
    except KeyError:
        raise UnknownMachineError(f"there is no filter of system calls for {name}") from None
    steps = [
        *_foreign(made_for.audit),
        *([(_LOAD, 0, 0, _NUMBER_AT), (_AT_LEAST, 0, 1, _X32), _error(errno.ENOSYS)] if name == "x86_64" else ()),
    ]
    for call, number in made_for.numbers.items():
        if namespaces and (call in _OF_NAMESPACES or call == _LIMITS):
            continue
        body = list(_body(call, internet=network or namespaces, network=network, unix_sockets=unix_sockets))
        steps += [(_LOAD, 0, 0, _NUMBER_AT), (_EQUAL, 0, len(body), number), *body]
    steps.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


def _foreign(audit: int) -> list[_Step]:
    return [(_LOAD, 0, 0, _MACHINE_AT), (_EQUAL, 1, 0, audit), (_RETURN, 0, 0, _KILL)]


def _body(call: str, *, internet: bool, network: bool, unix_sockets: bool) -> Iterator[_Step]:
    """The steps for one system call, which end in an answer."""
    if call in _DENIED or call in _OF_NAMESPACES:
        yield _error(errno.EPERM)
        return
    if call in _UNKNOWN:
        yield _error(errno.ENOSYS)
        return
    if call in _MODES:
        yield from _refuse_bits(_MODES[call], _SET_ID)
    elif call in _OPENS:
        flags, mode = _OPENS[call]
        yield from (_argument(flags), (_BITS, 0, 3, _CREATES))
        yield from _refuse_bits(mode, _SET_ID)
    elif call == _LIMITS:  # of itself only
        yield from (_argument(0), (_EQUAL, 1, 0, 0), _error(errno.EPERM))
    elif call in ("clone", "unshare"):
        yield from _refuse_bits(0, _NEW_USER_NAMESPACE)
    elif call == "ioctl":
        yield _argument(1)
        for request in _TERMINAL_CONTROLS:
            yield from ((_EQUAL, 0, 1, request), _error(errno.EPERM))
    elif call == "socket":
        yield _argument(0)
        for family in (*((_INET, _INET6) if internet else ()), *((_UNIX,) if unix_sockets else ())):
            yield from ((_EQUAL, 0, 1, family), (_RETURN, 0, 0, _ALLOW))
        if network:  # addresses and routes are asked for by it
            yield from ((_EQUAL, 0, 3, _NETLINK), _argument(2), (_EQUAL, 0, 1, _ROUTE), (_RETURN, 0, 0, _ALLOW))
        yield _error(errno.EPERM)
        return
    elif call == "socketpair" and not unix_sockets:  # a pair of datagram sockets can be connected anew
        yield from (_argument(1), (_AND, 0, 0, _TYPE_BITS), (_EQUAL, 1, 0, _STREAM), _error(errno.EPERM))
    yield (_RETURN, 0, 0, _ALLOW)


def _refuse_bits(argument: int, bits: int) -> tuple[_Step, ...]:
    return (_argument(argument), (_BITS, 0, 1, bits), _error(errno.EPERM))


def _argument(number: int) -> _Step:
    """Load the lower half of an argument, on a machine that stores it first."""
    return (_LOAD, 0, 0, 16 + 8 * number)


def _error(number: int) -> _Step:
    return (_RETURN, 0, 0, _ERROR | number)
