"""Secrets on the screen: marks that say how long they are, and one key that shows them."""

from __future__ import annotations

from pathlib import Path

import pytest
from screen_bench import LARGE, SMALL, call, command, post, screen

from redaction_corpus import GITHUB
from signoff.present.document.masking import mark
from signoff.queue import AgentQueue, ReviewQueue

MARK = mark(len(GITHUB))
FOUR = mark(4)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_a_secret_is_a_mark_until_it_is_revealed_and_again_after_it(
    size: tuple[int, int], asking: AgentQueue, place: Path
) -> None:
    request = post(asking, call(payload={"token": "abcd", "title": "Crash"}))
    async with screen(place, size=size, waiting=1) as seen:
        await seen.reads(request)
        await seen.shows(f"token: {FOUR}", 'title: "Crash"', "hidden value")
        seen.chooses("reveal")
        await seen.shows('token: "abcd"', "secrets are shown until you move on")
        seen.chooses("reveal")
        await seen.shows(f"token: {FOUR}")
        await seen.shows_no("abcd")


async def test_what_the_settings_of_the_agent_mask_is_a_mark(asking: AgentQueue, place: Path) -> None:
    request = post(asking, call(payload={"iban": "abcd", "command": "pay"}, masked_keys=("iban", "command")))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.shows(f"iban: {FOUR}", 'command: "pay"', "hidden value")
        seen.chooses("reveal")
        await seen.shows('iban: "abcd"')


async def test_a_token_in_a_command_is_a_mark_in_every_place(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    post(asking, command(f"echo {GITHUB} | sh", workdir))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.shows(f"echo {MARK} | sh")
        await seen.shows_no(GITHUB[:8])


async def test_the_marks_are_enough_to_have_read_a_request(
    asking: AgentQueue, looking: ReviewQueue, place: Path
) -> None:
    request = post(asking, call(payload={"token": "abcd"}))
    async with screen(place, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("y")
        await seen.shows("approved by you")
    decision = looking.get(request.id).decision
    assert decision is not None
    assert (decision.shown, decision.deliberate) == (1.0, False)


async def test_looking_at_secrets_is_no_reading_of_the_rest(asking: AgentQueue, place: Path) -> None:
    text = "".join(f"line {number}\n" for number in range(100))
    request = post(asking, call(payload={"secret": "abcd", "text": text}))
    async with screen(place, size=LARGE, waiting=1) as seen:
        entry = seen.entry(request)
        await seen.until(lambda: seen.has_settled(entry), "settled lines")
        seen.chooses("reveal")
        await seen.shows('secret: "abcd"')
        before = seen.desk.share(seen.desk.inbox.entry(request.id))
        await seen.press("G")
        await seen.press("space", "space", "space", "space")
        assert seen.desk.share(seen.desk.inbox.entry(request.id)) == before


async def test_secrets_are_hidden_again_behind_the_next_request(asking: AgentQueue, place: Path) -> None:
    post(asking, call(payload={"token": "abcd"}))
    post(asking, call("Another", payload={"token": "efgh"}))
    async with screen(place, size=LARGE, waiting=2) as seen:
        seen.chooses("reveal")
        await seen.shows('token: "abcd"')
        await seen.press("j")
        await seen.shows("Another", FOUR)
        await seen.press("k")
        await seen.shows(FOUR)
        await seen.shows_no("abcd")


async def test_nothing_is_revealed_on_a_list(asking: AgentQueue, place: Path) -> None:
    post(asking, call(payload={"token": "abcd"}))
    async with screen(place, size=SMALL, waiting=1) as seen:
        seen.chooses("reveal")
        await seen.shows("open a request to show its secrets")


async def test_a_request_with_a_hidden_value_is_not_remembered(
    asking: AgentQueue, looking: ReviewQueue, place: Path
) -> None:
    request = post(asking, call(payload={"token": "abcd"}))
    async with screen(place, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("s")
        await seen.shows("cannot be allowed: it hides a secret")
    assert looking.get(request.id).pending
    assert looking.grants() == ()


async def test_revealing_decides_nothing(asking: AgentQueue, looking: ReviewQueue, place: Path) -> None:
    request = post(asking, call(payload={"token": "abcd"}))
    async with screen(place, waiting=1) as seen:
        await seen.reads(request)
        for _ in range(3):
            seen.chooses("reveal")
        await seen.shows('token: "abcd"')
    assert looking.get(request.id).pending


async def test_the_history_shows_marks(asking: AgentQueue, place: Path) -> None:
    request = post(asking, call(f"Use {GITHUB}", payload={"token": "abcd"}))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.reads(request)
        await seen.press("y")
        await seen.shows("approved by you")
        await seen.press("h")
        await seen.shows("History", FOUR)
        await seen.shows_no("abcd")
        await seen.shows_no(GITHUB[:8])
