"""The reporter for Prometheus: what its server scrapes over HTTP."""

import asyncio
import json
from http import HTTPStatus
from typing import Final

from cluster.metrics.exposition import Exposition, wanted_format
from cluster.metrics.registry import MetricsRegistry
from cluster.runtime.reporters.http_server import Request, Response, refusal
from cluster.runtime.reporters.process_series import add_process

PATHS: Final = ("/metrics", "/")
"""jmx_exporter answers at both."""
HEALTH: Final = "/health"


class PrometheusReporter:
    """Answers scrapes from *registry*, one at a time, in slices between which the loop goes on."""

    def __init__(self, registry: MetricsRegistry) -> None:
        self._registry = registry
        self._scraping = asyncio.Lock()

    async def respond(self, request: Request) -> Response:
        if request.method == "POST":
            return refusal(HTTPStatus.METHOD_NOT_ALLOWED)
        if request.path == HEALTH:
            return self._health()
        if request.path not in PATHS:
            return refusal(HTTPStatus.NOT_FOUND)
        form = wanted_format(request.headers.get("accept", ""))
        exposition = Exposition()
        async with self._scraping:
            for part in self._registry.slices():
                exposition.add(part)
                await asyncio.sleep(0)
        await asyncio.to_thread(add_process, exposition)
        return Response(content_type=form.value, body=exposition.pieces(form))

    def _health(self) -> Response:
        """Report the health checks: status 503 if something is wrong."""
        checks = self._registry.health()
        is_healthy = all(problem is None for problem in checks.values())
        return Response(
            status=HTTPStatus.OK if is_healthy else HTTPStatus.SERVICE_UNAVAILABLE,
            content_type="application/json",
            body=(json.dumps({"healthy": is_healthy, "checks": checks}).encode() + b"\n",),
        )
