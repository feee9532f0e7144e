"""The page of metrics for Prometheus, read from what is stored, so that they survive a restart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from signoff.server.hosted_run import AUTHORIZATION_FAILURES, CONSENT_REQUIRED, DANGEROUS
from signoff.server.runs import RunStatus

if TYPE_CHECKING:
    from signoff.queue.stats import Stats
    from signoff.server.runs import RunStore

__all__ = ["metrics_page"]

_COUNTED = {
    AUTHORIZATION_FAILURES: "Calls of runs that the settings blocked.",
    CONSENT_REQUIRED: "Calls of runs that waited for a person.",
    DANGEROUS: "Calls of runs of HIGH risk that waited for a person.",
}


def metrics_page(runs: RunStore, stats: Stats) -> bytes:
    """Return the page, in the text format of Prometheus.

    Args:
        runs: The runs.
        stats: Counts of the queue.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Stored(runs, stats))
    return generate_latest(registry)


class _Stored(Collector):
    def __init__(self, runs: RunStore, stats: Stats) -> None:
        self._runs = runs
        self._stats = stats

    def collect(self) -> Iterator[Metric]:
        """Yield each metric."""
        counts = self._runs.counts()
        for name, words in _COUNTED.items():
            yield CounterMetricFamily(name, words, value=counts.get(name, 0))
        runs = GaugeMetricFamily("signoff_runs", "Runs in each state.", labels=["status"])
        found = self._runs.by_status()
        for status in RunStatus:
            runs.add_metric([status], found.get(status, 0))
        yield runs
        yield GaugeMetricFamily("signoff_requests_pending", "Requests that wait.", value=self._stats.pending)
