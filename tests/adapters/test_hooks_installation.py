"""The hook in the settings of an agent: what others wrote there stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from signoff.adapters.hooks import DIALECTS, dialect
from signoff.adapters.hooks.installation import HookPlace, SettingsError, has_hook, with_hook, without_hook

CLAUDE = dialect("claude-code").place
OTHERS: dict[str, Any] = {
    "model": "opus “5”",
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}],
        "Stop": [{"hooks": []}],
    },
}


@pytest.fixture(params=sorted(DIALECTS))
def place(request: pytest.FixtureRequest) -> HookPlace:
    return dialect(request.param).place


@pytest.mark.parametrize("before", ["", "{}", json.dumps(OTHERS, indent=4)])
def test_what_is_put_in_can_be_taken_out_again(place: HookPlace, before: str) -> None:
    after = with_hook(before, place, "signoff")
    assert has_hook(after, place, "signoff")
    assert json.loads(without_hook(after, place)) == json.loads(before or "{}")


def test_it_is_put_in_once(place: HookPlace) -> None:
    once = with_hook("", place, "signoff")
    assert with_hook(once, place, "signoff") == once


def test_the_hooks_of_others_stay() -> None:
    found = json.loads(with_hook(json.dumps(OTHERS), CLAUDE, "signoff"))
    assert found["hooks"]["PreToolUse"][0] == OTHERS["hooks"]["PreToolUse"][0]
    assert (found["model"], found["hooks"]["Stop"]) == (OTHERS["model"], OTHERS["hooks"]["Stop"])


@pytest.mark.parametrize(
    "command",
    ["signoff hook claude-code", "/old/bin/signoff hook claude-code || exit 2", "A=1 'signoff' hook claude-code"],
)
def test_an_older_line_of_ours_is_replaced(command: str) -> None:
    handlers = [{"type": "command", "command": command}, {"type": "command", "command": "lint"}]
    before = json.dumps({"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": handlers}]}})
    entries = json.loads(with_hook(before, CLAUDE, "signoff"))["hooks"]["PreToolUse"]
    assert entries == [{"matcher": "Bash", "hooks": [handlers[1]]}, CLAUDE.entry("signoff")]


def test_the_indentation_stays() -> None:
    assert '\n\t"model"' in with_hook(json.dumps(OTHERS, indent="\t"), CLAUDE, "signoff")


@pytest.mark.parametrize("before", ["// my settings\n{}", "[]", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}'])
def test_what_is_not_understood_is_not_changed(before: str) -> None:
    with pytest.raises(SettingsError, match="by hand"):
        with_hook(before, CLAUDE, "signoff")


def test_taking_out_what_is_not_there_changes_nothing(place: HookPlace) -> None:
    assert without_hook('{ "a":1 }', place) == '{ "a":1 }'


def test_the_agent_may_keep_its_settings_elsewhere() -> None:
    assert CLAUDE.file({"HOME": "/h"}) == Path("/h/.claude/settings.json")
    assert CLAUDE.file({"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"}) == Path("/c/settings.json")


def test_the_guide_shows_what_is_put_in(place: HookPlace) -> None:
    name = {"gemini": "gemini-cli", "qwen": "qwen-code"}.get(place.agent, place.agent)
    guide = (Path(__file__).parents[2] / f"docs/agents/{name}.md").read_text("utf-8")
    block = guide.split("```json\n")[1].split("```")[0]
    assert json.loads(block) == json.loads(with_hook("", place, "signoff"))
