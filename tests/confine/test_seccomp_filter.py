"""What the filter says to each system call, told by an interpreter; the numbers are of the kernel's own tables.

The interpreter is held against the kernel, for both machines. The filter of aarch64 has not run on one: an emulator
of programs, such as ``qemu-aarch64``, refuses every filter.
"""

from __future__ import annotations

import json
import platform
import signal
import socket
import stat
import struct
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import combinations, product
from pathlib import Path

import pytest
from bpf import ALLOW, ENOSYS, EPERM, KILL, answer
from hypothesis import given
from hypothesis import strategies as st

from signoff.confine.seccomp import UnknownMachineError, filter_program

AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
FOREIGN = {"i386": 0x40000003, "arm": 0x40000028, "big-endian aarch64": 0x800000B7, "riscv64": 0xC00000F3}

# ruff: noqa: E501 - tables

# From arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h, once each: (x86_64, aarch64).
NUMBERS = {
    "read": (0, 63), "write": (1, 64), "open": (2, None), "close": (3, 57), "mmap": (9, 222), "ioctl": (16, 29),
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "socketpair": (53, 199), "clone": (56, 220),
    "fork": (57, None), "execve": (59, 221), "kill": (62, 129), "rename": (82, None), "mkdir": (83, None),
    "creat": (85, None), "chmod": (90, None), "fchmod": (91, 52), "ptrace": (101, 117), "syslog": (103, 116),
    "mknod": (133, None), "uselib": (134, None), "prctl": (157, 167), "modify_ldt": (154, None),
    "pivot_root": (155, 41), "_sysctl": (156, None), "adjtimex": (159, 171), "chroot": (161, 51), "acct": (163, 89),
    "settimeofday": (164, 170), "mount": (165, 40), "umount2": (166, 39), "swapon": (167, 224), "swapoff": (168, 225),
    "reboot": (169, 142), "iopl": (172, None), "ioperm": (173, None), "create_module": (174, None),
    "init_module": (175, 105), "delete_module": (176, 106), "quotactl": (179, 60), "nfsservctl": (180, 42),
    "futex": (202, 98), "lookup_dcookie": (212, 18), "clock_settime": (227, 112), "kexec_load": (246, 104),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "openat": (257, 56), "mkdirat": (258, 34),
    "mknodat": (259, 33), "fchmodat": (268, 53), "unshare": (272, 97), "perf_event_open": (298, 241),
    "fanotify_init": (300, 262), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "clock_adjtime": (305, 266), "setns": (308, 268), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "kcmp": (312, 272), "finit_module": (313, 273), "renameat2": (316, 276), "seccomp": (317, 277),
    "getrandom": (318, 278), "kexec_file_load": (320, 294), "bpf": (321, 280), "userfaultfd": (323, 282),
    "statx": (332, 291), "pidfd_send_signal": (424, 424), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "pidfd_open": (434, 434),
    "clone3": (435, 435), "close_range": (436, 436), "openat2": (437, 437), "pidfd_getfd": (438, 438),
    "faccessat2": (439, 439), "process_madvise": (440, 440), "mount_setattr": (442, 442), "quotactl_fd": (443, 443),
    "landlock_create_ruleset": (444, 444), "fchmodat2": (452, 452), "open_tree_attr": (467, 467),
}  # fmt: skip

DENIED = """
ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd
add_key request_key keyctl
io_uring_setup io_uring_enter io_uring_register bpf perf_event_open userfaultfd
mount umount2 pivot_root chroot open_tree open_tree_attr move_mount fsopen fsconfig fsmount fspick mount_setattr setns
name_to_handle_at open_by_handle_at fanotify_init
init_module finit_module delete_module create_module kexec_load kexec_file_load reboot swapon swapoff
syslog acct quotactl quotactl_fd settimeofday clock_settime adjtimex clock_adjtime
iopl ioperm modify_ldt uselib _sysctl lookup_dcookie nfsservctl
"""
ORDINARY = """
read write close mmap connect bind fork execve kill rename mkdir prctl futex mkdirat renameat2 seccomp getrandom statx
pidfd_send_signal pidfd_open close_range faccessat2 landlock_create_ruleset
"""

