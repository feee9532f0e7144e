"""One request in a few words: what it would do, not what it says of itself."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from model_samples import CASCADE, approved, rejected, stored

from signoff import Command, FileWrite
from signoff.effects import Effect
from signoff.present.snapshot.snapshot import take
from signoff.queue import DecideResult, Decision, Instead, RequestState, StoredRequest, VerdictKind
from signoff.queue.wording import NOT_RUN, agent_is_gone, agent_is_lost
from signoff.text.time import local_time
from signoff_tui.text.summary import (
    LONGEST,
    already_ended_text,
    ended_text,
    group_name,
    refused_text,
    summarize,
)


def declared(folder: Path, *effects: Effect, **fields: object) -> StoredRequest:
    return stored("r", snapshot=take(effects).to_json(), cwd=str(folder), **fields)


# -- what a request is about ---------------------------------------------------------------------------------


def test_an_edited_file_is_named_by_its_path_from_the_working_directory(workdir: Path) -> None:
    (workdir / "src").mkdir()
    (workdir / "src/a.py").write_text("old\n")
    summary = summarize(declared(workdir, FileWrite(str(workdir / "src/a.py"), "new\n")))
    assert (summary.letter, summary.what.text, summary.path) == ("M", "src/a.py", True)


def test_a_file_that_is_removed_is_named_alone(workdir: Path) -> None:
    path = workdir / "a.py"
    path.write_text("old\n")
    summary = summarize(declared(workdir, FileWrite(str(path), ""), Command(f"rm -- {path}", str(workdir))))
    assert (summary.letter, summary.what.text, summary.path) == ("D", "a.py", True)


def test_a_file_that_is_not_there_yet_is_new(workdir: Path) -> None:
    assert summarize(declared(workdir, FileWrite(str(workdir / "a.py"), "new\n"))).letter == "A"


def test_a_binary_file_is_marked_as_one(workdir: Path) -> None:
    assert summarize(declared(workdir, FileWrite(str(workdir / "a.png"), b"\x89PNG\0"))).letter == "B"


def test_a_file_outside_the_working_directory_is_named_in_full(workdir: Path, tmp_path: Path) -> None:
    summary = summarize(declared(workdir, FileWrite(str(tmp_path / "a.py"), "new\n")))
    assert (summary.what.text, summary.outside) == (str(tmp_path / "a.py"), True)


def test_a_file_outside_is_noticed_behind_others(workdir: Path, tmp_path: Path) -> None:
    effects = (FileWrite(str(workdir / "a.py"), "new\n"), FileWrite(str(tmp_path / "b.py"), "new\n"))
    assert summarize(declared(workdir, *effects)).outside


def test_a_command_is_shown_in_one_line(workdir: Path) -> None:
    summary = summarize(declared(workdir, Command("make\n\n  make install\n", str(workdir))))
    assert (summary.letter, summary.what.text) == ("$", "make ; make install")


def test_more_steps_are_counted(workdir: Path) -> None:
    first, second = Command("make", str(workdir)), Command("ls", str(workdir))
    assert (
        summarize(declared(workdir, first, second, FileWrite(str(workdir / "a"), ""))).what.text == "1 of 3: make"
    )


def test_a_call_without_effects_is_described_by_its_tool(workdir: Path) -> None:
    summary = summarize(stored("r", description="Create an issue"))
    assert (summary.letter, summary.what.text) == ("{", "Create an issue")


def test_a_text_to_agree_with_is_a_text() -> None:
    assert summarize(stored("r", presentation={"type": "text", "content": "A plan"})).letter == "T"


def test_effects_count_more_than_what_the_tool_shows(workdir: Path) -> None:
    claim = {"type": "text", "content": "Nothing happens"}
    summary = summarize(declared(workdir, Command("rm -rf x", str(workdir)), presentation=claim))
    assert (summary.letter, summary.what.text) == ("$", "rm -rf x")


@pytest.mark.parametrize(
    ("facts", "named"),
    [
        ({"tool_name": "delete", "description": "List files"}, "delete: List files"),
        ({"tool_name": "delete", "description": "List files", "server": "disk"}, "disk/delete: List files"),
        ({"tool_name": "delete", "description": "delete(id=1)"}, "delete(id=1)"),
        ({"tool_name": "delete", "description": "deleted files: list"}, "delete: deleted files: list"),
        ({"tool_name": "delete", "description": ""}, "delete"),
    ],
)
def test_words_that_declare_nothing_stand_behind_the_tool_where_the_call_is_read(
    facts: dict[str, str], named: str
) -> None:
    assert summarize(stored("r", **facts)).named.text == named


def test_what_is_declared_needs_no_name_of_its_tool(workdir: Path) -> None:
    summary = summarize(declared(workdir, Command("pytest -q", str(workdir))))
    assert summary.named == summary.what


def test_a_damaged_snapshot_leaves_the_description() -> None:
    assert summarize(stored("r", snapshot={"steps": "?"}, description="Create r")).what.text == "Create r"


def test_a_long_command_loses_its_middle_and_keeps_its_end(workdir: Path) -> None:
    text = summarize(declared(workdir, Command("echo " + "x" * 100_000 + " && rm y", str(workdir)))).what.text
    assert len(text) < LONGEST + 100
    assert text.startswith("echo xxx")
    assert text.endswith("xxx && rm y")


HOSTILE = "a\x1b[2Jb\u202ec\u200bd\te\rf"


@pytest.mark.parametrize("field", ["tool_name", "description"])
def test_hostile_text_is_visible_in_one_printable_line(field: str) -> None:
    summary = summarize(stored("r", agent=HOSTILE, session=HOSTILE, **{field: HOSTILE}))
    for text in (summary.tool, summary.what, summary.agent, summary.session):
        assert text.text.isprintable()


def test_a_tab_in_a_command_is_visible(workdir: Path) -> None:
    text = summarize(declared(workdir, Command("ls\t-l", str(workdir)))).what.text
    assert text.isprintable()
    assert text != "ls -l"


# -- the name of a group -------------------------------------------------------------------------------------


def named(given: str, *requests: StoredRequest) -> str:
    return group_name(given, [each.submission for each in requests or (stored("a"), stored("b"))]).text


def writes(*paths: Path, cwd: str) -> list[StoredRequest]:
    return [
        stored(f"r{at}", snapshot=take((FileWrite(str(path), "new\n"),)).to_json(), cwd=cwd)
        for at, path in enumerate(paths)
    ]


@pytest.mark.parametrize("given", ["save project", "step 3", "release", "deploy v2.1"])
def test_a_group_has_the_name_that_its_sender_gave(given: str) -> None:
    assert named(given) == given


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("save project 3f2a9c1e", "save project"),
        ("save project, #1234567", "save project"),
        ("turn: 0b5c7a3e-11d2-4f6a-9e44-5d2a1c3b7e90", "turn"),
    ],
)
def test_an_id_at_the_end_of_the_name_is_left_out(given: str, name: str) -> None:
    assert named(given) == name


@pytest.mark.parametrize(
    "given", ["", "  ", "17", "b-7700001", "call_9f8e7d6c5b4a", "0b5c7a3e-11d2-4f6a-9e44-5d2a1c3b7e90"]
)
def test_a_name_that_is_only_an_id_is_none(given: str) -> None:
    assert named(given) == "2 calls of create_issue"


def test_the_name_of_a_group_is_made_safe() -> None:
    name = named(f"save {HOSTILE}")
    assert name.startswith("save a")
    assert name.isprintable()


def test_files_without_a_name_are_named_by_the_folder_that_holds_all_of_them(workdir: Path) -> None:
    for folder in ("src/app", "src/lib"):
        (workdir / folder).mkdir(parents=True)
    paths = [workdir / "src/app/a.py", workdir / "src/lib/b.py"]
    assert named("", *writes(*paths, cwd=str(workdir))) == "write 2 files in src/"
    assert named("", *writes(*paths, cwd=str(workdir / "src"))) == "write 2 files"
    assert named("", *writes(paths[0], cwd=str(workdir))) == "write 1 file in src/app/"


def test_a_path_that_no_tool_would_send_leaves_the_folder_out(workdir: Path) -> None:
    sound, broken = writes(workdir / "a.py", workdir / "b.py", cwd=str(workdir))
    snapshot = broken.submission.snapshot
    assert snapshot is not None
    snapshot["steps"][0]["path"] = "b.py"
    assert named("", sound, broken) == named("", broken, broken) == "write 2 files"


def test_commands_and_calls_without_a_name_are_counted(workdir: Path) -> None:
    runs = [declared(workdir, Command(text, str(workdir))) for text in ("ls", "make", "pytest")]
    assert named("", *runs) == "run 3 commands"
    assert named("", *runs[:1]) == "run 1 command"
    assert named("", stored("a", tool_name=HOSTILE)).isprintable()
    assert named("", *runs, *writes(workdir / "a.py", cwd=str(workdir))) == "4 calls of create_issue"
    assert named("", stored("a", tool_name="fetch"), stored("b")) == "2 calls in one turn"


# -- how a request ended -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (stored("r"), ""),
        (approved(stored("r"), by="anna"), "approved by anna"),
        (rejected(stored("r"), by="anna"), "rejected by anna"),
        (rejected(stored("r"), by="anna", hard=True), "stopped by anna"),
        (rejected(stored("r"), by="anna", source=CASCADE), "stopped with its turn"),
        (stored("r", state=RequestState.EXPIRED), "expired"),
        (stored("r", state=RequestState.WITHDRAWN), "withdrawn by the agent"),
        (
            stored("r", state=RequestState.WITHDRAWN, note=agent_is_gone(7)),
            "agent exited",
        ),
        (
            stored("r", state=RequestState.WITHDRAWN, note=agent_is_lost(300_000_000)),
            "agent lost its connection",
        ),
        (stored("r", state=RequestState.SUPERSEDED), "superseded by a newer revision"),
        (stored("r", state=RequestState.WITHDRAWN, note=f"{NOT_RUN}: so it says"), "withdrawn by the agent"),
        (
            stored("r", state=RequestState.SUPERSEDED, note=f"{NOT_RUN}: it was changed"),
            "NOT RUN, though approved",
        ),
    ],
)
def test_the_end_of_a_request_is_told_in_words(request_: StoredRequest, words: str) -> None:
    assert ended_text(request_) == words


@pytest.mark.parametrize(
    ("decision", "words", "mine"),
    [
        (Decision(approved=True, by="anna"), "approved by anna", "approved by you"),
        (
            Decision(approved=True, by="anna", remember=True),
            "approved for session by anna",
            "approved for session",
        ),
        (
            Decision(approved=True, by="anna", instead=Instead(arguments={}, summary="edited arguments a")),
            "approved, edited by anna",
            "approved, edited by you",
        ),
        (
            Decision(
                approved=True, by="anna", instead=Instead(arguments={}, refused=("a",), summary="1 of 2 hunks")
            ),
            "approved 1 of 2 hunks by anna",
            "approved 1 of 2 hunks",
        ),
    ],
)
def test_what_the_reviewer_decided_is_told_as_theirs(decision: Decision, words: str, mine: str) -> None:
    ended = replace(approved(stored("r")), decision=decision)
    assert (ended_text(ended, "bob"), ended_text(ended, "anna")) == (words, mine)


def test_an_expired_request_is_told_with_the_time_that_it_had() -> None:
    request = stored("r", state=RequestState.EXPIRED)
    expired = replace(request, expires_at=request.created_at + 299_990_000)  # set a moment before it was posted
    assert ended_text(expired) == "expired after 5:00"


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        (approved(stored("r"), by="anna"), "already approved by you"),
        (rejected(stored("r"), by="bob"), "already rejected by bob"),
        (stored("r", state=RequestState.WITHDRAWN, note=agent_is_gone(7)), "agent exited"),
    ],
)
def test_a_key_that_comes_too_late_is_told_how_the_request_ended(ended: StoredRequest, words: str) -> None:
    assert already_ended_text(ended, "anna") == words


@pytest.mark.parametrize(
    ("ended", "words"),
    [
        (approved(stored("r"), by="bob"), "bob was first"),
        (approved(stored("r"), by="anna"), "already approved by you"),
        (stored("r", state=RequestState.WITHDRAWN, note=agent_is_gone(7)), "agent exited"),
    ],
)
def test_a_decision_that_comes_too_late_is_told_who_was_first(ended: StoredRequest, words: str) -> None:
    late = DecideResult(VerdictKind.TOO_LATE, "r", "words of the queue", ended)
    assert refused_text(late, "anna") == words


def test_another_refusal_is_told_in_the_words_of_the_queue() -> None:
    refused = DecideResult(VerdictKind.CHANGED, "r", "it was changed meanwhile", approved(stored("r"), by="bob"))
    assert refused_text(refused, "anna") == "it was changed meanwhile"


def test_nothing_has_ended_while_a_request_waits() -> None:
    assert already_ended_text(stored("r"), "anna") == ""


def test_the_name_of_a_reviewer_is_made_safe_too() -> None:
    assert ended_text(approved(stored("r"), by="an\u202ena")).isprintable()


# -- times ---------------------------------------------------------------------------------------------------


def test_the_time_of_day_is_local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC-2")
    time.tzset()
    try:
        assert local_time(1_790_000_000_000_000, "clock") == "16:13:20"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_tool_of_a_server_is_named_with_it_in_rows_and_headers() -> None:
    rows = [
        summarize(stored("r1", server=server, tool_name="delete", description="delete(id=1)"))
        for server in (None, "staging", "production")
    ]
    assert [row.tool.text for row in rows] == ["delete", "staging/delete", "production/delete"]
    assert [row.what.text for row in rows] == ["delete(id=1)", "staging: delete(id=1)", "production: delete(id=1)"]
