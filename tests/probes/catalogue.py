"""All probes, in the order of their ids."""

from __future__ import annotations

from probes import controls, files, network, processes, protected
from probes.bench import PROBES, Probe

__all__ = ["all_probes"]

_THEMES = (controls, files, network, processes, protected)
_ORDER = "cwprinh"


def all_probes() -> list[Probe]:
    """Return all probes."""
    assert all(theme.__name__ for theme in _THEMES)
    return sorted(PROBES.values(), key=lambda one: (_ORDER.index(one.id[0]), one.id))
