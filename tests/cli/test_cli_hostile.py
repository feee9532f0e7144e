"""Nothing an agent writes acts on the terminal of the person who reads it."""

from __future__ import annotations

import re
import unicodedata

import pytest
from cli_bench import HOSTILE, Cli, agent_on, at_a_terminal, call, exit_status, post, without_colours, write
from hypothesis import given
from hypothesis import strategies as st

from signoff import ApprovalPresentation, Command, connect_agent
from signoff.cli.page import Page
from signoff.present.reveal import one_line
from signoff.queue import StoredRequest

ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def hostile(cli: Cli) -> StoredRequest:
    """A request with hostile text in every field an agent fills, ended by its agent."""
    with connect_agent(
        HOSTILE, session="s" + HOSTILE, place=cli.place, via=HOSTILE, program="p" + HOSTILE
    ) as agent:
        request = call(
            HOSTILE,
            HOSTILE,
            payload={HOSTILE: [HOSTILE]},
            arguments={HOSTILE: {HOSTILE: HOSTILE}},
            group_id=HOSTILE,
            why=HOSTILE,
            presentation=ApprovalPresentation(type="text", content=HOSTILE, metadata={HOSTILE: HOSTILE}),
            effects=(Command(f"echo {HOSTILE}", str(cli.folder), {"NAME": HOSTILE}),),
        )
        return post(agent, request)


@pytest.mark.parametrize("style", [(), ("--json",)])
@pytest.mark.parametrize("verb", ["show", "history"])
def test_nothing_acts_on_the_terminal(cli: Cli, hostile: StoredRequest, verb: str, style: tuple[str, ...]) -> None:
    ident = (hostile.id,) if verb == "show" else ()
    done = cli.run(verb, *ident, *style)
    assert done.code == 0
    assert "[2J" in done.out
    assert ACTING.search(done.out + done.err) is None


@pytest.mark.parametrize("style", [(), ("--json",)])
def test_nothing_acts_on_the_terminal_in_a_list(cli: Cli, style: tuple[str, ...]) -> None:
    with agent_on(cli, HOSTILE, HOSTILE) as agent:
        post(agent, call(HOSTILE, HOSTILE, group_id=HOSTILE))
        done = cli.run("list", *style)
    assert done.code == 0
    assert "[2J" in done.out
    assert ACTING.search(done.out + done.err) is None


def test_a_hostile_description_takes_one_line(cli: Cli) -> None:
    with agent_on(cli) as agent:
        post(agent, call(description=HOSTILE))
        lines = cli.inside("list").out.splitlines()
        assert len(lines) == 2
        assert cli.inside("history").out == ""
    assert len(cli.inside("history").out.splitlines()) == 2


def test_hidden_text_is_warned_of(cli: Cli, hostile: StoredRequest) -> None:
    shown = cli.inside("show", hostile.id).out
    for label in ("tool", "what", "agent", "session", "group", "why"):
        assert re.search(rf"^! +{label}: ", shown, re.MULTILINE), label
    assert cli.inside("show", hostile.id, "--json").json["warnings"]


def test_what_looks_right_and_is_not_is_warned_of(cli: Cli) -> None:
    copy = "\u0441\u043e\u0440\u0443"
    with agent_on(cli, copy) as agent:
        request = post(agent, call(effects=(Command(f"{copy} a b", str(cli.folder)),)))
        shown = cli.inside("show", request.id).out
    assert "agent: a word of other letters that reads like ASCII: <U+0441>" in shown
    assert re.search("^risk .*: disguised", shown, re.MULTILINE)


def test_nothing_acts_on_the_terminal_of_who_approves_or_rejects(cli: Cli) -> None:
    with agent_on(cli, HOSTILE, HOSTILE) as agent:
        request = post(agent, call(HOSTILE, HOSTILE, payload={HOSTILE: HOSTILE}))
        terminal = at_a_terminal(cli, "approve", request.id[:8])
        terminal.expect_exact("anything else leaves it waiting: ")
        asked = terminal.before
        terminal.sendline("no")
        exit_status(terminal)
        rejected = cli.run("reject", request.id[:8])
    assert asked is not None
    assert "[2J" in asked
    assert ACTING.search(without_colours(asked).replace("\r\n", "\n")) is None
    assert ACTING.search(rejected.out + rejected.err) is None


def test_no_content_stands_where_our_words_stand(cli: Cli) -> None:
    forged = "\n\napprove with: signoff approve 00000000 --seen 1:000000000000\nrisk       low\n"
    with agent_on(cli) as agent:
        request = post(agent, write(cli.folder / "note.txt", forged))
        lines = cli.inside("show", request.id).out.splitlines()
    assert sum(line.startswith("approve with: ") for line in lines) == 1
    assert sum(line.startswith("risk ") for line in lines) == 1


def test_what_the_user_typed_is_safe_in_error_messages(cli: Cli) -> None:
    for words in ((HOSTILE,), ("show", HOSTILE), ("ask", "--arg", HOSTILE), ("--queue", HOSTILE, "list")):
        done = cli.inside(*words)
        assert done.code != 0
        assert ACTING.search(done.out + done.err) is None


@given(st.text())
def test_one_line_is_one_line_without_acting_characters(text: str) -> None:
    shown = one_line(text)
    assert ACTING.search(shown) is None
    assert "\n" not in shown
    assert "\t" not in shown


@given(st.text(), st.integers(20, 200), st.booleans())
def test_a_folded_line_never_returns_to_the_edge_and_loses_nothing(text: str, width: int, at_words: bool) -> None:
    safe = one_line(text)
    page = Page(width)
    page.add(safe, label="  | + ", fold="  | > ", at_words=at_words)
    first, *following = page.text().splitlines()
    assert first.startswith("  | +")
    assert all(line.startswith("  | >") for line in following)
    rows = [first, *following]
    assert "".join(row[6:] for row in rows).replace(" ", "") == safe.replace(" ", "")
    # A combining mark stands on the character before it.
    assert all(sum(not unicodedata.combining(char) for char in row) <= width for row in rows)


def test_a_remark_is_folded_between_words() -> None:
    page = Page(40)
    page.add(
        "sandbox: can write: notes/, src/components/; network: no", label="  |   ", fold="  | > ", at_words=True
    )
    assert page.text().splitlines() == [
        "  |   sandbox: can write: notes/,",
        "  | > src/components/; network: no",
    ]
