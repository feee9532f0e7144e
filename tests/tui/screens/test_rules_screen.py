"""The rules screen: what is allowed for a session, what the trusted files say, revoke, edit and trust."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from contextlib import nullcontext
from itertools import product
from pathlib import Path

import pytest
from msgspec.structs import replace
from rules_bench import CHANGED, RULES, change, trusted_rules
from screen_bench import HELD, LARGE, QUICK, SMALL, Cable, Screen, call, command, post, screen

from signoff import ApprovalContext, ApprovalController, ApprovalRequest
from signoff.policy.trust import TrustError, changed_files, require_trusted
from signoff.queue import AgentQueue, Decision, Grant, ReviewQueue, open_review_queue
from signoff.queue.grant_pattern import Beginning, GrantPattern
from signoff_tui.guard import Cause
from signoff_tui.screens.rules.allowed import Allowed
from signoff_tui.screens.rules.files import FileRule, RuleFile
from signoff_tui.screens.rules.lines import allowed_details, allowed_row
from signoff_tui.screens.rules.screen import RulesScreen
from signoff_tui.text.lines import paint
from signoff_tui.text.look import UNICODE
from signoff_tui.text.themes import DEFAULT_THEME, builtin_themes
from signoff_tui.widgets.lines_view import LinesView

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])


@pytest.fixture(autouse=True)
def _own_list_of_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    return trusted_rules(tmp_path / "shop")


def top(seen: Screen) -> RulesScreen:
    """The screen on top."""
    assert isinstance(seen.app.screen, RulesScreen)
    return seen.app.screen


def row(seen: Screen, fragment: str) -> str:
    """The first row below the heading that contains a fragment."""
    lists = (line.partition("│")[0] for line in seen.frame[2:])
    return next(line for line in lists if fragment in line)


async def opens_rules(seen: Screen, *shown: str) -> None:
    await seen.press("4")
    await seen.shows("Allowed for a session", *shown)


async def goes_to_rule(seen: Screen, about: str) -> None:
    """Put the cursor on a rule with row keys."""
    rows = top(seen)._rows
    at = next(index for index, row in enumerate(rows) if isinstance(row, FileRule) and row.rule.about == about)
    await seen.press("g", *["j"] * at)


async def goes_to_file(seen: Screen, state: str = "") -> None:
    """Put the cursor on the first file, or the first one in a state."""
    await seen.until(lambda: any(map(in_state(state), top(seen)._rows)), f"a file {state}")
    at = next(index for index, row in enumerate(top(seen)._rows) if in_state(state)(row))
    await seen.press("g", *["j"] * at)


def in_state(state: str):
    return lambda row: isinstance(row, RuleFile) and state in ("", row.state)


async def presses_x(seen: Screen) -> None:
    """Press `x` once it counts for the focused row."""
    screen = top(seen)
    await seen.until(lambda: screen._deliberate.armed_at(screen._subject, Cause.MOVED) < time.monotonic())
    await seen.press("x")


async def confirms(seen: Screen) -> None:
    """Read the rest of a change, and press its key once that is armed."""
    if not top(seen).details_visible:
        await seen.press("space")
    while top(seen).hidden_lines:
        await seen.press("space")
    await seen.shows("! trust it")
    await seen.works("!")
    await seen.press("!")


async def tells(seen: Screen, *fragments: str) -> None:
    """Wait until the details say all this, on however many lines."""

    def told() -> bool:
        rows = top(seen).query_one("#detail", LinesView).lines
        words = " ".join("".join(piece.text.text for piece in row.left) for row in rows)
        return all(fragment in " ".join(words.split()) for fragment in fragments)

    await seen.until(told, f"{fragments}")


def allowed(asking: AgentQueue, looking: ReviewQueue, request: ApprovalRequest) -> Grant:
    """Have a request approved, and calls like it allowed for its session."""
    posted = post(asking, request)
    decision = Decision(approved=True, remember=True, shown=1.0)
    verdict = looking.decide(posted.id, posted.revision, posted.submission.digest, decision)
    assert verdict.accepted, verdict.message
    return looking.grants()[-1]


def used(asking: AgentQueue, request: ApprovalRequest) -> None:
    """Ask once more, and be answered by what is allowed."""
    with_grant = post(asking, request)
    asking.withdraw(with_grant.id, "only its submission is wanted")
    assert asking.use_grant(with_grant.submission) is not None


# -- what is allowed for a session -----------------------------------------------------------------------------


@SIZES
async def test_a_row_says_what_is_allowed_for_which_session_and_how_often_it_was_used(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    allowed(asking, looking, command("pytest -q", workdir))
    used(asking, command("pytest -q", workdir))
    async with screen(place, size=size) as seen:
        await opens_rules(seen, 'command = "pytest -q"')
        words = row(seen, 'command = "pytest -q"').split()
        assert words[1:3] == ["1", "shell"]
        assert words[-3:-1] == ["s-1", "1"]


async def test_the_details_say_who_allowed_it_for_whom_and_until_when(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    allowed(asking, looking, command("pytest -q", workdir))
    async with screen(place, size=LARGE, reviewer=looking.reviewer) as seen:
        await opens_rules(seen)
        await tells(seen, "#1 allowed by you at", "asked by tester", "used never")
        await tells(seen, "any agent of session s-1", "with the session; HIGH risk still asks")


async def test_another_reviewer_is_named(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    with open_review_queue(place, reviewer="anna") as anna:
        allowed(asking, anna, command("pytest -q", workdir))
    async with screen(place, size=LARGE) as seen:
        await opens_rules(seen)
        await tells(seen, "allowed by anna")


async def test_breadth_is_told_from_the_arguments_of_the_call_and_not_from_its_payload_alone(
    asking: AgentQueue, looking: ReviewQueue, place: Path
) -> None:
    told = [
        ({"path": "a", "mode": "w"}, "exactly this call"),
        ({"path": "a"}, "any call with these values"),
        ({"sandbox": "docs"}, "WIDE: only this is fixed"),
        ({}, "EVERYTHING"),
    ]
    for payload, _ in told:
        allowed(asking, looking, call(payload=payload, arguments={"path": "a", "mode": "w"}))
    async with screen(place, size=LARGE) as seen:
        await opens_rules(seen, 'path = "a", ANY mode', "ANY call of this tool")
        for _, breadth in told:
            await tells(seen, breadth)
            await seen.press("j")


def test_secrets_are_marks(asking: AgentQueue, looking: ReviewQueue, workdir: Path) -> None:
    grant = dataclasses.replace(
        allowed(asking, looking, command("ls", workdir)), payload={"password": "correct horse"}
    )
    entry = Allowed(1, grant, None)
    lines = [*allowed_row(entry, UNICODE, 80, 0, "", focused=True), *allowed_details(entry, 80, 0, "")]
    text = "".join(piece.text.text for line in lines for piece in line.left)
    assert "password" in text
    assert "horse" not in text


@pytest.mark.parametrize("width", [28, 44, 100])
def test_what_begins_in_a_way_is_told_to_its_last_word_however_narrow(
    asking: AgentQueue, looking: ReviewQueue, workdir: Path, width: int
) -> None:
    words = ("python3", "-m", "pytest", "-q", "tests/unit/test_parser.py")
    pattern = GrantPattern("shell", (("command", Beginning(words)),))
    entry = Allowed(
        1, dataclasses.replace(allowed(asking, looking, command("ls", workdir)), pattern=pattern), None
    )
    drawn = [
        paint(row, width, builtin_themes()[DEFAULT_THEME]).text for row in allowed_details(entry, width, 0, "")
    ]
    told = "".join("".join(row.split()) for row in drawn)
    assert "commandisanycommandthatbeginswith" in told
    assert "".join(words) in told


@SIZES
async def test_what_was_revoked_asks_again(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, size: tuple[int, int]
) -> None:
    allowed(asking, looking, command("pytest -q", workdir))
    controller = ApprovalController(queue=asking, cwd=str(workdir))
    context = ApprovalContext(tool_name="shell", args={"command": "pytest -q"})
    before = await controller.request_approval(command("pytest -q", workdir), context)
    assert (before.approved, before.source) == (True, "grant")
    async with screen(place, size=size, reviewer=looking.reviewer) as seen:
        await opens_rules(seen, "pytest -q")
        await presses_x(seen)
        await seen.shows("#1 revoked: the next such call asks again", "by you")
        asked = asyncio.create_task(controller.request_approval(command("pytest -q", workdir), context))
        await seen.shows("1 waiting")
        (request,) = looking.pending()
        looking.decide(request.id, request.revision, request.submission.digest, Decision(approved=False))
        assert not (await asked).approved


async def test_nothing_moves_when_a_row_is_revoked(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    for name in "abc":
        allowed(asking, looking, command(f"ls {name}", workdir))
    async with screen(place) as seen:
        await opens_rules(seen, "ls c")
        places = [index for index, line in enumerate(seen.frame) for name in "abc" if f'"ls {name}"' in line]
        await seen.press("j")
        await presses_x(seen)
        await seen.shows("#2 revoked")
        after = [index for index, line in enumerate(seen.frame) for name in "abc" if f'"ls {name}"' in line]
        assert after == places
        assert "revoked" in seen.frame[places[1]]


async def test_a_second_press_does_not_go_on_to_the_next(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    for name in "ab":
        allowed(asking, looking, command(f"ls {name}", workdir))
    async with screen(place) as seen:
        await opens_rules(seen, "ls b")
        await presses_x(seen)
        await seen.shows("#1 revoked")
        await presses_x(seen)
        await seen.shows("#1 is revoked already")
    assert len(looking.grants()) == 1


async def test_a_typed_word_revokes_one_at_most(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    for name in "abc":
        allowed(asking, looking, command(f"ls {name}", workdir))
    settings = replace(QUICK, typing_lock=True, quiet_before=0.25)
    async with screen(place, settings=settings) as seen:
        await opens_rules(seen, "ls c")
        screen_ = top(seen)
        await seen.until(lambda: screen_._deliberate.armed_at(screen_._subject, Cause.MOVED) < time.monotonic())
        await seen.types("xjxjx")
        await seen.shows("x was not taken")
    assert len(looking.grants()) >= 2


async def test_after_the_terminal_got_the_focus_the_row_has_to_be_seen_anew(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    allowed(asking, looking, command("ls", workdir))
    async with screen(place) as seen:
        await opens_rules(seen, '"ls"')
        shown = top(seen)
        await seen.until(lambda: shown._deliberate.is_painted(shown._subject))
        shown.terminal_focused(time.monotonic())
        assert not shown._deliberate.is_painted(shown._subject)
        await seen.until(lambda: shown._deliberate.is_painted(shown._subject), "another picture of the row")


async def test_somebody_who_was_first_is_said(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    allowed(asking, looking, command("ls", workdir))

    class Late(Cable):
        def revoke(self, grant_id: str) -> bool:
            with open_review_queue(place, reviewer="anna") as anna:
                anna.revoke(grant_id)
            return self._queue.revoke(grant_id)

    async with screen(place, queue=Late(place)) as seen:
        await opens_rules(seen, '"ls"')
        await presses_x(seen)
        await seen.shows("#1 had been revoked by somebody else before", "by anna")


async def test_what_another_screen_allows_revokes_and_uses_is_seen_without_a_key(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    grant = allowed(asking, looking, command("ls a", workdir))
    async with screen(place, size=LARGE) as seen:
        await opens_rules(seen, '"ls a"')
        used(asking, command("ls a", workdir))
        await tells(seen, "used once, last")
        allowed(asking, looking, command("ls b", workdir))
        await seen.shows('"ls b"')
        assert seen.frame.index(seen.line('"ls a"')) < seen.frame.index(seen.line('"ls b"'))
        with open_review_queue(place, reviewer="anna") as anna:
            anna.revoke(grant.id)
        await seen.shows("by anna")
        await tells(seen, "such calls ask again")


async def test_enter_opens_the_history_of_its_uses_and_revokes_nothing(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    allowed(asking, looking, command("ls", workdir))
    used(asking, command("ls", workdir))
    async with screen(place) as seen:
        await opens_rules(seen, '"ls"')
        await seen.press("enter")
        await seen.shows("History")
    assert len(looking.grants()) == 1


async def test_a_lost_queue_is_said_and_nothing_is_revoked(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    allowed(asking, looking, command("ls", workdir))
    cable = Cable(place)
    async with screen(place, queue=cable) as seen:  # type: ignore[arg-type]
        await opens_rules(seen, '"ls"')
        cable.pulled = True
        await seen.shows("QUEUE LOST")
        await presses_x(seen)
        await seen.shows("x does nothing: the queue is not there")
    assert len(looking.grants()) == 1


async def test_nothing_is_revoked_on_a_screen_that_only_reads(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path
) -> None:
    allowed(asking, looking, command("ls", workdir))
    async with screen(place, read_only=True) as seen:
        await opens_rules(seen, '"ls"')
        await presses_x(seen)
        await seen.shows("x does nothing: read only")
    assert len(looking.grants()) == 1


# -- rule files -----------------------------------------------------------------------------------------------


@SIZES
async def test_each_rule_is_told_in_words_with_its_line_and_how_often_it_asked(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, rules: Path, size: tuple[int, int]
) -> None:
    for number in range(2):
        posted = post(asking, command(f"git commit -m {number}", workdir, why='shell rule "git commit"'))
        looking.decide(posted.id, 1, posted.submission.digest, Decision(approved=True))
    async with screen(place, size=size) as seen:
        await opens_rules(seen, "signoff.yaml", "5 rules  trusted", "2x")
        await goes_to_rule(seen, "git commit")
        assert row(seen, "git commit").split()[-2:] == ["2x", "asks"]
        await tells(seen, "asks first", "signoff.yaml, line 8", "asked 2 times, in the newest 2 records")
        await seen.press("enter")
        await seen.shows("History", 'why:"shell rule', "git commit -m 1")


async def test_the_rule_that_asked_about_the_focused_request_has_the_focus(
    asking: AgentQueue, place: Path, workdir: Path, rules: Path
) -> None:
    posted = post(asking, command("git commit", workdir, why='shell rule "git commit"; it writes'))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.goes_to(posted)
        await opens_rules(seen, "shell  git commit", "signoff.yaml, line 8")


async def test_a_rule_that_asked_about_nothing_has_no_calls_to_list(place: Path, rules: Path) -> None:
    async with screen(place) as seen:
        await opens_rules(seen, "git status")
        await goes_to_rule(seen, "git status")
        await seen.press("enter")
        await seen.shows("no request in the newest part of the history names this rule")


async def test_without_a_trusted_file_it_says_how_to_trust_one(place: Path) -> None:
    async with screen(place, size=LARGE) as seen:
        await opens_rules(seen, "Allowed for a session: nothing", "Rule files: none is trusted here")
        await seen.press("j")
        await tells(seen, "signoff policy trust FILE")
        await seen.press("E")
        await seen.shows("no file to edit here")


async def test_a_list_of_trust_that_cannot_be_read_is_said(place: Path, rules: Path, tmp_path: Path) -> None:
    (tmp_path / "data" / "signoff" / "trusted-rules.json").write_text("[", "utf-8")
    async with screen(place) as seen:
        await opens_rules(seen)
        await seen.until(lambda: "move it away, and trust your rule files again" in " ".join(seen.text.split()))


async def test_files_that_are_not_what_was_trusted_stand_out_as_they_change(
    place: Path, rules: Path, tmp_path: Path
) -> None:
    gone, broken = (trusted_rules(tmp_path / name, "shell: {}\n") for name in ("gone", "broken"))
    async with screen(place, size=LARGE) as seen:
        await opens_rules(seen, "trusted")
        await seen.until(lambda: seen.app._following._watch._looks is not None, "files to be watched")
        change(rules)
        change(broken, "shell:\n  rulez: []\n")
        gone.unlink()
        await seen.shows("BROKEN", "GONE", "CHANGED")
        await goes_to_file(seen, "BROKEN")
        await tells(seen, "shell.rulez")


@SIZES
@pytest.mark.parametrize("state", ["trusted", "GONE", "CHANGED"])
async def test_a_file_in_any_state_is_trusted_no_longer_by_one_key(
    place: Path, rules: Path, size: tuple[int, int], state: str
) -> None:
    if state == "GONE":
        rules.unlink()  # noqa: ASYNC240 - before there is a screen
    elif state == "CHANGED":
        change(rules)
    async with screen(place, size=size) as seen:
        await opens_rules(seen, state)
        await goes_to_file(seen)
        await presses_x(seen)
        await seen.shows("no longer trusted: signoff.yaml", "none is trusted here")
    with pytest.raises(TrustError, match="was never trusted"):
        require_trusted({str(rules): RULES.encode()})


async def test_on_a_rule_the_key_that_revokes_does_nothing(place: Path, rules: Path) -> None:
    async with screen(place) as seen:
        await opens_rules(seen, "git commit")
        await goes_to_rule(seen, "git commit")
        await presses_x(seen)
        await seen.shows("x on the row of its file")
    require_trusted({str(rules): RULES.encode()})


# -- editing and trusting ------------------------------------------------------------------------------------


@SIZES
async def test_a_changed_file_is_shown_and_trusted_by_one_key(
    place: Path, rules: Path, size: tuple[int, int]
) -> None:
    change(rules)
    async with screen(place, size=size) as seen:
        await opens_rules(seen, "CHANGED")
        await goes_to_file(seen)
        await tells(seen, "some let calls run without asking", "+ runs", "- asks")
        assert changed_files()
        await confirms(seen)
        await seen.shows("trusted: signoff.yaml")
    assert not changed_files()


async def test_more_than_the_screen_holds_is_not_trusted_before_all_of_it_was_shown(
    place: Path, rules: Path
) -> None:
    change(rules, CHANGED + "tools:\n" + "".join(f"  tool_{n}: {{approval: none}}\n" for n in range(60)))
    async with screen(place, size=LARGE) as seen:
        await opens_rules(seen, "CHANGED")
        await goes_to_file(seen)
        await seen.shows("rules new", "lines below")
        await seen.press("!")
        await seen.shows("not trusted: Space shows the rest of it first")
        assert changed_files()
        await confirms(seen)
        await seen.shows("trusted: signoff.yaml")


async def test_a_change_that_was_not_opened_is_not_trusted(place: Path, rules: Path) -> None:
    change(rules)
    async with screen(place, size=SMALL) as seen:
        await opens_rules(seen, "CHANGED")
        await goes_to_file(seen)
        await tells(seen, "+ runs")
        await seen.press("!")
        await seen.shows("not trusted: Space shows")
    assert changed_files()


async def test_what_changes_while_one_reads_is_not_trusted(place: Path, rules: Path) -> None:
    change(rules)
    async with screen(place, size=LARGE) as seen:
        await opens_rules(seen, "CHANGED")
        await goes_to_file(seen)
        await seen.shows("! trust it")
        await seen.works("!")
        top(seen)._reading_files.wanted = lambda: None  # type: ignore[method-assign] - nobody told the screen yet
        change(rules, CHANGED.replace("git status", "git"))
        await seen.press("!")
        await seen.shows("NOT trusted: the files changed while you read")
    assert changed_files()


@pytest.mark.parametrize("key", ["enter", "y", "space", "s", "Y"])
async def test_no_other_key_trusts(place: Path, rules: Path, key: str) -> None:
    change(rules)
    async with screen(place, size=LARGE) as seen:
        await opens_rules(seen, "CHANGED")
        await goes_to_file(seen)
        await seen.shows("! trust it")
        await seen.works("!")
        await seen.press(key)
        assert changed_files()


async def test_what_an_editor_saved_is_shown_and_asked_about(
    place: Path, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor = tmp_path / "vim"
    editor.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/line\nsed -i \'s/git commit/git push/\' "$2"\n', "utf-8")
    editor.chmod(0o755)
    monkeypatch.setenv("VISUAL", str(editor))
    async with screen(place, size=LARGE) as seen:
        monkeypatch.setattr(seen.app, "suspend", nullcontext)  # the terminal of a test cannot be handed over
        await opens_rules(seen, "git commit")
        await goes_to_rule(seen, "git commit")
        await seen.press("E")
        await seen.shows("1 rule gone, 1 rule new")
        assert (tmp_path / "line").read_text() == "+8\n"
        assert changed_files()
        await confirms(seen)
        await seen.shows("trusted: signoff.yaml")


async def test_a_terminal_that_cannot_be_handed_over_is_said(place: Path, rules: Path) -> None:
    async with screen(place) as seen:
        await opens_rules(seen, "git commit")
        await goes_to_rule(seen, "git commit")
        await seen.press("E")
        await seen.shows("this terminal cannot be handed to another program")


async def test_nothing_is_edited_while_a_decision_is_held(
    asking: AgentQueue, place: Path, workdir: Path, rules: Path
) -> None:
    posted = post(asking, command("ls", workdir))
    async with screen(place, waiting=1, settings=HELD) as seen:
        await seen.reads(posted)
        await seen.press("y")
        await seen.until(lambda: len(seen.desk.guard.holds) == 1)
        await opens_rules(seen, "git commit")
        await goes_to_rule(seen, "git commit")
        await seen.press("E")
        await seen.shows("a decision is still held")


# -- what agents write ---------------------------------------------------------------------------------------

HOSTILE = "[@click=app.quit]a[/]\\x1b]0;owned\\x07\\x1b[31m\\u202e\\u200bevil"


async def test_hostile_words_of_a_file_are_inert_wherever_they_stand(place: Path, tmp_path: Path) -> None:
    evil = f'tools:\n  "{HOSTILE}": {{approval: required}}\n'
    path = trusted_rules(tmp_path / "shop\u202e[b]x", "approval_mode: strict\n")
    change(path, evil)
    async with screen(place, size=LARGE) as seen:
        await opens_rules(seen, "CHANGED", "[@click=app.quit]")
        await goes_to_file(seen)
        await seen.shows("+ asks")
        await seen.press("j")
        await seen.shows("signoff.yaml, line 2")
        assert not set(seen.text) & {"\x1b", "\x07", "\u202e", "\u200b"}
        for column, row in product((12, LARGE[0] - 12), range(0, LARGE[1], 4)):
            await seen.pilot.click(offset=(column, row))
        await seen.shows("Allowed for a session")


async def test_the_rules_fit_any_size(place: Path, tmp_path: Path) -> None:
    path = trusted_rules(tmp_path / "a rather long name of a folder" / "shop", RULES)
    change(path)
    async with screen(place) as seen:
        for size in [(40, 10), (50, 40), (200, 50)]:
            await seen.pilot.resize_terminal(*size)
            await opens_rules(seen, "CHANGED")
            frames = [seen.frame]
            for keys in (("j",), ("v",), ("escape", "j"), ("space",), ("escape",)):
                await seen.press(*keys)
                await asyncio.sleep(0)
                frames.append(seen.frame)
            assert [len(line) for frame in frames for line in frame] == [size[0]] * size[1] * len(frames)
            seen.app.go("inbox")
            await seen.until(lambda: seen.app.screen is seen.app.review)
