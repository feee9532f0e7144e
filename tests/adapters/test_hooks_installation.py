"""The hook in the settings of an agent: what others wrote there stays."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from signoff.adapters.hooks import DIALECTS, dialect
from signoff.adapters.hooks.installation import (
    PLACES,
    HookPlace,
    PluginPlace,
    SettingsError,
    has_hook,
    trial_line,
    with_hook,
    without_hook,
)
from signoff.adapters.hooks.own_tools import OwnTools
from signoff.queue.amendment import EDIT, PARTIAL

CLAUDE, VIBE = PLACES["claude-code"], PLACES["vibe"]
PLUGIN = dialect("opencode").place
assert isinstance(PLUGIN, PluginPlace)
OTHERS: dict[str, Any] = {
    "model": "opus “5”",
    "hooks": {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "lint"}]}],
        "Stop": [{"hooks": []}],
    },
}


@pytest.fixture(params=sorted(PLACES))
def place(request: pytest.FixtureRequest) -> HookPlace:
    return PLACES[request.param]


TOML = """# my hooks
[[hooks]]
name = "lint"  # after each turn
type = "post_agent"
command = "eslint"

# and no more
"""


def others_of(place: HookPlace) -> str:
    """Settings of others."""
    return TOML if place.settings.endswith(".toml") else json.dumps({**OTHERS, **place.needed}, indent=2) + "\n"


def test_what_is_put_in_can_be_taken_out_again(place: HookPlace) -> None:
    before = others_of(place)
    after = with_hook(before, place, "signoff")
    assert has_hook(after, place, "signoff")
    assert json_or_toml(without_hook(after, place)) == json_or_toml(before)


def test_where_nothing_else_was_nothing_is_left(place: HookPlace) -> None:
    assert without_hook(with_hook("", place, "signoff"), place) == ""


def test_the_text_of_toml_stays_as_it_is() -> None:
    assert with_hook(TOML, VIBE, "signoff").startswith(TOML)
    assert without_hook(with_hook(TOML, VIBE, "signoff"), VIBE) == TOML


def test_comments_behind_a_table_of_ours_stay() -> None:
    text = with_hook("", VIBE, "signoff") + TOML
    assert without_hook(text, VIBE) == TOML


@pytest.mark.parametrize("before", ["hooks = []\n", "[hooks]\n", "not toml", 'hooks = [{name = "x"}]'])
def test_toml_that_cannot_be_added_to_is_not_changed(before: str) -> None:
    with pytest.raises(SettingsError, match="by hand"):
        with_hook(before, VIBE, "signoff")


def test_a_table_of_ours_between_others_is_replaced_by_one_behind_them() -> None:
    text = with_hook(TOML, VIBE, "/old/signoff") + TOML.replace("lint", "more")
    found = json_or_toml(with_hook(text, VIBE, "signoff"))["hooks"]
    assert [each["name"] for each in found] == ["lint", "more", "signoff"]
    assert found[-1] == VIBE.entry("signoff")


def test_a_hook_that_runs_in_order_is_there_only_behind_all_others() -> None:
    assert not has_hook(with_hook("", VIBE, "signoff") + TOML, VIBE, "signoff")


def with_options(place: HookPlace, options: str) -> str:
    """Settings with a line that a person gave these options, in the words of the guide."""
    return with_hook("", place, "signoff").replace(f"hook {place.agent} ", f"hook {place.agent} {options} ")


@pytest.mark.parametrize("options", ["--timeout 3600", "--queue team --timeout=3600", "--queue '/my queue'"])
def test_a_line_with_options_is_the_hook(place: HookPlace, options: str) -> None:
    text = with_options(place, options)
    if "timeout" in options:
        assert not has_hook(text, place, "signoff")
        text = text.replace("86400", "3600")
    assert has_hook(text, place, "signoff")


def test_the_last_timeout_of_a_line_is_the_one_that_counts() -> None:
    text = with_options(CLAUDE, "--timeout 60 --timeout 3600")
    assert not has_hook(text.replace("86400", "60"), CLAUDE, "signoff")


def test_a_timeout_within_the_name_of_a_queue_is_none() -> None:
    text = with_options(CLAUDE, "--timeout 3600 --queue ' --timeout 60'")
    assert not has_hook(text.replace("86400", "60"), CLAUDE, "signoff")


@pytest.mark.parametrize(
    "options",
    ["--queue a;true", "--queue `a`", "--timeout 60 &", '--queue \\"$(a)\\"', "--timeout 1.5"],
)
def test_a_line_with_options_that_would_be_lost_is_left_as_it_is(options: str) -> None:
    with pytest.raises(SettingsError, match="change it by hand"):
        with_hook(with_options(CLAUDE, options), CLAUDE, "signoff")


def test_the_options_of_an_older_line_stay(place: HookPlace) -> None:
    older = with_options(place, "--queue team --timeout 3600").replace("signoff hook", "/old/signoff hook")
    expected = with_options(place, "--queue team --timeout 3600").replace("86400", "3600")
    assert json_or_toml(with_hook(older, place, "signoff")) == json_or_toml(expected)


def test_a_trial_is_of_the_line_that_is_there_in_another_queue() -> None:
    text = with_options(CLAUDE, "--queue team --timeout 3600")
    assert trial_line(text, CLAUDE, "signoff") == "signoff hook claude-code --timeout 3600 || exit 2"


def json_or_toml(text: str) -> Any:
    return json.loads(text) if text.startswith("{") else tomllib.loads(text)


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


@pytest.mark.parametrize("value", ['1, "a": 2', "1e999", '"\\ud83d"'])
def test_what_cannot_be_written_again_as_it_is_is_not_changed(value: str) -> None:
    with pytest.raises(SettingsError, match="by hand"):
        with_hook(f'{{"a": {value}}}', CLAUDE, "signoff")


def test_taking_out_what_is_not_there_changes_nothing(place: HookPlace) -> None:
    text = "a  = 1" if place.settings.endswith(".toml") else '{ "a":1 }'
    assert without_hook(text, place) == text


def test_the_agent_may_keep_its_settings_elsewhere() -> None:
    assert CLAUDE.file({"HOME": "/h"}) == Path("/h/.claude/settings.json")
    assert CLAUDE.file({"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"}) == Path("/c/settings.json")
    crush = PLACES["crush"]
    assert crush.file({"HOME": "/h"}) == Path("/h/.config/crush/crush.json")
    assert crush.file({"HOME": "/h", "XDG_CONFIG_HOME": "/x"}) == Path("/x/crush/crush.json")
    assert crush.file({"XDG_CONFIG_HOME": "/x", "CRUSH_GLOBAL_CONFIG": "/c"}) == Path("/c/crush.json")


def test_the_guide_shows_what_is_put_in(place: HookPlace) -> None:
    names = {"copilot": "copilot-cli", "gemini": "gemini-cli", "qwen": "qwen-code", "vibe": "mistral-vibe"}
    name, kind = names.get(place.agent, place.agent), "toml" if place.settings.endswith(".toml") else "json"
    guide = (Path(__file__).parents[2] / f"docs/agents/{name}.md").read_text("utf-8")
    block = guide.split(f"```{kind}\n")[1].split("```")[0]
    assert json_or_toml(block) == json_or_toml(with_hook("", place, "signoff"))


@pytest.mark.parametrize("name", DIALECTS)
def test_the_table_of_agents_says_what_their_dialects_can_do(name: str) -> None:
    table = (Path(__file__).parents[2] / "docs/agents/README.md").read_text("utf-8")
    spoken = dialect(name)
    [row] = [line for line in table.splitlines() if f"[{spoken.title}](" in line]
    edits, hunks, _, ends, _ = [cell.strip() for cell in row.split("|")[2:-1]]
    writes = isinstance(spoken, OwnTools) and spoken.writing
    assert edits == ("yes" if EDIT in spoken.honors else "no")
    assert hunks == ("yes" if PARTIAL in spoken.honors and writes else "no")
    assert ends == ("no" if "hard" in spoken.lacks else "yes")


def test_a_plugin_is_a_file_of_its_own_with_the_program_in_it() -> None:
    written = with_hook("", PLUGIN, "'/my bin/signoff'")
    assert 'const COMMAND = ["/my bin/signoff", "hook", "opencode"];' in written
    assert has_hook(written, PLUGIN, "'/my bin/signoff'")
    assert not has_hook(written, PLUGIN, "signoff")


def test_an_older_plugin_of_ours_is_replaced_and_taken_out() -> None:
    older = with_hook("", PLUGIN, "signoff").replace("86400", "60")
    assert with_hook(older, PLUGIN, "signoff") == with_hook("", PLUGIN, "signoff")
    assert without_hook(older, PLUGIN) == ""


def test_a_file_of_others_in_the_place_of_the_plugin_stays() -> None:
    assert without_hook("// mine", PLUGIN) == "// mine"
    with pytest.raises(SettingsError, match="move it away"):
        with_hook("// mine", PLUGIN, "signoff")


def test_the_plugin_waits_as_long_as_the_hook_at_least() -> None:
    assert f"const SECONDS = {dialect('opencode').timeout:g};" in with_hook("", PLUGIN, "signoff")


def test_the_directory_of_settings_may_be_elsewhere() -> None:
    assert PLUGIN.file({"HOME": "/h"}) == Path("/h/.config/opencode/plugin/signoff.js")
    assert PLUGIN.file({"HOME": "/h", "XDG_CONFIG_HOME": "/c"}) == Path("/c/opencode/plugin/signoff.js")
