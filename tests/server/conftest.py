"""The reviewer's page on the queue of a test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from page_bench import Browser, PageServer, page_server

from stocked import Stock, stocked


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
