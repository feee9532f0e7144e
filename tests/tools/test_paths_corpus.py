"""Every case of the corpus of paths: no hole, no false stop. See tests/corpora/README.md."""

from __future__ import annotations

from pathlib import Path

import pytest

from corpus_judges import fault_of, read
from paths_corpus import judged


@pytest.mark.parametrize("category", sorted({case["category"] for case in read("paths.jsonl")}))
def test_a_path_is_judged_by_where_it_leads(
    category: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = []
    for case in (case for case in read("paths.jsonl") if case["category"] == category):
        top = (tmp_path / case["id"]).resolve()
        top.mkdir()
        monkeypatch.chdir(top)
        failures += [
            (fault, case["id"], said, case["why"])
            for said, accepted in judged(case, top)
            if (fault := fault_of(said, accepted))
        ]
    assert failures == []
