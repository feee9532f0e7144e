"""The first page comes before everything was searched, and in the end everything was."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_samples import stored
from screen_bench import LARGE, post, screen, write

from signoff.queue import AgentQueue
from signoff_tui.state import documents
from signoff_tui.state.documents import Content, make_content, scanned

TEXTS = st.lists(st.text(alphabet="ab\u202e\u200b\x1b\u0430 ", max_size=12), max_size=12).map("\n".join)


def made(text: str, at_once: int) -> Content:
    """What a request with a text shows, if contents of so many units are scanned at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "SCANNED_AT_ONCE", at_once)
        return make_content(stored("r", presentation={"type": "text", "content": text}), {}.__getitem__)


@given(TEXTS)
def test_what_is_made_in_stages_is_what_is_made_at_once(text: str) -> None:
    whole, first = made(text, 1_000), made(text, -1)
    assert whole.scanned
    assert (first.scanned, first.can_be_all_shown) == (False, False)
    last = scanned(first)
    assert (last.alerts, last.scanned, last.units, last.notes) == (whole.alerts, True, whole.units, whole.notes)
    assert [list(document) for document in last.documents] == [list(document) for document in whole.documents]


async def test_nothing_can_be_approved_as_seen_before_it_was_searched(
    asking: AgentQueue, place: Path, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "SCANNED_AT_ONCE", -1)
    async with screen(place, size=LARGE) as seen:
        searched, office = asyncio.Event(), seen.app._office
        search = office.scanned

        async def waits(content: Content) -> Content:
            await searched.wait()
            return await search(content)

        monkeypatch.setattr(office, "scanned", waits)
        request = post(asking, write(workdir / "a.txt", "a\u202eb\n"))
        await seen.until(lambda: request.id in seen.desk.inbox)
        await seen.until(lambda: seen.has_settled(seen.entry(request)))
        await seen.shows("checking")
        assert " %" not in seen.text
        await seen.armed()
        await seen.press("y")
        await seen.shows("approve unread (still checking for hidden characters)")
        await seen.press("escape")
        searched.set()
        await seen.shows("text direction control")
        await seen.until(lambda: seen.is_read(seen.entry(request)))
