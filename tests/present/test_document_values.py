"""Commands, arguments and what a tool sent are shown whole, and pass for nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from document_reading import counted, of_kind, texts

from signoff.policy.redaction.masking import DEFAULT_REDACTION
from signoff.present.document.build import presentation_documents
from signoff.present.document.model import Document
from signoff.present.document.rows import RowKind
from signoff.present.document.structured import structured_document
from signoff.present.document.text import command_document


class TestCommands:
    def test_the_directory_comes_first_then_the_environment_then_every_line(self) -> None:
        document = command_document("make &&\n  ls", "/x", {"B": "2 ", "A": "1"})
        assert texts(document) == [
            'cwd: "/x"',
            'env: "A" = "1"',
            'env: "B" = "2~"',
            "make &&",
            "  ls",
        ]
        assert document.units == len(document)

    def test_a_directory_that_leads_elsewhere_says_where(self) -> None:
        document = command_document("ls", "/x/..", real_cwd="/")
        assert texts(document)[0] == 'cwd: "/x/..", which leads to "/"'

    def test_a_command_is_never_cut(self) -> None:
        command = "echo " + "x" * 100_000
        assert texts(command_document(command, "/"))[1] == command

    @pytest.mark.parametrize("command", ["", "\n"])
    def test_an_empty_command_has_a_row_for_each_of_its_lines(self, command: str) -> None:
        assert of_kind(command_document(command, "/"), RowKind.COMMAND) == command.split("\n")

    def test_an_unknown_directory_is_said(self) -> None:
        assert texts(command_document("ls", None))[0] == "cwd: not known"


class TestStructured:
    def test_scalars_keep_their_types_apart(self) -> None:
        values = [1, 1.0, "1", True, "true", None, "null", "", [], {}, -0.0, 10**30]
        assert texts(structured_document(values)) == [
            "- 1",
            "- 1.0",
            '- "1"',
            "- true",
            '- "true"',
            "- null",
            '- "null"',
            '- ""',
            "- []",
            "- {}",
            "- -0.0",
            "- 1000000000000000000000000000000",
        ]

    def test_keys_are_sorted_and_nesting_is_indented(self) -> None:
        assert texts(structured_document({"b": {"d": 1, "c": [2]}, "a": 3})) == [
            "a: 3",
            "b:",
            "  c:",
            "    - 2",
            "  d: 1",
        ]

    def test_a_string_of_several_lines_is_a_block_behind_bars(self) -> None:
        assert texts(structured_document({"a": "x: 1\ny", "b": "x\n"})) == [
            "a: | (2 lines, no newline at the end)",
            "  | x: 1",
            "  | y",
            "b: | (1 line)",
            "  | x",
        ]

    def test_a_key_that_is_no_plain_name_stands_in_quotes(self) -> None:
        assert texts(structured_document({"a: 1": 2, "": 3})) == ['"": 3', '"a: 1": 2']

    def test_no_value_can_pass_for_another_entry(self) -> None:
        hostile = structured_document({"a": '1"\nb: "2', "c": 'x", d: "y'})
        assert texts(hostile) == [
            "a: | (2 lines, no newline at the end)",
            '  | 1"',
            '  | b: "2',
            'c: "x", d: "y"',
        ]

    def test_a_long_string_is_not_cut(self) -> None:
        assert texts(structured_document({"a": "x" * 9_999})) == [f'a: "{"x" * 9_999}"']

    def test_a_string_that_is_json_is_a_marked_tree(self) -> None:
        document = structured_document({"body": '{"b": [1, "x"],\n "a": "{\\"c\\": 2}"}', "to": "{}"})
        assert texts(document) == [
            "body: (JSON in a string, re-formatted)",
            "  a: (JSON in a string, re-formatted)",
            "    c: 2",
            "  b:",
            "    - 1",
            '    - "x"',
            'to: "{}"',
        ]
        assert (document.units, document.levels) == (7, 3)

    @pytest.mark.parametrize(
        "text", ["7", '"x"', "{1}", '{"a": 1, "a": 2}', "[1, NaN]", "[]", "[" * 500 + "]" * 500]
    )
    def test_a_string_that_is_no_list_or_object_of_json_is_shown_as_it_is(self, text: str) -> None:
        assert texts(structured_document({"a": text})) == [f'a: "{text}"']

    def test_secrets_in_a_string_that_is_json_are_hidden_by_their_names(self) -> None:
        document = structured_document({"body": '{"password": "open sesame"}'}, masks=DEFAULT_REDACTION)
        assert "sesame" not in "".join(texts(document))

    def test_what_may_be_run_is_never_shown_as_a_tree(self) -> None:
        document = structured_document({"command": '["rm", "-rf"]'}, masks=DEFAULT_REDACTION)
        assert texts(document) == ['command: "["rm", "-rf"]"']

    def test_every_row_counts(self) -> None:
        document = structured_document({"a": {"b": "x\ny"}})
        assert document.units == len(document) == 4

    def test_no_arguments_are_said_in_a_row_that_counts(self) -> None:
        assert counted(structured_document({})) == ["(no arguments)"]

    def test_what_is_not_json_is_shown_and_not_complete(self) -> None:
        document = structured_document({"a": b"x"})
        assert texts(document) == ["a: (not JSON: bytes) b'x'"]
        assert not document.complete

    def test_absurd_nesting_ends_in_a_row_that_says_so(self) -> None:
        nested: Any = []
        nested.append(nested)
        document = structured_document(nested)
        assert texts(document)[-1].strip() == "- (nested deeper than this is shown)"
        assert not document.complete

    def test_a_number_too_long_for_decimal_is_shown_in_hexadecimal(self) -> None:
        assert texts(structured_document([16**5_000])) == [f"- 0x1{'0' * 5_000}"]


class TestSentByTheTool:
    def one(self, **presentation: Any) -> Document:
        (document,) = presentation_documents(presentation)
        return document

    @pytest.mark.parametrize(
        ("kind", "expected"),
        [("text", "text"), ("command", "command"), ("structured", "structured"), ("odd", "text")],
    )
    def test_it_is_labeled_and_every_line_counts(self, kind: str, expected: str) -> None:
        document = self.one(type=kind, content="a\nb")
        assert texts(document) == ["sent by the tool", "a", "b"]
        assert (document.kind, document.units) == (expected, 2)

    def test_structured_content_that_is_json_is_a_tree(self) -> None:
        document = self.one(type="structured", content='{"to": "staging", "services": ["web", {"port": 80}]}')
        assert texts(document) == [
            "sent by the tool",
            "services:",
            '  - "web"',
            "  -",
            "    port: 80",
            'to: "staging"',
        ]
        assert (document.units, document.levels, document.notes) == (5, 3, ("sent by the tool",))
        assert texts(document.with_levels(1)) == [
            "sent by the tool",
            "services:",
            "  (3 rows folded)",
            'to: "staging"',
        ]

    @pytest.mark.parametrize("content", ["to: staging\nport: 80", '{"a": 1, "a": 2}', "[1, NaN]", "", "7"])
    def test_structured_content_that_is_no_json_is_shown_as_it_came(self, content: str) -> None:
        document = self.one(type="structured", content=content)
        assert texts(document)[1:] == (content.splitlines() or ["(empty text)"])

    def test_the_tree_of_what_was_shortened_is_that_of_the_full_content(self) -> None:
        metadata = {"full_content": '{"a": [1, 2]}'}
        short, full = presentation_documents({"type": "structured", "content": '{"a": [1', "metadata": metadata})
        assert texts(short)[2:] == ['{"a": [1']
        assert counted(full) == ["a:", "  - 1", "  - 2"]

    def test_values_are_masked_in_the_tree_by_their_names(self) -> None:
        sent = {"type": "structured", "content": '{"password": "open sesame"}'}
        (document,) = presentation_documents(sent, DEFAULT_REDACTION)
        assert "sesame" not in "".join(texts(document))

    @pytest.mark.parametrize(
        ("metadata", "cwd", "shown"),
        [
            ({"cwd": "/srv/\x1b[2Jweb"}, "/work", 'cwd: "/srv/^[[2Jweb"'),
            ({}, "/work", 'cwd: "/work"'),
            ({"cwd": 7}, "/work", 'cwd: "/work"'),
        ],
    )
    def test_a_command_has_the_directory_that_the_tool_says_or_that_of_the_call(
        self, metadata: dict[str, Any], cwd: str, shown: str
    ) -> None:
        sent = {"type": "command", "content": "make", "metadata": metadata}
        (document,) = presentation_documents(sent, cwd=cwd)
        assert counted(document) == [shown, "make"]

    def test_a_diff_is_read_by_its_signs_alone(self) -> None:
        document = self.one(type="diff", content="--- a\n+++ b\n@@ -1 +1 @@\n c\n-d\n+e\n\\ No newline\n")
        assert [(row.kind.value, row.text.text) for row in document][1:] == [
            ("file", "--- a"),
            ("file", "+++ b"),
            ("hunk", "@@ -1 +1 @@"),
            ("context", "c"),
            ("removed", "d"),
            ("added", "e"),
            ("plain", "\\ No newline"),
        ]
        assert (document.added, document.removed) == (1, 1)

    def test_a_diff_has_no_line_numbers_that_the_tool_could_forge(self) -> None:
        document = self.one(type="diff", content="@@ -7 +7 @@\n-a\n+b\n")
        assert {(row.old_no, row.new_no) for row in document} == {(None, None)}

    def test_lines_cut_by_the_tool_make_it_incomplete(self) -> None:
        document = self.one(type="text", content="a", metadata={"truncated_lines": 7})
        assert document.notes == (
            "sent by the tool",
            "TRUNCATED BY THE TOOL: 1 of 8 lines. The rest cannot be shown",
        )
        assert not document.complete

    def test_a_cut_that_is_only_marked_in_the_text_counts_too(self) -> None:
        document = self.one(type="text", content="a\n\n... [12 more lines]")
        assert "TRUNCATED BY THE TOOL: 1 of 13 lines. The rest cannot be shown" in document.notes
        assert not document.complete

    def test_the_full_content_follows_what_was_shortened(self) -> None:
        short, full = presentation_documents(
            {
                "type": "text",
                "content": "a",
                "metadata": {"full_content": "a\nb", "truncated_lines": 1},
            }
        )
        assert (short.complete, full.complete) == (True, True)
        assert counted(full) == ["a", "b"]

    def test_hidden_secrets_are_noted(self) -> None:
        document = self.one(type="text", content="a", metadata={"redacted": 2})
        assert "2 secrets hidden by the tool" in document.notes

    @pytest.mark.parametrize("presentation", [{}, {"content": 1}, {"type": [], "metadata": 3, "language": {}}])
    def test_nonsense_is_an_empty_text_that_counts(self, presentation: dict[str, Any]) -> None:
        assert counted(self.one(**presentation)) == ["(empty text)"]

    def test_a_language_must_look_like_one(self) -> None:
        assert self.one(type="text", content="a", language="Python").language_name == "python"
        assert self.one(type="text", content="a", language="\x1b[2J").language_name is None
