"""On the real kernel every path of random trees is as its profile says; `make differential` tries many more."""

from __future__ import annotations

import time
from random import Random

import pytest
from differential import Report, compare

TREES = 25


@pytest.mark.usefixtures("real_sandbox")
def test_a_command_can_do_with_each_path_what_its_profile_says() -> None:
    seed, report = time.time_ns(), Report()
    random = Random(seed)
    for _ in range(TREES):
        compare(random, report)
    assert (report.looser, report.stricter) == ([], []), f"with the seed {seed}"
    assert report.paths > 5 * TREES
