"""Which documents a request has, and that none of them can act on a terminal."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from document_reading import PNG, counted, diff, of_kind, texts
from hypothesis import given
from hypothesis import strategies as st

from signoff.effects import Command, FileEdit, FileWrite
from signoff.present.document.build import documents_for, presentation_documents
from signoff.present.document.diff import binary_document, file_document
from signoff.present.document.model import Document
from signoff.present.document.rows import RowKind
from signoff.present.document.structured import structured_document
from signoff.present.document.text import command_document, text_document
from signoff.present.snapshot.snapshot import Snapshot, take

CWD = "/project"


class TestChoice:
    def test_each_step_of_a_snapshot_is_a_document_in_order(self, tmp_path: Path) -> None:
        (tmp_path / "old.py").write_text("a = 1\n")
        snapshot = take(
            [
                FileEdit(str(tmp_path / "old.py"), "1", "2"),
                FileWrite(str(tmp_path / "new.py"), "b = 1\n"),
                Command("ls", str(tmp_path), {"A": "1"}),
                FileWrite(str(tmp_path / "new.png"), PNG),
            ]
        )
        documents = documents_for(snapshot, None, {}, CWD)
        assert [document.kind for document in documents] == [
            "diff",
            "file_content",
            "command",
            "binary",
        ]

    def test_a_restored_snapshot_shows_the_same(self, tmp_path: Path) -> None:
        (tmp_path / "f").write_text("a\nb\n")
        taken = take([FileEdit(str(tmp_path / "f"), "b", "c")])
        restored = Snapshot.from_json(taken.to_json(), taken.blobs.__getitem__)
        (tmp_path / "f").write_text("something else\n")
        assert [texts(each) for each in documents_for(restored, None, {}, CWD)] == [
            texts(each) for each in documents_for(taken, None, {}, CWD)
        ]

    def test_a_write_through_a_link_is_shown_as_one(self, tmp_path: Path) -> None:
        (tmp_path / "f").write_text("a\n")
        (tmp_path / "link").symlink_to("f")
        (document,) = documents_for(take([FileWrite(str(tmp_path / "link"), "b\n")]), None, {}, CWD)
        assert counted(document)[0].startswith("writes through a link: ")

    def test_what_the_tool_sent_comes_after_the_snapshot(self, tmp_path: Path) -> None:
        snapshot = take([FileWrite(str(tmp_path / "f"), "evil\n")])
        documents = documents_for(snapshot, {"type": "text", "content": "harmless"}, {}, CWD)
        assert [counted(document) for document in documents] == [["evil"], ["harmless"]]

    @pytest.mark.parametrize("kind", ["file_content", "command"])
    def test_what_the_tool_repeats_is_not_shown_twice(self, tmp_path: Path, kind: str) -> None:
        snapshot = take([FileWrite(str(tmp_path / "f"), "a\nb\n"), Command("a\nb\n", str(tmp_path))])
        assert len(documents_for(snapshot, {"type": kind, "content": "a\nb\n"}, {}, CWD)) == 2
        assert len(documents_for(snapshot, {"type": kind, "content": "a\nb"}, {}, CWD)) == 3

    def test_without_a_snapshot_the_arguments_are_always_shown(self) -> None:
        documents = documents_for(None, {"type": "text", "content": "harmless"}, {"path": "/etc"}, CWD)
        assert [counted(document) for document in documents] == [["harmless"], ['path: "/etc"']]

    @pytest.mark.parametrize("arguments", [{"title": "Crash on save"}, {}])
    @pytest.mark.parametrize(
        "sent",
        [{"type": "structured", "content": '{"title": "Harmless"}'}, {"type": "text", "content": "title: 1"}],
    )
    def test_what_the_tool_sent_cannot_pass_for_arguments(
        self, sent: dict[str, str], arguments: dict[str, str]
    ) -> None:
        documents = documents_for(None, sent, arguments, CWD)
        assert [next(iter(of_kind(document, RowKind.NOTE))) for document in documents] == [
            "sent by the tool",
            "arguments of the call",
        ]

    def test_arguments_that_a_snapshot_does_not_show_are_set_apart(self, tmp_path: Path) -> None:
        snapshot = take([Command("ls", str(tmp_path))])
        document = documents_for(snapshot, None, {"command": "ls", "as": "root"}, CWD)[-1]
        assert texts(document) == ["further arguments of the call", 'as: "root"']

    def test_what_a_call_is_said_to_be_for_is_shown_without_a_warning(self, tmp_path: Path) -> None:
        snapshot = take([Command("ls", str(tmp_path))])
        document = documents_for(snapshot, None, {"command": "ls", "description": "List all"}, CWD)[-1]
        assert texts(document) == ['description: "List all"']

    @pytest.mark.parametrize("more", [{"description": {"as": "root"}}, {"description": "List all", "as": "root"}])
    def test_any_more_of_it_is_set_apart(self, tmp_path: Path, more: dict[str, Any]) -> None:
        snapshot = take([Command("ls", str(tmp_path))])
        document = documents_for(snapshot, None, {"command": "ls", **more}, CWD)[-1]
        assert texts(document)[0] == "further arguments of the call"

    def test_an_empty_snapshot_shows_the_arguments(self) -> None:
        (document,) = documents_for(Snapshot(), None, {}, CWD)
        assert counted(document) == ["(no arguments)"]


hostile = st.text(
    alphabet=st.sampled_from("a\n\r\t\x00\x1b\x07\x9b\u200b\u202e\u2028\ufeff\ud800\U000e0041 "),
    max_size=20,
)
MAKERS: dict[str, Callable[[str], Document]] = {
    "diff": lambda text: diff(
        "a\n", text.encode("utf-8", "replace").decode(), f"/{text}", link_target=text, real_path=text
    ),
    "new file": lambda text: file_document(text.encode("utf-8", "replace"), text),
    "binary": lambda text: binary_document(b"\0", text.encode("utf-8", "replace"), text),
    "command": lambda text: command_document(text, text, {text: text}, real_cwd=f"/{text}"),
    "text": text_document,
    "structured": lambda text: structured_document({text: [text, {"k": text}], "n": {text: {}}}),
    "sent diff": lambda text: presentation_documents({"type": "diff", "content": f"+{text}"})[0],
    "sent command": lambda text: presentation_documents({"type": "command", "content": text})[0],
}


@pytest.mark.parametrize("maker", MAKERS)
@given(text=hostile)
def test_no_character_that_a_terminal_obeys_leaves_a_document(maker: str, text: str) -> None:
    document = MAKERS[maker](text)
    shown = "".join([*texts(document), *document.notes, *(each.message for each in document.scan())])
    assert not set(shown) & set("\n\r\t\x00\x1b\x07\x9b\u200b\u202e\u2028\ufeff\ud800\U000e0041")
    assert document.units >= 1
