"""`signoff reviewers`: whose approvals are believed; and what the other verbs do without a key."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_bench import HOSTILE, Cli, call, post

from signoff.queue import AgentQueue
from signoff.queue.keys.folder import KEYS_VARIABLE, KeysFolder


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeysFolder:
    """A folder for keys of this test alone; nothing is in it."""
    monkeypatch.setenv(KEYS_VARIABLE, str(tmp_path / "keys"))
    return KeysFolder(tmp_path / "keys")


@pytest.fixture
def line(cli: Cli, tmp_path: Path) -> str:
    """The public line of a reviewer elsewhere."""
    return cli.inside("reviewers", "show", **{KEYS_VARIABLE: str(tmp_path / "elsewhere")}).out.strip()


def listed(cli: Cli) -> list[dict[str, str]]:
    found = cli.inside("reviewers", "list", "--json").json
    assert isinstance(found, list)
    return found


def test_showing_ones_line_makes_the_key_and_trusts_it(cli: Cli, keys: KeysFolder) -> None:
    shown = cli.inside("reviewers", "show")
    assert shown.code == 0
    assert [each["line"] for each in listed(cli)] == [shown.out.strip()]
    assert cli.inside("reviewers", "show").out == shown.out


def test_the_line_holds_nothing_of_the_secret(cli: Cli, keys: KeysFolder) -> None:
    shown = cli.inside("reviewers", "show").out
    assert keys.deciding_key.read_text().split()[-2] not in shown


def test_listing_makes_no_key(cli: Cli, keys: KeysFolder) -> None:
    assert cli.inside("reviewers", "list").out.startswith("nobody is trusted yet")
    assert not keys.directory.exists()


@pytest.mark.parametrize("quoted", [True, False])
def test_a_line_of_somebody_elsewhere_is_trusted(cli: Cli, keys: KeysFolder, line: str, quoted: bool) -> None:
    done = cli.inside("reviewers", "trust", *([line] if quoted else line.split()))
    assert (done.code, done.out.split(":")[0]) == (0, "trusted")
    assert [each["line"] for each in listed(cli)] == [line]
    assert cli.inside("reviewers", "trust", line).out.startswith("was trusted before")


def test_what_is_no_line_is_named_and_nobody_is_trusted(cli: Cli, keys: KeysFolder) -> None:
    done = cli.inside("reviewers", "trust", "ed25519 AAAA anna")
    assert done.code == 2
    assert "the key has 3 bytes" in done.err
    assert listed(cli) == []


def test_a_reviewer_is_forgotten_by_the_beginning_of_the_key(cli: Cli, keys: KeysFolder, line: str) -> None:
    cli.inside("reviewers", "trust", line)
    (there,) = listed(cli)
    assert cli.inside("reviewers", "forget", there["key"][:6]).out.startswith(f"forgotten: {there['key']}")
    assert listed(cli) == []
    assert cli.inside("reviewers", "forget", there["key"]).code == 6


def test_nobody_is_forgotten_by_an_empty_word(cli: Cli, keys: KeysFolder, line: str) -> None:
    cli.inside("reviewers", "trust", line)
    assert cli.inside("reviewers", "forget", " ").code == 2
    assert len(listed(cli)) == 1


def test_a_list_that_cannot_be_read_is_named_with_its_line(cli: Cli, keys: KeysFolder, line: str) -> None:
    cli.inside("reviewers", "trust", line)
    with keys.reviewers.open("a") as file:
        file.write(f"{HOSTILE.replace(chr(10), '')}\n")
    done = cli.inside("reviewers", "list")
    assert done.code == 5
    assert "reviewers.pub, line 3" in done.err
    assert "\x1b" not in done.err


def test_approving_without_a_readable_key_decides_nothing_and_says_what_to_do(
    cli: Cli, keys: KeysFolder, agent: AgentQueue
) -> None:
    cli.inside("reviewers", "show")
    keys.deciding_key.chmod(0o644)
    request = post(agent, call("deploy", "Deploy"))
    seen = f"{request.revision}:{request.submission.digest}"
    done = cli.inside("approve", request.id, "--seen", seen)
    assert done.code == 5
    assert f"run: chmod 600 {keys.deciding_key}" in done.err
    with cli.review() as review:
        assert review.get(request.id).pending
    assert cli.inside("reject", request.id).code == 0


def test_what_is_approved_on_the_command_line_is_believed(cli: Cli, keys: KeysFolder, agent: AgentQueue) -> None:
    request = post(agent, call("deploy", "Deploy"))
    seen = f"{request.revision}:{request.submission.digest}"
    assert cli.inside("approve", request.id, "--seen", seen).code == 0
    assert agent.wait(request.id).approved
    assert "approvals of requests: 1 signed" in cli.inside("history", "verify").out
