"""Processes forked from one that has loaded what they need, which takes longer than most of them live.

All share that one: there is one fork server for each process, whatever asks for it.
"""

from __future__ import annotations

import multiprocessing

__all__ = ["FORKED"]

FORKED = multiprocessing.get_context("forkserver")
"""Where to start them. What is not installed is not loaded."""

FORKED.set_forkserver_preload(
    [
        "psycopg",
        "signoff.queue.postgres",
        "signoff.queue.sqlite",
        "langchain.agents",
        "signoff.adapters.langchain",
        "pydantic_ai.models",
        "signoff.adapters.pydantic_ai",
    ]
)
