"""What hides easily in a diff is visible in its rows."""

from __future__ import annotations

from document_reading import NO_NEWLINE, counted, diff, numbered_lines, texts

from signoff.present.document.rows import RowKind


class TestWhatHidesEasily:
    def test_a_tab_that_becomes_blanks_is_visible(self) -> None:
        assert counted(diff("\tx\n", "    x\n")) == [">   x", "    x"]

    def test_blanks_at_the_end_of_a_changed_line_are_visible(self) -> None:
        assert counted(diff("x\n", "x  \n")) == ["x", "x~~"]

    def test_a_change_of_line_ends_is_a_fact_and_in_every_line(self) -> None:
        assert counted(diff("a\nb\n", "a\r\nb\r\n")) == [
            "line ends change from LF to CRLF",
            "a",
            "b",
            "a^M",
            "b^M",
        ]

    def test_one_windows_line_among_others_is_visible(self) -> None:
        assert counted(diff("a\nb\n", "a\nb\r\n")) == [
            "line ends change from LF to LF and CRLF mixed",
            "b",
            "b^M",
        ]

    def test_a_file_whose_lines_all_end_with_crlf_says_so_once(self) -> None:
        document = diff("a\r\nb\r\n", "a\r\nc\r\n")
        assert counted(document) == ["b", "c"]
        assert document.notes == ("every line ends with CRLF",)

    def test_a_lost_newline_at_the_end_is_a_fact_and_marked_at_the_line(self) -> None:
        document = diff("a\n", "a")
        assert counted(document) == ["no newline at end of file any more", "a", "a"]
        assert texts(document)[-1] == NO_NEWLINE

    def test_a_lone_carriage_return_does_not_start_a_line(self) -> None:
        assert counted(diff("ok\n", "ok\rrm -rf /\n")) == ["ok", "ok^Mrm -rf /"]

    def test_characters_without_width_are_visible(self) -> None:
        assert counted(diff("admin\n", "ad\u200bmin\n"))[1] == "ad<U+200B ZWSP>min"

    def test_many_blank_lines_are_one_row_with_their_number(self) -> None:
        document = diff("a\n", "a\n" + "\n" * 41 + "evil\n")
        assert counted(document) == ["(41 blank lines added)", "evil"]

    def test_removed_blank_lines_are_one_row_with_their_number(self) -> None:
        assert counted(diff("a\n" + "\n" * 6, "a\n")) == ["(6 blank lines removed)"]

    def test_five_blank_lines_are_shown_one_by_one(self) -> None:
        assert counted(diff("a\n", "a\n" + "\n" * 5)) == [""] * 5

    def test_blank_lines_that_are_not_empty_say_what_is_in_them(self) -> None:
        assert counted(diff("a\n", "a\n" + " \t\n" * 6)) == ['(6 blank lines added, each "~>  ")']

    def test_blank_lines_of_two_kinds_are_not_mixed(self) -> None:
        assert counted(diff("a\n", "a\n" + "\n" * 6 + " \n" * 6)) == [
            "(6 blank lines added)",
            '(6 blank lines added, each "~")',
        ]

    def test_a_line_that_poses_as_blank_lines_stands_for_one_line(self) -> None:
        (added,) = [row for row in diff("a\n", "a\n(41 blank lines added)\n") if row.kind is RowKind.ADDED]
        assert (added.lines, added.source_line) == (1, 1)

    def test_a_write_through_a_link_is_a_fact(self) -> None:
        document = diff("a\n", "b\n", "/x/l", link_target="../t", real_path="/t")
        assert counted(document)[0] == 'writes through a link: "/x/l" -> "../t", the file is "/t"'

    def test_a_path_that_leads_elsewhere_is_a_fact(self) -> None:
        document = diff("a\n", "b\n", "/x/../etc/f", real_path="/etc/f")
        assert counted(document)[0] == 'the path leads to "/etc/f"'

    def test_a_path_that_leads_to_itself_is_none(self) -> None:
        assert counted(diff("a\n", "b\n", "/f", real_path="/f")) == ["a", "b"]

    def test_a_lost_executable_bit_is_a_fact(self) -> None:
        document = diff("a\n", "a\n", mode_before=0o755, mode_after=0o644)
        assert counted(document) == ["permissions change from 755 to 644 (no longer executable)"]

    def test_an_executable_file_is_noted(self) -> None:
        assert diff("a\n", "b\n", mode_before=0o755).notes == ("executable file (mode 755)",)

    def test_a_heading_names_no_line_that_is_longer_than_a_heading(self) -> None:
        before = "short\n" + "x" * 500 + "\n" + numbered_lines(9).replace("line", " line")
        document = diff(before, before.replace("line 9", "line x"))
        assert document.row(document.hunks[0]).text.text == "@@ 8 short  (7 unchanged lines)"

    def test_the_line_in_a_heading_is_made_safe(self) -> None:
        before = "x\x1b[2J\n" + numbered_lines(9).replace("line", " line")
        document = diff(before, before.replace("line 9", "line x"))
        assert document.row(document.hunks[0]).text.text == "@@ 7 x^[[2J  (6 unchanged lines)"
