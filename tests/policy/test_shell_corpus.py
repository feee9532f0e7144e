"""The cases of ``shell-rules.jsonl``: does a rule cover this command?"""

from __future__ import annotations

import pytest

from corpus_judges import Case, fault_of, read, said_of_command


@pytest.mark.parametrize("case", read("shell-rules.jsonl"), ids=lambda case: case["id"])
def test_a_rule_covers_what_it_says(case: Case) -> None:
    assert fault_of(said_of_command(case), case["accept"]) is None