machines = pytest.mark.parametrize("machine", AUDIT)


def on_machines(calls: Iterable[str]) -> pytest.MarkDecorator:
    """Each of some calls on each machine that has it."""
    there = [
        (machine, call) for call in calls for at, machine in enumerate(AUDIT) if NUMBERS[call][at] is not None
    ]
    return pytest.mark.parametrize(("machine", "call"), there)


HIGH = 0xDEAD_BEEF << 32
"""Bits that the kernel does not look at."""


def say(machine: str, call: str, *arguments: int, network: bool = False, unix: bool = False) -> int:
    """What the filter for a machine says to a call on it."""
    number = NUMBERS[call][list(AUDIT).index(machine)]
    assert number is not None
    program = filter_program(network=network, unix_sockets=unix, machine=machine)
    return answer(program, AUDIT[machine], number, *arguments)


@on_machines(DENIED.split())
def test_what_reaches_beyond_the_process_is_denied_whatever_its_arguments(machine: str, call: str) -> None:
    for arguments in ((), (2**64 - 1,) * 6):
        assert say(machine, call, *arguments, network=True, unix=True) == EPERM


@on_machines(ORDINARY.split())
def test_ordinary_calls_are_let_through(machine: str, call: str) -> None:
    assert say(machine, call, 1, 2, 3) == ALLOW


@on_machines(["clone3", "openat2"])
def test_a_call_whose_arguments_lie_in_memory_is_unknown_so_that_programs_take_the_other(
    machine: str, call: str
) -> None:
    assert say(machine, call) == ENOSYS


# -- User namespaces.

NEW_NAMESPACES = {"mount": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000, "pid": 0x20000000}
NEW_USER = 0x10000000


@on_machines(["clone", "unshare"])
def test_no_user_namespace_is_made(machine: str, call: str) -> None:
    assert say(machine, call, NEW_USER) == EPERM
    assert say(machine, call, NEW_USER | 0x20000 | HIGH) == EPERM
    assert say(machine, call, 0x11) == ALLOW  # a child, with SIGCHLD
    assert say(machine, call, 0x3D0F00) == ALLOW  # a thread
    for flag in NEW_NAMESPACES.values():  # the kernel refuses these to whom has no capabilities
        assert say(machine, call, flag) == ALLOW


# -- Set-user-id files.

SET_ID = (stat.S_ISUID, stat.S_ISGID, stat.S_ISUID | stat.S_ISGID)
_MODE_AT = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "fchmodat2": 2, "mknod": 1, "mknodat": 2, "creat": 1}


@on_machines(_MODE_AT)
@given(mode=st.integers(0, 0o7777), high=st.sampled_from([0, HIGH]))
def test_no_file_becomes_set_user_id_or_set_group_id(machine: str, call: str, mode: int, high: int) -> None:
    others = (0o6000,) * _MODE_AT[call]  # that other arguments have these bits is of no account
    wanted = EPERM if mode & (stat.S_ISUID | stat.S_ISGID) else ALLOW
    assert say(machine, call, *others, mode | high) == wanted


@on_machines(["open", "openat"])
def test_no_file_is_made_with_such_a_mode(machine: str, call: str) -> None:
    create, temporary, read_write = 0o100, 0o20000000, 0o2
    first = (0,) if call == "open" else (0, 0)
    for mode in SET_ID:
        assert say(machine, call, *first, create | read_write, mode | 0o755) == EPERM
        assert say(machine, call, *first, temporary | read_write, mode) == EPERM
        assert say(machine, call, *first, create | HIGH, mode | HIGH) == EPERM
        # Where nothing is made there is no mode: what lies in its place can be anything.
        assert say(machine, call, *first, read_write, mode) == ALLOW
    assert say(machine, call, *first, create | read_write, 0o1777) == ALLOW


# -- Terminals.


