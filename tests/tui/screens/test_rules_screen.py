"""The rules screen: what the trusted files say, the verdict of a typed call, edit and trust."""

from __future__ import annotations

import asyncio
import time
from contextlib import nullcontext
from itertools import product
from pathlib import Path

import pytest
from rules_bench import CHANGED, RULES, change, trusted_rules
from screen_bench import HELD, LARGE, SMALL, Screen, command, post, screen

from signoff.policy.trust import TrustError, changed_files, require_trusted
from signoff.queue import AgentQueue, Decision, ReviewQueue
from signoff_tui.guard import Cause
from signoff_tui.screens.rules.screen import RulesScreen

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


async def opens_rules(seen: Screen, *shown: str) -> None:
    await seen.press("5")
    await seen.shows("Rules", *shown)


async def goes_to_rule(seen: Screen, about: str) -> None:
    """Put the cursor on a rule with row keys."""
    screen = top(seen)
    at = next(index for index, row in enumerate(screen._rows) if row.rule is not None and row.rule.about == about)
    await seen.press("g", *["j"] * at)


async def list_armed(seen: Screen) -> None:
    """Wait until a key that acts on the list is taken."""
    screen = top(seen)
    await seen.until(lambda: screen._deliberate.armed_at("list", Cause.MOVED) < time.monotonic())


async def confirms(seen: Screen) -> None:
    """Read the rest of a change, and press its key once that is armed."""
    while top(seen).hidden_lines:
        await seen.press("space")
    await seen.shows("! trust it")
    await seen.works("!")
    await seen.press("!")


# -- what there is -------------------------------------------------------------------------------------------


@SIZES
async def test_each_rule_is_told_in_words_with_its_line_and_how_often_it_asked(
    asking: AgentQueue, looking: ReviewQueue, place: Path, workdir: Path, rules: Path, size: tuple[int, int]
) -> None:
    for number in range(2):
        posted = post(asking, command(f"git commit -m {number}", workdir, why='shell rule "git commit"'))
        looking.decide(posted.id, 1, posted.submission.digest, Decision(approved=True))
    async with screen(place, size=size) as seen:
        await opens_rules(seen, "5 rules in 1 file", "all as trusted", "git commit", "2x")
        await goes_to_rule(seen, "git commit")
        assert seen.line("git commit").split()[-2:] == ["2x", "asks"] or "│" in seen.line("git commit")
        await seen.shows("asks first", "signoff.yaml, line 8", "2 times among the newest 2 records")
        await seen.press("enter")
        await seen.shows("signoff  History", 'why:"shell rule', "git commit -m 1")


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
        await opens_rules(seen, "No rule file is trusted here", "signoff policy trust FILE", "policy explain FILE")
        for key in ("t", "e", "T", "x", "v", "A"):
            await seen.press(key)
            await seen.shows("there is no rule file here: trust one first")
            await seen.press("j")
            await seen.shows_no("trust one first")
        await seen.press("t", "e", "T", "!", "enter", "j", "space", "v")
        await seen.shows_no("│")


async def test_a_list_of_trust_that_cannot_be_read_is_said(place: Path, rules: Path, tmp_path: Path) -> None:
    (tmp_path / "data" / "signoff" / "trusted-rules.json").write_text("[", "utf-8")
    async with screen(place) as seen:
        await opens_rules(seen)
        await seen.until(lambda: "move it away, and trust your rule files again" in " ".join(seen.text.split()))


async def test_files_that_are_not_what_was_trusted_stand_out_as_they_change(
    place: Path, rules: Path, tmp_path: Path
) -> None:
    gone, broken = (trusted_rules(tmp_path / name, "shell: {}\n") for name in ("gone", "broken"))
    async with screen(place) as seen:
        await opens_rules(seen, "all as trusted")
        change(rules)
        change(broken, "shell:\n  rulez: []\n")
        gone.unlink()
        await seen.press("ctrl+r")
        await seen.shows("3 NOT AS TRUSTED", "BROKEN", "GONE", "CHANGED", "shell.rulez")


