"""Rules as rows: in words, with their place in the file, and as the history names them."""

from __future__ import annotations

from pathlib import Path

from signoff.config.report import describe, rule_rows
from signoff.config.verdicts import read_settings_file

RULES = """\
sandbox:
  paths:
    src: {root: ., mode: rw, write_approval: true}
shell:
  rules:
    - {pattern: git status, approval: false}
    - {pattern: rm, allowed: false}
tools:
  - server_name: web
    requires_approval: {conditional: ["get_.*"]}
unknown: ask
"""


def test_each_rule_is_a_row_with_its_line_and_the_name_that_the_history_gives_it(tmp_path: Path) -> None:
    path = tmp_path / "signoff.yaml"
    path.write_text(RULES)
    read = read_settings_file(str(path))
    rows = list(rule_rows(describe(read.config, read.directory)))
    assert [(row.section, row.about, row.answer, read.line_of(row.path), row.told) for row in rows] == [
        ("sandbox", "src", "asks", 3, ("sandbox src",)),
        ("shell", "git status", "runs", 6, ('shell rule "git status"',)),
        ("shell", "rm", "blocked", 7, ('shell rule "rm"',)),
        ("shell", "anything else", "asks", 4, ("shell default",)),
        ("calls", "server web", "asks", 10, ('policy: requires_approval.conditional "get_.*"',)),
        ("calls", "unknown tools", "asks", 11, ("policy: unknown",)),
    ]


def test_a_rule_is_found_among_the_reasons_of_a_request_by_its_whole_name(tmp_path: Path) -> None:
    path = tmp_path / "signoff.yaml"
    path.write_text(RULES)
    read = read_settings_file(str(path))
    root, status, *_ = rule_rows(describe(read.config, read.directory))
    assert status.asked('shell rule "rm"; shell rule "git status", and 2 more')
    assert not status.asked('shell rule "git status -s"')
    assert root.asked("sandbox src: write_approval")
    assert not root.asked("sandbox src2: write_approval")
    assert not root.asked("")
