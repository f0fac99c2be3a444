"""The connection to a leader: its address, its state, and when it is tried again.

Knows no content of requests.  Source: Kafka's BrokerBlockingSender.
"""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from cluster.broker.handling import Body, Cancel
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Endpoint, NoAnswer, PeerConnection, Ports
from cluster.model.ids import BrokerId
from cluster.wire.api_keys import ApiKey


class Asker(Protocol):
    """The fetcher that uses the connection."""

    @property
    def count(self) -> int:
        """The number of partitions that need requests."""
        ...

    def opened(self, connection: PeerConnection) -> None:
        """Use *connection* from now on."""
        ...

    def lost(self) -> None:
        """Note that the connection is closed, and the last request not answered."""
        ...

    def answered(self) -> None:
        """Go on after an answer, whatever its result."""
        ...

    def go_on(self) -> None:
        """Send the next request."""
        ...


class LeaderConnection:
    """The connection of the fetcher *name*, its leader's *number*-th one, to *leader_id*."""

    def __init__(
        self,
        ports: Ports,
        cache: MetadataCache,
        leader_id: BrokerId,
        number: int,
        name: str,
        asker: Asker,
    ) -> None:
        self._ports = ports
        self._cache = cache
        self._settings = ports.settings.fetchers
        self._leader_id = leader_id
        self._number = number
        self._name = name
        self._asker = asker
        self._connection: PeerConnection | None = None
        self._endpoint: Endpoint | None = None
        """The address that it is, or will be, connected to."""
        self._is_silent = False
        """Whether server.log reports that the leader does not answer."""
        self._stop_connecting: Cancel | None = None
        self._stop_rest: Cancel | None = None
        self.is_asking = False
        """Whether an answer is pending, or a connection."""
        self.rests = False
        """Whether it backs off from the leader."""

    @property
    def endpoint(self) -> Endpoint | None:
        return self._endpoint

    @property
    def is_ready(self) -> bool:
        """Whether a request or a connection may be started now."""
        return not (self.is_asking or self.rests)

    def metadata_changed(self) -> bool:
        """Use the leader's present address, and do not wait if it has just come back.

        Returns whether there is reason to go on.
        """
        endpoint = self._leader_endpoint()
        if endpoint is None:
            if self._connection is None:
                # When it is back, it is sent a request at once.
                self._endpoint = None
        elif endpoint != self._endpoint and self._asker.count:
            self.close()
            return True
        return False

    def _leader_endpoint(self) -> Endpoint | None:
        leader = self._cache.brokers.get(self._leader_id)
        if leader is None:
            return None
        return leader.endpoints.get(self._ports.settings.inter_broker_listener)

    def open(self) -> PeerConnection | None:
        """The connection; None where there is none yet, and one is being opened."""
        connection = self._connection
        if connection is not None and connection.is_open:
            return connection
        self._connection = None
        self._asker.lost()
        self._connect()
        return None

    def _connect(self) -> None:
        self._endpoint = endpoint = self._leader_endpoint()
        if endpoint is None:
            # The metadata update that brings it back will have its address.
            return
        self.is_asking = True
        client_id = f"broker-{self._ports.registration.broker_id}-fetcher-{self._number}"
        self._stop_connecting = self._ports.peers.connect(
            endpoint, client_id, self._settings.timeout_ms, self._opened
        )

    def _opened(self, connection: PeerConnection | NoAnswer) -> None:
        self.is_asking = False
        self._stop_connecting = None
        if isinstance(connection, NoAnswer):
            self.fail(connection.reason)
            return
        self._connection = connection
        self._asker.opened(connection)

    def close(self) -> None:
        """Begin anew: a pending answer is ignored."""
        for stop in (self._stop_connecting, self._stop_rest):
            if stop is not None:
                stop()
        self._stop_connecting = self._stop_rest = None
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self.is_asking = self.rests = False
        self._endpoint = None
        self._asker.lost()

    # Requests.

    def ask(self, api_key: ApiKey, version: int, body: Body, take: Callable[[Body], None]) -> None:
        """Send a request on the open connection, and call *take* with the answer."""
        assert self._connection is not None
        self.is_asking = True
        timeout_ms = self._settings.timeout_ms
        self._connection.send(api_key, version, body, timeout_ms, partial(self._answered, take))

    def _answered(self, take: Callable[[Body], None], body: Body | NoAnswer) -> None:
        self.is_asking = False
        if isinstance(body, NoAnswer):
            self.fail(body.reason)
            return
        if self._is_silent:
            self._is_silent = False
            self._ports.journal.info(f"{self._name}: broker {self._leader_id} answers again")
        is_taken = False
        try:
            take(body)
            is_taken = True
        finally:
            if not is_taken:
                # A bug of ours goes on to the loop, which logs it; and the fetcher goes on.
                self.fail("its answer made this broker fail")
        self._asker.answered()

    # Waiting.

    def fail(self, reason: str) -> None:
        """Try again after a backoff.  Logged once, and once when it works again."""
        endpoint = self._endpoint
        self.close()
        self._endpoint = endpoint
        count = self._asker.count
        if not count:
            return
        if not self._is_silent:
            self._is_silent = True
            at = "" if endpoint is None else f" at {endpoint.host}:{endpoint.port}"
            self._ports.journal.warning(
                f"{self._name}: broker {self._leader_id}{at}, which leads {count} partitions that"
                f" are followed here, does not answer: {reason}; it is asked again every"
                f" {self._settings.backoff_ms} ms"
            )
        self.rest()

    def rest(self) -> None:
        """Back off from the leader."""
        self.rests = True
        if self._stop_rest is not None:
            self._stop_rest()
            self._stop_rest = None
        self.look_again_later()

    def look_again_later(self) -> None:
        """Go on after a backoff, if not before; no effect where that is scheduled already."""
        if self._stop_rest is None:
            self._stop_rest = self._ports.clock.call_later(
                self._settings.backoff_ms, self._end_rest
            )

    def _end_rest(self) -> None:
        self.rests = False
        self._stop_rest = None
        self._asker.go_on()
