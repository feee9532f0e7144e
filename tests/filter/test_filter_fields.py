"""What each field of a filter asks."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from filter_samples import (
    DAY,
    HOUR,
    MINUTE,
    NOON,
    SECOND,
    VIEW,
    YES,
    change,
    grant,
    kept,
    record,
    request,
    run,
    subject,
)

from signoff.effects import Command, FileWrite
from signoff.filter import (
    SAVED_FILTERS,
    Filtered,
    FilterError,
    ScreenFacts,
    Viewpoint,
    last_hour_of,
    of_record,
    of_request,
    parse,
)
from signoff.filter.fields import KINDS
from signoff.policy.risk import assess
from signoff.present.kinds import PresentationKind
from signoff.queue import Decision, DecisionSource, GrantPattern, HistoryRecord, RequestState, Risk
from signoff.queue.grant_pattern import Under

REJECTED, EXPIRED = RequestState.REJECTED, RequestState.EXPIRED


def no(**fields: object) -> HistoryRecord:
    return record(state=REJECTED, decision=replace(Decision(approved=False, by="anna"), **fields))  # type: ignore[arg-type]


def by(source: DecisionSource, name: str = "") -> HistoryRecord:
    return record(decision=Decision(approved=True, source=source, by=name))


@pytest.mark.parametrize(
    ("text", "name", "fits"),
    [
        ("refactor", "refactor", True),
        ("refactor", "refactor-2", False),
        ("refactor", "Refactor", True),
        ("Refactor", "refactor", False),
        ("ref*", "refactor", True),
        ("*factor", "refactor", True),
        ("re?actor", "refactor", True),
        ("re[fg]actor", "refactor", True),
        ("re[fg", "re[fg", True),
        ("docs,ref*", "refactor", True),
        ('"re*"', "refactor", False),
        ('"re*"', "re*", True),
        ("=refactor", "refactor", True),
        ("=refactor", "Refactor", False),
        ("=re*", "refactor", False),
        ("straße", "STRASSE", True),
        ("a.b", "axb", False),
    ],
)
def test_a_name_is_a_glob_without_regard_to_case_unless_a_capital_is_typed(
    text: str, name: str, fits: bool
) -> None:
    assert kept(f"agent:{text}", record(agent=name)) is fits


def test_each_name_is_that_of_its_field() -> None:
    one = record(agent="a", session="b", tool_name="c", group_id="d", batch_id="e")
    for field, name in {"agent": "a", "session": "b", "tool": "c", "group": "d", "batch": "e"}.items():
        assert kept(f"{field}:{name}", one)
        assert not kept(f"{field}:other", one)
        assert not kept(f"{field}:z,y", one)


def test_what_is_not_there_fits_nothing_not_even_any() -> None:
    assert not kept("group:*", record())
    assert not kept("batch:*", request())
    assert not kept("shown:<=100", record(state=EXPIRED, decision=None))
    assert not kept("took:>=0s", request())


def test_a_regular_expression_is_found_anywhere() -> None:
    assert kept("agent:~fac", record())
    assert kept('agent:~"^r.*r$"', record())
    assert not kept("agent:~^fac", record())
    assert kept('cmd:~"push|pull"', record(run("git pull")))
    assert kept(r"path:~\.py$", record(change("/work/src/a.py")))


def test_a_regular_expression_ignores_case_unless_it_has_a_capital_of_its_own() -> None:
    assert kept("agent:~refactor", record(agent="ReFactor"))
    assert not kept("agent:~Refactor", record(agent="refactor"))
    assert kept(r"agent:~\Arefactor", record(agent="ReFactor"))
    assert kept(r"agent:~\p{Lu}efactor", record(agent="ReFactor"))


def test_without_re2_a_regular_expression_is_an_error_that_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(FilterError, match=r"pip install 'signoff\[policy\]'") as caught:
        parse("agent:~x", Filtered.HISTORY)
    assert caught.value.column == 7


def test_a_regular_expression_that_explodes_elsewhere_does_not() -> None:
    assert not kept('cmd:~"^(a+)+$"', record(run("a" * 100_000 + "b")))


def test_many_wildcards_do_not_explode() -> None:
    assert not kept(f"agent:{'*a' * 60}*b", record(agent="a" * 5_000))
    assert not kept(f"path:{'**/a/' * 60}b", record(change("/work/" + "a/" * 1_000 + "c")))


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("src/**", "/work/src/a.py", True),
        ("src/**", "/work/src/x/a.py", True),
        ("src/**", "/work/src", False),
        ("src/", "/work/src/x/a.py", True),
        ("src/*", "/work/src/x/a.py", False),
        ("src/**/a.py", "/work/src/a.py", True),
        ("src/**/a.py", "/work/src/x/y/a.py", True),
        ("*.py", "/work/src/a.py", True),
        ("a.py", "/work/src/a.py", True),
        ("src", "/work/src/a.py", True),
        ("src", "/work/src", True),
        ("src/", "/work/src", False),
        ("sr", "/work/src/a.py", False),
        ("app/api.py", "/work/src/app/api.py", True),
        ("pp/api.py", "/work/src/app/api.py", False),
        ("src/api.py", "/work/src/app/api.py", False),
        ("app", "/work/src/app/x/api.py", True),
        ("app/*.py", "/work/src/app/api.py", True),
        ("src/*", "/work/src/a.py", True),
        ("./app/**", "/work/src/app/api.py", False),
        ("./src/**", "/work/src/app/api.py", True),
        ("./**", "/etc/passwd", False),
        ("SRC/*", "/work/src/a.py", False),
        ("src/*", "/work/SRC/a.py", True),
        ("/work/src/*", "/work/src/a.py", True),
        ("/etc/*", "/etc/passwd", True),
        ("etc/*", "/etc/passwd", True),
        ("/src", "/work/src/a.py", False),
        ("/work/src", "/work/src/a.py", True),
        ("**/passwd", "/etc/passwd", True),
        ("**", "/work/a", True),
        ('"src/a.py"', "/work/src/a.py", True),
        ('"a.py"', "/work/src/a.py", True),
        ('"src/*"', "/work/src/a.py", False),
        ("=src/a.py", "/work/src/a.py", True),
        ("=/work/src/a.py", "/work/src/a.py", True),
        ("=src/*", "/work/src/a.py", False),
    ],
)
def test_a_path_is_a_glob_over_the_parts_of_the_path(glob: str, path: str, fits: bool) -> None:
    assert kept(f"path:{glob}", record(change(path))) is fits


def test_any_file_of_a_call_counts() -> None:
    assert kept("path:b", request(change("/work/a"), change("/work/b")))
    assert not kept("path:*", request(run("ls")))


def test_a_command_is_found_by_a_part_of_it() -> None:
    assert kept('cmd:"git push"', record(run("cd x && git push")))
    assert kept("cmd:PUSH | cmd:push", record(run("git push")))
    assert not kept("cmd:PUSH", record(run("git push")))
    assert kept('cmd:="git push"', record(run("git push")))
    assert not kept("cmd:=git", record(run("git push")))
    assert kept("cmd:push", request(presentation={"type": "command", "content": "git push"}))


@pytest.mark.parametrize(
    ("kind", "steps"),
    [
        ("diff", [change("/work/a")]),
        ("new", [change("/work/a", exists=False)]),
        ("bin", [change("/work/a", binary=True)]),
        ("shell", [run("ls")]),
        ("api", []),
    ],
)
def test_a_kind_is_that_of_any_step(kind: str, steps: list[object]) -> None:
    kinds = ["diff", "new", "bin", "shell", "api"]
    assert [each for each in kinds if kept(f"kind:{each}", record(*steps))] == [kind]  # type: ignore[arg-type]


def test_each_kind_has_a_word_that_the_guide_explains() -> None:
    assert list(KINDS.values()) == [*PresentationKind]
    guide = Path(__file__).parents[2] / "docs/command-line.md"
    assert f"| `kind` | `{' '.join(KINDS)}`: " in guide.read_text()


def test_a_call_that_does_several_things_is_of_each_kind() -> None:
    assert kept("kind:diff kind:shell", record(change("/work/a"), run("ls")))
    assert kept("kind:text", request(presentation={"type": "text", "content": "x"}))


def test_a_damaged_snapshot_declares_nothing() -> None:
    assert kept("kind:api", request(snapshot={"steps": "x"}))


def test_risk_is_a_word_and_has_an_order() -> None:
    levels = [record(risk=risk) for risk in Risk]
    found = {
        text: [kept(f"risk:{text}", each) for each in levels]
        for text in ("low", "med", "medium", "HIGH", ">=med", "<high")
    }
    assert found == {
        "low": [True, False, False],
        "med": [False, True, False],
        "medium": [False, True, False],
        "HIGH": [False, False, True],
        ">=med": [False, True, True],
        "<high": [True, True, False],
    }


def test_why_is_a_reason_of_the_risk_or_the_rule_that_asked() -> None:
    asked = {"risk_reasons": ("network", "delete"), "why": "rule git"}
    for thing in (record(**asked), request(**asked)):
        assert kept("why:network", thing)
        assert kept('why:"rule git"', thing)
        assert kept("why:=delete", thing)
        assert not kept("why:privilege", thing)


@pytest.mark.parametrize(
    ("word", "screen"),
    [
        ("waiting", ScreenFacts()),
        ("later", ScreenFacts(later=True)),
        ("held", ScreenFacts(held=True)),
        ("tagged", ScreenFacts(tagged=True)),
        ("late", ScreenFacts(late=True)),
        ("seen", ScreenFacts(shown=1.0)),
        ("part", ScreenFacts(shown=0.999)),
        ("unseen", ScreenFacts(shown=0.0)),
    ],
)
def test_what_the_screen_knows_of_a_row_is_asked_with_is(word: str, screen: ScreenFacts) -> None:
    assert kept(f"is:{word}", request(), screen)
    others = ScreenFacts(sent=True)
    assert not kept(f"is:{word}", request(), others)


@pytest.mark.parametrize("held", [ScreenFacts(held=True), ScreenFacts(sent=True)])
def test_what_was_answered_here_does_not_wait_any_more(held: ScreenFacts) -> None:
    assert not kept("is:waiting", request(), held)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (RequestState.APPROVED, "closed"),
        (EXPIRED, "closed expired"),
        (RequestState.WITHDRAWN, "closed gone"),
        (RequestState.SUPERSEDED, "closed changed"),
    ],
)
def test_the_end_of_a_request_is_asked_with_is(state: RequestState, words: str) -> None:
    for thing in (request(state=state), record(state=state, decision=None)):
        found = [word for word in ("closed", "expired", "gone", "changed") if kept(f"is:{word}", thing)]
        assert " ".join(found) == words


def test_a_later_revision_is_changed() -> None:
    assert kept("is:changed", request(revision=2))
    assert kept("is:changed", record(revision=2))
    assert not kept("is:changed", record())


def test_how_much_had_been_shown_is_asked_of_a_record_too() -> None:
    for shown, word in ((1.0, "seen"), (0.5, "part"), (0.0, "unseen")):
        one = record(decision=Decision(approved=True, shown=shown))
        assert [each for each in ("seen", "part", "unseen") if kept(f"is:{each}", one)] == [word]


def test_hidden_characters_and_secrets_are_those_that_the_risk_names() -> None:
    hidden = assess("shell", {}, [Command("ls \u200b x", "/work")], "/work").reasons
    secret = assess("w", {}, [FileWrite("/work/a", "password = 'hunter2hunter2'")], "/work").reasons
    for make in (request, record):
        assert [kept(f"is:{word}", make(risk_reasons=hidden)) for word in ("hidden", "redacted")] == [True, False]
        assert [kept(f"is:{word}", make(risk_reasons=secret)) for word in ("hidden", "redacted")] == [False, True]


def test_a_decision_is_asked_by_what_it_was() -> None:
    ends = {
        "approved": record(),
        "soft": no(),
        "hard": no(hard=True),
        "stopped": no(source=DecisionSource.CASCADE, hard=True),
        "expired": record(state=EXPIRED, decision=None),
    }
    for name, one in ends.items():
        assert [word for word in ends if kept(f"decision:{word}", one)] == [name]
        assert kept("decision:rejected", one) is (name in ("soft", "hard", "stopped"))


def test_the_scope_is_that_of_a_persons_approval() -> None:
    assert kept("scope:once", record())
    assert kept("scope:session", record(decision=replace(YES, remember=True)))
    assert not kept("scope:session", record())
    assert not kept("scope:once,session", by(DecisionSource.GRANT))
    assert not kept("scope:once,session", no())


def test_you_are_the_reviewer_who_asks() -> None:
    assert kept("by:you", record())
    assert not kept("by:you", record(decision=replace(YES, by="bob")))
    assert not kept("by:you", by(DecisionSource.RULE, "anna"))
    nobody_said = Viewpoint(NOON)
    assert parse("by:you", Filtered.HISTORY).matches(of_record(record(decision=replace(YES, by="x"))), nobody_said)


def test_who_or_what_decided() -> None:
    sources = {
        "rule": by(DecisionSource.RULE, "no-push"),
        "memory": by(DecisionSource.GRANT, "g1"),
        "cascade": by(DecisionSource.CASCADE),
        "mode": by(DecisionSource.MODE, "approve_all"),
        "callback": by(DecisionSource.CALLBACK),
        "nobody": record(state=EXPIRED, decision=None),
    }
    for name, one in sources.items():
        assert [word for word in sources if kept(f"by:{word}", one)] == [name]
    assert not kept("by:nobody", request())
    assert kept("by:nobody", request(state=EXPIRED))


def test_by_takes_names_too() -> None:
    assert kept("by:anna", record())
    assert kept("by:an*", record())
    assert kept("by:g1", by(DecisionSource.GRANT, "g1"))
    assert kept('by:"rule"', record(decision=replace(YES, by="rule")))
    assert kept("by:=rule", record(decision=replace(YES, by="rule")))
    assert not kept("by:rule", record(decision=replace(YES, by="rule")))


@pytest.mark.parametrize(
    ("text", "fits"),
    [("54", True), ("54%", True), ("<55", True), ("<54", False), (">54", False), ("50..60", True), (">=54", True)],
)
def test_shown_is_the_percentage_that_is_written(text: str, fits: bool) -> None:
    assert kept(f"shown:{text}", record(decision=replace(YES, shown=0.545))) is fits


def test_nearly_all_is_less_than_all() -> None:
    assert kept("shown:<100", record(decision=replace(YES, shown=0.9999)))
    assert not kept("shown:<100", record(decision=replace(YES, shown=1.0)))


def test_the_screen_knows_best_how_much_was_shown() -> None:
    one = request(state=RequestState.APPROVED, decision=replace(YES, shown=0.2))
    assert kept("shown:20", one)
    assert kept("shown:50", one, ScreenFacts(shown=0.5))


def test_lines_are_those_that_the_screen_counted() -> None:
    assert kept("lines:>=200", request(), ScreenFacts(lines=200))
    assert not kept("lines:>=200", request(), ScreenFacts(lines=199))
    assert not kept("lines:>=0", request())


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        (">5m", True), (">=6m30s", True), (">6m30s", False), ("<7m", True), ("<=6m30s", True), ("6m", True),
        ("6m30s", True), ("6m29s", False), ("1m..5m", False), ("5m..10m", True), ("7m", False), ("1h", False),
        ("0h", True), ("7m,6m", True), ("=6m", True),
    ],
)  # fmt: skip
def test_lengths_of_time_are_as_exact_as_they_are_written(text: str, fits: bool) -> None:
    length = 6 * MINUTE + 30 * SECOND
    assert kept(f"took:{text}", record(took=length)) is fits
    assert kept(f"took:{text}", request(state=RequestState.APPROVED, took=length)) is fits
    assert kept(f"age:{text}", request(ago=length)) is fits
    assert kept(f"age:{text}", grant(created_at=NOON - length)) is fits


def test_what_seems_to_come_from_the_future_has_no_age() -> None:
    assert kept("age:0s", record(ago=-HOUR))
    assert kept("age:<1s", record(ago=-HOUR))


@pytest.mark.parametrize(
    ("text", "ago", "fits"),
    [
        ("since:1h", HOUR, True),
        ("since:1h", HOUR + 1, False),
        ("until:1h", HOUR, True),
        ("until:1h", HOUR - 1, False),
        ("since:today", 12 * HOUR, True),
        ("since:today", 12 * HOUR + 1, False),
        ("until:yesterday", 12 * HOUR + 1, True),
        ("until:yesterday", 12 * HOUR, False),
        ("on:today", 12 * HOUR, True),
        ("on:yesterday", 12 * HOUR, False),
        ("on:yesterday", 36 * HOUR, True),
        ("on:2026-11-20", 0, True),
        ("on:2026-11-19", 13 * HOUR, True),
        ("until:2026-11-20", 0, True),
        ("since:2026-11-21", 0, False),
        ("since:2026-11-20T11:30", 30 * MINUTE, True),
        ("until:2026-11-20T11:30", 30 * MINUTE - 1, False),
        ("since:11:30", 30 * MINUTE, True),
        ("since:11:30", 31 * MINUTE, False),
        ("since:14:30", 21 * HOUR + 30 * MINUTE, True),
        ("since:14:30", 21 * HOUR + 31 * MINUTE, False),
        ("on:2026-11-18,today", 2 * DAY, True),
    ],
)
def test_times_are_told_from_the_present_of_who_asks(text: str, ago: int, fits: bool) -> None:
    assert kept(text, record(ago=ago)) is fits
    assert kept(text, request(ago=ago)) is fits


def test_a_day_is_that_of_the_zone_of_who_asks() -> None:
    at_23 = of_record(record(ago=13 * HOUR))
    today = parse("on:today", Filtered.HISTORY)
    assert not today.matches(at_23, VIEW)
    assert today.matches(at_23, Viewpoint(NOON, zone=timezone(timedelta(hours=2))))


def test_the_day_on_which_the_clock_is_put_back_has_25_hours() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    late = datetime(2026, 10, 25, 23, 30, tzinfo=berlin)
    ago = NOON - int(late.timestamp()) * SECOND
    for text, fits in (("on:2026-10-25", True), ("on:2026-10-26", False)):
        assert parse(text, Filtered.HISTORY).matches(of_record(record(ago=ago)), Viewpoint(NOON, zone=berlin)) is (
            fits
        )


def test_without_a_zone_it_is_that_of_the_machine() -> None:
    now = datetime(2026, 11, 20, 12, 0, tzinfo=UTC).astimezone()
    midnight = now.replace(hour=0, minute=0)
    ago = NOON - int(midnight.timestamp()) * SECOND
    test = parse("since:today", Filtered.HISTORY).test(Viewpoint(NOON))
    assert test(of_record(record(ago=ago)))
    assert not test(of_record(record(ago=ago + 1)))


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("risk:high", False),
        ("-(a | age:>5m)", True),
        ("since:1h x", True),
        ("on:2026-11-20", False),
        ("on:today", True),
    ],
)
def test_a_filter_says_whether_time_alone_changes_what_it_keeps(text: str, moves: bool) -> None:
    assert parse(text, Filtered.HISTORY).moves is moves


def test_text_is_found_in_what_a_row_says() -> None:
    one = no(note="use yarn")
    for word in ("yarn", '"USE" | "use y"', "file"):
        assert kept(word, one)
    assert kept("a.py", record(change("/work/src/a.py")))
    assert kept('"git push"', record(run("git push")))
    assert kept("deadline", record(state=EXPIRED, decision=None, reason="the deadline passed"))
    assert not kept("anna", one)
    assert not kept("aprile", record(change("/work/a"), change("/work/prile")))


def test_a_bare_word_is_also_found_in_the_name_of_the_agent() -> None:
    for one in (record(agent="Refactor-2"), request(), grant()):
        assert kept("factor", one)
        assert not kept("-factor", one)
    assert not kept("night", record(session="nightly"))


def test_a_note_is_the_reviewers_words_only() -> None:
    assert kept('note:"use yarn"', no(note="please use yarn"))
    assert not kept("note:file", no(note="please use yarn"))
    assert not kept("note:x", no())


def test_a_remembered_approval_is_found_by_what_it_covers() -> None:
    assert kept("push agent:refactor tool:shell by:you", grant())
    assert kept("grün", grant({"command": "grün"}))
    wide = grant(pattern=GrantPattern("shell", (("path", Under("docs")),)))
    assert kept('"any path below"', wide)
    assert not kept("is:closed", grant())
    assert kept("is:closed", grant(revoked_at=NOON))
    with pytest.raises(FilterError, match="by:memory is not known in the memory"):
        kept("by:memory", grant())


def test_a_call_that_was_taken_apart_is_not_taken_apart_again() -> None:
    one = request(change("/work/a"))
    first = of_request(one)
    assert of_request(one, ScreenFacts(later=True), call=first.call).call is first.call


def test_every_saved_filter_can_be_read() -> None:
    for saved in SAVED_FILTERS:
        for filtered in (Filtered.HISTORY, Filtered.INBOX):
            parse(saved.text('re"f*'), filtered)
    parse(SAVED_FILTERS[0].text("refactor"), Filtered.MEMORY)


def test_the_last_hour_of_an_agent_is_about_exactly_this_agent() -> None:
    text = last_hour_of('re"f*')
    assert kept(text, record(agent='re"f*'))
    assert not kept(text, record(agent='re"ff'))
    assert not kept(text, record(agent='re"f*', ago=2 * HOUR))


def test_a_query_keeps_subjects_in_their_order() -> None:
    subjects = [subject(record(seq=seq, risk=risk)) for seq, risk in enumerate([Risk.HIGH, Risk.LOW, Risk.HIGH])]
    assert parse("risk:high", Filtered.HISTORY).keep(subjects, VIEW) == [subjects[0], subjects[2]]
