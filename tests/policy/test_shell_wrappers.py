"""Programs that run others: the inner command is a part of its own, a shell's text is read like the line."""

from __future__ import annotations

import pytest
from shell_bench import level_of, rules

from signoff.policy.shell.commands import expand
from signoff.policy.shell.evaluate import CommandRule, judge_command
from signoff.policy.shell.rule_coverage import written_paths
from signoff.policy.verdict import Level

ALL = (
    *(
        "sudo",
        "doas",
        "env",
        "command",
        "builtin",
        "exec",
        "nohup",
        "nice",
        "ionice",
        "setsid",
        "stdbuf",
        "timeout",
    ),
    *("time", "watch", "flock", "chroot", "unshare", "strace", "busybox", "toybox", "bash", "sh", "find", "xargs"),
    *("parallel", "eval", "trap", "su", "script"),
)
ALLOWED = [f"{name}=allow" for name in ALL]


@pytest.mark.parametrize(
    "command",
    [
        *(
            "sudo rm x",
            "sudo -u root -E A=1 rm x",
            "sudo -- rm x",
            "sudo -s rm x",
            "sudo --user=root rm x",
            "doas rm x",
        ),
        *(
            "env rm x",
            "env -i A=1 rm x",
            "env -u A -C /tmp rm x",
            "env ./a=b rm x",
            "env -S 'rm x'",
            "env -iS'rm x'",
        ),
        *("env -S 'sh -c' 'rm x'", "command rm x", "command -p rm x", "builtin command rm x", "exec -a ls rm x"),
        *(
            "nohup rm x",
            "nice -n 5 rm x",
            "nice -5 rm x",
            "nice --adj=5 rm x",
            "ionice -c 2 rm x",
            "setsid -w rm x",
        ),
        *(
            "stdbuf -oL rm x",
            "timeout 5 rm x",
            "timeout -s KILL 5 rm x",
            "timeout --signal=9 5 rm x",
            "'time' -p rm x",
        ),
        *("watch -n 1 rm x", "watch 'ls; rm x'", "flock f rm x", "flock f -c 'rm x'", "flock -w 1 f rm x"),
        *(
            "chroot / rm x",
            "unshare -m rm x",
            "strace -f -o log rm x",
            "busybox rm x",
            "toybox rm x",
            "busybox sh -c 'rm x'",
        ),
        *("bash -c 'rm x'", "bash -lc 'rm x'", "sh -ec 'rm x'", "bash -o pipefail -c 'rm x'", "bash -c -e 'rm x'"),
        *(
            "bash <<'E'\nrm x\nE",
            "bash <<< 'rm x'",
            "eval rm x",
            "eval 'r''m x'",
            "trap 'rm x' EXIT",
            "su -c 'rm x'",
        ),
        *(
            "su --command='rm x' bob",
            "script -qc 'rm x' log",
            "find . -exec rm {} +",
            "find . -ok sh -c 'rm x' \\;",
        ),
        *("xargs rm", "xargs -0 -n 1 rm", "parallel 'rm {}' ::: a", "parallel ::: 'rm a'", "nice nice sudo rm x"),
        *("sudo --unheard-of rm x", "env -$X rm x", "timeout -$X 5 rm x", "env - rm x", "eval -- rm x"),
        *(
            "bash <<< ls 3<<< x <<< 'rm x'",
            "bash <<E\necho \\\\'; rm x; echo \\\\'\nE",
            "bash <<E\necho \\`rm x\\`\nE",
        ),
        *("bash <<-'E'\n\tcat <<X\n\tX\n\trm x\nX\nE", "unshare -r --kill-child rm x", "unshare -r <<< 'rm x'"),
        *("sudo -s <<< 'rm x'", "chroot / <<< 'rm x'", "xargs --replace rm {}", "runuser -u bob -- rm x"),
        *(
            "find . -exec env -u + rm \\;",
            "watch -tx rm x",
            "jobs -x rm x",
            "bash -posix -c 'rm x'",
            "bash +c 'rm x'",
        ),
    ],
)
def test_a_blocked_program_is_found_behind_those_that_run_it(command: str) -> None:
    assert level_of(command, *ALLOWED, default=Level.ALLOW) == "block"


@pytest.mark.parametrize(
    "command",
    [
        "nice -n 5 ls",
        "timeout 5 ls -l",
        "env ls",
        "bash -c 'ls; cat a'",
        "nohup ls",
        "time ls",
        "command -v rm",
        "trap - EXIT",
        "env NO_COLOR=1 ls",
        "env LC_ALL=C TZ=UTC ls",
        "sudo LANG=C ls",
        "LC_ALL=de_DE.UTF-8 LANG= LC_CTYPE=UTF-8 ls",
        "bash --version",
        "bash <<< ls",
        "xargs -0 ls -l",
        "xargs",
        "xargs -I{} cat {}",
        "find . -name '*.py' -exec cat {} +",
        "find . -exec cat {} ';' -exec ls -l {} +",
        "bash -c 'for f in *; do cat $f; done'",
        "bash -c '[[ -f a ]] && cat a'",
    ],
)
def test_what_is_allowed_with_what_it_runs_needs_no_question(command: str) -> None:
    assert level_of(command, *ALLOWED) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        *("sudo --unheard-of ls", "env -S 'ls'", "env A=1 ls", "xargs git", "parallel ls ::: a", "bash -c ls x"),
        *("ls | bash", "ls | { sh; }", "bash < f", 'bash -c "$X"', "eval $X", "source f", ". f", "su -c ls"),
        *("bash <<< ls 3<<< ls", "cat f | unshare -r", "cat f | sudo -s", "strace -E A=b ls", "exec < f; sh"),
        *("trap 'ls' EXIT", "timeout $X ls", "strace -o log ls", "bash --rcfile f", "fish --command ls"),
        *("env LC_ALL=$X ls", "env LC_ALL='a b' ls", "env LC_ALLY=C ls", "sudo PATH=. ls"),
        # In such a character set a backslash may be half of a letter.
        *("env LC_ALL=zh_CN.GBK ls", "LC_ALL=zh_CN.GBK ls", "LANG=zh_TW ls", "LC_CTYPE=ja_JP.SJIS ls"),
    ],
)
def test_what_such_a_program_runs_is_asked_about_where_it_cannot_be_told(command: str) -> None:
    assert level_of(command, *ALLOWED, "fish=allow", default=Level.ALLOW) == "ask"


