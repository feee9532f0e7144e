"""What a demo agent leaves behind when it is done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from signoff.demo.script import CallResult

__all__ = ["Report", "read_report", "write_report"]


@dataclass(frozen=True, slots=True)
class Report:
    """The result of an agent's run.

    Attributes:
        role: Which agent.
        session: Its session in the queue.
        finished: ``done``, or ``stopped`` by a hard refusal.
        message: The agent's last words, or the reviewer's.
        calls: What became of each call, in the order in which they were asked for.
    """

    role: str
    session: str
    finished: str
    message: str
    calls: tuple[CallResult, ...]

    def lines(self) -> Iterator[str]:
        """The report as text, one line for each call."""
        yield f"{self.role} ({self.session}): {self.finished}"
        for call in self.calls:
            told = f'  told: "{_first_line(call.told)}"' if call.outcome != "ran" and call.told else ""
            yield f"  {call.outcome:<8} {call.tool} {call.subject}{told}"
        yield from self.message.splitlines()


def write_report(folder: Path, report: Report) -> None:
    """Write ``.demo/<role>.log`` for people and ``.demo/<role>.json`` for programs below a project."""
    place = folder / ".demo"
    place.mkdir(exist_ok=True)
    (place / f"{report.role}.log").write_text("\n".join(report.lines()) + "\n", encoding="utf-8")
    (place / f"{report.role}.json").write_text(json.dumps(asdict(report), indent=2) + "\n", encoding="utf-8")


def read_report(folder: Path, role: str) -> Report | None:
    """The report of an agent, or None while it has not left one."""
    try:
        data = json.loads((folder / ".demo" / f"{role}.json").read_text("utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):  # not there yet, or not written to its end
        return None
    return Report(**{**data, "calls": tuple(CallResult(**call) for call in data["calls"])})


def _first_line(text: str) -> str:
    return text.partition("\n")[0]
