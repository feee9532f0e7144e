from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_bench import Cli, agent_on

from signoff.queue import AgentQueue


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """The command line, on a queue that does not exist yet."""
    folder = tmp_path / "project"
    folder.mkdir()
    return Cli(tmp_path / "queue", folder)


@pytest.fixture
def agent(cli: Cli) -> Iterator[AgentQueue]:
    """An agent that is connected to the queue."""
    with agent_on(cli) as queue:
        yield queue
