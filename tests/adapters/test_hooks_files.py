"""What the reviewer is shown of a file is what the agent's own tool writes, in every dialect.

The cases are what the real programs did; tests/clients compares them with the programs again. Those of Crush and
goose are what their source says.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import claude_cases
import codex_cases
import copilot_cases
import crush_cases
import gemini_cases
import goose_cases
import opencode_cases
import qwen_cases
import vibe_cases
from claude_cases import Case
from signoff.adapters.hooks import dialect
from signoff.adapters.hooks.calls import Dialect, HookCall
from signoff.effects import FileWrite, SnapshotError

CASES = [
    (dialect(name), case)
    for name, cases in (
        ("claude-code", (*claude_cases.CASES, *claude_cases.NOTEBOOKS)),
        ("codex", codex_cases.CASES),
        ("copilot", copilot_cases.CASES),
        ("crush", crush_cases.CASES),
        ("gemini", gemini_cases.CASES),
        ("goose", goose_cases.CASES),
        ("opencode", opencode_cases.CASES),
        ("opencode", opencode_cases.PATCHES),
        ("qwen", qwen_cases.CASES),
        ("vibe", vibe_cases.CASES),
    )
    for case in cases
]


def ident(value: object) -> str:
    return value.name if isinstance(value, Case) else str(getattr(value, "title", value))


@pytest.mark.parametrize(("spoken", "case"), CASES, ids=ident)
def test_what_is_shown_is_what_the_tool_writes(spoken: Dialect, case: Case, tmp_path: Path) -> None:
    path = tmp_path / case.name
    if case.before is not None:
        path.write_bytes(case.before)
    call = HookCall("", case.tool, None, dict(case.arguments_for(str(path))), session="s-1", cwd=str(tmp_path))
    if case.after is None:
        with pytest.raises(SnapshotError):
            spoken.effects(call)
        return
    [effect] = spoken.effects(call)
    assert isinstance(effect, FileWrite)
    assert (effect.path, effect.data) == (str(path), case.after)