async def test_a_change_on_disk_is_seen_without_a_key(place: Path, rules: Path) -> None:
    async with screen(place) as seen:
        await opens_rules(seen, "all as trusted")
        await seen.until(lambda: seen.app._following._watch._looks is not None, "files to be watched")
        change(rules)
        await seen.shows("1 NOT AS TRUSTED")


@SIZES
async def test_a_file_that_is_gone_can_be_taken_off_the_list_of_trust(
    place: Path, rules: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    gone = trusted_rules(tmp_path / "gone", "shell: {}\n")
    gone.unlink()
    async with screen(place, size=size) as seen:
        await opens_rules(seen, "1 NOT AS TRUSTED", "x trust it no more")
        await seen.press("j", "x")
        await seen.shows("only a file that is gone")
        await seen.press("k")
        await list_armed(seen)
        await seen.press("x")
        await seen.shows("trusted no more: signoff.yaml. If it comes back", "all as trusted")
    gone.write_text("shell: {}\n", "utf-8")
    with pytest.raises(TrustError, match="was never trusted"):
        require_trusted({str(gone): gone.read_bytes()})


async def test_a_file_that_is_there_again_stays_trusted(place: Path, rules: Path, tmp_path: Path) -> None:
    gone = trusted_rules(tmp_path / "gone", "shell: {}\n")
    gone.unlink()
    async with screen(place) as seen:
        await opens_rules(seen, "x trust it no more")
        gone.write_text("shell: {}\n", "utf-8")
        top(seen)._rereading.wanted = lambda: None  # type: ignore[method-assign] - nobody told the screen yet
        await list_armed(seen)
        await seen.press("x")
        await seen.shows("is there again, so it is still trusted")
    require_trusted({str(gone): gone.read_bytes()})


# -- trying a call -------------------------------------------------------------------------------------------


@SIZES
async def test_a_typed_command_is_judged_part_by_part_while_it_is_typed(
    place: Path, rules: Path, size: tuple[int, int]
) -> None:
    async with screen(place, size=size) as seen:
        await opens_rules(seen, "git commit")
        await seen.press("t")
        await seen.types("git commit; rm x")
        await seen.shows('blocked: rule "rm"', "by git commit", "by rm", "Nothing was run")
        await seen.press("enter")
        await seen.shows("t type on")
        await seen.press("escape")
        await seen.shows_no("Nothing was run")


async def test_a_typed_tool_is_judged_by_its_arguments(place: Path, rules: Path, workdir: Path) -> None:
    async with screen(place, size=LARGE) as seen:
        await opens_rules(seen, "git commit")
        await seen.press("t")
        await seen.types('write_file {"path": "a"}')
        await seen.shows("{ write_file", "asks: write approval")


async def test_no_key_of_a_typed_call_is_a_key_of_the_screen(place: Path, rules: Path) -> None:
    async with screen(place) as seen:
        await opens_rules(seen, "git commit")
        await seen.press("t")
        await seen.types("1eT!q5vr?")
        await seen.shows("1eT!q5vr?", "nothing is run")
        await seen.press("escape")
        await seen.shows("t try a call")


# -- editing and trusting ------------------------------------------------------------------------------------


@SIZES
async def test_a_change_is_shown_whole_before_it_can_be_trusted(
    place: Path, rules: Path, size: tuple[int, int]
) -> None:
    change(rules)
    async with screen(place, size=size) as seen:
        await opens_rules(seen, "1 NOT AS TRUSTED")
        await seen.press("T")
        await seen.shows("Trust these contents?", "some let", "+ runs", "- asks")
        assert changed_files()
        await confirms(seen)
        await seen.shows("trusted: signoff.yaml", "all as trusted")
    assert not changed_files()


async def test_more_than_the_screen_holds_is_not_trusted_before_all_of_it_was_shown(
    place: Path, rules: Path
) -> None:
    change(rules, CHANGED + "tools:\n" + "".join(f"  tool_{n}: {{approval: none}}\n" for n in range(30)))
    async with screen(place) as seen:
        await opens_rules(seen, "1 NOT AS TRUSTED")
        await seen.press("T")
        await seen.shows("Trust these contents?", "! trust it", "more lines")
        await seen.press("!")
        await seen.shows("Space shows the rest of it first")
        assert changed_files()
        await confirms(seen)
        await seen.shows("all as trusted")


async def test_what_changes_while_one_reads_is_not_trusted(place: Path, rules: Path) -> None:
    change(rules)
    async with screen(place, size=LARGE) as seen:
        await opens_rules(seen, "1 NOT AS TRUSTED")
        await seen.press("T")
        await seen.shows("! trust it")
        await seen.works("!")
        change(rules, CHANGED.replace("git status", "git"))
        await seen.press("!")
        await seen.shows("NOT trusted: the files changed while you read")
    assert changed_files()


async def test_no_other_key_trusts(place: Path, rules: Path) -> None:
    change(rules)
    async with screen(place, size=LARGE) as seen:
        await opens_rules(seen, "1 NOT AS TRUSTED")
        await seen.press("T")
        await seen.shows("! trust it")
        await seen.works("!")
        await seen.press("enter", "y", "T", "x", "space", "escape", "!")
        await seen.shows("T what changed")
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
        await seen.press("e")
        await seen.shows("Trust these contents?", "1 rule gone, 1 rule new")
        assert (tmp_path / "line").read_text() == "+8\n"
        assert changed_files()
        await confirms(seen)
        await seen.shows("all as trusted")


async def test_a_terminal_that_cannot_be_handed_over_is_said(place: Path, rules: Path) -> None:
    async with screen(place) as seen:
        await opens_rules(seen, "git commit")
        await seen.press("e")
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
        await seen.press("e")
        await seen.shows("a decision is still held")


# -- what agents write ---------------------------------------------------------------------------------------

HOSTILE = "[@click=app.quit]a[/]\\x1b]0;owned\\x07\\x1b[31m\\u202e\\u200bevil"


async def test_hostile_words_of_a_file_are_inert_wherever_they_stand(place: Path, tmp_path: Path) -> None:
    evil = f'tools:\n  "{HOSTILE}": {{approval: required}}\n'
    path = trusted_rules(tmp_path / "shop\u202e[b]x", "approval_mode: strict\n")
    change(path, evil)
    async with screen(place, size=LARGE) as seen:
        await opens_rules(seen, "1 NOT AS TRUSTED", "[@click=app.quit]")
        await seen.press("j")
        await seen.shows("signoff.yaml, line 2")
        await seen.press("T")
        await seen.shows("Trust these contents?", "+ asks")
        assert not set(seen.text) & {"\x1b", "\x07", "\u202e", "\u200b"}
        await seen.press("escape")
        for column, row in product((12, LARGE[0] - 12), range(0, LARGE[1], 4)):
            await seen.pilot.click(offset=(column, row))
        await seen.shows("signoff  Rules")


async def test_the_rules_fit_any_size(place: Path, tmp_path: Path) -> None:
    path = trusted_rules(tmp_path / "a rather long name of a folder" / "shop", RULES)
    change(path)
    async with screen(place) as seen:
        for size in [(40, 10), (50, 40), (200, 50)]:
            await seen.pilot.resize_terminal(*size)
            await opens_rules(seen, "1 NOT AS TRUSTED")
            frames = [seen.frame]
            for keys in (("j",), ("v",), ("escape", "T"), ("escape", "t", "l", "s")):
                await seen.press(*keys)
                await asyncio.sleep(0)
                frames.append(seen.frame)
            assert [len(line) for frame in frames for line in frame] == [size[0]] * size[1] * len(frames)
            seen.app.go("inbox")
            await seen.until(lambda: seen.app.screen is seen.app.review)
