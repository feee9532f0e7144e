"""`signoff history export`: writes the history to a file for other programs, oldest first."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from signoff.cli.exit_codes import ExitCode
from signoff.cli.history_query import filter_options, query_option, viewpoint
from signoff.cli.options import open_for_review, queue_option, reveal_option
from signoff.cli.output import complain
from signoff.history_export import fitting_records, new_file, record_facts, write_json_lines
from signoff.present.reveal import one_line

if TYPE_CHECKING:
    from signoff.filter import Query
    from signoff.policy.redaction.masking import Redactor
    from signoff.queue.history import HistoryFilter

__all__ = ["export"]

_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
"""Characters that a cell must not begin with: https://owasp.org/www-community/attacks/CSV_Injection"""

_COLUMNS = (
    "seq", "at", "id", "revision", "state", "source", "by", "note", "mode", "remember", "shown", "deliberate",
    "reason", "agent", "session", "tool", "server", "description", "arguments", "group", "batch", "risk",
    "sandbox", "took_seconds", "digest", "hash",
)  # fmt: skip


@click.command(
    short_help="Write records as JSON Lines or CSV, oldest first.",
    epilog="\b\nExample:\n  signoff history export --format csv --since 30d --output decisions.csv",
)
@click.option("--format", "form", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="A new file, readable by you only.",
)
@click.option("--force", is_flag=True, help="Replace the file if there is one.")
@query_option
@filter_options
@reveal_option
@queue_option
def export(
    *, query: Query | None, which: HistoryFilter, form: str, output: Path | None, force: bool, hidden: Redactor
) -> int:
    """Write the records as JSON Lines (exact) or CSV (for people and spreadsheets), oldest first.

    Passwords and tokens are hidden, unless --reveal.
    """
    if force and output is None:
        raise click.UsageError("--force goes with --output")
    write = _write_csv if form == "csv" else write_json_lines
    with open_for_review() as queue:
        records = (
            record_facts(record, hidden) for record in fitting_records(queue, query, viewpoint(queue), which)
        )
        if output is None:
            write(records, sys.stdout)
            return ExitCode.OK
        try:
            with new_file(output, force=force) as file:
                count = write(records, file)
        except FileExistsError:
            raise click.UsageError(f"{output} is there already; --force replaces it") from None
        except OSError as error:
            raise click.UsageError(f"{output} cannot be written: {error.strerror or error}") from error
    complain(f"{count} {'record' if count == 1 else 'records'} written to {output}")
    return ExitCode.OK


def _write_csv(records: Iterable[dict[str, Any]], file: TextIO) -> int:
    lines = csv.writer(file, lineterminator="\n")
    lines.writerow(_COLUMNS)
    count = 0
    for facts in records:
        decision = facts.pop("decision") or {}
        facts["arguments"] = json.dumps(facts["arguments"])
        facts["sandbox"] = facts["sandbox"] and json.dumps(facts["sandbox"])
        lines.writerow([_cell({**decision, **facts}.get(column)) for column in _COLUMNS])
        count += 1
    return count


def _cell(value: object) -> object:
    """Return a cell without characters that a terminal or a spreadsheet obeys."""
    if not isinstance(value, str):
        return value
    safe = one_line(value)
    return f"'{safe}" if value.startswith(_FORMULA) or safe.startswith(_FORMULA) else safe
