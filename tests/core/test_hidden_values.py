"""A call with secrets: bound and compared in full, and never remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from redaction_corpus import GITHUB, PRIVATE_KEY
from signoff import ApprovalPresentation, ApprovalRequest
from signoff.effects import Command, Effect, FileEdit, FileWrite, Risk
from signoff.policy.risk import HIDDEN_VALUE
from signoff.queue.records import Submission
from signoff.submission import plain_submission, submission_with_snapshot


def asked(*effects: Effect, cwd: Path, **options: Any) -> Submission:
    """What would be posted for a call."""
    payload = options.pop("payload", {"a": 1})
    request = ApprovalRequest(
        tool_name="tool",
        description=options.pop("description", "Do it"),
        payload=payload,
        effects=effects,
        **options,
    )
    submission, _ = submission_with_snapshot(request, plain_submission(request, None, cwd=str(cwd)))
    return submission


def test_an_ordinary_call_may_be_remembered(tmp_path: Path) -> None:
    assert asked(FileWrite(str(tmp_path / "f"), "x"), cwd=tmp_path).may_be_remembered


@pytest.mark.parametrize(
    "options",
    [
        {"payload": {"token": "rm -rf ~"}},
        {"payload": {"deep": [{"text": GITHUB}]}},
        {"arguments": {"password": "x"}},
        {"description": f"use {GITHUB}"},
        {"presentation": ApprovalPresentation(type="text", content=PRIVATE_KEY)},
        {"presentation": ApprovalPresentation(type="structured", content='{"password": "open sesame"}')},
        {
            "presentation": ApprovalPresentation(
                type="structured", content=f'{{"password": "x y"}}{" " * 1_200_000}'
            )
        },
        {"arguments": {"body": '[{"name": "password", "value": "open sesame"}]'}},
    ],
    ids=["name", "token", "argument", "description", "presentation", "tree", "long tree", "JSON in a string"],
)
def test_a_call_that_hides_a_value_is_never_remembered(options: dict[str, Any], tmp_path: Path) -> None:
    found = asked(cwd=tmp_path, **options)
    assert not found.may_be_remembered
    assert HIDDEN_VALUE in found.risk_reasons


@pytest.mark.parametrize("content", [f"{GITHUB}\n", PRIVATE_KEY.encode()])
def test_a_file_that_holds_a_secret_is_never_remembered(content: str | bytes, tmp_path: Path) -> None:
    assert not asked(FileWrite(str(tmp_path / "f"), content), cwd=tmp_path).may_be_remembered


def test_a_secret_beside_the_edit_counts_as_well(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text(f"one\n{GITHUB}\n")
    assert not asked(FileEdit(str(path), "one", "two"), cwd=tmp_path).may_be_remembered


@pytest.mark.parametrize("effect", [{"command": f"echo {GITHUB}"}, {"command": "ls", "env": {"X": GITHUB}}])
def test_a_command_with_a_token_is_never_remembered(effect: dict[str, Any], tmp_path: Path) -> None:
    assert not asked(Command(cwd=str(tmp_path), **effect), cwd=tmp_path).may_be_remembered


def test_a_hidden_value_is_at_least_medium_risk(tmp_path: Path) -> None:
    assert asked(FileWrite(str(tmp_path / "f"), GITHUB), cwd=tmp_path).risk is Risk.MEDIUM


def test_calls_that_differ_in_a_secret_only_have_other_digests_and_keys(tmp_path: Path) -> None:
    one, other = (asked(cwd=tmp_path, payload={"token": token}) for token in ("abcd", "abce"))
    assert one.digest != other.digest
    assert one.payload_key != other.payload_key


def test_what_is_posted_is_the_call_in_full(tmp_path: Path) -> None:
    assert asked(cwd=tmp_path, payload={"token": GITHUB}).arguments == {"token": GITHUB}


MASKED = {"payload": {"iban": "DE02 1", "n": 1}, "description": "pay(iban='DE02 1', n=1)"}


def test_a_call_with_a_value_that_settings_mask_is_never_remembered(tmp_path: Path) -> None:
    found = asked(cwd=tmp_path, masked_keys=("iban",), **MASKED)
    assert not found.may_be_remembered
    assert HIDDEN_VALUE in found.risk_reasons


def test_what_settings_mask_is_bound_and_matched_in_full(tmp_path: Path) -> None:
    plain, masked = (asked(cwd=tmp_path, masked_keys=keys, **MASKED) for keys in ((), ("iban",)))
    assert (masked.digest, masked.payload_key) == (plain.digest, plain.payload_key)
    assert masked.arguments == plain.arguments == {"iban": "DE02 1", "n": 1}


def test_the_description_says_nothing_that_settings_mask(tmp_path: Path) -> None:
    found = asked(cwd=tmp_path, masked_keys=("iban",), **MASKED)
    assert found.description == "pay(iban=[secret, 6 characters], n=1)"


def test_the_description_says_nothing_that_is_hidden_by_its_name(tmp_path: Path) -> None:
    found = asked(
        cwd=tmp_path, payload={"password": "hunter2", "n": 1}, description="post(password='hunter2', n=1)"
    )
    assert found.description == "post(password=[secret, 7 characters], n=1)"
