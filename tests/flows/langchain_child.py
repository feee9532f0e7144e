"""A LangChain agent as a process of its own: ``python langchain_child.py sync|async TURNS``.

TURNS is JSON: for each turn of its model the list of calls ``[tool, arguments]``. Its tool writes files in the
working directory; it asks in the queue that ``SIGNOFF_QUEUE`` names. In the end it prints what its model was told.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from langchain_agents import agent_of, ago, call, go, script, told
from langchain_core.tools import StructuredTool

from signoff.adapters.langchain import ApprovalMiddleware
from signoff.tools.file_sandbox import FileSandbox


def main(way: str, turns: str) -> None:
    """Run the agent."""
    files = FileSandbox({"work": {"root": ".", "mode": "rw"}}, cwd=str(Path.cwd()))
    model = script(*[[call(tool, **arguments) for tool, arguments in turn] for turn in json.loads(turns)])
    agent = agent_of(model, [StructuredTool.from_function(files.write_file)], ApprovalMiddleware())
    messages = {"sync": go, "async": ago}[way](agent)
    print(json.dumps({"told": told(messages), "asked_model": len(model.heard)}))  # noqa: T201 - read by the test


if __name__ == "__main__":
    main(*sys.argv[1:])
