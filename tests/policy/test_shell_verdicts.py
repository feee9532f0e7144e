"""What rules say of commands: every part is judged, the strictest verdict holds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shell_bench import USUAL, level_of, rules, said

from signoff.policy.shell.evaluate import CommandRule, judge_command
from signoff.policy.verdict import Level

# -- parts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        *("ls", "ls -la *.py", "ls; cat a | cat && (echo b)", "! ls", "time ls", "{ ls; }", "ls # rm", "l\\s"),
        *("echo 'rm -rf /'", 'echo "a; rm b"', "echo $HOME ${HOME} ${#HOME} $1", "cat <<'E'\nrm x\n$(rm)\nE"),
        *(
            "ls >/dev/null 2>&1",
            "cat < notes.txt",
            "cat <<E | cat\nx\nE",
            "case $1 in a) ls;; esac",
            "LC_ALL=C ls",
        ),
        *("if [ -f x ]; then ls; fi", "while read -r line; do echo a; done"),
    ],
)
def test_a_line_whose_parts_are_all_let_through_runs(command: str) -> None:
    assert level_of(command, "[=allow", "read=allow") == "allow"


@pytest.mark.parametrize(
    "command", ["ls|time", "ls |& time", "ls | time > f", "ls | time -o f ls", "ls | time ls"]
)
def test_behind_a_pipe_time_is_a_program_that_needs_a_rule(command: str) -> None:
    assert level_of(command) == "ask"


@pytest.mark.parametrize(
    "command",
    [
        *(
            "ls; rm x",
            "ls && rm x",
            "ls | rm",
            "ls & rm x",
            "ls\nrm x",
            "(rm x)",
            "{ rm x; }",
            "! rm x",
            "time rm x",
        ),
        *(
            "echo $(rm x)",
            "echo `rm x`",
            'echo "$(rm x)"',
            "cat <(rm x)",
            "ls >(rm x)",
            "x=$(rm x)",
            "echo ${x:-$(rm)}",
        ),
        *(
            "if ls; then rm x; fi",
            "for f in a; do rm $f; done",
            "case a in a) rm x;; esac",
            "f() { rm x; }",
            "coproc rm x",
        ),
        *("[[ -n $(rm x) ]]", "echo $(( $(rm x) ))", "cat <<E\n$(rm x)\nE", "cat <<< $(rm x)", "a[$(rm x)]=1"),
        *("r\\m x", "'rm' x", 'r"m" x', "$'\\x72m' x", "r\\\nm x", "/bin/rm x", "./rm x", "A=1 rm x", "> f rm x"),
    ],
)
def test_a_blocked_program_is_found_wherever_it_stands(command: str) -> None:
    assert level_of(command, default=Level.ALLOW) == "block"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("", "holds no command"),
        ("# only this", "holds no command"),
        ("$X", "filled in by the shell"),
        ("l?", "filled in by the shell"),
        ("~/ls", "filled in by the shell"),
        ("{ls,-a}", "filled in by the shell"),
        ("echo $(ls)", "fills in what another command prints"),
        ("cat <(ls)", "reads or feeds another command"),
        ("echo $((1+1))", "calculates"),
        ("echo ${x@P}", "does more than fill in a variable"),
        ("echo ${!x}", "does more than fill in a variable"),
        ("A=1", "sets a variable"),
        ("A=1 ls", "sets a variable"),
        ("LANG=$X ls", "sets a variable"),
        ("for F in a; do ls; done", "sets a variable"),
        ("export A=1", "declares a variable"),
        ("f() { ls; }", "defines a function"),
        ("[[ a ]]", "test"),
        ("ls > out", "writes to a file"),
        ("ls >| out", "writes to a file"),
        ("ls >& out", "writes to a file"),
        ("ls <> out", "writes to a file"),
        ("ls {fd}>/dev/null", "number of its own"),
        ("cat < /dev/tcp/192.0.2.1/80", "no ordinary file"),
        ("cat <<E\n$HOME\nE", "here-document"),
        ("cat <<< $HOME", "here-string"),
        ("ls\u00a0a", "U+00A0"),
        ("ls\r", "U+000D"),
        *(
            (f"echo a{hidden}b", f"U+{ord(hidden):04X}")
            for hidden in "\u034f\u115f\u17b5\u180b\u2800\u3164\ufe0f\uffa0"
        ),
        ("cat < /dev/../etc/x", "no ordinary file"),
        ("ls 'a", "no complete command"),
        ("if ls", "no complete command"),
        ("ls #\\\n\\", "ends in a backslash"),
        ("ls #\\\n\\d", "comment that ends in a backslash"),
        ("ls\ud800", "encoded"),
        ("ls\0", "NUL"),
        ("ls " + "x" * 200_000, "longer than a shell takes"),
    ],
    ids=lambda text: ascii(text[:24]),
)
def test_some_things_are_asked_about_whatever_the_rules_say(command: str, reason: str) -> None:
    verdict = said(command, default=Level.ALLOW)
    assert verdict.level is Level.ASK
    assert reason in " ".join([*verdict.reasons, *(why for part in verdict.parts for why in part.reasons)])


@pytest.mark.parametrize(
    "command", ["rm 'a", "rm x\nif ls", "ls\0; rm x", "rm " + "x" * 200_000, "r" * 200_000 + "; rm x"]
)
def test_what_cannot_be_read_does_not_hide_a_blocked_program(command: str) -> None:
    assert level_of(command) == "block"


@pytest.mark.parametrize(
    "command", ["ls )", "ls 'a", "(ls", "if ls; then ls", "ls\0", "bash -c 'ls )'", "", " # ls"]
)
def test_what_cannot_be_read_is_no_weaker_than_the_default(command: str) -> None:
    levels = [level_of(command, "bash=allow", default=default) for default in Level]
    assert levels == ["ask", "ask", "block"]


def test_what_bash_reads_and_one_parser_does_not_is_asked_about_alone() -> None:
    assert level_of("a[0]=1 ls", default=Level.BLOCK) == "ask"


@pytest.mark.parametrize(
    "command", ["echo \u2764\ufe0f", "echo 1\ufe0f\u20e3", "echo привет", "echo a\\\\", "ls '\\'"]
)
def test_what_only_looks_odd_needs_no_question(command: str) -> None:
    assert level_of(command, default=Level.BLOCK) == "allow"


@pytest.mark.parametrize("command", ["RM x", "Rm x", "/bin/RM x", "GIT push"])
def test_a_name_in_capitals_may_be_the_program_that_a_rule_is_about(command: str) -> None:
    assert level_of(command, default=Level.ALLOW) == "ask"


def test_a_name_in_capitals_is_not_what_a_rule_allows() -> None:
    assert level_of("LS", default=Level.BLOCK) == "block"


def test_a_part_without_a_rule_is_left_to_the_default() -> None:
    assert [level_of("make; ls", default=default) for default in Level] == ["allow", "ask", "block"]


# -- rules ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["lsof", "gitx", "Git status", "./git status", "/usr/bin/git status", "git-x"])
def test_a_rule_that_allows_is_about_its_very_words(command: str) -> None:
    assert level_of(command) == "ask"


def test_a_rule_that_asks_is_about_a_program_in_any_directory() -> None:
    assert level_of("/usr/local/bin/git push", "/usr/local/bin/git=allow") == "ask"


@pytest.mark.parametrize("command", ["git $X", "git pu*", "git {push,x}", "git $EMPTY push"])
def test_a_word_that_the_shell_fills_in_may_be_what_a_rule_asks_about(command: str) -> None:
    assert level_of(command, default=Level.ALLOW) == "ask"


def test_a_rule_without_words_is_about_nothing() -> None:
    assert judge_command("ls", [CommandRule((), Level.ALLOW, "")], Level.ASK).level is Level.ASK


def test_a_verdict_names_the_rule_that_decided_and_each_part() -> None:
    verdict = said("ls; git push; make")
    assert [(part.text, str(part.level), part.rule) for part in verdict.parts] == [
        ("ls", "allow", "ls"),
        ("git push", "ask", "git push"),
        ("make", "ask", "default"),
    ]
    assert verdict.rule == "git push"


def test_a_rule_limited_to_some_paths_is_about_single_commands_alone() -> None:
    limited = CommandRule(("ls",), Level.ALLOW, "ls", covers=lambda part: part.words[-1].text == "a")
    levels = [
        judge_command(text, [limited], Level.ASK).level for text in ("ls a", "ls b", "cd b; ls a", "ls a < b")
    ]
    assert levels == [Level.ALLOW, Level.ASK, Level.ASK, Level.ASK]


pieces = st.sampled_from(
    [
        "ls",
        "rm",
        "git",
        "push",
        "x",
        " ",
        " ",
        ";",
        "&&",
        "|",
        "\n",
        "$(",
        ")",
        "`",
        "'",
        '"',
        "\\",
        "sudo",
        "bash -c",
        "$X",
    ]
)
commands = st.lists(pieces, max_size=10).map(" ".join)
any_rules = st.lists(
    st.builds(
        lambda words, level: CommandRule(words, level, " ".join(words)),
        st.sampled_from([("ls",), ("rm",), ("git",), ("git", "push"), ("sudo",), ("bash",)]),
        st.sampled_from(Level),
    ),
    max_size=5,
)


@settings(max_examples=60)
@given(commands, any_rules, any_rules, st.sampled_from(Level))
def test_a_rule_that_is_not_laxer_than_the_default_never_loosens(
    command: str, some: list[CommandRule], more: list[CommandRule], default: Level
) -> None:
    stricter = [rule for rule in more if rule.level >= max(default, Level.ASK)]
    assert judge_command(command, some, default).level <= judge_command(command, [*some, *stricter], default).level


@settings(max_examples=60)
@given(commands, any_rules, st.randoms(use_true_random=False))
def test_the_order_of_rules_does_not_matter(command: str, some: list[CommandRule], random: object) -> None:
    shuffled = sorted(some, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert judge_command(command, some, Level.ASK).level is judge_command(command, shuffled, Level.ASK).level


def test_the_usual_rules_are_what_these_tests_say() -> None:
    assert rules("git push=ask")[0] in USUAL
