"""The client of ZooKeeper in a simulated process: a connection that breaks, and a session.

Requests and replies stay in their order.  A process that stands still gets everything late.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, Final, Protocol

from cluster.zk.requests import Lost, ZkReply, ZkRequest
from tests.sim.recipes.ensemble import TIMEOUT_MS
from tests.sim.zookeeper import Author

if TYPE_CHECKING:
    from tests.sim.recipes.world import World

LOOK_MS: Final = TIMEOUT_MS // 24
"""How often a client without a connection looks for one."""
LOOKS_PER_PING: Final = 8
"""kazoo pings after a third of the session timeout in which it has sent nothing."""
Replies = Callable[[tuple[ZkReply, ...]], None]


class Recipe(Protocol):
    """What contends, over a client."""

    def connected(self, session_id: int) -> None: ...

    def suspended(self) -> None: ...

    def session_over(self) -> None: ...

    def watch_fired(self, path: str) -> None: ...

    def is_leading(self) -> bool: ...

    def is_working(self) -> bool: ...


class Client:
    """The connection of one process.  *recipe* is set by whoever builds it."""

    recipe: Recipe

    def __init__(self, world: World, number: int, random: Random) -> None:
        self.world = world
        self.number = number
        self.random = random
        self.session: int | None = None
        self.is_connected = False
        self.is_paused = False
        self.is_up = True
        self.watch_delay_ms = 0
        self.offline_until_ms = 0
        self._looks = random.randrange(LOOKS_PER_PING)
        self._connection = 0
        self._arrives_ms = 0
        self._returns_ms = 0
        self._in_flight: dict[int, tuple[int, Replies]] = {}
        self._request = 0
        self._late: list[Callable[[], None]] = []
        world.schedule.after(LOOK_MS, self._look)

    def __str__(self) -> str:
        return f"process {self.number} in session {self.session}"

    # The connection.

    def connect(self) -> None:
        """Connect, again or for the first time; the session may turn out to be over."""
        if self.is_connected or not self.is_up or self.is_paused:
            return
        ensemble = self.world.ensemble
        self._connection += 1
        self.is_connected = True
        if self.session is not None and ensemble.is_live(self.session):
            ensemble.reconnect(self.session)
        else:
            if self.session is not None:
                self._happen(lambda: self.recipe.session_over())
            lag = self.world.stale_nodes if self.random.random() < self.world.lags else None
            self.session = ensemble.connect(lag)
        session = self.session
        for _ in range(2 if self.random.random() < self.world.doubles else 1):
            self._happen(lambda: self.recipe.connected(session))

    def disconnect(self) -> None:
        """Lose the connection; what is in flight may arrive all the same."""
        if not self.is_connected:
            return
        self.is_connected = False
        self._connection += 1
        self._happen(lambda: self.recipe.suspended())
        in_flight, self._in_flight = self._in_flight, {}
        for count, reply in in_flight.values():
            lost = (Lost(),) * count
            self._happen(lambda reply=reply, lost=lost: reply(lost))  # type: ignore[misc]

    def go_offline(self, for_ms: int) -> None:
        """Lose the connection, and get none for some time."""
        self.offline_until_ms = self.world.schedule.now_ms + for_ms
        self.disconnect()

    def crash(self) -> None:
        """End the process; its session goes on until it expires."""
        self.is_up = self.is_connected = self.is_paused = False
        self._connection += 1
        self._in_flight.clear()
        self._late.clear()

    def _look(self) -> None:
        """Ping while there is a connection, and look for another one while there is none."""
        self.world.schedule.after(LOOK_MS, self._look)
        self._looks += 1
        if self.is_paused or not self.is_up:
            return
        if not self.is_connected:
            if self.world.schedule.now_ms >= self.offline_until_ms:
                self.connect()
        elif self.session is not None and self.world.ensemble.refuses(self.session):
            self.disconnect()
        elif self.session is not None and self._looks % LOOKS_PER_PING == 0:
            self.world.ensemble.touch(self.session)

    # Requests.

    def send(self, requests: tuple[ZkRequest, ...], done: Replies) -> None:
        """Send *requests*, and call *done* with the replies; each Lost if the connection breaks."""
        if not self.is_connected:
            self.later(1, lambda: done((Lost(),) * len(requests)))
            return
        self._request += 1
        number, connection, session = self._request, self._connection, self.session
        assert session is not None
        self._in_flight[number] = (len(requests), done)
        now_ms = self.world.schedule.now_ms
        self._arrives_ms = max(self._arrives_ms, now_ms + self.world.latency_ms(self.random))

        def arrive() -> None:
            is_broken = connection != self._connection
            if is_broken and (self.is_connected or self.random.random() < 0.5):
                return  # Another connection of the session ends what is left of this one.
            self._arrive(number, session, requests)

        self.world.schedule.after(self._arrives_ms - now_ms, arrive)

    def _arrive(self, number: int, session: int, requests: tuple[ZkRequest, ...]) -> None:
        ensemble = self.world.ensemble
        if ensemble.refuses(session):
            self.disconnect()
            return
        ensemble.touch(session)
        author = Author(self.number, "contender")
        if any(ensemble.hangs(session, request) for request in requests):
            return
        replies = tuple(ensemble.serve(session, request, author) for request in requests)
        if self.random.random() < self.world.loss:
            self.disconnect()
            return
        now_ms = self.world.schedule.now_ms
        self._returns_ms = max(self._returns_ms, now_ms + self.world.latency_ms(self.random))

        def come_back() -> None:
            found = self._in_flight.pop(number, None)
            if found is not None:
                self._happen(lambda: found[1](replies))

        self.world.schedule.after(self._returns_ms - now_ms, come_back)

    def watch_fired(self, path: str) -> None:
        connection = self._connection
        delay_ms = self.world.latency_ms(self.random) + self.watch_delay_ms

        def come() -> None:
            if connection == self._connection:
                self._happen(lambda: self.recipe.watch_fired(path))

        self.world.schedule.after(delay_ms, come)

    # A process that stands still.

    def pause(self) -> None:
        self.is_paused = self.is_up

    def resume(self) -> None:
        if not self.is_paused:
            return
        self.is_paused = False
        self.world.check_leaders()
        late, self._late = self._late, []
        for event in late:
            self._happen(event)

    def later(self, delay_ms: int, action: Callable[[], None]) -> None:
        """Call *action* in this process, unless it has crashed by then."""
        life = self.world.lives[self.number]

        def come() -> None:
            if self.world.lives[self.number] == life:
                self._happen(action)

        self.world.schedule.after(delay_ms, come)

    def _happen(self, event: Callable[[], None]) -> None:
        if self.is_paused:
            self._late.append(event)
        elif self.is_up:
            event()
