"""Editing a call before it is approved: what comes of it is shown, armed for and sent, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from screen_bench import HELD, LARGE, QUICK, SMALL, Screen, amend, call, command, lines, post, screen, write

from signoff.queue import AgentQueue, Decision, Instead, RequestState, ReviewQueue, StoredRequest
from signoff.types import ApprovalRequest
from signoff_tui.external import HandoverError
from signoff_tui.state.edits import Editable, why_not_edited, why_not_given

EDIT, PARTIAL = frozenset({"edit"}), frozenset({"partial"})
CANNOT = "this agent cannot run an edited call: Enter rejects and suggests this"
Editor = Callable[[str, str], str | None]


def editing(seen: Screen, editor: Editor) -> list[str]:
    """Put a function in the place of the person's editor; what it was given is noted."""
    given: list[str] = []

    def edit(text: str, suffix: str) -> str | None:
        given.append(text)
        return editor(text, suffix)

    seen.app.edit = edit  # type: ignore[method-assign]
    return given


def replacing(old: str, new: str) -> Editor:
    return lambda text, _: text.replace(old, new)


async def opens(seen: Screen, request: StoredRequest) -> None:
    await seen.opens(request)
    entry = seen.entry(request)
    await seen.until(lambda: why_not_edited(entry, seen.desk.asked_content(entry)) is None, "looked through")


async def edits(seen: Screen, old: str, new: str) -> None:
    """Edit the focused call in its box, with the editor as a quick hand."""
    editing(seen, replacing(old, new))
    await seen.press("E", "ctrl+e")
    await seen.rests()
    await seen.press("enter")


def run(text: str, workdir: Path, **options: Any) -> ApprovalRequest:
    return command(text, workdir, **{"honors": EDIT, **options})


def decision_of(looking: ReviewQueue, request: StoredRequest) -> Decision:
    decision = looking.get(request.id).decision
    assert decision is not None
    return decision


# -- a command ---------------------------------------------------------------------------------------------


async def test_a_command_is_edited_in_place_read_and_approved(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, run("rm -rf build dist", workdir))
    async with screen(place, size=LARGE, settings=HELD, waiting=1) as seen:
        await opens(seen, request)
        await seen.press("E")
        await seen.shows(" Edit the command", " > rm -rf build dist", "Enter done", "Esc back")
        await seen.press("ctrl+u")
        await seen.types("rm gen")
        await seen.rests()
        assert seen.desk.changes.of(seen.entry(request)) is None
        before = seen.armed_at
        await seen.press("enter")
        await seen.shows("EDITED BY YOU", "- rm -rf build dist", "+ rm gen")
        await seen.armed_anew(before)
        assert seen.desk.guard.holds.find(request.id) is None
        await seen.shows("rm gen  edited by you: E edits again")
        assert "edited by you" in seen.line("$ rm gen")
        await seen.reads(request)
        await seen.press("y")
        await seen.shows("approved rm gen  edited by you, sends in")
        (held,) = seen.desk.guard.holds
        seen.app.review.send(held)
        await seen.until(lambda: looking.get(request.id).state is RequestState.APPROVED, "the approval")
    assert decision_of(looking, request).instead == Instead(
        arguments={"command": "rm gen"}, summary="edited command"
    )


