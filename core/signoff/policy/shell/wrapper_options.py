"""The options of programs that run other programs: how to find where the inner command begins.

From the manuals of GNU coreutils 9, util-linux 2.39, sudo 1.9, findutils 4.9, strace 6 and OpenSSH 9. With an
option that is not listed it cannot be told where the inner command begins.
"""

from __future__ import annotations

from msgspec import Struct

__all__ = ["WRAPPERS", "Wrapper"]


class Wrapper(Struct, frozen=True):
    """How a program takes the command that it runs.

    Attributes:
        flags: Short options without a value.
        valued: Short options with one.
        long: Long options without a value.
        long_valued: Long options with one.
        operands: How many operands stand before the command.
        assignments: Whether ``NAME=value`` may stand before it.
        asks: Why it is asked about in any case, if it is.
    """

    flags: str = ""
    valued: str = ""
    long: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()
    operands: int = 0
    assignments: bool = False
    asks: str = ""


def _long(names: str) -> frozenset[str]:
    return frozenset(names.split())


WRAPPERS = {
    "sudo": Wrapper(
        "AbBEeHKknPSsilVvN",
        "CDghpRrTtUu",
        _long("askpass background preserve-env edit set-home login non-interactive stdin shell reset-timestamp"),
        _long("chdir group host prompt role type user chroot close-from command-timeout other-user"),
        assignments=True,
    ),
    "doas": Wrapper("nsL", "uC"),
    "env": Wrapper(
        "i0v",
        "uCSa",
        _long("ignore-environment null debug list-signal-handling default-signal ignore-signal block-signal"),
        _long("unset chdir split-string argv0"),
        assignments=True,
    ),
    "command": Wrapper("pvV"),
    "builtin": Wrapper(),
    "exec": Wrapper("cl", "a"),
    "nohup": Wrapper(),
    "nice": Wrapper("0123456789", "n", long_valued=_long("adjustment")),
    "ionice": Wrapper("t", "cnpPu", _long("ignore"), _long("class classdata pid pgid uid")),
    "setsid": Wrapper("cfw", "", _long("ctty fork wait")),
    "stdbuf": Wrapper("", "ioe", frozenset(), _long("input output error")),
    "timeout": Wrapper("fpv", "ks", _long("foreground preserve-status verbose"), _long("kill-after signal"), 1),
    "time": Wrapper("pqva", "", _long("portability quiet verbose append")),
    "watch": Wrapper(
        "bcdegtwxpr",
        "nq",
        _long("beep color differences errexit chgexit no-title exec precise"),
        _long("interval equexit"),
    ),
    "flock": Wrapper(
        "nsxuoFe",
        "wEc",
        _long("nonblock nb shared exclusive unlock close no-fork verbose"),
        _long("wait timeout conflict-exit-code command"),
        1,
    ),
    "chroot": Wrapper("", "", _long("skip-chdir"), _long("userspec groups"), 1),
    "unshare": Wrapper(
        "imnpuUCTfrc",
        "RwSG",
        _long(
            "ipc mount net pid uts user cgroup time fork map-root-user map-current-user map-auto mount-proc "
            "keep-caps kill-child"
        ),
        _long("root wd setuid setgid map-user map-group propagation setgroups"),
    ),
    "strace": Wrapper("fFcCdhiknqrtTvVxyYzZ", "abeEIOpPsSuUX", _long("follow-forks"), _long("trace")),
    "busybox": Wrapper(),
    "toybox": Wrapper(),
    "xargs": Wrapper(
        "0rtpxo",
        "adEILnPs",
        _long("null no-run-if-empty verbose interactive exit open-tty show-limits replace eof max-lines"),
        _long("arg-file delimiter max-args max-procs max-chars process-slot-var"),
        asks="adds arguments that are not known yet",
    ),
    "parallel": Wrapper(
        "0kqtuvX",
        "jaINLnPS",
        _long("keep-order dry-run null verbose"),
        _long("jobs arg-file colsep"),
        asks="adds arguments that are not known yet",
    ),
    "ssh": Wrapper(
        "46AaCfGgKkMNnqsTtVvXxYy", "BbcDEeFIiJLlmOopQRSWw", operands=1, asks="runs its command elsewhere"
    ),
    "pkexec": Wrapper("", "", _long("disable-internal-agent keep-cwd"), _long("user")),
    "runuser": Wrapper("lmp", "ugGcs", _long("login preserve-environment"), _long("user group command shell")),
    "taskset": Wrapper("ac", "p", _long("all-tasks cpu-list"), operands=1),
    "chrt": Wrapper("abdfiorRv", "TPD", operands=1),
    "fakeroot": Wrapper("hvu", "lsib"),
    "prlimit": Wrapper(asks="changes the limits of what it runs"),
    "setarch": Wrapper(operands=1, asks="changes how what it runs sees the machine"),
    "systemd-run": Wrapper(asks="runs its command elsewhere"),
    "nsenter": Wrapper(asks="runs its command elsewhere"),
}
