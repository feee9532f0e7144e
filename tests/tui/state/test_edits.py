"""What was approved in place of what was asked, as whoever looks at it later is shown it."""

from __future__ import annotations

from pathlib import Path

from model_samples import stored

from redaction_corpus import GITHUB
from signoff.effects import Command, FileWrite
from signoff.present.document.build import documents_for
from signoff.present.document.model import Document
from signoff.present.snapshot.snapshot import take
from signoff.queue import QueueUnavailableError
from signoff.queue.amendment import Instead
from signoff_tui.state.edits import changed_documents

_SIGNS = {"added": "+", "removed": "-", "file": "="}


def told(documents: tuple[Document, ...]) -> list[str]:
    rows = (row for document in documents for row in document)
    return [f"{_SIGNS[row.kind]} {row.text.text.strip()}" for row in rows if row.kind in _SIGNS]


def missing(sha256: str) -> bytes:
    raise QueueUnavailableError(f"{sha256} is gone")


def test_edited_arguments_are_told_before_and_after_and_then_all_that_ran() -> None:
    request = stored("r", arguments={"title": "Crash", "labels": ["bug"]})
    instead = Instead(arguments={"title": "Crash on save", "labels": ["bug"]})
    found = changed_documents(request, (), instead, missing)
    assert told(found) == [
        "= CHANGED by the reviewer: - asked, + ran",
        '- "title": "Crash",',
        '+ "title": "Crash on save",',
        "= RAN: all of it",
    ]
    assert 'title: "Crash on save"' in [row.text.text for row in found[-1]]


def test_an_edited_command_is_told_before_and_after_and_then_as_it_ran() -> None:
    snapshot = take([Command("rm -rf build", "/")])
    request = stored("r", arguments={"command": "rm -rf build"}, snapshot=snapshot.to_json())
    found = changed_documents(request, (), Instead(arguments={"command": "rm -rf gen"}), missing)
    assert told(found) == [
        "= CHANGED by the reviewer: - asked, + ran",
        "- rm -rf build",
        "+ rm -rf gen",
        "= RAN: all of it",
    ]
    ran = [row.text.text for document in found[3:] for row in document]
    assert "rm -rf gen" in ran
    assert not any("build" in row for row in ran)


def test_secrets_are_hidden_by_their_names_and_by_what_they_look_like() -> None:
    request = stored("r", arguments={"password": "hunter2", "own": "mine", "text": "a"}, masked_keys=("own",))
    instead = Instead(arguments={"password": "hunter33", "own": "other", "text": f"a {GITHUB}"})
    shown = "\n".join(row.text.text for each in changed_documents(request, (), instead, missing) for row in each)
    assert not any(secret in shown for secret in ("hunter", "mine", "other", GITHUB))
    assert shown.count("[secret, ") == 5 + 3  # in the difference, and in what ran


def test_an_edited_file_is_told_against_what_was_asked_not_against_the_disk(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    path = str(tmp_path / "a.txt")
    snapshot = take([FileWrite(path, "two\n")])
    request = stored("r", snapshot=snapshot.to_json())
    asked = documents_for(snapshot, None, {}, str(tmp_path))
    instead = Instead.of_contents({path: b"three\n"})
    assert told(changed_documents(request, asked, instead, dict(instead.blobs).__getitem__)) == [
        f"= CHANGED by the reviewer: - asked, + written: {path}",
        "- two",
        "+ three",
        "= ASKED: not what ran",
        "- one",
        "+ two",
    ]


def test_a_content_that_is_not_stored_any_more_is_named(tmp_path: Path) -> None:
    instead = Instead.of_contents({"/work/a": b"x"})
    heading, *_ = changed_documents(stored("r"), (), instead, missing)
    assert [row.text.text.split(": ")[0] for row in heading] == [
        "CHANGED by the reviewer",
        "what was written is not stored any more",
    ]
