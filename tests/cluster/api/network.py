"""Brokers in memory that ask one another, over connections that tests can cut.

All of them go by one clock: `clock.advance` lets requests arrive and be answered, 1 ms each way.
"""

from collections.abc import Callable
from typing import Any

from cluster.api.dispatch import SERVED
from cluster.broker.handling import Cancel, Peer
from cluster.broker.ports import Endpoint, NoAnswer, PeerConnection
from cluster.model.ids import BrokerId
from cluster.wire.api_keys import ApiKey
from tests.cluster.api.world import NEVER, Answer, Clock, World

WAY_MS = 1


class Network:
    """Broker *n* listens at hostn:9092, as `World.tell_all` says."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.worlds: dict[int, World] = {}
        self.silent: set[int] = set()
        """Brokers that take requests and do not answer any more."""
        self.connections: list[Connection] = []
        """All that were ever opened."""
        self.newest: dict[ApiKey, int | None] = {}
        """The newest versions that are spoken, where these are not all; None for none."""
        self.change: Callable[[ApiKey, Any], Any] = lambda api_key, body: body
        """What becomes of answers on their way."""

        self.instead: Callable[[ApiKey, Any], Any] = lambda api_key, body: None
        """What is answered at once, by somebody in the place of who was asked; None for nothing."""

    def broker(self, broker_id: int, *args: Any, **options: Any) -> World:
        """Another broker; the rest is as `World` takes it."""
        world = World(
            *args,
            broker_id=BrokerId(broker_id),
            clock=self.clock,
            peers=Peers(self, broker_id),
            **options,
        )
        self.worlds[broker_id] = world
        return world

    def at(self, endpoint: Endpoint) -> World | None:
        number = endpoint.host.removeprefix("host")
        return self.worlds.get(int(number)) if number.isdigit() else None

    def end(self, broker_id: int) -> None:
        """Let a broker be gone, and its connections with it."""
        world = self.worlds.pop(broker_id)
        for connection in self.connections:
            if connection.receiver is world:
                connection.fail("it has ended the connection")


class Peers:
    def __init__(self, network: Network, broker_id: int) -> None:
        self._network = network
        self._peer = Peer(f"host{broker_id}", 50_000, "PLAINTEXT")

    def connect(
        self,
        endpoint: Endpoint,
        client_id: str,
        timeout_ms: int,
        opened: Callable[[PeerConnection | NoAnswer], None],
    ) -> Cancel:
        def finish() -> None:
            receiver = self._network.at(endpoint)
            if receiver is None:
                opened(NoAnswer("Connection refused"))
                return
            connection = Connection(self._network, receiver, self._peer)
            self._network.connections.append(connection)
            opened(connection)

        return self._network.clock.call_later(WAY_MS, finish)


class Connection:
    def __init__(self, network: Network, receiver: World, peer: Peer) -> None:
        self._network = network
        self._clock = network.clock
        self._peer = peer
        self._done: Callable[[Any], None] | None = None
        self._stops: list[Cancel] = []
        self._answer: Answer | None = None
        self.receiver = receiver
        self.is_open = True
        self.asked: list[tuple[ApiKey, int, Any]] = []

    def version(self, api_key: ApiKey, newest: int) -> int | None:
        bound = self._network.newest.get(api_key, newest)
        if bound is None or api_key not in SERVED:
            return None
        return SERVED[api_key].newest_up_to(min(bound, newest))

    def send(
        self,
        api_key: ApiKey,
        version: int,
        body: Any,
        timeout_ms: int,
        done: Callable[[Any], None],
    ) -> None:
        assert self._done is None, "one request at a time"
        self._done = done
        self.asked.append((api_key, version, body))
        if not self.is_open:
            self._after(0, lambda: self.fail("it is over"))
            return
        self._after(timeout_ms, lambda: self.fail("no response came in time"))
        self._after(WAY_MS, lambda: self._arrive(api_key, version, body))

    def _after(self, delay_ms: int, action: Callable[[], None]) -> None:
        self._stops.append(self._clock.call_later(delay_ms, action))

    def _arrive(self, api_key: ApiKey, version: int, body: Any) -> None:
        said = self._network.instead(api_key, body)
        if said is not None:
            done = self._end_request()
            assert done is not None
            self._clock.call_later(WAY_MS, lambda: done(said))
            return
        answer = self.receiver.ask(api_key, body, version, self._peer, on_given=self._given)
        self._answer = answer
        if not answer.is_waiting:
            self._given()

    def _given(self) -> None:
        if self._answer is not None and self.receiver.broker_id not in self._network.silent:
            self._after(WAY_MS, self._take)

    def _take(self) -> None:
        assert self._answer is not None
        body = self._answer.body
        api_key = self.asked[-1][0]
        if body is NEVER:
            self.fail("it has ended the connection")
            return
        done = self._end_request()
        if done is not None:
            done(self._network.change(api_key, body))

    def _end_request(self) -> Callable[[Any], None] | None:
        for stop in self._stops:
            stop()
        self._stops.clear()
        self._answer = None
        done, self._done = self._done, None
        return done

    def fail(self, reason: str) -> None:
        done = self._done
        self.close()
        if done is not None:
            done(NoAnswer(reason))

    def close(self) -> None:
        self.is_open = False
        answer = self._answer
        self._end_request()
        if answer is not None and answer.is_waiting and answer.cancel is not None:
            answer.cancel()
