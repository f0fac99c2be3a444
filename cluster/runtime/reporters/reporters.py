"""The reporters of one broker: chosen by its settings, started, and stopped."""

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from cluster.broker.configs.reporter_configs import Reporter
from cluster.metrics.jolokia import JolokiaAgent
from cluster.metrics.registry import MetricsRegistry
from cluster.model.metrics_endpoints import FILE_NAME, MetricsEndpoints, encode_metrics_endpoints
from cluster.runtime.reporters.http_server import HttpServer, Request, Response
from cluster.runtime.reporters.jolokia import JolokiaReporter
from cluster.runtime.reporters.polled import (
    ConsoleReporter,
    CsvReporter,
    GraphiteReporter,
    LogReporter,
    PolledReporter,
    poll,
)
from cluster.runtime.reporters.prometheus import PrometheusReporter
from cluster.settings.reporter_settings import Address, ReporterSettings

PRODUCT: Final = "kadmin"
ANY_ADDRESS: Final = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]"}
"""How clients on this machine reach a server that listens at all addresses."""

logger: Final = logging.getLogger(__name__)


class Reporters:
    """The reporters that *settings* choose, which read *registry*.

    The addresses of those that listen are in a file in *logs_directory*, while they do.
    """

    def __init__(
        self,
        registry: MetricsRegistry,
        settings: ReporterSettings,
        logs_directory: str,
        wall_ms: Callable[[], int],
    ) -> None:
        self._wall_ms = wall_ms
        self._registry = registry
        self._settings = settings
        self._path = os.path.join(logs_directory, FILE_NAME)
        self._servers: list[HttpServer] = []
        self._polling: asyncio.Task[None] | None = None
        self.urls: dict[str, str] = {}

    async def start(self) -> None:
        """Start all reporters; raises ReporterCannotListen."""
        settings = self._settings
        for reporter in settings.chosen:
            if reporter is Reporter.PROMETHEUS:
                respond = PrometheusReporter(self._registry).respond
                await self._listen(reporter, settings.prometheus, respond, "/metrics")
            elif reporter is Reporter.JOLOKIA:
                agent = JolokiaAgent(self._registry, PRODUCT, self._wall_s)
                respond_json = JolokiaReporter(agent).respond
                await self._listen(reporter, settings.jolokia, respond_json, "/jolokia/")
        make: dict[Reporter, Callable[[], PolledReporter]] = {
            Reporter.CSV: lambda: CsvReporter(settings.csv_directory),
            Reporter.GRAPHITE: lambda: GraphiteReporter(
                settings.graphite, settings.graphite_prefix
            ),
            Reporter.CONSOLE: ConsoleReporter,
            Reporter.LOG: LogReporter,
        }
        polled = [make[reporter]() for reporter in settings.chosen if reporter in make]
        if polled:
            self._polling = asyncio.create_task(poll(self._registry, polled, settings.interval_s))
        if self.urls:
            self._write_file()

    async def _listen(
        self,
        reporter: Reporter,
        address: Address,
        respond: Callable[[Request], Awaitable[Response]],
        path: str,
    ) -> None:
        server = HttpServer(reporter, address, respond)
        await server.start()
        self._servers.append(server)
        host = ANY_ADDRESS.get(address.host, address.host)
        if ":" in host and not host.startswith("["):
            host = f"[{host}]"
        self.urls[reporter] = f"http://{host}:{server.port}{path}"
        logger.info("Metrics for %s are at %s", reporter, self.urls[reporter])

    def _wall_s(self) -> int:
        return self._wall_ms() // 1000

    def _write_file(self) -> None:
        content = encode_metrics_endpoints(MetricsEndpoints(pid=os.getpid(), urls=self.urls))
        new = f"{self._path}.tmp"
        try:
            with open(new, "wb") as file:
                file.write(content)
            os.replace(new, self._path)
        except OSError as error:
            logger.warning("%s cannot be written: %s", self._path, error.strerror)

    def stop(self) -> None:
        """Stop all reporters; their endpoints are no longer served."""
        if self._polling is not None:
            self._polling.cancel()
        for server in self._servers:
            server.close()
        if self.urls:
            with suppress(OSError):
                os.unlink(self._path)
