"""`signoff policy trust`: a settings file counts from then on, as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_bench import Cli

from signoff.config import build_from_file
from signoff.policy.trust import TrustError

RULES = "shell:\n  rules:\n    - {pattern: git status, approval: false}\n"


@pytest.fixture
def rules(cli: Cli) -> Path:
    path = cli.folder / "signoff.yaml"
    path.write_text(RULES)
    return path


def test_without_a_terminal_nothing_is_trusted(cli: Cli, rules: Path) -> None:
    done = cli.run("policy", "trust", str(rules))
    assert done.code == 2
    assert "without a terminal to ask at, nothing is trusted" in done.err


def test_what_is_trusted_is_said_and_can_be_built(cli: Cli, rules: Path) -> None:
    done = cli.run("policy", "trust", str(rules), "--yes")
    assert (done.code, done.err) == (0, "")
    assert "git status  runs without asking" in done.out
    assert done.out.splitlines()[-1] == f"trusted as it is now: {rules}"


def test_a_file_that_is_not_valid_is_not_trusted(cli: Cli, rules: Path) -> None:
    rules.write_text("shel: {}\n")
    done = cli.run("policy", "trust", str(rules), "--yes")
    assert done.code == 2
    assert 'did you mean "shell"' in done.err


def test_a_program_refuses_a_file_that_nobody_trusted(rules: Path) -> None:
    with pytest.raises(TrustError, match="was never trusted"):
        build_from_file(rules)


def test_a_program_may_vouch_for_a_file_of_its_own(rules: Path) -> None:
    assert build_from_file(rules, trusted=True).shell is not None


def test_a_file_is_trusted_no_more_also_once_it_is_gone(cli: Cli, rules: Path) -> None:
    cli.run("policy", "trust", str(rules), "--yes")
    rules.unlink()
    done = cli.run("policy", "untrust", str(rules))
    assert (done.code, done.out) == (0, f"trusted no more: {rules}\n")
    rules.write_text(RULES)
    with pytest.raises(TrustError, match="was never trusted"):
        build_from_file(rules)


def test_code_is_trusted_no_more_with_the_last_settings_file_beside_it(cli: Cli, rules: Path) -> None:
    code = cli.folder / "tools.py"
    code.write_text("def sync():\n    '''Sync.'''\n")
    other = cli.folder / "other.yaml"
    for file in (rules, other):
        file.write_text("custom_tools: {sync: {}}\n")
        assert cli.run("policy", "trust", str(file), "--yes").code == 0
    assert str(code) not in cli.run("policy", "untrust", str(rules)).out
    assert cli.run("policy", "untrust", str(other)).out.splitlines() == [
        f"trusted no more: {other}",
        f"trusted no more: {code}",
    ]


def test_a_file_that_is_not_trusted_cannot_be_trusted_less(cli: Cli, rules: Path) -> None:
    done = cli.run("policy", "untrust", str(rules))
    assert done.code == 2
    assert "is not trusted, so nothing was changed" in done.err
