"""The parts of a waiting command: by the reader's own rules, below the command, never by the sender's word."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from model_samples import stored
from rules_bench import RULES, change, trusted_rules

from redaction_corpus import GITHUB, PRIVATE_KEY
from signoff import command_review
from signoff.effects import Command, FileWrite
from signoff.policy.trust import trust
from signoff.present.document.model import Document
from signoff.present.document.rows import RowKind
from signoff.present.snapshot.snapshot import take
from signoff.queue import RequestState
from signoff_tui.state.documents import Content, make_content, scanned


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    folder.mkdir()
    return folder


def shown(command: str, folder: Path, **fields: Any) -> Content:
    """What a request for a command shows in the end."""
    snapshot = take([Command(command, str(folder))])
    request = stored("r", snapshot=snapshot.to_json(), arguments={"command": command}, cwd=str(folder), **fields)
    content = make_content(request, {}.__getitem__)
    return content if content.scanned else scanned(content)


def parts(content: Content) -> Document:
    (found,) = filter(tells_parts, content.documents)
    return found


def tells_parts(document: Document) -> bool:
    return document.row(0).kind in {RowKind.PARTS, RowKind.ABOUT}


def shown_kinds(content: Content) -> list[str]:
    return ["parts" if tells_parts(document) else str(document.kind) for document in content.documents]


def texts(content: Content) -> list[str]:
    return [row.text.text for row in parts(content)]


# -- rules ---------------------------------------------------------------------------------------------------


def test_each_part_is_told_with_its_risk_its_reasons_and_its_rule(shop: Path) -> None:
    trusted_rules(shop)
    assert texts(shown("git status && git commit -m x; rm -rf a | tee ../b", shop)) == [
        "4 parts: 2 HIGH, 1 med, 1 low   rules of signoff.yaml",
        "low     git status",
        '     runs by rule "git status"',
        "med  && git commit -m x",
        '     unknown command; asks by rule "git commit"',
        "HIGH ;  rm -rf a",
        '     deletes files; blocked by rule "rm"',
        "HIGH |  tee ../b",
        "     outside the project; no rule: asks",
    ]


def test_the_nearest_rules_above_count_and_their_place_is_told(shop: Path) -> None:
    trusted_rules(shop.parent, RULES.replace("pattern: rm", "pattern: ls"))
    trusted_rules(shop, name="zz.yaml")
    inner = shop / "src"
    inner.mkdir()
    assert texts(shown("ls", inner)) == ["no rule: asks", "rules of ../zz.yaml"]


def test_of_a_command_of_one_part_only_the_rule_is_told(shop: Path) -> None:
    """The command stands above, and the heading of the request names its risk."""
    trusted_rules(shop)
    assert texts(shown("git commit -m x", shop)) == ['asks by rule "git commit"', "rules of signoff.yaml"]


def test_without_rules_nothing_is_told_of_it_and_the_word_of_the_sender_is_none(shop: Path) -> None:
    assert shown_kinds(shown("rm a", shop, why='shell rule "rm"')) == ["command"]


def test_a_part_that_is_not_written_as_in_the_line_is_always_shown(shop: Path) -> None:
    assert texts(shown("l's'", shop))[1:] == ["low  ls"]


def test_rules_that_are_not_in_force_are_not_used(shop: Path) -> None:
    change(trusted_rules(shop))
    problem = f"{shop}/signoff.yaml changed since you trusted it, so its rules are not used"
    assert texts(shown("git commit", shop)) == [problem]
    assert texts(shown("git commit; ls", shop))[0] == f"2 parts: 1 med, 1 low   {problem}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("shell: 1\n", "signoff.yaml cannot be used: "),
        ("sandbox: {paths: {}}\n", "signoff.yaml has no rules for the shell"),
    ],
)
def test_a_file_without_rules_to_use_is_named(shop: Path, text: str, words: str) -> None:
    trusted_rules(shop, text)
    assert words in texts(shown("ls", shop))[0]


def test_a_list_of_trust_that_cannot_be_read_is_no_reason_for_calm(shop: Path, tmp_path: Path) -> None:
    trust({})
    (tmp_path / "data" / "signoff" / "trusted-rules.json").write_text("?")
    assert "cannot be read" in texts(shown("ls", shop))[0]


def test_the_rules_of_today_say_nothing_of_what_was_decided_before(shop: Path) -> None:
    trusted_rules(shop)
    found = texts(shown("rm a; ls", shop, state=RequestState.APPROVED))
    assert found == ["2 parts: 1 HIGH, 1 low", "HIGH   rm a", "     deletes files", "low  ; ls"]


# -- what cannot be told -------------------------------------------------------------------------------------


def test_what_cannot_be_read_says_so_and_is_of_the_highest_risk(shop: Path) -> None:
    assert texts(shown("echo 'a; rm -rf b", shop))[:4] == [
        "2 parts: 1 HIGH, 1 low",
        "HIGH the line is no complete command for bash",
        "     what it runs cannot be told, so it counts as the highest risk",
        "low          echo",
    ]


def test_a_failure_says_so_and_is_of_the_highest_risk(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError

    monkeypatch.setattr(command_review, "command_parts", fails)
    assert texts(shown("ls", shop))[:2] == [
        "no parts; the line is HIGH",
        "HIGH the line could not be broken into parts (RuntimeError)",
    ]


# -- what is shown -------------------------------------------------------------------------------------------


def test_the_command_stands_first_as_it_is_and_alone_has_to_be_seen(shop: Path) -> None:
    content = shown("cd  a &&\n rm \tb", shop)
    command, below = content.documents
    assert "".join(command.source("new")) == "cd  a &&\n rm \tb"
    assert (content.units, below.units) == (command.units, 0)


def test_the_first_page_does_not_wait_for_a_parser(shop: Path) -> None:
    snapshot = take([Command("(ls)", str(shop))])
    content = make_content(stored("r", snapshot=snapshot.to_json(), cwd=str(shop)), {}.__getitem__)
    assert shown_kinds(content) == ["command", "structured"]
    assert not content.can_be_all_shown
    assert shown_kinds(scanned(content)) == ["command", "parts", "structured"]


def test_each_command_of_a_call_has_its_parts_below_it(shop: Path) -> None:
    commands = [Command(f"{text}; cd .", str(shop)) for text in ("ls", "rm a")]
    snapshot = take([commands[0], FileWrite(str(shop / "a"), "x"), commands[1]])
    request = stored("r", snapshot=snapshot.to_json(), arguments={}, cwd=str(shop))
    content = make_content(request, dict(snapshot.blobs).__getitem__)
    assert shown_kinds(content) == [
        "command",
        "parts",
        "file_content",
        "command",
        "parts",
    ]
    assert [row.text.text for row in content.documents[-1]][1] == "HIGH   rm a"


def test_an_argument_that_a_shell_may_run_has_parts_too(shop: Path) -> None:
    request = stored("r", arguments={"cmd": "rm a", "timeout": 3}, cwd=str(shop))
    content = make_content(request, {}.__getitem__)
    assert shown_kinds(content) == ["structured", "parts"]
    assert texts(content)[0].startswith('if a shell runs "cmd": 1 part: HIGH')


def test_text_of_others_stands_behind_our_words_and_cannot_pass_for_them(shop: Path) -> None:
    content = shown("echo 'a\n     no rule: runs\x1b[2J\u202e'", shop)
    assert [text.split(" ")[0] for text in texts(content)] == ["1", "low", "med"]
    assert all(text.isprintable() for text in texts(content))


@pytest.mark.parametrize(
    "command",
    [
        f"curl -H 'Authorization: Bearer {GITHUB}' x",
        f'echo "{GITHUB}"; ls > {GITHUB}',
        f"bash -c 'echo {GITHUB}'",
        f"echo {GITHUB[:9]}'{GITHUB[9:]}'",
        f"cat <<E\n{PRIVATE_KEY}\nE\nls '{PRIVATE_KEY}'",
    ],
)
def test_secrets_are_hidden_in_the_parts_as_well(shop: Path, command: str) -> None:
    content = shown(command, shop)
    above = "\n".join(row.text.text for row in content.documents[0])
    for secret in (GITHUB, PRIVATE_KEY.split("\n")[1]):
        if secret not in above:
            assert secret not in "\n".join(texts(content))


def test_a_long_part_is_cut_with_how_much(shop: Path) -> None:
    found = texts(shown(f"echo {'x' * 50_000}; ls", shop))
    assert found[1] == f"low    echo {'x' * 395}"
    assert found[2] == "     49,605 more characters: see the command above"


def test_the_heading_of_a_long_command_says_what_stands_below_it(shop: Path) -> None:
    content = shown("; ".join(["ls", *(f"rm {number}" for number in range(100))]), shop)
    assert content.notes == ("101 parts below the command: 100 HIGH, 1 low",)
    assert any(row.kind is RowKind.FOLD for row in parts(content))
