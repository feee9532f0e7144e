"""The application: all routes, behind the rules of access."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from importlib import resources
from typing import Any

import yaml
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Send
from starlette.types import Scope as Connection

from signoff.queue import queue_stats
from signoff.queue.errors import QueueError
from signoff.queue.stats import Stats
from signoff.server.access import AccessRules, HttpError, require
from signoff.server.approvals_socket import ApprovalsSocket
from signoff.server.held_decisions import HOLD_SECONDS, HeldDecisions
from signoff.server.hosted_run import AUTHORIZATION_FAILURES, CONSENT_REQUIRED, DANGEROUS
from signoff.server.page_login import login_routes
from signoff.server.page_templates import Handler
from signoff.server.review_page import review_routes
from signoff.server.runs import RunStatus, RunStore
from signoff.server.runs_api import runs_routes
from signoff.server.service import Service
from signoff.server.tokens import Scope, TokenFile

__all__ = ["application", "openapi"]

_log = logging.getLogger("signoff.http")


def application(
    service: Service,
    *,
    hosts: frozenset[str],
    origins: frozenset[str],
    tokens: TokenFile,
    hold_seconds: float = HOLD_SECONDS,
) -> Starlette:
    """Return the application.

    Args:
        service: The service behind the routes.
        hosts: As for `AccessRules`.
        origins: As for `AccessRules`.
        tokens: The tokens.
        hold_seconds: Time in which a decision at the reviewer's page can be taken back.
    """
    held = HeldDecisions(service, tokens, hold_seconds)

    @contextlib.asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        supervising = asyncio.create_task(service.supervise())
        try:
            yield
        finally:
            supervising.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await supervising
            await held.drop()
            await asyncio.to_thread(service.close)

    routes = [
        *runs_routes(service),
        *login_routes(tokens),
        *review_routes(service, held),
        WebSocketRoute("/approvals", ApprovalsSocket(service).serve),
        Route("/openapi.json", _openapi_page(service), methods=["GET"]),
    ]
    if service.config.metrics_enabled:
        routes.append(Route("/metrics", _metrics_page(service), methods=["GET"]))
    middleware = [Middleware(AccessRules, hosts=hosts, origins=origins, tokens=tokens)]
    if service.config.trace_enabled:
        middleware.insert(0, Middleware(_RequestLog))
    handlers: dict[Any, Any] = {HttpError: _refused, HTTPException: _http_error, Exception: _fault}
    return Starlette(routes=routes, middleware=middleware, exception_handlers=handlers, lifespan=running)


def openapi(agents: Sequence[str] = ()) -> dict[str, Any]:
    """Return the description of the API, as OpenAPI 3.1.

    Args:
        agents: Names of the agents that can be started; left open if there are none.
    """
    text = resources.files("signoff.server").joinpath("openapi.yaml").read_text("utf-8")
    description: dict[str, Any] = yaml.safe_load(text)
    if agents:
        new_run = description["components"]["schemas"]["NewRun"]
        only = len(agents) == 1
        new_run["properties"]["agent"] = {"enum": [*agents, None] if only else list(agents)}
        new_run["required"] += [] if only else ["agent"]
    return description


def _openapi_page(service: Service) -> Handler:
    async def page(request: Request) -> Response:
        require(request, *Scope)
        return JSONResponse(openapi(sorted(service.config.agents)))

    return page


def _metrics_page(service: Service) -> Handler:
    async def page(request: Request) -> Response:
        require(request, Scope.READ)
        try:
            stats = await asyncio.to_thread(queue_stats, service.place)
        except QueueError as error:
            raise HttpError(503, str(error)) from error
        content = await asyncio.to_thread(_metrics_text, service.runs, stats)
        return Response(content, media_type="text/plain; version=0.0.4")

    return page


async def _refused(_: Request, error: HttpError) -> Response:
    return error.response()


async def _http_error(_: Request, error: HTTPException) -> Response:
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)


async def _fault(_: Request, error: Exception) -> Response:
    _log.error("a fault in signoff itself", exc_info=error)
    return JSONResponse({"error": "a fault in signoff itself; its log says more"}, 500)


class _RequestLog:
    """Logs each request, with its time."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start, status = time.monotonic(), 0

        async def send_and_note(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        finally:
            milliseconds = round((time.monotonic() - start) * 1000, 1)
            facts = {"method": scope["method"], "path": scope["path"], "status": status, "ms": milliseconds}
            _log.info("request", extra={"facts": facts})


# -- The metrics, read from what is stored, so that they survive a restart.

_COUNTER_HELP = {
    AUTHORIZATION_FAILURES: "Calls of runs that the settings blocked.",
    CONSENT_REQUIRED: "Calls of runs that waited for a person.",
    DANGEROUS: "Calls of runs of HIGH risk that waited for a person.",
}


def _metrics_text(runs: RunStore, stats: Stats) -> bytes:
    """Return the page, in the text format of Prometheus.

    Args:
        runs: The runs.
        stats: Counts of the queue.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_StoredMetrics(runs, stats))
    return generate_latest(registry)


class _StoredMetrics(Collector):
    def __init__(self, runs: RunStore, stats: Stats) -> None:
        self._runs = runs
        self._stats = stats

    def collect(self) -> Iterator[Metric]:
        """Yield each metric."""
        counts = self._runs.counts()
        for name, words in _COUNTER_HELP.items():
            yield CounterMetricFamily(name, words, value=counts.get(name, 0))
        runs = GaugeMetricFamily("signoff_runs", "Runs in each state.", labels=["status"])
        found = self._runs.count_by_status()
        for status in RunStatus:
            runs.add_metric([status], found.get(status, 0))
        yield runs
        yield GaugeMetricFamily("signoff_requests_pending", "Requests that wait.", value=self._stats.pending)
