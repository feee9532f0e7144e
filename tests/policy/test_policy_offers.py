"""What the allow sheet offers besides exactly the call: beginnings of its command, directories of its file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signoff.canonical import canonical, digest
from signoff.policy.grant_scope import any_call, offers
from signoff.queue.grant_pattern import AnyValue, Beginning, Exact, Under
from signoff.queue.records import Submission


def asks(**payload: object) -> Submission:
    return Submission(
        key="k",
        tool_name="shell",
        description="d",
        payload=payload,
        payload_key=canonical(payload),
        arguments=payload,
        digest=digest(payload),
        cwd="/work",
    )


def beginnings(command: str) -> list[tuple[str, ...]]:
    """The beginnings that are offered for a command, the longest first."""
    found = offers(asks(command=command), command, None)
    return [each.words for pattern in found.patterns for _, each in pattern.entries if isinstance(each, Beginning)]


def first(command: str) -> tuple[str, ...]:
    """The one that is offered first."""
    return beginnings(command)[offers(asks(command=command), command, None).first]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("git diff HEAD~1", ("git", "diff")),
        ("git status", ("git", "status")),
        ("npm run test", ("npm", "run", "test")),
        ("pytest -q tests", ("pytest",)),
        ("make", ("make",)),
        ("bash run.sh", ("bash", "run.sh")),
        ("python x.py", ("python", "x.py")),
        ("find . -delete", ("find", ".", "-delete")),
    ],
)
def test_the_first_proposal_is_the_program_with_as_many_words_as_say_what_runs(
    command: str, words: tuple[str, ...]
) -> None:
    assert first(command) == words


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("bash", "bash with these arguments can do more than can be told"),
        ("ls | wc -l", "only for one plain command"),
        ("sudo ls", "only for one plain command"),
        ("bash -c ls", "only for one plain command"),
        ("ls $HOME", "only for one plain command"),
        ("psql db < dump.sql", "psql may obey its input"),
        ("ls 'unfinished", "ls with these arguments can do more than can be told"),
    ],
)
def test_what_could_run_anything_has_no_beginning(command: str, why: str) -> None:
    found = offers(asks(command=command), command, None)
    assert (found.patterns, found.why_not) == ((), why)


@given(st.text(alphabet="abgit -.;|&><$`'\"\n(){}*~=/", min_size=1, max_size=16))
def test_whatever_is_offered_covers_the_call_itself(command: str) -> None:
    call = asks(command=command)
    for pattern in offers(call, command, None).patterns:
        assert pattern.matches("shell", call.payload)


def test_a_command_that_stands_in_two_arguments_has_no_beginning() -> None:
    assert "does not say which" in offers(asks(command="ls", again="ls"), "ls", None).why_not


def test_files_are_offered_below_their_directories(tmp_path: Path) -> None:
    path = f"{tmp_path}/src/app/a.py"
    found = offers(asks(path=path), None, path)
    places = [
        each.directory for pattern in found.patterns for _, each in pattern.entries if isinstance(each, Under)
    ]
    assert places[:2] == [f"{tmp_path}/src/app", f"{tmp_path}/src"]


def test_only_the_argument_that_names_the_file_is_widened() -> None:
    found = offers(asks(content="bin/run.sh", file_path="notes/x"), None, "/work/notes/x")
    assert {name for pattern in found.patterns for name, each in pattern.entries if isinstance(each, Under)} == {
        "file_path"
    }


@pytest.mark.parametrize("payload", [{"content": "bin/run.sh"}, {"old": "notes/x", "new": "./notes/x"}])
def test_a_file_that_no_argument_or_several_name_has_no_directory(payload: dict[str, object]) -> None:
    found = offers(asks(**payload), None, "/work/notes/x")
    assert (found.patterns, found.why_not) == ((), "the tool does not say which argument is its file")


def test_a_path_that_may_lead_elsewhere_has_no_directory() -> None:
    path = "docs/../../etc/passwd"
    assert offers(asks(path=path), None, path).why_not == "the file is in no directory that can be named"


def test_other_calls_have_nothing_between_this_one_and_all() -> None:
    assert offers(asks(title="Crash"), None, None).why_not == "for commands and files only"


def test_every_call_of_a_tool_keeps_its_directory() -> None:
    assert dict(any_call(asks(command="ls", cwd="/work")).entries) == {
        "command": AnyValue(),
        "cwd": Exact.of("/work"),
    }
