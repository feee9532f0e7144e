"""The reviewer's page in a real browser: Chromium, on a phone and on a desktop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="needs Playwright, and Chromium: make test installs both")

from page_bench import PageServer, page_server, path_of
from playwright.sync_api import Browser, Locator, Page, expect

from signoff.queue import RequestState, ReviewQueue, StoredRequest
from signoff.submission import plain_submission
from signoff.types import ApprovalRequest
from stocked import Stock
from system_bench import PATIENCE, eventually

pytestmark = pytest.mark.system

SIZES = [pytest.param((360, 740), id="phone"), pytest.param((1280, 800), id="desktop")]
HOLD = 8.0
"""Seconds in which a decision can be taken back, also with a browser on a busy machine."""

expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture
def server(place: Path, tmp_path: Path) -> Iterator[PageServer]:
    """The server, with time to take a decision back."""
    with page_server(place, tmp_path, hold_seconds=HOLD) as server:
        yield server


def opened(chromium: Browser, server: PageServer, size: tuple[int, int], *, script: bool = True) -> Page:
    """The page of somebody who has logged in; it fails if anything in it is refused by its own policy."""
    width, height = size
    context = chromium.new_context(viewport={"width": width, "height": height}, java_script_enabled=script)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    server.closing.callback(lambda: (context.close(), check(complaints)))
    page.goto(f"http://127.0.0.1:{server.port}/")
    expect(page).to_have_url(f"{server.origin}/login")
    page.get_by_label("Token").fill(server.token())
    page.get_by_role("button", name="Log in").click()
    expect(page).to_have_url(f"{server.origin}/")
    return page


def check(complaints: list[str]) -> None:
    """Nothing was refused but a form that the test wants to be refused."""
    assert [words for words in complaints if "400 (Bad Request)" not in words] == []


def fits(page: Page) -> bool:
    """True if nothing is wider than the window, once the page is there with its style."""
    page.wait_for_load_state("load")
    return bool(eventually(lambda: page.evaluate("document.documentElement.scrollWidth <= innerWidth")))


@pytest.mark.parametrize("size", SIZES)
def test_a_person_reads_a_diff_approves_takes_it_back_and_approves(
    chromium: Browser, server: PageServer, stock: Stock, looking: ReviewQueue, size: tuple[int, int]
) -> None:
    long = f"value = {'x' * 500}\n"
    request = stock.change("build", "src/app.py", f"one\ntwo\n{long}", f"one\n2\n{long.replace('value', 'other')}")
    page = opened(chromium, server, size)
    assert fits(page)
    page.get_by_role("link", name="src/app.py").click()
    expect(page.locator("tr.removed td.text").first).to_have_text("two")
    expect(page.locator("tr.added td.text").first).to_have_text("2")
    assert fits(page)
    page.get_by_label("Note to the agent").fill("fine")
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("heading", name="Approve")).to_be_visible()
    assert fits(page)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="Taken back")).to_be_visible()
    assert looking.get(request.id).state is RequestState.PENDING
    page.get_by_role("link", name="Look at it again").click()
    page.get_by_label("Note to the agent").fill("fine")
    page.get_by_role("button", name="Approve", exact=True).click()
    expect(page.get_by_role("heading", name="Done")).to_be_visible()
    outcome = stock.agent("build").wait(request.id)
    assert outcome.approved
    assert outcome.decision is not None
    assert (outcome.decision.by, outcome.decision.note) == ("ann", "fine")
    page.get_by_role("link", name="History").click()
    expect(page.get_by_text("by reviewer ann")).to_be_visible()
    assert fits(page)


def test_an_open_list_shows_what_comes(chromium: Browser, serving: PageServer, stock: Stock) -> None:
    page = opened(chromium, serving, (1280, 800))
    expect(page.get_by_role("heading", name="Nothing waits")).to_be_visible()
    stock.call("build", "Send the letters", {"to": "all"})
    expect(page.get_by_role("link", name="Send the letters")).to_be_visible()
    expect(page.locator("#news")).to_have_text("1 waiting")


def test_a_request_that_ends_stays_as_it_was_with_the_note_on_it(
    chromium: Browser, serving: PageServer, stock: Stock
) -> None:
    request = stock.call("build", "Send the letters", {"to": "all"})
    page = opened(chromium, serving, (1280, 800))
    page.goto(serving.origin + path_of(request))
    page.get_by_label("Note to the agent").fill("half a sen")
    stock.agent("build").withdraw(request.id, "not needed")
    expect(page.locator("#news")).to_contain_text("This page has changed")
    expect(page.get_by_label("Note to the agent")).to_have_value("half a sen")
    page.get_by_role("button", name="Show it").click()
    expect(page.get_by_text("Withdrawn: not needed")).to_be_visible()


def point_at(button: Locator) -> None:
    """Hold the pointer over a button, as far down the page as it is."""
    button.scroll_into_view_if_needed()
    button.hover()


def click_where_the_pointer_is(page: Page) -> None:
    """Click without a look at what is there."""
    page.mouse.down()
    page.mouse.up()


@pytest.mark.parametrize("size", SIZES)
def test_a_request_that_is_revised_is_not_decided_until_the_new_one_was_shown(
    chromium: Browser, serving: PageServer, stock: Stock, looking: ReviewQueue, size: tuple[int, int]
) -> None:
    lines = "".join(f"line {number}\n" for number in range(100))
    request = stock.call("build", "Send the letters", {"text": lines})
    page = opened(chromium, serving, size)
    page.goto(serving.origin + path_of(request))
    approve = page.get_by_role("button", name="Approve", exact=True)
    point_at(approve)
    revised = ApprovalRequest(tool_name="call", description="Send more letters", payload={"text": f"more {lines}"})
    stock.agent("build").amend(request.id, plain_submission(revised, None, cwd="/"))
    show = page.get_by_role("button", name="Show it")
    expect(show).to_be_in_viewport()
    assert fits(page)
    expect(approve).to_be_disabled()
    click_where_the_pointer_is(page)
    expect(page.get_by_role("heading", name="Send the letters")).to_be_attached()
    show.click()
    expect(page.get_by_role("heading", name="Send more letters")).to_be_in_viewport()
    assert looking.get(request.id).state is RequestState.PENDING
    approve.click()
    expect(page.get_by_role("heading", name="Done")).to_be_visible()
    assert stock.agent("build").wait(request.id).approved


def test_what_joins_a_group_is_not_decided_until_it_was_shown(
    chromium: Browser, serving: PageServer, stock: Stock, looking: ReviewQueue
) -> None:
    lines = "".join(f"line {number}\n" for number in range(100))

    def ask(name: str) -> StoredRequest:
        return stock.change("build", name, None, lines, group_id="files")

    members = [ask("a"), ask("b")]
    page = opened(chromium, serving, (360, 740))
    page.get_by_role("link", name="Read all 2").click()
    approve = page.get_by_role("button", name="Approve these 2")
    point_at(approve)
    stock.call("other", "Send the letters", {"to": "all"})  # which is no matter of this page
    assert eventually(lambda: page.evaluate("seen !== document.body.dataset.seen"), "the page heard of it")
    expect(approve).to_be_enabled()
    expect(page.locator("#news")).to_be_empty()
    members.append(ask("c"))
    show = page.get_by_role("button", name="Show it")
    expect(show).to_be_in_viewport()
    expect(approve).to_be_disabled()
    click_where_the_pointer_is(page)
    show.click()
    page.get_by_role("button", name="Approve these 3").click()
    expect(page.get_by_role("heading", name="Done")).to_be_visible()
    assert all(looking.get(each.id).state is RequestState.APPROVED for each in members)


def test_show_it_takes_the_place_of_the_button_that_a_keyboard_was_on(
    chromium: Browser, serving: PageServer, stock: Stock
) -> None:
    request = stock.call("build", "Send the letters", {"to": "all"})
    page = opened(chromium, serving, (1280, 800))
    page.goto(serving.origin + path_of(request))
    page.get_by_role("button", name="Reject", exact=True).focus()
    stock.agent("build").withdraw(request.id, "not needed")
    expect(page.get_by_role("button", name="Show it")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Withdrawn: not needed")).to_be_visible()


def test_everything_is_decided_by_keyboard_and_without_script(
    chromium: Browser, server: PageServer, stock: Stock, looking: ReviewQueue
) -> None:
    cut = {"type": "text", "content": "the beginning", "metadata": {"truncated_lines": 4}}
    request = stock.call("build", "Send the letters", {"to": "all"}, presentation=cut)
    page = opened(chromium, server, (360, 740), script=False)
    page.goto(server.origin + path_of(request))
    box = page.get_by_label("I approve what I have not seen")
    box.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")  # which presses the first button of a form
    expect(page.get_by_text("nothing was decided: press one of the buttons")).to_be_visible()
    assert looking.get(request.id).state is RequestState.PENDING
    page.goto(server.origin + path_of(request))
    box.focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Approve all the same")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    expect(page.get_by_role("heading", name="Done")).to_be_visible()  # the page renews itself
    decision = stock.agent("build").wait(request.id).decision
    assert decision is not None
    assert decision.deliberate
