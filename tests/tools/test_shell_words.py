"""Words of shell commands: never told where there is doubt, never missed where something may be run."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from signoff.tools.shell_words import is_plain_word, may_run, simple_words

plain = st.text(st.sampled_from("abcXYZ019_./:@+,%=-"), min_size=1, max_size=6)
printable = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8)
quoted = st.one_of(printable.map(lambda text: f"'{text}'"), printable.map(lambda text: f'"{text}"'))
marks = st.sampled_from([*" \t\n;&|<>()`$\\'\"*?[]{}~#!^=", "$(", "${", "&&", "\u00a0", "\u202e", "\r"])
commands = st.lists(st.one_of(plain, quoted, marks, st.just(" ")), max_size=8).map("".join)


# -- simple commands ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("git status", ("git", "status")),
        ("  git   status ", ("git", "status")),
        ("git commit -m 'a; b $(c) \"d\"'", ("git", "commit", "-m", 'a; b $(c) "d"')),
        ('git commit -m "it\'s (done)"', ("git", "commit", "-m", "it's (done)")),
        ("g'i't \"\"x ''", ("git", "x", "")),
        ("dd if=/x --out=y", ("dd", "if=/x", "--out=y")),
    ],
)
def test_plain_words_and_quoted_text_are_told(command: str, words: tuple[str, ...]) -> None:
    assert simple_words(command) == words


@pytest.mark.parametrize(
    "command",
    [
        *("", "  ", "git status; rm -rf ~", "git status && x", "git status | x", "git status & x", "a\nb", "a\rb"),
        *("git status $(x)", "git status `x`", "git status $X", 'git "$(x)"', 'git "`x`"', 'git "$x"', "git $'x'"),
        *(
            "git status > ~/.bashrc",
            "git status < x",
            "<x git",
            "(git)",
            "{ git; }",
            "git {a,b}",
            "git ~",
            "git a~",
        ),
        *("GIT_PAGER=x git status", "x=1", "git *", "git ?", "git [a]", "git # x", "! git", "time git", "git 'x"),
        *(
            "if x",
            "git \\x",
            'git "\\x"',
            "git\tx",
            "git\u00a0x",
            "git ü",
            "git 'ü'",
            "git \u202ex",
            "a\0",
            "coproc x",
        ),
    ],
)
def test_everything_else_is_unclear(command: str) -> None:
    assert simple_words(command) is None


@given(commands)
def test_the_words_are_those_of_a_shells_lexer(command: str) -> None:
    words = simple_words(command)
    assert words is None or list(words) == shlex.split(command)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tried=st.lists(st.lists(st.one_of(plain, quoted, st.just(" ")), min_size=1, max_size=5).map("".join)))
def test_the_words_are_those_that_bash_runs(tmp_path: Path, tried: list[str]) -> None:
    lines = [line for line in tried if simple_words(line) is not None]
    script = "words() { printf '<%s>' \"$@\"; echo; }\n" + "".join(f"words {line}\n" for line in lines)
    bash = ["bash", "--norc", "-c", script]
    output = subprocess.run(bash, cwd=tmp_path, capture_output=True, text=True, check=True, env={}).stdout
    told = [simple_words(line) or () for line in lines]
    assert output == "".join("".join(f"<{word}>" for word in words) + "\n" for words in told)


@given(st.text(max_size=6))
def test_a_plain_word_is_a_command_of_one_word(text: str) -> None:
    if is_plain_word(text):
        assert simple_words(f"x {text}") == ("x", text)


# -- what a line may run -----------------------------------------------------------------------------------

spellings = st.sampled_from(
    [
        "rm y",
        "r''m y",
        '"rm" y',
        "\\rm y",
        "r\\m y",
        "r\\\nm y",
        "/bin/rm y",
        "./rm y",
        "$'\\x72m' y",
        "r$'m' y",
        "RM y",
    ]
)
around = st.sampled_from(
    [
        *(
            "{}",
            "x; {}",
            "x;{}",
            "x && {}",
            "x || {}",
            "x | {}",
            "x & {}",
            "x\n{}",
            "! {}",
            "time {}",
            "{} > f",
            "{}#",
        ),
        *(
            "({})",
            "{{ {}; }}",
            "if x; then {}; fi",
            "for i in a; do {}; done",
            "case x in x) {};; esac",
            "f() {{ {}; }}",
        ),
        *(
            "$({})",
            "`{}`",
            '"$({})"',
            "x <({})",
            "x >({})",
            "${{x:-$({})}}",
            "a=$({})",
            "a[$({})]=1",
            "echo $(( $({}) ))",
        ),
        *(
            "A=1 {}",
            "> echo {}",
            "< f {}",
            "2>&1 {}",
            "x=echo {}",
            "env {}",
            "env A=1 {}",
            "sudo -u me {}",
            "exec {}",
        ),
        *(
            "command -- {}",
            "nohup {}",
            "timeout 5 {}",
            "nice -n 5 {}",
            "xargs {}",
            "find . -exec {} +",
            "unknown {}",
        ),
        *("x <<E\n{}\nE", "x <<<$({})", "coproc {}", "trap '{}' EXIT", "eval {}", "echo a; echo b; {}"),
    ]
)
quoting = st.sampled_from(
    ["sh -c {}", "bash -xc {}", "eval {}", "su -c {}", "env -S {}", "git -c alias.x=!{} x", "ssh h {}"]
)


def nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    plainly = st.builds(lambda outer, text: outer.format(text), around, inner)
    as_text = st.builds(lambda outer, text: outer.format(shlex.quote(text)), quoting, inner)
    return st.one_of(plainly, as_text)


@given(st.recursive(spellings, nested, max_leaves=4))
def test_a_program_is_found_wherever_a_line_may_run_it(command: str) -> None:
    assert may_run(("rm",), command)


@pytest.mark.parametrize(
    "command",
    [
        *(
            "git push",
            "git -C x push",
            "git -c 'a b' --no-pager push",
            'git "push" x',
            "git >x push",
            "git p'us'h",
        ),
        *(
            "git $x push",
            "git ${x} push",
            "A=1 git push",
            "sudo git push",
            "sh -c 'git push'",
            "/usr/bin/git push",
        ),
    ],
)
def test_arguments_of_a_program_are_found_behind_others(command: str) -> None:
    assert may_run(("git", "push"), command)


@pytest.mark.parametrize("program", ["/bin/rm", "rm", "./rm"])
@pytest.mark.parametrize("command", ["rm x", "/bin/rm x", "sudo /usr/bin/rm x"])
def test_a_program_is_known_by_its_name_in_any_directory(program: str, command: str) -> None:
    assert may_run((program,), command)


@pytest.mark.parametrize("program", ["a:b", "a=b", "a,b", "["])
def test_a_program_may_have_a_name_with_marks(program: str) -> None:
    assert may_run((program,), f"sudo {program} x; y")


@given(st.lists(plain, min_size=1, max_size=4), commands)
def test_what_a_command_begins_with_is_found(program: list[str], more: str) -> None:
    command = " ".join(program) + " " + more
    words = simple_words(command)
    assert words is None or may_run(words[: len(program)], command)


@pytest.mark.parametrize(
    "command",
    ["git stash push", "git status", "git commit -m push", "git pushx", "got push", "push git", "git; push"],
)
def test_other_arguments_are_not_taken_for_them(command: str) -> None:
    assert not may_run(("git", "push"), command)


@pytest.mark.parametrize(
    "command",
    [
        "ls",
        "rmdir x",
        "git rm x",
        "echo rm",
        "grep rm f",
        "git commit -m 'rm; x'",
        "docker rm x",
        "make form",
        "ls --rm",
    ],
)
def test_a_name_that_is_only_an_argument_is_not_taken_for_a_program(command: str) -> None:
    assert not may_run(("rm",), command)


@pytest.mark.parametrize(
    "command", ["'" * 100_000, "<" * 100_000, "${" * 50_000, "\\" * 100_000, "a " * 50_000, "1" * 100_000]
)
def test_length_does_not_hide_a_program(command: str) -> None:
    assert may_run(("rm",), f"{command}\nrm x\n")


@pytest.mark.parametrize(
    ("program", "command"),
    [
        ("git branch -D", "git branch old -D"),
        ("git branch -D", "git branch -fD old"),
        ("git reset --hard", "git reset HEAD --hard"),
        ("git reset --hard", "git reset --har"),
        ("git commit --amend", "git commit file --amend"),
        ("git push --force", "git push origin main --force=yes"),
    ],
)
def test_an_option_is_found_wherever_it_stands_and_however_it_is_spelled(program: str, command: str) -> None:
    assert may_run(program.split(), command)


@pytest.mark.parametrize(
    ("program", "command"),
    [("git rm", "git add rm"), ("git branch -D", "git branch --list"), ("git reset --hard", "git reset --soft")],
)
def test_another_subcommand_or_option_is_not_taken_for_it(program: str, command: str) -> None:
    assert not may_run(program.split(), command)
