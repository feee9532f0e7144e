"""The reviewer's page on the queue of a test, and a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from page_bench import Browser, PageServer, page_server

from stocked import Stock, stocked

if TYPE_CHECKING:
    from playwright.sync_api import Browser as Chromium


@pytest.fixture
def serving(place: Path, tmp_path: Path) -> Iterator[PageServer]:
    """The server, which holds each decision for a moment only."""
    with page_server(place, tmp_path, hold_seconds=0.3) as server:
        yield server


@pytest.fixture
def holding(place: Path, tmp_path: Path) -> Iterator[PageServer]:
    """The server, which holds each decision for longer than a test takes."""
    with page_server(place, tmp_path, hold_seconds=600) as server:
        yield server


@pytest.fixture
def ann(serving: PageServer) -> Browser:
    """A reviewer at the page."""
    return serving.browser()


@pytest.fixture
def careful(holding: PageServer) -> Browser:
    """A reviewer at the page whose decisions are held until she takes them back."""
    return holding.browser()


@pytest.fixture
def stock(place: Path, workdir: Path) -> Iterator[Stock]:
    """Agents that ask, and stay connected."""
    with stocked(place, workdir) as stock:
        yield stock


@pytest.fixture(scope="module")
def chromium() -> Iterator[Chromium]:
    """One browser for all tests of a file."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    assert program, "Chromium is missing: sh scripts/install-programs.sh chromium"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()
