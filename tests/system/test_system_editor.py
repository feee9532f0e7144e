"""A rule file is edited in a real terminal, which is handed to the editor and taken back."""

from __future__ import annotations

from pathlib import Path

import pytest
from person_bench import Person
from pty_bench import Terminal

from signoff.policy.trust import changed_files, trust
from signoff.queue import open_review_queue
from system_bench import SCREEN, environment, eventually

pytestmark = pytest.mark.system

RULES = "shell:\n  rules:\n    - {pattern: git commit}\n"

EDITOR = """\
#!/bin/sh
echo "editing $1"
read word
sed -i "s/git commit}/git commit, approval: $word}/" "$1"
"""


def test_a_person_edits_a_rule_reads_what_changed_and_trusts_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / "tmp").mkdir(parents=True)
    rules, editor = home / "signoff.yaml", home / "editor"
    rules.write_text(RULES, "utf-8")
    editor.write_text(EDITOR, "utf-8")
    editor.chmod(0o755)
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "data"))
    trust({str(rules): rules.read_bytes()})
    open_review_queue(home / "queue", create=True).close()
    variables = environment(home, SIGNOFF_QUEUE=str(home / "queue"), EDITOR=str(editor))
    with Terminal(SCREEN, variables, home) as terminal:
        person = Person(terminal)
        person.sees("nothing waiting")
        person.press("4")
        person.sees("git commit")
        person.press("G")
        person.press("E")
        person.sees("editing .*signoff.yaml")
        terminal.type("false\n")
        person.sees("1 rule gone, 1 rule new; some")
        eventually(lambda: person.works("!"), "what changed can be trusted")
        assert changed_files() == (str(rules),)
        person.press("!")
        person.sees("trusted: signoff.yaml")
        assert not changed_files()
        person.press("1")
        person.sees("No agent is waiting.")
        person.press("q")
        eventually(lambda: terminal.process.poll() == 0, "the screen was left")
