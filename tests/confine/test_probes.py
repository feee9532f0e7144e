"""What a hostile command may try, once each; `make probes` tries it as root and as an ordinary user."""

from __future__ import annotations

import os

import pytest

from probes.bench import Attempt, Kind, Probe, Verdict, judged
from probes.catalogue import all_probes
from probes.files import w10
from signoff.confine.detect import Unusable, detect

REQUIRED = os.environ.get("SIGNOFF_REQUIRE_SANDBOX") == "1"


@pytest.mark.parametrize("one", all_probes(), ids=lambda one: one.id)
def test_command_is_confined(one: Probe) -> None:
    if not REQUIRED and isinstance(found := detect("bwrap"), Unusable):
        pytest.skip(str(found))
    finding = judged(one)
    if finding.verdict is Verdict.VACUOUS:
        pytest.skip(finding.reason)
    expected = Verdict.WORKS if one.kind is Kind.CONTROL else Verdict.STOPPED
    assert finding.verdict is expected, f"{one.words}: {finding.reason}"


def test_each_kind_of_probe_is_there() -> None:
    counts = {kind: sum(one.kind is kind for one in all_probes()) for kind in Kind}
    assert counts == {Kind.CONTROL: 11, Kind.BOUNDARY: 50, Kind.HARDENING: 25, Kind.HYGIENE: 3}


def test_a_probe_that_goes_through_all_processes_changes_nothing_where_another_one_runs() -> None:
    with Attempt(confined=False) as other, Attempt(confined=False) as mine:
        other.start(["sleep", "30"])
        assert w10(mine)
        assert not other.changed(other.outside)
