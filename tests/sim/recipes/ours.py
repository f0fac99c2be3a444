"""Our contender in a simulated process: the core, and a shell that goes on after each loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from cluster.recipes.attempt import Attempt
from cluster.recipes.contender import Contender
from cluster.recipes.effects import Deposed, Effect, Elected, Failed, Left, Send
from cluster.recipes.events import (
    Connected,
    Event,
    Join,
    Leave,
    Replied,
    SessionOver,
    Suspended,
    WatchFired,
)
from cluster.recipes.fair import FairAttempt
from cluster.recipes.lease import Lease, Loss
from cluster.recipes.unfair import UnfairAttempt
from cluster.zk.requests import Check
from tests.sim.recipes.ensemble import TIMEOUT_MS

if TYPE_CHECKING:
    from tests.sim.recipes.client import Client

PATH = "/election"


class Ours:
    """A latch: it joins again after each loss, until it is to leave."""

    def __init__(self, client: Client, *, is_fair: bool) -> None:
        self._client = client
        self._clock_offset_ms = client.random.randint(0, 1_000_000)
        kind = FairAttempt if is_fair else UnfairAttempt

        def new_attempt(session_id: int) -> Attempt:
            data = str(client.number).encode()
            return kind(PATH, client.world.new_id(), session_id, data)

        def no_delay() -> int:
            return 0

        def jitter_ms() -> int:
            return client.random.randint(0, 30)

        self.core = Contender(new_attempt, no_delay if is_fair else jitter_ms)
        self.stays = True
        self._works_until_ms = 0
        self._timer = 0

    # What the client reports.

    def connected(self, session_id: int) -> None:
        self.step(Connected(session_id, TIMEOUT_MS))

    def suspended(self) -> None:
        self.step(Suspended())

    def session_over(self) -> None:
        self.step(SessionOver())

    def watch_fired(self, _path: str) -> None:
        self.step(WatchFired())

    def is_leading(self) -> bool:
        return self.core.is_leading(self._now_ms())

    def is_working(self) -> bool:
        """Whether it does what only a leader may, as long as the lease lets it stop; one that
        stands still may go on with it."""
        lease = self.core.lease
        until_ms = self._works_until_ms if lease is None else lease.valid_until_ms
        return self._now_ms() < until_ms

    # What users do.

    def join(self) -> None:
        self.stays = True
        self._works_until_ms = 0
        self.step(Join())

    def leave(self) -> None:
        self.stays = False
        self._works_until_ms = 0
        self.step(Leave())

    @property
    def is_out(self) -> bool:
        return self.core.is_out

    @property
    def epoch(self) -> int:
        assert self.core.lease is not None
        return self.core.lease.epoch

    @property
    def fence(self) -> tuple[Check, ...]:
        assert self.core.lease is not None
        return self.core.lease.fence

    # The shell.

    def step(self, event: Event) -> None:
        self._perform(self.core.step(event, self._now_ms()))

    def _now_ms(self) -> int:
        return self._client.world.schedule.now_ms + self._clock_offset_ms

    def _perform(self, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            match effect:
                case Send(number, requests):
                    self._client.send(requests, self._reply_to(number))
                case Elected(lease):
                    self._client.world.on_elected(self._client, lease.epoch)
                case Deposed(lease, loss):
                    self._stop_slowly(lease, loss)
                case Left() if self.stays:
                    self.step(Join())
                case Failed(error):
                    raise error
        self._set_timer()

    def _stop_slowly(self, lease: Lease, loss: Loss) -> None:
        """Go on with the leader's work for a while, but not for longer than the lease."""
        left_ms = lease.valid_until_ms - self._now_ms()
        if loss is Loss.RESIGNED or left_ms <= 0:
            return
        self._works_until_ms = self._now_ms() + self._client.random.randint(0, left_ms)
        stopped_ms = self._works_until_ms

        def stop() -> None:
            if self._works_until_ms == stopped_ms and self.stays:
                self.step(Join())

        self._client.later(stopped_ms - self._now_ms(), stop)

    def _reply_to(self, number: int) -> Callable[[tuple[object, ...]], None]:
        return lambda replies: self.step(Replied(number, replies))  # type: ignore[arg-type]

    def _set_timer(self) -> None:
        self._timer += 1
        timer = self._timer
        deadline_ms = self.core.next_deadline()
        if deadline_ms is None:
            return

        def come() -> None:
            if timer == self._timer:
                self._perform(self.core.on_deadline(self._now_ms()))

        self._client.later(max(0, deadline_ms - self._now_ms()), come)
