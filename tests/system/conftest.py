"""A screen in a pseudo-terminal, on the queue of the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pty_bench import Terminal

from system_bench import SCREEN


@pytest.fixture
def screen(variables: dict[str, str], workdir: Path) -> Iterator[Callable[..., Terminal]]:
    """Opens a screen; it is killed at the end of the test."""
    with ExitStack() as stack:

        def open_screen(columns: int = 120, rows: int = 40) -> Terminal:
            return stack.enter_context(Terminal(SCREEN, variables, workdir, columns=columns, rows=rows))

        yield open_screen