@machines
@given(high=st.integers(0, 2**32 - 1))
def test_no_character_is_pushed_into_a_terminal_whatever_the_upper_bits_say(machine: str, high: int) -> None:
    for request in (0x5412, 0x541C, 0x5423):  # TIOCSTI, TIOCLINUX, TIOCSETD
        assert say(machine, "ioctl", 0, high << 32 | request) == EPERM
    for request in (0x5401, 0x5413, 0x5411, 0x541B, 0):  # TCGETS, TIOCGWINSZ, TIOCOUTQ, FIONREAD
        assert say(machine, "ioctl", 0x5412, high << 32 | request) == ALLOW


# -- Sockets.

UNIX, INET, INET6, NETLINK = 1, 2, 10, 16
OTHERS = [family for family in range(64) if family not in (UNIX, INET, INET6, NETLINK)]
"""Among them AF_PACKET 17, AF_KEY 15, AF_ALG 38, AF_VSOCK 40, AF_XDP 44, AF_BLUETOOTH 31, AF_TIPC 30."""


@machines
@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("unix", [False, True])
def test_a_socket_is_one_of_the_internet_and_others_as_the_profile_says(
    machine: str, network: bool, unix: bool
) -> None:
    def makes(family: int, protocol: int = 0) -> int:
        return say(machine, "socket", family, 1, protocol, network=network, unix=unix)

    for high in (0, HIGH):
        assert makes(INET | high) == makes(INET6 | high) == ALLOW
        assert makes(UNIX | high) == (ALLOW if unix else EPERM)
        assert makes(NETLINK | high, 0) == (ALLOW if network else EPERM)  # routes and addresses
        for protocol in range(1, 24):
            assert makes(NETLINK | high, protocol) == EPERM
        for family in (*OTHERS, 255, 2**32 - 1):
            assert makes(family | high) == EPERM


@machines
@pytest.mark.parametrize("unix", [False, True])
def test_a_pair_of_sockets_is_one_that_cannot_be_connected_anew(machine: str, unix: bool) -> None:
    flags = (0, 0o4000, 0o2000000, 0o2004000)  # SOCK_NONBLOCK, SOCK_CLOEXEC
    for flag in flags:
        assert say(machine, "socketpair", UNIX, 1 | flag, unix=unix) == ALLOW
        for kind in (2, 3, 4, 5):  # datagrams, raw, ..., packets in order
            assert say(machine, "socketpair", UNIX, kind | flag, unix=unix) == (ALLOW if unix else EPERM)
            assert say(machine, "socketpair", UNIX, kind | flag | HIGH, unix=unix) == (ALLOW if unix else EPERM)


def test_the_families_are_those_of_this_system() -> None:
    assert (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6) == (UNIX, INET, INET6)


# -- Other machines.


@machines
@given(call=st.integers(0, 2**32 - 1))
def test_a_call_in_the_name_of_another_machine_ends_the_process(machine: str, call: int) -> None:
    program = filter_program(network=True, unix_sockets=True, machine=machine)
    others = {audit for name, audit in AUDIT.items() if name != machine}
    for audit in (*FOREIGN.values(), *others, 0, 2**32 - 1):
        assert answer(program, audit, call) == KILL


@given(call=st.integers(0x40000000, 2**32 - 1))
def test_the_second_table_of_x86_64_is_unknown_as_a_whole(call: int) -> None:
    program = filter_program(network=True, unix_sockets=True, machine="x86_64")
    assert answer(program, AUDIT["x86_64"], call) == ENOSYS


@machines
@given(call=st.integers(0, 600), arguments=st.lists(st.integers(0, 2**64 - 1), max_size=6))
def test_every_call_gets_an_answer(machine: str, call: int, arguments: list[int]) -> None:
    program = filter_program(network=False, unix_sockets=False, machine=machine)
    assert answer(program, AUDIT[machine], call, *arguments) in (ALLOW, EPERM, ENOSYS)


@machines
def test_less_is_allowed_never_more(machine: str) -> None:
    """Without the network and Unix sockets nothing is allowed that is denied with them."""
    numbers = [number for pair in NUMBERS.values() if (number := pair[list(AUDIT).index(machine)]) is not None]
    least, most = (filter_program(network=both, unix_sockets=both, machine=machine) for both in (False, True))
    for number in numbers:
        for first in range(48):
            if answer(least, AUDIT[machine], number, first, first) == ALLOW:
                assert answer(most, AUDIT[machine], number, first, first) == ALLOW


