"""kafka-python's connections within a budget, where a server that hangs costs no more than that.

What kafka-python leaves open is bounded here: a connection gets a few seconds, answers those of the
budget, and names are resolved beside its loop, which a name server that hangs would stop.
"""

import ipaddress
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from kafka.errors import KafkaConnectionError
from kafka.future import Future
from kafka.net.compat import KafkaNetClient
from kafka.net.inet import create_connection
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector
from kafka.net.transport import KafkaSSLTransport, KafkaTCPTransport

from kadmin.budget import Budget

SETUP_MAX_S: Final = 5.0
"""For a connection, with TLS, a login and what the broker serves: one that hangs is given up then,
however long an answer may be waited for."""


def client_within(budget: Budget, threads: set[int]) -> Callable[..., KafkaNetClient]:
    """Return what makes the network client of a `KafkaAdminClient`, all of whose waits spend
    *budget*; the ident of its thread is among *threads* while that runs."""

    def make(**configs: Any) -> KafkaNetClient:
        net = KnownSelector(threads, **configs)
        return KafkaNetClient(net, BoundedManager(net, budget, **configs))

    return make


class KnownSelector(NetworkSelector):  # type: ignore[misc]  # kafka-python has no types
    """The loop of one client, the ident of whose thread is among *threads* while it runs."""

    def __init__(self, threads: set[int], **configs: Any) -> None:
        super().__init__(**configs)
        self.threads = threads

    def run_forever(self) -> None:
        ident = threading.get_ident()
        self.threads.add(ident)
        try:
            super().run_forever()
        finally:
            # A thread of another client gets the same one next.
            self.threads.discard(ident)


class BoundedManager(KafkaConnectionManager):  # type: ignore[misc]  # kafka-python has no types
    """Connections to brokers, which wait no longer than *budget* allows."""

    def __init__(self, net: Any, budget: Budget, **configs: Any) -> None:
        self.budget = budget
        super().__init__(net, **configs)

    def run(self, coro: Any, *args: Any) -> Any:
        return self.run_within(None, coro, *args)

    def run_within(self, limit_s: float | None, coro: Any, *args: Any) -> Any:
        """Run *coro* as kafka-python does, for no longer than *limit_s* and what is left."""
        with self.budget.spending() as left_s:
            allowed_s = left_s if limit_s is None else min(left_s, limit_s)
            return self._net.run(self._within, allowed_s, coro, args)

    def hang_up(self, node_id: int) -> None:
        """Close the connection to *node_id*, whatever it has not answered."""

        async def close() -> None:
            self.close(node_id)

        self._net.run(close)

    def bootstrap(self, timeout_ms: float | None = None, refresh: bool = True) -> None:
        with self.budget.spending() as left_s:
            limit_s = left_s if timeout_ms is None else min(left_s, timeout_ms / 1000)
            asked = (round(1000 * limit_s), refresh)
            self._net.run(self._within, limit_s, self.bootstrap_async, asked)

    async def _within(self, limit_s: float, coro: Any, args: tuple[Any, ...]) -> Any:
        return await self.wait_for(self.call_soon(coro, *args), round(1000 * limit_s))

    def socket_connection_setup_timeout_ms(self, _node_id: Any) -> float:
        return 1000 * min(SETUP_MAX_S, self.budget.left_s() / 2)

    async def _build_transport(self, node: Any, timeout_at: float | None = None) -> Any:
        """Build a transport as kafka-python does, but for the name and the bounds."""
        until_s = time.monotonic() + SETUP_MAX_S if timeout_at is None else timeout_at
        hosts = await self._before(until_s, self._resolved(node.host, node.port))
        connection = await self._connected(hosts, node.port, until_s)
        if self.ssl_enabled:
            options = {key: value for key, value in self.config.items() if key.startswith("ssl_")}
            transport = KafkaSSLTransport(self._net, connection, host=node.host, **options)
        else:
            transport = KafkaTCPTransport(self._net, connection, host=node.host)
        try:
            await self._before(until_s, self.call_soon(transport.handshake))
        except Exception as error:
            transport.close()
            raise KafkaConnectionError(f"Handshake failed: {error}") from error
        return transport

    async def _connected(self, hosts: list[str], port: int, until_s: float) -> Any:
        """Return a connection to the first of *hosts* that takes one.

        Each has its share of the time.
        """
        for left, host in zip(range(len(hosts), 0, -1), hosts, strict=True):
            share_s = max(0.0, until_s - time.monotonic()) / left
            try:
                return await create_connection(
                    self._net,
                    host,
                    port,
                    self.config["socket_options"],
                    timeout_at=time.monotonic() + share_s,
                )
            except KafkaConnectionError:
                if left == 1:
                    raise
        raise AssertionError("a name without an address is an error")

    async def _before(self, until_s: float, future: Future) -> Any:
        left_s = max(0.0, until_s - time.monotonic())
        return await self.wait_for(future, round(1000 * left_s))

    def _resolved(self, host: str, port: int) -> Future:
        """Resolve *host* on a daemon thread, so that a slow resolver blocks no other connection."""
        found = Future()
        try:
            ipaddress.ip_address(host)
        except ValueError:
            threading.Thread(target=self._resolve, args=(host, port, found), daemon=True).start()
            return found
        return found.success([host])

    def _resolve(self, host: str, port: int, found: Future) -> None:
        try:
            resolved = socket.getaddrinfo(host, port, socket.AF_UNSPEC, socket.SOCK_STREAM)
        except OSError as error:
            reason = f"the name {host} cannot be resolved ({error.strerror or error})"
            self._settle(lambda: found.failure(KafkaConnectionError(reason)))
        else:
            hosts = list(dict.fromkeys(str(address[0]) for *_, address in resolved))
            self._settle(lambda: found.success(hosts))

    def _settle(self, settle: Callable[[], object]) -> None:
        async def call() -> None:
            settle()

        with suppress(RuntimeError):  # The client was closed meanwhile.
            self._net.call_soon_threadsafe(call)
