"""Every target, by number."""

from __future__ import annotations

from benchmarks.usability import beside, cost, looks, painting, race, robots
from benchmarks.usability.targets import Target

_COUNTS = "tui/input/test_key_counts.py::test_"
_GROUPS = "tui/guard/test_guard_groups.py::test_"
_ROBOTS = "tui/guard/test_guard_robots.py::test_"
_TYPING = "tui/guard/test_guard_typing.py::test_"
_LOST = "tui/screens/test_review_queue_lost.py::test_"
_PTY = "system/test_system_pty.py::test_"

TARGETS = (
    Target(
        "UT-01",
        "decisions about anything else than was shown 200 ms before the key",
        "0",
        tests=(
            f"{_ROBOTS}no_decision_is_about_anything_the_user_had_not_seen",
            f"{_ROBOTS}the_robots_do_misfire_on_a_screen_without_arming",
            f"{_PTY}robots_never_decide_about_what_was_not_on_the_screen",
        ),
        measures=(robots.misfires,),
    ),
    Target(
        "UT-02",
        "decisions sent by words for another window",
        "0 of 5,000; slowly typed <= 0.5 %",
        tests=(
            f"{_ROBOTS}words_typed_into_the_wrong_window_send_nothing",
            f"{_ROBOTS}words_typed_slowly_send_next_to_nothing",
            f"{_PTY}words_meant_for_another_window_decide_nothing",
        ),
    ),
    Target(
        "UT-03",
        "a held key, two and three taps",
        "1; 1; <= 1",
        tests=(
            f"{_TYPING}a_held_key_decides_once",
            f"{_TYPING}a_double_tap_decides_once",
            f"{_TYPING}a_triple_tap_decides_at_most_once",
        ),
    ),
    Target(
        "UT-04",
        "keys queued while the program stood still for 2 s",
        "0 decisions",
        tests=(
            f"{_ROBOTS}keys_queued_while_the_program_was_blocked_decide_nothing",
            f"{_PTY}keys_queued_while_the_screen_was_stopped_decide_nothing",
        ),
    ),
    Target(
        "UT-05",
        "pastes",
        "0 decisions",
        tests=(f"{_TYPING}a_paste_is_never_a_command", f"{_PTY}a_paste_decides_nothing"),
    ),
    Target(
        "UT-06",
        "first presses of a reviewer that are accepted",
        ">= 98 %; in a storm >= 85 %",
        tests=(
            f"{_ROBOTS}a_reviewer_is_seldom_held_up",
            f"{_ROBOTS}a_reviewer_in_a_storm_is_held_up_a_little",
        ),
        measures=(robots.first_presses,),
    ),
    Target(
        "UT-07",
        "the focused row while 1,000 arrive and 300 end",
        "unchanged to the cell",
        tests=(
            "tui/widgets/test_row_list.py::test_the_focused_row_keeps_its_line_when_a_thousand_rows_come_below_it",
            "tui/state/test_inbox.py::test_a_thousand_arrivals_leave_the_cursor_where_it_is",
            "tui/screens/test_review_screen.py::test_arrivals_do_not_move_the_cursor_nor_its_row",
        ),
        measures=(looks.focus_stays,),
    ),
    Target(
        "UT-08",
        "approve a group of ten, read",
        "commands <= 2 (80), 1 (100); reading <= 12",
        tests=(
            f"{_COUNTS}a_group_that_was_read_is_approved_with_one_command",
            f"{_COUNTS}a_high_member_of_a_group_takes_one_command_more",
        ),
    ),
    Target(
        "UT-09",
        "reject one of ten in words, approve the rest",
        "commands <= 4 (80), 3 (100)",
        tests=(f"{_COUNTS}rejecting_one_of_a_group_and_approving_the_rest_takes_three_commands",),
    ),
    Target(
        "UT-10",
        "a member that arrives 1 ms before Y",
        "not approved, listed",
        tests=(
            f"{_GROUPS}a_member_added_between_paint_and_press_is_not_approved",
            f"{_GROUPS}a_late_member_is_listed_as_new",
            "tui/screens/test_review_group.py::test_who_joins_later_waits_and_is_marked",
        ),
        measures=(robots.late_member,),
    ),
    Target(
        "UT-11", "HIGH in a group", "never by a capital", tests=(f"{_GROUPS}high_is_never_part_of_a_group_act",)
    ),
    Target(
        "UT-12",
        "approve a request that fits",
        "1 command",
        tests=(f"{_COUNTS}a_request_that_fits_the_screen_is_approved_with_one_command",),
    ),
    Target(
        "UT-13",
        "allow: exactly, a prefix, the tool",
        "2 commands",
        tests=(f"{_COUNTS}allowing_takes_two_commands",),
    ),
    Target(
        "UT-14",
        "stop an agent",
        "2 commands",
        tests=(f"{_COUNTS}stopping_an_agent_takes_two_commands_on_its_row",),
    ),
    Target(
        "UT-15",
        "revoke a remembered approval that is on the screen",
        "<= 2 commands",
        tests=(f"{_COUNTS}revoking_what_is_allowed_takes_two_commands",),
    ),
    Target(
        "UT-16",
        "what did this agent do in the last hour",
        "1 command on its row, <= 3 elsewhere",
        tests=(
            f"{_COUNTS}what_an_agent_did_in_the_last_hour_takes_one_command_on_its_row_and_two_elsewhere",
            "tui/screens/test_agents_screen.py::test_the_last_hour_of_an_agent_is_at_most_three_keys_away",
        ),
    ),
    Target(
        "UT-17",
        "take back",
        "1 command; the queue never saw it",
        tests=(
            f"{_COUNTS}taking_back_takes_one_command_and_the_queue_never_saw_the_decision",
            "tui/guard/test_guard_holds.py::test_each_decision_is_either_sent_or_taken_back",
        ),
    ),
    Target(
        "UT-18",
        "approving what was not shown",
        "only by !, share recorded",
        tests=("tui/state/test_coverage.py", "tui/screens/test_review_unseen.py"),
    ),
    Target(
        "UT-19",
        "contents swapped under the same name",
        "0 approvals of the new ones",
        tests=(
            f"{_ROBOTS}nothing_but_the_revision_on_screen_is_ever_approved",
            "tui/guard/test_guard.py::test_contents_swapped_a_moment_before_the_key_are_not_approved",
            "tui/guard/test_guard.py::test_contents_swapped_under_the_same_revision_are_not_approved",
        ),
        measures=(robots.swapped,),
    ),
    Target(
        "UT-20",
        "start to first paint",
        "p95 <= 0.8 s; BIG 1.0 s; <= 1.5 x bare Textual",
        measures=(painting.first_paint, beside.first_paint),
    ),
    Target(
        "UT-21",
        "key to paint",
        "p95 <= 25 ms, p99 <= 60 ms; BIG p95 <= 40 ms; y p95 <= 25 ms",
        measures=(painting.key_to_paint, beside.approving),
    ),
    Target(
        "UT-22",
        "late frames at 100 arrivals a second",
        "<= 3 % over 33 ms, none over 150 ms",
        measures=(cost.late_frames,),
    ),
    Target(
        "UT-23",
        "opening a diff of 5,000 lines",
        "page <= 150 ms, no gap > 100 ms; page down <= 1.5 x RichLog",
        measures=(painting.opening_a_long_diff, beside.page_down),
    ),
    Target("UT-24", "doing nothing", "<= 0.2 % cpu, <= 1 write/s, 0 when empty", measures=(cost.idle,)),
    Target("UT-25", "memory with BIG", "<= 120 MB", measures=(cost.memory,)),
    Target("UT-26", "filter 10,000 records", "<= 50 ms for each key", measures=(cost.filtering,)),
    Target(
        "UT-27",
        "foreign text",
        "no byte of it acts, no click either",
        tests=(
            "system/test_system_bytes.py",
            "tui/screens/test_review_hostile.py::test_no_click_on_hostile_text_does_anything_but_move",
        ),
    ),
    Target("UT-28", "states without colors", "differ pairwise", measures=(looks.without_colors,)),
    Target(
        "UT-29",
        "contrast",
        ">= 4.5, 6 in the contrast theme; add/delete >= 15",
        tests=("tui/text/test_themes.py",),
    ),
    Target(
        "UT-30",
        "sizes",
        "five and 200 random",
        tests=("tui/screens/test_review_sizes.py",),
        measures=(looks.sizes,),
    ),
    Target(
        "UT-31",
        "the queue is lost",
        "keys off, held ones taken back",
        tests=(
            f"{_LOST}decision_keys_do_nothing_without_the_queue",
            f"{_LOST}held_decisions_are_taken_back_when_the_queue_is_lost",
            f"{_LOST}an_approval_that_the_queue_did_not_take_is_said_and_waits_again",
        ),
    ),
    Target(
        "UT-32",
        "two reviewers at once",
        "one wins, the other is told by whom",
        tests=(
            "tui/screens/test_review_changes.py::test_the_first_decision_wins_and_the_second_is_told_by_whom",
            "tui/screens/test_review_changes.py::test_two_screens_on_one_queue_agree",
        ),
        measures=(race.race,),
    ),
    Target(
        "UT-33",
        "a request ends while its rejection is written",
        "no key reaches anything else, text kept",
        tests=(
            "tui/screens/test_review_feedback.py::test_a_request_that_ends_while_writing_leaves_the_box_and_its_text",
            "tui/screens/test_review_feedback.py::test_a_request_that_changes_while_writing_is_not_rejected_unseen",
        ),
        measures=(robots.dies_while_typing,),
    ),
    Target(
        "UT-34",
        "every action in palette and help",
        "all, and no dead key",
        tests=(
            "tui/input/test_actions.py::test_the_palette_of_a_place_offers_all_that_can_be_done_there",
            "tui/input/test_actions.py::test_the_help_of_a_place_lists_every_key_with_what_it_does",
            "tui/input/test_actions.py::test_the_help_of_a_place_lists_no_dead_key",
        ),
    ),
    Target(
        "UT-35",
        "notices in a burst of 1,000",
        "<= 1 in 30 s, HIGH <= 1 s, nothing of requests",
        tests=(
            "tui/notify/test_notify_service.py::test_a_burst_of_a_thousand_rings_once_in_half_a_minute",
            "tui/notify/test_notify_service.py::test_high_in_the_midst_of_a_burst_rings_within_a_second",
            "tui/notify/test_notify_service.py::test_no_byte_tells_anything_of_a_request",
        ),
    ),
    Target(
        "UT-36",
        "signoff status",
        "<= 80 ms, no screen loaded",
        tests=("cli/test_cli_status.py::test_it_loads_no_models_no_command_line_library_and_no_screen",),
        measures=(cost.status,),
    ),
    Target(
        "UT-37",
        "a filter typed in one burst",
        "applied whole",
        tests=("tui/screens/test_review_filter.py::test_enter_applies_what_was_typed_however_fast_it_came",),
    ),
    Target(
        "UT-38",
        "read marks after a restart, on another screen",
        "identical",
        tests=("tui/state/test_read_marks.py",),
    ),
)
"""What a key count calls a command is any key that neither moves what is seen nor is text."""