@machines
def test_no_step_jumps_out_of_the_program_and_the_last_one_ends_it(machine: str) -> None:
    program = filter_program(network=True, unix_sockets=True, machine=machine)
    steps = list(struct.iter_unpack("<HBBI", program))
    for at, (code, if_true, if_false, _) in enumerate(steps):
        if code & 0x07 == 0x05:
            assert at + 1 + max(if_true, if_false) < len(steps)
    assert steps[-1][0] == 0x06


def test_a_machine_without_a_table_is_refused() -> None:
    with pytest.raises(UnknownMachineError, match="riscv64"):
        filter_program(network=False, unix_sockets=False, machine="riscv64")


# -- The kernel, which runs the filter of another machine if that has the mark of this one.

MARKED = {ALLOW: 4000, EPERM: 4001, ENOSYS: 4038}
"""Error numbers that the kernel itself never gives. That of calls that are let through keeps them from happening."""
ARGUMENTS = (0, 1, 2, UNIX | HIGH, NETLINK, 0o100, 0o6777, 0x5412 | HIGH, NEW_USER, 2**64 - 1)

_ASKS_THE_KERNEL = """
import ctypes, json, mmap, struct, sys
told = json.load(open(sys.argv[1]))
libc = ctypes.CDLL(None, use_errno=True)
program = bytes.fromhex(told["program"])
steps = ctypes.create_string_buffer(program, len(program))
calls = [[ctypes.c_long(each) for each in call] for call in told["calls"]]
file = open(sys.argv[2], "r+b")
out = mmap.mmap(file.fileno(), 2 * len(calls))
view = (ctypes.c_uint16 * len(calls)).from_buffer(out)
form = struct.pack("@HP", len(program) // 8, ctypes.addressof(steps))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, form, 0, 0) == 0
for at, call in enumerate(calls):
    libc.syscall(*call)
    view[at] = ctypes.get_errno()
ctypes.string_at(0)  # it cannot even end by itself
"""


def _placed(one: int, two: int) -> Iterator[tuple[int, ...]]:
    """Two arguments among the four that a filter looks at; all six are given."""
    for first, second in combinations(range(4), 2):
        yield tuple({first: one, second: two}.get(at, 0) for at in range(6))


@pytest.mark.skipif(platform.machine() not in AUDIT or sys.platform != "linux", reason="there is no filter for it")
@machines
@pytest.mark.parametrize("wide", [False, True])
def test_the_kernel_takes_the_filter_and_answers_as_the_interpreter(
    tmp_path: Path, machine: str, wide: bool
) -> None:
    program = filter_program(network=wide, unix_sockets=wide, namespaces=wide, machine=machine)
    here, marked = AUDIT[platform.machine()], b""
    for code, if_true, if_false, value in struct.iter_unpack("<HBBI", program):
        if code == 0x06 and value in MARKED:
            value = 0x00050000 | MARKED[value]
        elif value == AUDIT[machine]:
            value = here
        marked += struct.pack("<HBBI", code, if_true, if_false, value)
    plain, calls = {*DENIED.split(), *ORDINARY.split()}, []
    for call, numbers in NUMBERS.items():
        number = numbers[list(AUDIT).index(machine)]
        if number is not None:
            pairs = [(0, 0)] if call in plain else product(ARGUMENTS, repeat=2)
            calls += [(number, *six) for one, two in pairs for six in _placed(one, two)]
    told, said = tmp_path / "told", tmp_path / "said"
    signed = [[each - 2**64 if each >= 2**63 else each for each in call] for call in calls]
    told.write_text(json.dumps({"program": marked.hex(), "calls": signed}))
    said.write_bytes(bytes(2 * len(calls)))
    ended = subprocess.run(
        [sys.executable, "-IS", "-c", _ASKS_THE_KERNEL, told, said], capture_output=True, check=False, timeout=60
    )
    assert ended.returncode == -signal.SIGSEGV, ended.stderr
    answers = struct.unpack(f"={len(calls)}H", said.read_bytes())
    assert answers == tuple(MARKED[answer(program, AUDIT[machine], *call)] for call in calls)