@pytest.mark.parametrize(
    "command",
    ["bash", "sh -i", "bash -s", "bash -l -o pipefail", "sudo -s", "sudo -u a -i", "sudo --login", "doas -s",
     "chroot /d", "unshare -r", "sudo CI=1 -s", "sudo --she", "sudo TZ=UTC --logi", "pkexec"],
)  # fmt: skip
def test_a_shell_that_is_given_no_command_is_asked_about(command: str) -> None:
    assert level_of(command, *ALLOWED, "pkexec=allow", default=Level.ALLOW) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "sudo CI=1 -u root rm x",
        "sudo CI=1 -- rm x",
        "sudo CI=1 -s 'rm x'",
        "sudo CI=1 -n TZ=U -u a rm x",
        "sudo -s CI=1 -n 'rm x'",
        "sudo -ns 'rm x'",
        "sudo --she 'rm x'",
    ],
)
def test_sudo_goes_on_with_options_behind_a_variable(command: str) -> None:
    assert level_of(command, *ALLOWED, default=Level.ALLOW) == "block"


def test_the_outer_program_needs_a_rule_of_its_own() -> None:
    assert level_of("sudo ls") == "ask"


def test_programs_in_programs_without_end_are_asked_about() -> None:
    assert level_of("nice " * 20_000 + "ls", *ALLOWED) == "ask"
    assert level_of("eval " * 5_000 + "ls", *ALLOWED) == "ask"


def test_a_word_that_is_filled_in_is_not_forgotten_behind_a_variable() -> None:
    assert level_of("sudo -u $U CI=1 -n ls", *ALLOWED) == "ask"


def test_variables_and_options_without_end_are_read() -> None:
    assert level_of(f"sudo {'CI=1 -n ' * 1_100}rm x", *ALLOWED, default=Level.ALLOW) == "block"


@pytest.mark.parametrize(
    "command", ["sudo -iu deploy bash -c 'rm x'", "sudo -s bash -c 'rm x'", "sudo -uadmin bash -c 'rm x'"]
)
def test_words_for_a_shell_of_sudo_stay_words(command: str) -> None:
    assert level_of(command, *ALLOWED, default=Level.ALLOW) == "block"


def test_the_name_of_a_user_is_no_option_of_sudo() -> None:
    assert level_of("sudo -uadmin ls", *ALLOWED, default=Level.BLOCK) == "allow"


# -- arguments that are not known to a command that only reads -----------------------------------------------


@pytest.mark.parametrize("command", ["xargs cat", "xargs -n1 cat", "xargs -I% cat x%", "find . -exec cat {} +"])
def test_a_rule_that_asks_about_an_option_is_asked_where_arguments_are_not_known(command: str) -> None:
    assert level_of(command, *ALLOWED, "cat -v=ask") == "ask"
    assert level_of(command, *ALLOWED) == "allow"


@pytest.mark.parametrize("command", ["find notes -exec cat {} +", "ls notes | xargs cat", "xargs cat notes/a"])
def test_what_reads_unknown_files_is_in_no_sandbox(command: str) -> None:
    limited = (
        CommandRule((name,), Level.ALLOW, name, covers=lambda part: written_paths(part.words) is not None)
        for name in ("cat", "find", "xargs")
    )
    assert judge_command(command, [*limited, *rules("ls=allow")], Level.ASK).level is Level.ASK


def test_the_arguments_that_are_not_known_are_shown() -> None:
    commands = ("xargs cat -n", "xargs -I{} cat x/{}", "find . -exec cat {} +")
    assert [expand(command).runs[1].part.shown for command in commands] == ["cat -n …", "cat 'x/{}'", "cat '{}'"]


@pytest.mark.parametrize(
    "command",
    [
        *("for PATH in x; do ls; done", "for IFS in x; do ls; done", "for LD_PRELOAD in x; do ls; done"),
        *(
            "for http_proxy in x; do ls; done",
            "for path in x; do ls; done",
            "for npm_config_script_shell in x; do ls; done",
        ),
        *("for f in a; do $f; done", 'for f in a; do "$f" x; done', 'for f in *; do git "$f"; done'),
        *("for f in *; do git diff $f; done", "for f in a; do eval $f; done", 'for f in a; do bash -c "$f"; done'),
        *("for f in a; do ls > $f; done", 'for f in a; do F="$f" ls; done', "for f in $(ls); do ls; done"),
        *("for ((i=0; i<3; i++)); do ls; done", "select f in a; do ls; done", 'for f in a; do "l$f"; done'),
        *("zsh -c 'for path in x; do ls; done'", "sh -c '[[ -f a ]] && ls'", "eval 'for f in a; do ls; done'"),
        *("[[ -v a ]] && ls", "[[ a -eq b ]] && ls", "[[ -n a && $n -gt 1 ]] && ls", "[[ -f $(ls) ]] && ls"),
    ],
)
def test_a_loop_or_a_test_that_changes_what_runs_is_asked_about(command: str) -> None:
    assert level_of(command, *ALLOWED, "zsh=allow") == "ask"
