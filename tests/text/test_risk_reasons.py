"""The reasons of a risk in words."""

from __future__ import annotations

import pytest

from signoff.text.risk import risk_reasons


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("answers-requests", "answers approvals"),
        ("ci-file", "CI file"),
        ("delete", "deletes files"),
        ("discards-work", "discards uncommitted work"),
        ("hidden-length", "end may be hidden"),
        ("network", "uses the network"),
        ("outside-root", "outside the project"),
        ("package-scripts", "installs packages"),
        ("privilege", "runs as another user"),
        ("redirection", "writes to a file"),
        ("runs-download", "runs code from the network"),
        ("runs-project-code", "runs project code"),
        ("shell-string", "runs a script given as text"),
        ("side-door", "option that runs programs"),
        ("start-up-file", "runs at login or start"),
        ("substitution", "runs a computed command"),
        ("unknown-effects", "cannot tell what this changes"),
        ("unknown-command", "unknown command"),
        ("sent-as-low", "sent as low"),
    ],
)
def test_a_reason_has_words(code: str, words: str) -> None:
    assert risk_reasons([code]) == (words,)


def test_an_unknown_command_is_not_said_beside_a_reason_that_tells_more() -> None:
    assert risk_reasons(["unknown-command", "delete"]) == ("deletes files",)


def test_each_reason_is_said_once() -> None:
    assert risk_reasons(["delete", "delete"]) == ("deletes files",)


def test_what_is_no_code_stays_as_it_was_sent() -> None:
    assert risk_reasons(["low-risk, see RFC-7"]) == ("low-risk, see RFC-7",)
