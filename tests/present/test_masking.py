"""Marks in place of secrets: in safe text, and in every kind of document."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redaction_corpus import GITHUB, KEY_LINES, PRIVATE_KEY
from signoff.effects import Command, FileEdit, FileWrite
from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.document.build import documents_for, presentation_documents
from signoff.present.document.diff import diff_document, file_document
from signoff.present.document.masking import mark, masked
from signoff.present.document.model import Document
from signoff.present.document.rows import RowKind
from signoff.present.document.structured import structured_document
from signoff.present.document.text import command_document
from signoff.present.kinds import PresentationKind, SentKind
from signoff.present.reveal import reveal_line
from signoff.present.snapshot.snapshot import take

MARK = mark(len(GITHUB))


SENT = {
    PresentationKind.COMMAND: f"echo {GITHUB}\n",
    PresentationKind.DIFF: f"--- a\n+++ b\n@@ -1 +1 @@\n-x\n+{GITHUB}\n",
    PresentationKind.FILE_CONTENT: f"x {GITHUB}\n",
    PresentationKind.STRUCTURED: f'{{"rows": [{{"key": "{GITHUB}"}}]}}',
    PresentationKind.TEXT: f"x {GITHUB}\n",
}
"""What a tool may send, as each kind is meant to be."""


def texts(document: Document) -> list[str]:
    return [row.text.text for row in document]


HOSTILE = st.text("ab\x1b\u202e\u200b\t ", max_size=12)


@st.composite
def _texts_and_spans(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    text = draw(HOSTILE)
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6, unique=True)))
    return text, list(zip(cuts[::2], cuts[1::2], strict=False))


class TestSafeText:
    def test_a_secret_becomes_a_mark_that_is_no_text_of_the_agent(self) -> None:
        found = masked(reveal_line("a secret b"), [(2, 8)])
        assert found.text == f"a {mark(6)} b"
        assert [found.text[a:b] for a, b in found.hidden] == [mark(6)]
        assert found.replaced == (6,)

    def test_findings_in_a_secret_are_still_told(self) -> None:
        assert masked(reveal_line("a\x1bb"), [(0, 3)]).findings == reveal_line("a\x1bb").findings

    @given(_texts_and_spans())
    def test_without_secrets_a_text_stays_as_it_is(self, case: tuple[str, list[tuple[int, int]]]) -> None:
        safe = reveal_line(case[0])
        assert masked(safe, []) is safe

    @given(_texts_and_spans())
    def test_what_is_shown_and_what_is_replaced_are_together_the_original(
        self, case: tuple[str, list[tuple[int, int]]]
    ) -> None:
        text, spans = case
        found = masked(reveal_line(text, mark_trailing=True), spans)
        signs = sum(end - start for start, end in found.hidden)
        assert len(found) - signs + sum(found.replaced) == len(text)
        assert [*found.hidden] == sorted(found.hidden)

    @given(_texts_and_spans())
    def test_a_span_of_the_original_inside_a_secret_leads_to_its_mark(
        self, case: tuple[str, list[tuple[int, int]]]
    ) -> None:
        text, spans = case
        found = masked(reveal_line(text), spans)
        for start, end in spans:
            a, b = found.map_span(start, end)
            assert "[secret, " in found.text[a:b]


class TestDocuments:
    def test_a_command_shows_all_but_its_tokens(self) -> None:
        document = command_document(f"echo {GITHUB}|sh", "/x", masks=DEFAULT_REDACTION)
        assert texts(document)[1] == f"echo {MARK}|sh"

    def test_a_variable_of_the_environment_is_not_hidden_by_its_name(self) -> None:
        env = {"PASSWORD": "rm -rf ~", "X": GITHUB}
        document = command_document("ls", "/x", env, masks=DEFAULT_REDACTION)
        assert texts(document)[1:3] == ['env: "PASSWORD" = "rm -rf ~"', f'env: "X" = "{MARK}"']

    def test_a_diff_that_swaps_secrets_shows_both_lines(self) -> None:
        before, after = f"token = '{GITHUB}'\n", f"token = '{GITHUB.replace('A1', 'Z9')}'\n"
        document = diff_document(before.encode(), after.encode(), "/f", masks=DEFAULT_REDACTION)
        changed = [row.text.text for row in document if row.kind in {RowKind.ADDED, RowKind.REMOVED}]
        assert changed == [f"token = '{MARK}'"] * 2

    def test_changed_words_in_a_secret_lead_to_its_mark(self) -> None:
        other = GITHUB.replace("A1", "Z9")
        before, after = (f"a line of many words that stay is {secret}\n" for secret in (GITHUB, other))
        document = diff_document(before.encode(), after.encode(), "/f", masks=DEFAULT_REDACTION)
        index = next(at for at, row in enumerate(document) if row.kind is RowKind.ADDED)
        text = document.row(index).text.text
        assert [text[a:b] for a, b in document.emphasis(index)] == [MARK]

    def test_unchanged_lines_and_headings_hide_secrets_too(self) -> None:
        before = f"token_{GITHUB}\n" + "".join(f" {number}\n" for number in range(20))
        after = before.replace(" 10\n", " ten\n")
        document = diff_document(before.encode(), after.encode(), "/f", masks=DEFAULT_REDACTION)
        assert GITHUB not in "\n".join([*texts(document), *texts(document.with_context(100))])

    def test_a_private_key_in_a_file_is_hidden_on_all_its_lines(self) -> None:
        document = file_document(f"a\n{PRIVATE_KEY}\nb\n".encode(), "/f", masks=DEFAULT_REDACTION)
        shown = texts(document)
        assert not any(line in text for line in KEY_LINES for text in shown)
        assert {"a", "b", PRIVATE_KEY.split("\n")[0]} <= set(shown)

    def test_a_private_key_in_an_argument_is_hidden_on_all_its_lines(self) -> None:
        shown = "\n".join(texts(structured_document({"text": f"{PRIVATE_KEY}\n"}, masks=DEFAULT_REDACTION)))
        assert not any(line in shown for line in KEY_LINES)

    def test_a_value_that_is_hidden_by_its_name_is_one_row(self) -> None:
        document = structured_document({"secret": {"a": [1, "two"]}, "b": "c"}, masks=DEFAULT_REDACTION)
        assert texts(document) == ['b: "c"', f"secret: {mark(15)}"]

    def test_the_items_of_a_command_are_commands(self) -> None:
        value = "PASSWORD=python3x now"
        document = structured_document({"argv": [value]}, masks=DEFAULT_REDACTION)
        assert texts(document) == ["argv:", f'  - "{value}"']

    @pytest.mark.parametrize("kind", get_args(SentKind))
    def test_what_a_tool_sends_hides_its_tokens_and_has_to_be_read(self, kind: PresentationKind) -> None:
        document, *_ = presentation_documents({"type": kind, "content": SENT[kind]}, DEFAULT_REDACTION)
        with_token = [row for row in document if MARK in row.text.text]
        assert with_token
        assert all(row.unit is not None for row in with_token)
        assert GITHUB not in "\n".join(texts(document))

    @pytest.mark.parametrize("kind", get_args(SentKind))
    def test_the_whole_of_what_a_tool_shortened_hides_its_tokens(self, kind: PresentationKind) -> None:
        sent = {"type": kind, "content": "...", "metadata": {"full_content": f"x {GITHUB} y\n"}}
        documents = presentation_documents(sent, DEFAULT_REDACTION)
        assert GITHUB not in "\n".join(text for document in documents for text in texts(document))

    def test_every_document_of_a_call_is_masked_and_has_as_many_units_to_read(self, tmp_path) -> None:
        path = tmp_path / "f"
        path.write_text(f"one\n{GITHUB}\n")
        effects = [
            Command(f"echo {GITHUB}", str(tmp_path), {"X": GITHUB}),
            FileEdit(str(path), "one", "two"),
            FileWrite(str(tmp_path / "g"), f"{PRIVATE_KEY}\n"),
        ]
        sent = {"type": "text", "content": GITHUB}
        arguments = {"further": GITHUB}
        whole = documents_for(take(effects), sent, arguments, str(tmp_path))
        hidden = documents_for(take(effects), sent, arguments, str(tmp_path), masks=DEFAULT_REDACTION)
        assert all(GITHUB in "\n".join(texts(document)) or document.path for document in whole)
        assert not any(GITHUB in text for document in hidden for text in texts(document))
        assert [document.units for document in hidden] == [document.units for document in whole]
