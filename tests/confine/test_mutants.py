"""The faults that are tried on the sandbox are still faults of its code."""

from __future__ import annotations

import pytest
from mutants import LIBRARY, MUTANTS, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_text_that_a_fault_changes_is_there_once(mutant: Mutant) -> None:
    assert (LIBRARY / mutant.file).read_text().count(mutant.old) == 1
