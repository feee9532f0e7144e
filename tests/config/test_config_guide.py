"""The guide shows what works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import signoff
from signoff.config import AgentConfig, ConfigError, Setup, parse_config
from signoff.config.schema import config_schema
from signoff.modes import MODE_VARIABLE
from signoff.policy.trust import trust
from signoff.settings_yaml import LARGEST_TEXT

GUIDE = (Path(signoff.__file__).parents[2] / "docs" / "configuration.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


@pytest.mark.parametrize("block", blocks("yaml"))
def test_an_example_loads(block: str) -> None:
    assert parse_config(block) != AgentConfig()


def test_the_mistakes_shown_are_told_as_shown() -> None:
    text = "\n\nsandbox: {paths: {notes: {root: .,\n      mod: rw}}}\n\n\nshell:\n  default:\n    allowed: yes\n"
    with pytest.raises(ConfigError) as caught:
        parse_config(text, "signoff.yaml")
    shown = next(block for block in blocks("console") if "config check" in block)
    assert [f"signoff: {line}" for line in str(caught.value).splitlines()] == shown.splitlines()[1:]


def test_the_program_shown_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(MODE_VARIABLE, raising=False)
    Path("signoff.yaml").write_text("approval_mode: strict\n")
    trust({"signoff.yaml": b"approval_mode: strict\n"})
    names: dict[str, object] = {}
    (program,) = blocks("python")
    exec(compile(program, "configuration.md", "exec"), names)
    assert isinstance(names["setup"], Setup)
    assert names["controller"].mode == "strict"  # type: ignore[attr-defined]


def test_every_key_is_in_the_guide() -> None:
    schema = config_schema()
    for mapping in (schema, *schema["$defs"].values()):
        for name in mapping["properties"]:
            assert re.search(rf"`(\w+\.)?{name}\b|^[ -]*{name}:", GUIDE, re.MULTILINE), name


def test_the_limit_is_the_one_in_the_guide() -> None:
    assert f" {LARGEST_TEXT} characters" in GUIDE
