"""Trust in a settings file covers the code that it names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from signoff.config.load import parse_config
from signoff.config.trust import contents_of, load_trusted, untrust_settings
from signoff.policy.trust import TrustError, trust, trusted_files

SETTINGS = """\
custom_tools: [count]
agents:
  cleaner: {python: "cleaner:main"}
  helper: {pydantic_ai: "crew.helper:agent"}
  other: {command: [python3, scripts/other.py, --fast]}
"""

CODE = ("tools.py", "cleaner.py", "crew/__init__.py", "crew/helper.py", "scripts/other.py")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """A settings file that is trusted with all that it names."""
    for name in (*CODE, "crew/imported.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\n")
    file = tmp_path / "signoff.yaml"
    file.write_text(SETTINGS)
    trust(contents_of(file, SETTINGS, parse_config(SETTINGS)))
    yield file
    untrust_settings(str(file))


@pytest.mark.parametrize("name", CODE)
def test_code_that_was_changed_since_is_refused(file: Path, name: str) -> None:
    load_trusted(file)
    (file.parent / name).write_text("# changed\n")
    with pytest.raises(TrustError, match=Path(name).name):
        load_trusted(file)


def test_a_word_of_a_command_that_is_no_name_of_a_file_is_none(tmp_path: Path) -> None:
    text = f'agents:\n  it: {{command: [sh, "-c", "{"x" * 5000}"]}}\n'
    assert list(contents_of(tmp_path / "signoff.yaml", text, parse_config(text))) == [
        str(tmp_path / "signoff.yaml")
    ]


def test_a_module_that_takes_the_place_of_the_trusted_one_is_refused(file: Path) -> None:
    (file.parent / "cleaner").mkdir()
    (file.parent / "cleaner/__init__.py").write_text("# imported instead of cleaner.py\n")
    with pytest.raises(TrustError, match="__init__"):
        load_trusted(file)


def test_trust_ends_for_the_code_with_that_in_the_settings(file: Path) -> None:
    assert untrust_settings(str(file)) == tuple(
        sorted(str(file.parent / name) for name in ("signoff.yaml", *CODE))
    )


def test_code_that_another_trusted_file_names_stays_trusted(file: Path) -> None:
    other = file.with_name("other.yaml")
    text = 'agents:\n  cleaner: {python: "cleaner:main"}\n'
    other.write_text(text)
    trust(contents_of(other, text, parse_config(text)))
    untrust_settings(str(file))
    names = {each.name for each in trusted_files()}
    assert str(file.with_name("cleaner.py")) in names
    assert str(file.with_name("tools.py")) not in names
    untrust_settings(str(other))
