"""An interpreter of classic BPF on ``seccomp_data``, as bpf(4) of BSD and the kernel's filter.rst describe it."""

from __future__ import annotations

import struct

__all__ = ["ALLOW", "ENOSYS", "EPERM", "KILL", "answer"]

ALLOW = 0x7FFF0000
KILL = 0x80000000
EPERM = 0x00050000 | 1
ENOSYS = 0x00050000 | 38


def answer(program: bytes, machine: int, call: int, *arguments: int) -> int:
    """Return what a filter says to a system call.

    Args:
        program: The filter.
        machine: The ``AUDIT_ARCH`` of the one who calls.
        call: Number of the system call.
        arguments: Its arguments, of 64 bits; those that are left out are 0.
    """
    given = [value & (2**64 - 1) for value in (*arguments, *[0] * (6 - len(arguments)))]
    data = struct.pack("<IIQ6Q", call & (2**32 - 1), machine, 0, *given)
    assert len(program) % 8 == 0
    assert 0 < len(program) // 8 <= 4096
    steps = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    accumulator, at = 0, 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        match code:
            case 0x20:  # BPF_LD | BPF_W | BPF_ABS
                assert value % 4 == 0
                accumulator = struct.unpack_from("<I", data, value)[0]
            case 0x15:  # BPF_JMP | BPF_JEQ | BPF_K
                at += if_true if accumulator == value else if_false
            case 0x35:  # BPF_JMP | BPF_JGE | BPF_K
                at += if_true if accumulator >= value else if_false
            case 0x45:  # BPF_JMP | BPF_JSET | BPF_K
                at += if_true if accumulator & value else if_false
            case 0x54:  # BPF_ALU | BPF_AND | BPF_K
                accumulator &= value
            case 0x06:  # BPF_RET | BPF_K
                return int(value)
            case _:
                raise AssertionError(f"step {at - 1} has the unknown code {code:#x}")
