"""The program that confines itself with Landlock and becomes a command.

It is started as a file, by its path and without anything but the standard library, because a process can confine
only itself, and a program with threads is no place to do that between fork and exec. It reads what to do from a
descriptor, and says on another what is wrong; that one closes when the command takes its place.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import stat
import struct
import sys
from typing import Any, NoReturn

__all__ = ["READY"]

READY = b"\0"
"""Said before the command takes over."""

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
_LEAST_ABI = 3
"""Before, nothing keeps a command from cutting any file short."""
_NETWORK_ABI, _DEVICES_ABI, _SCOPES_ABI = 4, 5, 6

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK, _TRUNCATE, _IOCTL_DEV = 1 << 6, 1 << 11, 1 << 14, 1 << 15
_ALL = _IOCTL_DEV - 1
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_WRITE = _ALL & ~(_MAKE_CHAR | _MAKE_BLOCK)
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE
_TCP = 0b11
"""Binding and connecting."""
_SCOPES = 0b11
"""Abstract Unix sockets, and signals."""

_NO_NEW_PRIVS, _SECCOMP, _BOUNDING_DROP, _AMBIENT, _AMBIENT_CLEAR = 38, 22, 24, 47, 4
_FILTER = 2
_CAPABILITY_VERSION = 0x20080522
_MOST_PROCESSES = 2048
_IGNORED_BY_PYTHON = (13, 25)
"""``SIGPIPE`` and ``SIGXFSZ``."""

_DEVICES = (b"/dev/null", b"/dev/zero", b"/dev/full", b"/dev/random", b"/dev/urandom")
_OWN_STATUS = b"/proc/self/status"

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


class _RefusedError(Exception):
    """The command is not started."""


def _main() -> NoReturn:
    rules, tells = int(sys.argv[1]), int(sys.argv[2])
    os.set_inheritable(tells, False)
    try:
        with open(rules, "rb") as file:
            told = json.loads(file.read())
        _confine(told)
        os.write(tells, READY)
        _become([_bytes(word) for word in told["argv"]], {_bytes(k): _bytes(v) for k, v in told["env"].items()})
    except Exception as error:  # noqa: BLE001 - whatever it is, no command was started
        os.write(tells, str(error).encode("utf-8", "replace"))
        os._exit(127)


def _bytes(text: str) -> bytes:
    return text.encode("latin-1")


def _confine(told: dict[str, Any]) -> None:
    abi = _abi()
    ruleset = _ruleset(abi, network=told["network"])
    must = {_bytes(path) for path in told["must"]}
    for path, writable in ((_bytes(path), writable) for path, writable in told["rules"]):
        _allow(ruleset, path, _WRITE if writable else _READ, must=path in must)
    for path in _DEVICES:
        _allow_device(ruleset, path)
    status = os.open(_OWN_STATUS, os.O_PATH)
    _add(ruleset, status, _READ_FILE)
    for kind, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_NPROC, _MOST_PROCESSES)):
        soft, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (_smaller(most, soft), _smaller(most, hard)))
    _drop_capabilities()
    _checked(_libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs cannot be set")
    _checked(_libc.syscall(_RESTRICT_SELF, ruleset, 0), "Landlock cannot be applied")
    _filter(bytes.fromhex(told["filter"]))
    try:
        os.chdir(_bytes(told["cwd"]))
    except OSError as error:
        raise _RefusedError(
            f"{os.fsdecode(_bytes(told['cwd']))} cannot be the working directory: {error.strerror}"
        ) from error
    for number in _IGNORED_BY_PYTHON:
        _libc.signal(number, None)


def _abi() -> int:
    found = int(_libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION))
    if found < 0:
        raise _RefusedError("the kernel has no Landlock, or it is not switched on")
    if found < _LEAST_ABI:
        raise _RefusedError(f"the Landlock of this kernel is too old (version {found}, not {_LEAST_ABI})")
    return found


def _ruleset(abi: int, *, network: bool) -> int:
    files = _ALL | (_IOCTL_DEV if abi >= _DEVICES_ABI else 0)
    fields = [files]
    if abi >= _NETWORK_ABI:
        fields.append(0 if network else _TCP)
    if abi >= _SCOPES_ABI:
        fields.append(_SCOPES)
    told = struct.pack(f"={len(fields)}Q", *fields)
    found = _libc.syscall(_CREATE_RULESET, told, ctypes.c_size_t(len(told)), 0)
    return _checked(found, "Landlock refuses its rules")


def _allow(ruleset: int, path: bytes, rights: int, *, must: bool) -> None:
    """Add a rule for a path, which has to be what it says, without links."""
    try:
        place = os.open(path, os.O_PATH | os.O_NOFOLLOW)
    except FileNotFoundError:
        if must:
            raise _RefusedError(f"{os.fsdecode(path)} is to be writable, and is not there") from None
        return
    really, mode = os.readlink(b"/proc/self/fd/%d" % place), os.fstat(place).st_mode  # noqa: PTH115 - bytes
    if really != path or stat.S_ISLNK(mode):
        raise _RefusedError(f"{os.fsdecode(path)} leads elsewhere through a link")
    if not stat.S_ISDIR(mode):
        if not stat.S_ISREG(mode):
            raise _RefusedError(f"{os.fsdecode(path)} is neither a file nor a directory")
        rights &= _OF_FILES
    _add(ruleset, place, rights)


def _allow_device(ruleset: int, path: bytes) -> None:
    try:
        device = os.open(path, os.O_PATH | os.O_NOFOLLOW)
    except FileNotFoundError:
        return
    if stat.S_ISCHR(os.fstat(device).st_mode):
        _add(ruleset, device, _READ_FILE | _WRITE_FILE)


def _add(ruleset: int, place: int, rights: int) -> None:
    rule = struct.pack("=Qi", rights, place)
    _checked(_libc.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0), "Landlock refuses a rule")
    os.close(place)


def _smaller(most: int, limit: int) -> int:
    return most if limit == resource.RLIM_INFINITY else min(most, limit)


def _drop_capabilities() -> None:
    """Give up what root has beyond its files; what cannot be given up cannot come back either."""
    number = 0
    while _libc.prctl(_BOUNDING_DROP, number, 0, 0, 0) == 0:
        number += 1
    _libc.prctl(_AMBIENT, _AMBIENT_CLEAR, 0, 0, 0)
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    _checked(_libc.capset(header, bytes(24)), "the capabilities cannot be given up")


def _filter(program: bytes) -> None:
    steps = ctypes.create_string_buffer(program, len(program))
    told = struct.pack("@HP", len(program) // 8, ctypes.addressof(steps))
    _checked(_libc.prctl(_SECCOMP, _FILTER, told, 0, 0), "system calls cannot be filtered")


def _checked(result: int, words: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise _RefusedError(f"{words}: {os.strerror(number)}")
    return int(result)


def _become(argv: list[bytes], env: dict[bytes, bytes]) -> NoReturn:
    """Start a command in place of this program, looked up as execvp(3) does."""
    name, failed = argv[0], "there is no such program"
    directories = [b""] if b"/" in name else env.get(b"PATH", os.fsencode(os.defpath)).split(b":")
    for directory in directories:
        try:
            os.execve(os.path.join(directory, name), argv, env)  # noqa: PTH118, S606 - bytes, and no shell is wanted
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR):
                failed = error.strerror or str(error)
    raise _RefusedError(f"{os.fsdecode(name)} cannot be started: {failed}")


if __name__ == "__main__":
    _main()
