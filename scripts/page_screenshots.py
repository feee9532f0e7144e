"""Writes the pictures of the reviewer's page in screenshots/: real agents, queue, server and browser.

It needs Chromium, and Playwright to drive it. Usage: python scripts/page_screenshots.py [FOLDER]
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from signoff.demo.agents import ROLES
from signoff.demo.project import create_project
from signoff.demo.run import AgentProcesses
from signoff.queue import open_review_queue
from signoff.queue.keys.folder import KEYS_VARIABLE

LOOKS = {"phone": (360, 740, 2, "dark"), "desktop": (1280, 800, 1, "light")}
"""Width, height, pixels for each of theirs, and colors."""

WAITING = 12
"""Requests the demo agents have posted when all of them wait."""

SIGNOFF = (sys.executable, "-m", "signoff.cli")


def main() -> None:
    """Take all pictures."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "screenshots"
    for old in folder.glob("page-*.png"):
        old.unlink()
    with tempfile.TemporaryDirectory(prefix="signoff-pictures-") as base, sync_playwright() as driver:
        # The person's own key, and the settings files that the person trusts, stay out of it.
        os.environ |= {KEYS_VARIABLE: str(Path(base) / "keys"), "XDG_DATA_HOME": str(Path(base) / "data")}
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        with _waiting(Path(base)) as place, _serving(Path(base), place) as (address, token):
            _take_all(browser, address, token, folder)
        browser.close()
    print(f"{len(list(folder.glob('page-*.png')))} pictures in {folder}")


@contextmanager
def _waiting(base: Path) -> Iterator[Path]:
    """The queue of the demo, while all of its agents wait."""
    project, place = base / "shop", base / "queue"
    create_project(project)
    with open_review_queue(place, create=True) as queue, AgentProcesses(ROLES, project, place, base / "logs"):
        while len(queue.pending()) < WAITING:
            time.sleep(0.1)
        yield place


@contextmanager
def _serving(base: Path, place: Path) -> Iterator[tuple[str, str]]:
    """The address of a server, and a token for it."""
    settings = base / "signoff.yaml"
    settings.write_text("{}\n", encoding="utf-8")
    subprocess.run([*SIGNOFF, "policy", "trust", "--yes", settings], check=True, capture_output=True)
    command = [*SIGNOFF, "token", "new", "ann", "--scope", "read", "--scope", "decide"]
    token = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    command = [*SIGNOFF, "serve", "--config", str(settings), "--queue", str(place), "--data", str(base / "runs")]
    with subprocess.Popen([*command, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            for line in server.stderr:
                if found := re.search(r"in a browser: (\S+)", line):
                    yield found[1], token
                    break
        finally:
            server.terminate()


def _take_all(browser: Browser, address: str, token: str, folder: Path) -> None:
    with ExitStack() as stack:
        pages: dict[str, Page] = {}
        for look, (width, height, scale, colors) in LOOKS.items():
            size = {"width": width, "height": height}
            context = browser.new_context(viewport=size, color_scheme=colors, device_scale_factor=scale)
            stack.callback(context.close)
            page = pages[look] = context.new_page()
            page.goto(address)
            page.fill("#token", token)
            page.click("main button")
            page.wait_for_selector("#renewed")

        def take(name: str, *, whole: bool = False) -> None:
            for look, page in pages.items():
                page.screenshot(path=folder / f"page-{name}-{look}.png", full_page=whole)

        first = pages["desktop"]
        take("list")
        path = first.locator("a", has_text="pyproject.toml").first.get_attribute("href")
        group = first.locator("a.button[href^='/groups/']").first.get_attribute("href")
        for name, where in (("request", path), ("group", group)):
            for page in pages.values():
                page.goto(address + str(where))
            take(name, whole=name == "request")
        held = _decide_some(first, address)
        for page in pages.values():
            page.goto(held)
        take("held")
        first.wait_for_selector("h1:has-text('Done')", timeout=30_000)
        for page in pages.values():
            page.goto(f"{address}/history")
        take("history")


def _decide_some(page: Page, address: str) -> str:
    """Decide what no group holds, and return the address of the last decision while it is held."""
    page.goto(address)
    links = [each.get_attribute("href") for each in page.locator("a[id^='request-']").all()]
    answers = (("approve", "Go ahead."), ("reject", "Keep the old name, others import it."), ("approve", ""))
    for link, (answer, note) in zip(links[::3], answers, strict=False):
        page.goto(address + str(link))
        page.fill("#note", note)
        with page.expect_navigation():
            page.click(f"#decide button[value={answer}]")
    return page.url


if __name__ == "__main__":
    main()
