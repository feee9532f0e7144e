"""Details and copying: all that is known of a request, safe to look at, and to take elsewhere."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from screen_bench import LARGE, SMALL, Screen, call, command, post, screen, write

from signoff.queue import AgentQueue, StoredRequest
from signoff_tui.terminal.sequences import Copy, Saying

SIZES = pytest.mark.parametrize("size", [(40, 10), (50, 40), SMALL, LARGE], ids=str)


async def opens_details(seen: Screen, request: StoredRequest) -> None:
    await seen.goes_to(request)
    await seen.press("i")
    await seen.shows("signoff  details of")


async def test_details_say_why_who_and_what_would_be_remembered(
    asking: AgentQueue, place: Path, workdir: Path
) -> None:
    request = post(asking, call(payload={"title": "Crash", "number": 7}))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await opens_details(seen, request)
        await seen.shows(request.id, request.submission.digest, '{"number":7,"title":"Crash"}', str(workdir))


async def test_the_agent_of_the_framework_and_the_adapter_are_told_beside_the_name(
    asking: AgentQueue, place: Path
) -> None:
    request = post(asking, call(), caller="planner\x1b[2J", via="langchain")
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.shows("tester > planner^[[2J  ")
        await opens_details(seen, request)
        await seen.shows("caller        planner^[[2J", "program       pytest", "through       langchain")


@SIZES
async def test_details_fit_any_size_and_nothing_of_them_is_cut(
    asking: AgentQueue, place: Path, size: tuple[int, int]
) -> None:
    request = post(asking, call(payload={"title": "x" * 200}))
    async with screen(place, size=size, waiting=1) as seen:
        await opens_details(seen, request)
        found = "".join(seen.frame).count("x")
        while found < 200:
            await seen.press("space")
            before, found = found, found + "".join(seen.frame).count("x")
            assert found > before or "identity" not in seen.text, seen.text


async def test_details_hide_secrets_and_show_hidden_characters(asking: AgentQueue, place: Path) -> None:
    following = {
        "tool": "deploy\u202e",
        "arguments": {"token": "s3cret", "to": ["a\x1b[2J", "b"], "text": "1\n2\n"},
    }
    request = post(asking, call(payload={"password": "hunter2", "title": "a\u202eb"}), batch_remaining=[following])
    async with screen(place, size=(120, 60), waiting=1) as seen:
        await opens_details(seen, request)
        await seen.shows(
            r"\u202e", "then 1        deploy<U+202E", "  to:", '    - "a^[[2J"', "  text: | (2 lines)"
        )
        assert not {"hunter2", "s3cret"} & set(seen.text.replace('"', " ").split())
        assert '{"to"' not in seen.text


@pytest.mark.parametrize("key", ["i", "escape", "q"])
async def test_the_way_back_leads_to_the_request(asking: AgentQueue, place: Path, workdir: Path, key: str) -> None:
    request = post(asking, command("ls", workdir))
    async with screen(place, waiting=1) as seen:
        await opens_details(seen, request)
        await seen.press(key)
        await seen.shows("y approve")


class Voice:
    """What the program says to its terminal."""

    def __init__(self) -> None:
        self.said: list[Saying] = []

    @property
    def copied(self) -> str:
        (copy,) = [each for each in self.said if isinstance(each, Copy)]
        return base64.b64decode(base64.b64encode(copy.data)).decode()


@pytest.mark.parametrize(
    ("key", "copied"),
    [("a", "one\n\u200btwo\n"), ("t", "<U+200B"), ("p", "a.txt")],
    ids=["as it is", "as it is shown", "path"],
)
async def test_what_is_asked_for_is_copied(
    asking: AgentQueue, place: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch, key: str, copied: str
) -> None:
    request = post(asking, write(workdir / "a.txt", "one\n\u200btwo\n"))
    async with screen(place, size=LARGE, waiting=1) as seen:
        voice = Voice()
        monkeypatch.setattr(seen.app, "speak", voice.said.append)
        await seen.reads(request)
        await seen.press("c")
        await seen.shows("t text as shown  a text as sent")
        await seen.sheet_armed()
        await seen.press(key)
        await seen.shows("copied")
        assert copied in voice.copied


async def test_what_is_too_long_to_copy_says_so(asking: AgentQueue, place: Path, workdir: Path) -> None:
    request = post(asking, write(workdir / "a.txt", "x" * 100_000))
    async with screen(place, size=LARGE, waiting=1) as seen:
        await seen.goes_to(request)
        await seen.until(lambda: seen.desk.content(seen.entry(request)), "content")
        await seen.press("c")
        await seen.sheet_armed()
        await seen.press("a")
        await seen.shows("not copied", "bytes")
