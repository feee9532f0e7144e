"""Editing a call before it is approved: what comes of it is shown, armed for and sent, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from screen_bench import HELD, LARGE, QUICK, SMALL, Screen, amend, call, post, screen, write

from signoff.queue import AgentQueue, RequestState, ReviewQueue, StoredRequest
from signoff_tui.external import HandoverError
from signoff_tui.state.amendments import Editable, why_not_given

EDIT, PARTIAL = frozenset({"edit"}), frozenset({"partial"})
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
    await seen.goes_to(request)
    if not seen.app.review.room.wide:
        await seen.press("enter")
    await seen.until(lambda: seen.desk.content(seen.entry(request)), "content")


async def test_edited_arguments_are_shown_as_a_diff_and_in_full_then_sent(
    asking: AgentQueue, looking: ReviewQueue, place: Path
) -> None:
    request = post(asking, call(payload={"title": "Crash", "labels": ["bug"]}, honors=EDIT))
    async with screen(place, size=LARGE, settings=QUICK, waiting=1) as seen:
        await seen.reads(request)
        before = seen.armed_at
        editing(seen, replacing('"Crash"', '"Crash on save"'))
        await seen.press("E")
        await seen.shows("EDITED BY YOU", '-   "title": "Crash",', '+   "title": "Crash on save",')
        assert seen.armed_at != before
        await seen.reads(request)
        await seen.press("s")
        await seen.shows("what you changed is approved once")
        await seen.armed()
        await seen.press("y")
        await seen.until(lambda: looking.get(request.id).state is RequestState.APPROVED, "the approval")
    decision = looking.get(request.id).decision
    assert decision is not None
    assert decision.instead is not None
    assert decision.instead.arguments == {"title": "Crash on save", "labels": ["bug"]}


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
        await seen.shows("approved edited content: a.txt, sends")
        (held,) = seen.desk.guard.holds
        assert held.payload.decision.instead is not None
        assert held.payload.decision.instead.content(str(workdir / "a.txt")) == b"four\n"


async def test_an_edit_that_makes_it_riskier_is_approved_as_such(asking: AgentQueue, place: Path) -> None:
    request = post(asking, call(payload={"method": "GET"}, honors=EDIT))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        assert " HIGH" not in seen.text
        editing(seen, replacing("GET", "DELETE"))
        await seen.press("E")
        await seen.shows("risk HIGH by your edit")
        await seen.shows("▌HIGH ")


async def test_what_cannot_run_is_not_approved_and_kept_to_be_edited_again(
    asking: AgentQueue, looking: ReviewQueue, place: Path
) -> None:
    request = post(asking, call(payload={"title": "Crash"}, honors=EDIT))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        editing(seen, lambda text, _: "{oops")
        await seen.press("E")
        await seen.shows("the edit cannot run, E opens it again: not JSON")
        given = editing(seen, lambda text, _: None)
        await seen.press("E")
        await seen.shows("the edit changed nothing")
        assert given == ["{oops"]

        def fails(text: str, _: str) -> str:
            raise HandoverError("vi ended with 1")

        editing(seen, fails)
        await seen.press("E")
        await seen.shows("not edited: vi ended with 1")
        assert seen.desk.changes.of(seen.entry(request)) is None


async def test_a_request_that_changed_keeps_the_edit_as_a_draft_only(
    asking: AgentQueue, looking: ReviewQueue, place: Path
) -> None:
    request = post(asking, call(payload={"title": "Crash"}, honors=EDIT))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        editing(seen, replacing("Crash", "Bang"))
        await seen.press("E")
        await seen.shows("EDITED BY YOU")
        amend(asking, request, call(payload={"title": "Slow"}, honors=EDIT))
        await seen.shows("changed: read again; your edit is kept: E opens it again")
        await seen.shows_no("EDITED BY YOU")
        given = editing(seen, lambda text, _: None)
        await seen.press("E")
        await seen.until(lambda: given, "the draft in the editor")
        assert "Bang" in given[0]
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
        await seen.until(lambda: seen.desk.changes.why_not_edited(seen.entry(request)) is None, "looked through")
        editing(seen, replacing("two", "three"))
        await seen.press("E")
        await seen.shows("EDITED BY YOU")
        content = seen.desk.content(seen.entry(request))
        assert content is not None
        assert [document.kind for document in content.documents] == ["text", "diff", "diff", "structured"]
        assert "then_tell" in "\n".join(row.text.text for row in content.documents[-1])


async def test_a_file_with_lines_that_mislead_is_given_to_no_editor_even_if_they_stay(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    stays = "\x1b]52;c;aGk=\x07\n" + "line\n" * 20
    (workdir / "a.txt").write_text(f"{stays}one\n")
    request = post(asking, write(workdir / "a.txt", f"{stays}two\n", honors=PARTIAL))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens(seen, request)
        given = editing(seen, lambda text, _: text)
        await seen.press("E")
        await seen.shows("cannot edit: it holds characters that mislead")
        assert given == []


def test_what_every_line_ends_with_misleads_nobody() -> None:
    assert why_not_given(Editable("\ufeffone\r\ntwo\n", ".txt", "/a.txt")) is None