async def test_the_original_stands_only_in_the_difference(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, run("rm -rf build dist", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        await edits(seen, "build dist", "gen")
        await seen.shows("EDITED BY YOU")
        (only,) = (line for line in seen.frame if "build dist" in line)
        assert only.rstrip().endswith("- rm -rf build dist")


async def test_the_row_of_an_edited_call_says_so_however_long_its_name_is(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, run("ls build", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        await edits(seen, "build", "gen " * 30)
        await seen.shows("EDITED BY YOU")
        assert " edited " in seen.line("▌")


async def test_an_edit_has_the_risk_of_what_would_run(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, run("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        assert "HIGH" not in seen.text
        await edits(seen, "ls", "rm -rf /")
        await seen.shows("risk HIGH by your edit", "▌HIGH ")
        await edits(seen, "rm -rf /", "ls -l")
        await seen.shows("+ ls -l", "low risk")
        await seen.shows_no("HIGH")


async def test_an_edit_is_approved_alone_and_once(asking: AgentQueue, place: Path, workdir: Path) -> None:
    first, second = (post(asking, run(each, workdir, group_id="g")) for each in ("ls", "ls -l"))
    async with screen(place, size=LARGE, settings=HELD, waiting=2) as seen:
        await seen.reads(first)
        await opens(seen, second)
        await edits(seen, "ls -l", "ls -a")
        await seen.shows("EDITED BY YOU")
        await seen.reads(second)
        members = seen.desk.eligibility([first.id, second.id])
        assert [ref.id for ref in members.ready] == [first.id]
        await seen.press("s")
        await seen.shows("what you changed is approved once")


async def test_until_the_edit_is_shown_nothing_of_the_call_can_be_approved(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, run("ls", workdir, group_id="g"))
    async with screen(place, size=LARGE, settings=HELD, waiting=1) as seen:
        await seen.reads(request)
        entry = seen.entry(request)
        seen.desk.changes.compare(entry)
        await seen.press("y")
        await seen.shows("your edit is not shown yet")
        assert seen.desk.eligibility([request.id]).ready == ()
        assert len(seen.desk.guard.holds) == 0


async def test_a_draft_is_kept_by_escape(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, run("ls", workdir))
    async with screen(place, size=SMALL, waiting=1) as seen:
        await opens(seen, request)
        await seen.press("E")
        await seen.types(" -l")
        await seen.press("escape")
        await seen.shows_no("Edit the command")
        assert seen.desk.changes.of(seen.entry(request)) is None
        await seen.press("E")
        await seen.shows(" > ls -l")


async def test_the_same_command_changes_nothing(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, run("ls", workdir))
    async with screen(place, size=SMALL, waiting=1) as seen:
        await opens(seen, request)
        await seen.press("E", "enter")
        await seen.shows("as it was asked")
        assert seen.desk.changes.of(seen.entry(request)) is None


async def test_an_empty_command_stays_in_the_box(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, run("ls", workdir))
    async with screen(place, size=SMALL, waiting=1) as seen:
        await opens(seen, request)
        await seen.press("E", "ctrl+u", "enter")
        await seen.shows("there is no command left to run", "Edit the command")


async def test_the_box_grows_to_half_of_the_screen(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, run("cat <<E\n" + lines(40) + "E", workdir))
    async with screen(place, size=SMALL, waiting=1) as seen:
        await opens(seen, request)
        await seen.press("E")
        await seen.shows("rows 34 to 42 of 42")
        title = next(number for number, line in enumerate(seen.frame) if " Edit the command" in line)
        assert len(seen.frame) - title == len(seen.frame) // 2


async def test_what_the_box_would_change_is_edited_in_the_editor(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, run("printf 'a\tb' > one", workdir))
    async with screen(place, size=LARGE, settings=QUICK, waiting=1) as seen:
        await opens(seen, request)
        given = editing(seen, lambda text, _: text.replace("one", "two") + "\n")
        await seen.press("E")
        await seen.shows("EDITED BY YOU")
        assert given == ["printf 'a\tb' > one"]
        await seen.reads(request)
        await seen.press("y")
        await seen.until(lambda: looking.get(request.id).state is RequestState.APPROVED, "the approval")
    instead = decision_of(looking, request).instead
    assert instead is not None
    assert instead.arguments == {"command": "printf 'a\tb' > two"}


async def test_what_the_editor_made_of_the_box_is_taken_as_it_is(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, run("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        editing(seen, lambda text, _: f"{text}\t-l\n")
        await seen.press("E", "ctrl+e")
        await seen.shows("EDITED BY YOU")
        change = seen.desk.changes.of(seen.entry(request))
        assert change is not None
        assert change.instead is not None
        assert change.instead.arguments == {"command": "ls\t-l"}


async def test_a_request_that_ends_meanwhile_keeps_box_and_text(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, run("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        await seen.press("E")
        await seen.types(" -y")
        asking.withdraw(request.id, "gone")
        await seen.shows("Cannot edit: withdrawn")
        await seen.press("enter")
        await seen.shows("your text is kept", " > ls -y")


# -- arguments and files -----------------------------------------------------------------------------------


async def test_edited_arguments_are_shown_as_a_diff_and_in_full_then_sent(
    asking: AgentQueue, looking: ReviewQueue, place: Path
) -> None:
    request = post(asking, call(payload={"title": "Crash", "labels": ["bug"]}, honors=EDIT))
    async with screen(place, size=LARGE, settings=QUICK, waiting=1) as seen:
        await seen.reads(request)
        await edits(seen, '"Crash"', '"Crash on save"')
        await seen.shows("EDITED BY YOU", '-   "title": "Crash",', '+   "title": "Crash on save",')
        await seen.shows("{ create_issue title=Crash on save")
        await seen.reads(request)
        await seen.press("y")
        await seen.until(lambda: looking.get(request.id).state is RequestState.APPROVED, "the approval")
    instead = decision_of(looking, request).instead
    assert instead is not None
    assert instead.arguments == {"title": "Crash on save", "labels": ["bug"]}


async def test_bad_json_is_told_in_place_and_loses_nothing(asking: AgentQueue, place: Path) -> None:
    request = post(asking, call(payload={"title": "Crash"}, honors=EDIT))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        editing(seen, lambda text, _: '{"title": }')
        await seen.press("E", "ctrl+e")
        await seen.rests()
        await seen.press("enter")
        await seen.shows("not JSON: Expecting value: line 1 column 11", ' > {"title": }', "Edit the arguments")
        assert seen.desk.changes.of(seen.entry(request)) is None
        await seen.press("escape", "E")
        await seen.shows(' > {"title": }')


async def test_an_edited_file_is_written_as_edited_and_an_edit_can_be_taken_up_again(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    (workdir / "a.txt").write_text("one\n")
    request = post(asking, write(workdir / "a.txt", "two\n", honors=PARTIAL))
    async with screen(place, size=SMALL, settings=HELD, waiting=1) as seen:
        await opens(seen, request)
        of_what_was_asked = seen.desk.coverage(seen.entry(request))
        editing(seen, replacing("two", "three"))
        await seen.press("E")
        await seen.shows("EDITED BY YOU", "+ three")
        assert seen.desk.coverage(seen.entry(request)) is not of_what_was_asked
        editing(seen, replacing("three", "four"))
        await seen.press("E")
        await seen.shows("+ four")
        await seen.shows_no("+ three")
        await seen.reads(request)
        await seen.shows("y approve edited")
        await seen.press("y")
        await seen.shows("approved a.txt  edited by you, sends")
        (held,) = seen.desk.guard.holds
        assert held.payload.decision.instead is not None
        assert held.payload.decision.instead.content(str(workdir / "a.txt")) == b"four\n"


async def test_an_editor_that_fails_changes_nothing(asking: AgentQueue, place: Path, workdir: Path) -> None:
    (workdir / "a.txt").write_text("one\n")
    request = post(asking, write(workdir / "a.txt", "two\n", honors=PARTIAL))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)

        def fails(text: str, _: str) -> str:
            raise HandoverError("vi ended with 1")

        editing(seen, fails)
        await seen.press("E")
        await seen.shows("not edited: vi ended with 1")
        editing(seen, lambda text, _: None)
        await seen.press("E")
        await seen.shows("the edit changed nothing")
        assert seen.desk.changes.of(seen.entry(request)) is None


async def test_a_request_that_changed_keeps_the_edit_as_a_draft_only(
    asking: AgentQueue, looking: ReviewQueue, place: Path
) -> None:
    request = post(asking, call(payload={"title": "Crash"}, honors=EDIT))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        await edits(seen, "Crash", "Bang")
        await seen.shows("EDITED BY YOU")
        amend(asking, request, call(payload={"title": "Slow"}, honors=EDIT))
        await seen.shows("changed: read again; your edit is kept: E opens it again")
        await seen.shows_no("EDITED BY YOU")
        await opens(seen, request)
        await seen.press("E")
        await seen.shows('"title": "Bang"')
        assert seen.desk.changes.of(seen.entry(request)) is None


async def test_what_else_a_call_would_do_is_still_shown_when_its_file_was_edited(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    (workdir / "a.txt").write_text("one\n")
    asked = write(workdir / "a.txt", "two\n", honors=PARTIAL)
    also = {**(asked.arguments or {}), "then_tell": "everybody"}
    request = post(asking, asked.model_copy(update={"arguments": also}))
    async with screen(place, size=LARGE, settings=QUICK, waiting=1) as seen:
        await opens(seen, request)
        editing(seen, replacing("two", "three"))
        await seen.press("E")
        await seen.shows("EDITED BY YOU")
        content = seen.desk.content(seen.entry(request))
        assert content is not None
        assert [document.kind for document in content.documents] == ["text", "diff", "diff", "structured"]
        assert "then_tell" in "\n".join(row.text.text for row in content.documents[-1])


@pytest.mark.parametrize("key", ["ctrl+f", "slash"], ids=["find", "filter"])
async def test_what_is_looked_for_can_be_written_in_the_editor_too(
    asking: AgentQueue, place: Path, workdir: Path, key: str
) -> None:
    request = post(asking, run("ls build", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        given = editing(seen, lambda text, _: f"{text}ild\n")
        await seen.press(key, "b", "u", "ctrl+e")
        await seen.until(lambda: given == ["bu"], "the editor")
        box = seen.app.review.open_box
        assert box is not None
        await seen.until(lambda: box.value == "build", "the text in the box")


# -- an agent that cannot run it ---------------------------------------------------------------------------


async def rejected(seen: Screen, looking: ReviewQueue, request: StoredRequest) -> str | None:
    await seen.until(lambda: looking.get(request.id).state is RequestState.REJECTED, "the rejection")
    decision = decision_of(looking, request)
    assert decision.instead is None
    assert not decision.hard
    return decision.note


async def test_a_command_that_the_agent_cannot_run_is_suggested(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, run("rm -rf build", workdir, honors=frozenset()))
    async with screen(place, size=SMALL, settings=QUICK, waiting=1) as seen:
        await opens(seen, request)
        await seen.press("E")
        await seen.shows(CANNOT, " > rm -rf build")
        await seen.press("enter")
        await seen.shows("it is what was asked: change it, or Esc", CANNOT)
        await seen.types("/x")
        await seen.rests()
        await seen.press("enter")
        assert await rejected(seen, looking, request) == "run this instead: rm -rf build/x"


async def test_arguments_that_the_agent_cannot_run_are_suggested(
    asking: AgentQueue, looking: ReviewQueue, place: Path
) -> None:
    request = post(asking, call(payload={"title": "Crash"}))
    async with screen(place, size=SMALL, settings=QUICK, waiting=1) as seen:
        await opens(seen, request)
        editing(seen, replacing("Crash", "Bang"))
        await seen.press("E", "ctrl+e")
        await seen.shows(CANNOT, "Bang")
        await seen.rests()
        await seen.press("enter")
        assert await rejected(seen, looking, request) == 'call it with this instead: {"title":"Bang"}'


async def test_a_file_that_the_agent_cannot_write_is_suggested_as_a_change(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, write(workdir / "a.txt", "one\ntwo\n"))
    async with screen(place, size=SMALL, settings=QUICK, waiting=1) as seen:
        await opens(seen, request)
        editing(seen, replacing("two", "three"))
        await seen.press("E")
        await seen.shows(CANNOT, "-two", "+three")
        await seen.press("enter")
        note = await rejected(seen, looking, request)
    assert note is not None
    assert note.startswith("write it with this change:\n")
    assert note.endswith(" one\n-two\n+three")


async def test_a_suggestion_that_was_not_sent_is_kept_apart_from_a_message(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, run("ls", workdir, honors=frozenset()))
    async with screen(place, size=SMALL, settings=QUICK, waiting=1) as seen:
        await opens(seen, request)
        await seen.press("E")
        await seen.types(" -l")
        await seen.press("escape")
        await seen.rests()
        await seen.armed()
        await seen.press("n")
        await seen.shows("Reject")
        await seen.shows_no("ls -l")
        await seen.press("escape", "E")
        await seen.shows(" > ls -l")


# -- what is not edited ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("curl -H 'Authorization: Bearer abcdef0123456789abcdef0123456789'", "has secrets"),
        ("ls \u202etxt", "has misleading characters"),
    ],
    ids=["secret", "misleading"],
)
async def test_secrets_and_misleading_characters_are_not_edited(
    asking: AgentQueue, place: Path, workdir: Path, text: str, why: str
) -> None:
    request = post(asking, run(text, workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.opens(request)
        await seen.until(
            lambda: (made := seen.desk.content(seen.entry(request))) and made.scanned, "looked through"
        )
        await seen.press("E")
        await seen.shows(f"cannot edit: {why}")


async def test_what_was_decided_is_not_edited(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, run("ls", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        looking.decide(request.id, 1, request.submission.digest, Decision(approved=False, by="anna"))
        await seen.until(lambda: not seen.entry(request).waiting, "the end")
        await seen.press("E")
        await seen.shows("cannot edit: already decided")


async def test_a_file_with_lines_that_mislead_is_given_to_no_editor_even_if_they_stay(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    stays = "\x1b]52;c;aGk=\x07\n" + "line\n" * 20
    (workdir / "a.txt").write_text(f"{stays}one\n")
    request = post(asking, write(workdir / "a.txt", f"{stays}two\n", honors=PARTIAL))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.opens(request)
        await seen.until(
            lambda: (made := seen.desk.content(seen.entry(request))) and made.scanned, "looked through"
        )
        given = editing(seen, lambda text, _: text)
        await seen.press("E")
        await seen.shows("cannot edit: has misleading characters")
        assert given == []


def test_what_every_line_ends_with_misleads_nobody() -> None:
    assert why_not_given(Editable("content", "\ufeffone\r\ntwo\n", ".txt", "/a.txt")) is None
