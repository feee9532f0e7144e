"""What a keystroke in a filter costs: reading the filter, and matching 10 000 records of the history.

The records are taken apart before, as a screen that shows them has done; how long that takes is a row of its own.
The target is 50 ms per keystroke. Times are those of the processor, so that a busy machine changes little.
"""

from __future__ import annotations

import time
from typing import Any

from benchmarks.measuring import percentile
from signoff.filter import Filtered, Subject, Viewpoint, of_record, parse
from signoff.present.snapshot.snapshot import Snapshot
from signoff.present.snapshot.steps import CommandRun, FileChange, FileState
from signoff.queue import Decision, DecisionSource, HistoryRecord, RequestState, Risk
from signoff.queue.records import AskedBy, Submission

RECORDS = 10_000
ROUNDS = 25
NOW = 1_700_000_000_000_000
QUERIES = {
    "one word": "module_77",
    "fields": "agent:agent-1* -by:memory shown:<100 age:<30d",
    "paths": "path:src/**/test_*.py | path:docs/",
    "a regular expression": r'cmd:~"push.*origin-\d+$"',
    "everything at once": "(risk:high,med | cmd:push) -why:network since:30d decision:approved yarn | is:part",
}
_SOURCES = (DecisionSource.REVIEWER, DecisionSource.GRANT, DecisionSource.RULE)


def run() -> list[dict[str, Any]]:
    """Milliseconds to make the subjects ready, and for each filter from its text to what it keeps."""
    records = [_record(number) for number in range(RECORDS)]
    begin = time.process_time()
    subjects = [*map(of_record, records)]
    made = time.process_time()
    for subject in subjects:
        _ = subject.call.words.folded, subject.call.kinds
    rows = [
        {"name": "10 000 subjects: made", "value": (made - begin) * 1e3, "unit": "ms"},
        {"name": "10 000 subjects: taken apart, once", "value": (time.process_time() - made) * 1e3, "unit": "ms"},
    ]
    for name, text in QUERIES.items():
        _keystroke(text, subjects)
        times = [_keystroke(text, subjects) for _ in range(ROUNDS)]
        rows += [
            {"name": f"{name}: a keystroke, p{percent}", "value": percentile(times, percent), "unit": "ms"}
            for percent in (50, 95)
        ]
    return rows


def _keystroke(text: str, subjects: list[Subject]) -> float:
    begin = time.process_time()
    parse(text, Filtered.HISTORY).keep(subjects, Viewpoint(NOW, "anna"))
    return (time.process_time() - begin) * 1e3


def _record(number: int) -> HistoryRecord:
    """A change of a file, or every third time a command."""
    if number % 3:
        path = f"/work/src/package_{number % 40}/part/test_module_{number}.py"
        step: FileChange | CommandRun = FileChange(
            path, FileState(True, "0" * 64, 1, 0o644, None, path), "1" * 64, 1, False, None
        )
    else:
        step = CommandRun(f"cd /work/part_{number} && git push origin-{number}", "/work", {}, "/work")
    submission = Submission(
        key=f"k{number}",
        tool_name=f"tool_{number % 7}",
        description=f"Change module {number} and what belongs to it",
        payload={},
        payload_key="{}",
        arguments={},
        digest="d",
        cwd="/work",
        snapshot=Snapshot((step,)).to_json(),
        risk=list(Risk)[number % 3],
        risk_reasons=("network", "unknown-command") if number % 2 else (),
    )
    decision = Decision(
        approved=number % 5 > 0,
        note="use yarn" if number % 11 == 0 else None,
        source=_SOURCES[number % 3],
        by="anna",
        shown=number % 101 / 100,
    )
    return HistoryRecord.about(
        AskedBy("a", f"agent-{number % 20}", f"s-{number % 50}", 1, "host", "library"),
        submission,
        RequestState.APPROVED if decision.approved else RequestState.REJECTED,
        seq=number + 1,
        at=NOW - number * 60_000_000,
        request_id=f"r{number}",
        revision=1,
        decision=decision,
        took_us=number * 1_000,
    )


def main() -> None:
    """Print the table."""
    for row in run():
        print(f"{row['name']:<56} {row['value']:>10,.2f} {row['unit']}")


if __name__ == "__main__":
    main()
