"""What an adapter says when its framework is not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {missing!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
try:
    {statement}
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("statement", "missing", "extra"),
    [
        ("import signoff.adapters.langchain", "langchain", "signoff[langchain]"),
        ("import signoff.adapters.langchain", "langchain_core", "signoff[langchain]"),
        ("import signoff.adapters.langchain", "langgraph", "signoff[langchain]"),
        ("import signoff.adapters.claude_agent_sdk", "claude_agent_sdk", "signoff[claude-agent-sdk]"),
        ("import signoff.adapters.mcp", "mcp", "signoff[mcp]"),
        ("import signoff.adapters.openai_agents", "agents", "signoff[openai-agents]"),
        ("import signoff.adapters.openai_agents", "jsonschema", "signoff[openai-agents]"),
        ("import signoff.adapters.pydantic_ai", "pydantic_ai", "signoff[pydantic-ai]"),
        ("from signoff import ApprovalToolset", "pydantic_ai", "signoff[pydantic-ai]"),
    ],
)
def test_the_error_says_what_to_install(statement: str, missing: str, extra: str) -> None:
    program = PROGRAM.format(statement=statement, missing=missing)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert f"pip install '{extra}'" in done.stdout


def test_the_error_says_what_to_install_in_place_of_an_old_version() -> None:
    old = "import mcp.types; del mcp.types.InputRequiredResult; import signoff.adapters.mcp"
    program = PROGRAM.format(statement=old, missing="nothing")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'signoff[mcp]'" in done.stdout
