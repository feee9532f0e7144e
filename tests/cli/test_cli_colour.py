"""Colours and tables at a terminal; plain text, the same as ever, where there is none."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from cli_bench import (
    COLOUR,
    Cli,
    agent_on,
    at_a_terminal,
    call,
    command,
    exit_status,
    high,
    post,
    without_colours,
    write,
)
from hypothesis import example, given
from hypothesis import strategies as st

from hostile_texts import Hostile, hostile_texts
from signoff import ApprovalPresentation, ApprovalRequest, Command, FileEdit, FileWrite
from signoff.cli.page import Column, Page, TableCell, TableLine, cells, fitted
from signoff.present.reveal import one_line
from signoff.queue import AgentQueue, Decision, StoredRequest
from signoff.submission import plain_submission, submission_with_snapshot

ACTING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def styled(words: str, *codes: int) -> str:
    return f"\x1b[{';'.join(map(str, codes))}m{words}\x1b[0m"


def decide(cli: Cli, request: StoredRequest, decision: Decision) -> None:
    with cli.review() as review:
        assert review.decide(request.id, request.revision, request.submission.digest, decision).accepted


@pytest.fixture
def busy(cli: Cli, agent: AgentQueue) -> list[StoredRequest]:
    """Two that wait, the second of them in a group; before them one approved for the session, and one rejected."""
    remembered, rejected = post(agent, command("pytest -q", cli.folder)), post(agent, high(cli.folder))
    decide(cli, remembered, Decision(approved=True, remember=True))
    decide(cli, rejected, Decision(approved=False, note="keep it"))
    waiting = post(agent, high(cli.folder))
    return [waiting, post(agent, write(cli.folder / "src" / "new.txt", "hello\n", group_id="save project"))]


# -- where there are colours ----------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [("list",), ("history",), ("grants",), ("show",), ("reviewers", "list")])
@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"TERM": ""}])
def test_who_wants_no_colours_gets_what_a_pipe_gets(
    cli: Cli, busy: list[StoredRequest], words: tuple[str, ...], variables: dict[str, str]
) -> None:
    if words == ("show",):
        words = ("show", busy[0].id[:8], "--context", "0")
    in_colour = cli.inside(*words, columns=2_000)
    assert COLOUR.search(in_colour.out)
    without = cli.inside(*words, columns=2_000, **variables)
    piped = cli.inside(*words)
    assert re.sub(r"\d+:\d\d", "", without.out) == re.sub(r"\d+:\d\d", "", piped.out)
    assert "\x1b" not in piped.out
    assert (piped.code, piped.err) == (in_colour.code, in_colour.err) == (0, "")


@pytest.mark.parametrize("words", [("list",), ("history",), ("grants",)])
def test_programs_get_the_same_json_at_a_terminal(cli: Cli, busy: list[StoredRequest], words: tuple[str]) -> None:
    def without_ages(text: str) -> str:
        return re.sub(r'"waiting_seconds": \d+', "", text)

    at_terminal = cli.inside(*words, "--json", columns=40).out
    assert without_ages(at_terminal) == without_ages(cli.inside(*words, "--json").out)


def test_a_terminal_that_lacks_characters_gets_plain_lines(cli: Cli, agent: AgentQueue) -> None:
    post(agent, call())
    terminal = at_a_terminal(cli, "list", PYTHONUTF8="0", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert exit_status(terminal) == 0
    assert terminal.before is not None
    assert "\x1b" not in terminal.before


def test_at_a_real_terminal_there_is_a_table(cli: Cli, busy: list[StoredRequest]) -> None:
    terminal = at_a_terminal(cli, "list")
    assert exit_status(terminal) == 0
    assert terminal.before is not None
    assert without_colours(terminal.before).splitlines()[1].split() == [
        "id",
        "risk",
        "kind",
        "waits",
        "agent",
        "what",
    ]


def test_nothing_but_a_page_in_colour_loads_the_library_for_it() -> None:
    code = (
        "import sys, signoff.cli.pending, signoff.cli.show, signoff.cli.history, signoff.cli.grants;"
        "sys.exit(','.join(sorted({'textual', 'rich'} & set(sys.modules))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""


# -- tables of the commands -----------------------------------------------------------------------------------


def test_the_list_has_heads_dim_ids_and_high_in_red(cli: Cli, busy: list[StoredRequest]) -> None:
    risky, grouped = busy
    summary, heads, first, heading, member = cli.inside("list", columns=100).out.splitlines()
    assert summary == f"2 waiting, {styled('1 HIGH', 1, 31)}, 1 group"
    assert without_colours(heads).split() == ["id", "risk", "kind", "waits", "agent", "what"]
    assert heads.startswith("\x1b[1m")
    assert first.startswith(styled(f"{risky.id[:8]}    ", 2))
    assert styled("HIGH  ", 1, 31) in first
    assert without_colours(first).endswith("refactor  rm -rf build")
    assert without_colours(heading) == "group save project: 1 request"
    assert without_colours(member).startswith(f"  {grouped.id[:8]}  low ")
    assert without_colours(member).endswith("  src/new.txt")


def test_a_call_without_effects_is_listed_with_its_tool(cli: Cli, agent: AgentQueue) -> None:
    post(agent, call(server="github"))
    assert (
        without_colours(cli.inside("list", columns=100).out)
        .splitlines()[-1]
        .endswith("github/create_issue: Create an issue")
    )


def test_the_columns_of_a_list_stand_below_their_heads(cli: Cli, busy: list[StoredRequest]) -> None:
    _, heads, first, _, member = without_colours(cli.inside("list", columns=100).out).splitlines()
    for head, of_first, of_member in (
        ("risk", "HIGH", "low "),
        ("kind", "command", "new file"),
        ("what", "rm ", "src"),
    ):
        at = heads.index(head)
        assert (first[at:].startswith(of_first), member[at:].startswith(of_member)) == (True, True)


def test_an_empty_list_has_no_heads(cli: Cli, agent: AgentQueue) -> None:
    assert cli.inside("list", columns=100).out == "nothing is waiting\n"
    assert cli.inside("grants", columns=100).out == "0 grants in force\n"
    assert cli.inside("history", columns=100).out == ""


def test_the_history_has_heads_states_in_colour_and_notes_below(cli: Cli, busy: list[StoredRequest]) -> None:
    heads, rejected, note, approved = cli.inside("history", columns=100).out.splitlines()
    assert without_colours(heads).split() == ["at", "id", "risk", "state", "by", "agent", "what"]
    assert styled("rejected  ", 31) in rejected
    assert styled("HIGH  ", 1, 31) in rejected
    assert note == "    keep it"
    assert styled("approved  ", 32) in approved
    assert without_colours(approved).split()[3:] == ["approved", "anna", "refactor", "pytest", "-q"]


def test_a_grant_is_a_row_with_all_that_it_covers_below(cli: Cli, busy: list[StoredRequest]) -> None:
    with cli.review() as review:
        (grant,) = review.grants()
    summary, heads, row, *covers = without_colours(cli.inside("grants", columns=80).out).splitlines()
    assert summary == "1 grant in force"
    assert heads.split() == ["id", "since", "request", "uses", "last", "by", "agent", "session"]
    assert row.split()[0] == grant.id[:8]
    assert "".join("".join(covers).split()) == "".join(f"covers{grant.words()}".split())


def test_a_diff_is_in_colour_and_its_signs_stay(cli: Cli, agent: AgentQueue) -> None:
    path = cli.folder / "app.py"
    path.write_text("one\ntwo\n")
    edit = ApprovalRequest(
        tool_name="edit", description="Edit", payload={}, effects=(FileEdit(str(path), "two", "2\u200b"),)
    )
    shown = cli.inside("show", post(agent, edit).id, columns=100).out.splitlines()
    assert styled("  | - two", 31) in shown
    assert "  |   one" in shown
    added = next(line for line in shown if "  | + " in line)
    assert added == styled("  | + 2", 32) + styled("<U+200B ZWSP>", 35)


def test_the_calls_that_follow_in_the_turn_are_told_in_words(cli: Cli, agent: AgentQueue) -> None:
    following = (
        {"tool": "write_file", "arguments": {"path": "big.py", "content": "x"}},
        {"tool": "shell", "arguments": {"command": "npm test"}},
    )
    submission = plain_submission(call(), None, cwd=str(cli.folder))
    request = agent.submit(replace(submission, batch_id="b", batch_position=0, batch_remaining=following))
    lines = cli.inside("show", request.id).out.splitlines()
    at = lines.index("next in this turn: write_file big.py")
    assert lines[at + 1] == "             then: shell npm test"
    assert '{"' not in "".join(lines[at : at + 2])
    assert cli.inside("show", request.id, "--json").json["batch_remaining"] == list(following)


# -- how a table fits -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "path", "room", "shown"),
    [
        ("src/app/api.py", True, 14, "src/app/api.py"),
        ("src/app/api.py", True, 13, "…/app/api.py"),
        ("src/app/api.py", True, 12, "…/api.py"),
        ("src/app/api.py", True, 7, "…pi.py"),
        ("src/app/", True, 8, "src/app/"),
        ("rm -rf build dist", False, 17, "rm -rf build dist"),
        ("rm -rf build dist", False, 16, "rm -rf build …"),
        ("unbreakable", False, 8, "unbrea…"),
    ],
)
def test_a_path_loses_its_beginning_and_other_text_whole_words_from_its_end(
    text: str, path: bool, room: int, shown: str
) -> None:
    assert fitted(text, room, path=path) == shown


def test_the_widest_columns_give_and_whole_ones_never() -> None:
    page = Page(34, coloured=True)
    columns = (Column("id", whole=True), Column("agent"), Column("what"))
    page.add_table(
        columns, [(TableCell("abcdefgh"), TableCell("me"), TableCell("run all the tests of the project"))]
    )
    assert page.text().splitlines() == ["id        agent  what", "abcdefgh  me     run all the …"]


def test_a_table_that_cannot_fit_is_folded_behind_its_first_column() -> None:
    page = Page(20, coloured=True)
    columns = (Column("id", whole=True), Column("agent"), Column("what"))
    page.add_table(columns, [(TableCell("abcdefgh"), TableCell("refactor"), TableCell("run all"))])
    assert page.text().splitlines()[-2:] == ["abcdefgh  refactor", "          run all"]


def test_spare_columns_are_left_out_of_a_table_that_does_not_fit_the_last_one_first() -> None:
    columns = (Column("id", whole=True), Column("kind", spare=True), Column("agent", spare=True), Column("what"))
    row = (TableCell("abcdefgh"), TableCell("command"), TableCell("refactor-bot"), TableCell("run all the tests"))

    def heads(width: int) -> list[str]:
        page = Page(width, coloured=True)
        page.add_table(columns, [row])
        return page.text().splitlines()[0].split()

    assert heads(45) == ["id", "kind", "agent", "what"]
    assert heads(44) == ["id", "kind", "what"]
    assert heads(30) == ["id", "what"]


rows = st.lists(st.tuples(st.text(max_size=40), st.text(max_size=40), st.booleans()), min_size=1, max_size=5)


@example([("", " \x1f00\x1f\U00018af3×", False)], 20)
@given(rows, st.integers(20, 200))
def test_no_row_is_wider_than_the_terminal_and_none_begins_with_foreign_words(
    texts: list[tuple[str, str, bool]], width: int
) -> None:
    page = Page(width, coloured=True)
    columns = (Column("id", whole=True), Column("agent"), Column("what"))
    page.add_table(
        columns,
        [
            row
            for name, what, path in texts
            for row in (
                (
                    TableCell("#1234567", "muted"),
                    TableCell(one_line(name, "agent")),
                    TableCell(one_line(what), path=path),
                ),
                TableLine(one_line(what), "    "),
            )
        ],
    )
    for line in page.text().splitlines():
        assert cells(line) <= width
        assert line.startswith(("id", "#1234567", "    ")) or not line


# -- hostile text ---------------------------------------------------------------------------------------------


def hostile_request(hostile: Hostile, folder: Path) -> ApprovalRequest:
    """A call with a hostile text in every field."""
    name, content = hostile.name, hostile.content
    file = folder / hostile.part_of_a_path
    return call(
        name,
        hostile.text,
        payload={name: [hostile.text]},
        arguments={name: {name: hostile.text}},
        group_id=name,
        why=hostile.text,
        presentation=ApprovalPresentation(type="text", content=hostile.text, metadata={}),
        effects=(FileWrite(str(file), content), Command(content, str(folder))),
    )


@pytest.mark.parametrize("columns", [50, 120])
def test_hostile_text_yields_no_sequence_but_colours_and_none_in_a_pipe(cli: Cli, columns: int) -> None:
    texts = hostile_texts()
    requests = []
    for hostile in texts[:: max(1, len(texts) // 12)] + texts[-8:]:
        with agent_on(cli, hostile.name, hostile.name) as agent:
            following = ({"tool": hostile.name, "arguments": {"path": hostile.text}},)
            submission = plain_submission(hostile_request(hostile, cli.folder), None, cwd=str(cli.folder))
            submission, _ = submission_with_snapshot(hostile_request(hostile, cli.folder), submission)
            request = agent.submit(replace(submission, batch_id=hostile.name, batch_remaining=following))
            requests.append(request)
            listed = cli.inside("list", columns=columns)
            shown = cli.inside("show", request.id, columns=columns)
            piped = cli.inside("show", request.id)
            assert (listed.code, shown.code, piped.code) == (0, 0, 0)
            for colourful in (listed, shown):
                assert COLOUR.search(colourful.out)
                assert ACTING.search(without_colours(colourful.out)) is None
            assert ACTING.search(piped.out) is None
    told = cli.inside("history", columns=columns)
    assert COLOUR.search(told.out)
    assert ACTING.search(without_colours(told.out)) is None


@given(st.text(), st.integers(20, 200))
def test_no_text_in_a_page_becomes_markup(text: str, width: int) -> None:
    page = Page(width, coloured=True)
    for words in (text, f"[bold red]{text}[/] :bomb: [link=https://x.example]y[/link]"):
        safe = one_line(words)
        page.add(safe, label="  | ", style="yes", label_style="yes")
        written = without_colours(page.in_colour()).splitlines()
        assert "".join(line[4:] for line in written).replace(" ", "").endswith(safe.replace(" ", ""))
        assert ACTING.search(without_colours(page.in_colour())) is None
