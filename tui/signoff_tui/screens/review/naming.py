"""Names of requests, short enough for lists of them."""

from __future__ import annotations

from collections.abc import Sequence

from signoff_tui.desk import Desk
from signoff_tui.guard import LeftOut, Omission, Ref
from signoff_tui.lines import Line, chunk, foreign, line
from signoff_tui.summary import Summary, summarize

__all__ = ["left_out_names", "listed", "name_of", "names_of", "short_name"]

LONGEST = 40
"""Characters of a name in a list; the target line shows it in full."""


def name_of(desk: Desk, ref: Ref) -> str:
    """Short name of a request: the last part of its path, or what it is."""
    if ref.id not in desk.inbox:
        return "(gone)"
    name = short_name(summarize(desk.inbox.entry(ref.id).request))
    return name if len(name) <= LONGEST else f"{name[: LONGEST // 2]}...{name[-LONGEST // 2 :]}"


def short_name(summary: Summary) -> str:
    """The last part of a path, or all of anything else."""
    return summary.what.text.rsplit("/", 1)[-1] if summary.path else summary.what.text


def names_of(desk: Desk, refs: Sequence[Ref]) -> str:
    """Names of several requests in the order of the list."""
    return "  ".join(name_of(desk, ref) for ref in refs)


def left_out_names(desk: Desk, left_out: Sequence[LeftOut]) -> list[str]:
    """Names of the members that a group approval leaves out, each with the reason."""
    return [f"{name_of(desk, item.ref)} {_why(item)}" for item in left_out]


def listed(title: str, names: Sequence[str], width: int, *, head: str, body: str) -> list[Line]:
    """Names after a title, on as many lines as they need: none is left out.

    Args:
        title: Stands before the first name; the others are indented as far.
        names: What to list.
        width: Cells of a line.
        head: Style of the title.
        body: Style of the names.
    """
    rows = [""]
    for name in names:
        if rows[-1] and len(title) + len(rows[-1]) + len(name) + 2 > width:
            rows.append("")
        rows[-1] += f"{name}  "
    indent = " " * len(title)
    return [
        line(chunk(title if index == 0 else indent, head, keep=True), foreign(row, body))
        for index, row in enumerate(rows)
    ]


def _why(item: LeftOut) -> str:
    if item.reason is Omission.UNSEEN:
        return f"{int(item.coverage * 100)}%"
    return str(item.reason)
