"""A contender for leadership as a pure core: from one event to the effects that follow from it.

It contends once: from `Join` until it has led, or has left.  Who wants to go on joins again.  After
a loss its znode stays until the lease is over, or until `Join` or `Leave` reports that the leader's
work has stopped: the connection may be back long before that.  Its shell sends the requests, passes
the events of the session on, and owns the clock.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, assert_never

from cluster.recipes.attempt import Absent, Attempt, Behind, First, Grant, MixedElection, Place
from cluster.recipes.effects import Deposed, Effect, Elected, Failed, Left, Renewed, Send
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
from cluster.recipes.lease import (
    Heartbeats,
    Lease,
    Loss,
    Wakefulness,
    given_up_ms,
    heartbeat_after_ms,
)
from cluster.zk.requests import ZkReply, ZkRequest
from cluster.zk.steps import Refusal, Steps

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Session:
    session_id: int
    timeout_ms: int


class Contender:
    """The core of one contender.

    Every event goes to `step`, with the time of a monotonic clock in ms.  After each step the shell
    asks for `next_deadline`, and calls `on_deadline` when it has come.  *new_attempt* is called
    with the id of a session; *delay_ms* draws how long to wait before creating a znode.
    """

    __slots__ = (
        "_attempt",
        "_delay_ms",
        "_effects",
        "_enter_ms",
        "_failure",
        "_has_news",
        "_heartbeats",
        "_held_until_ms",
        "_is_connected",
        "_is_spent",
        "_look_ms",
        "_new_attempt",
        "_now_ms",
        "_number",
        "_sent_ms",
        "_session",
        "_steps",
        "_then",
        "_unsent",
        "_wakefulness",
        "_wants",
        "_withdraws",
        "lease",
    )

    def __init__(
        self, new_attempt: Callable[[int], Attempt], delay_ms: Callable[[], int] = lambda: 0
    ) -> None:
        self._new_attempt = new_attempt
        self._delay_ms = delay_ms
        self.lease: Lease | None = None
        """The present leadership, whose deadline moves on with each heartbeat."""
        self._wants = False
        self._failure: Refusal | MixedElection | None = None
        self._session: Session | None = None
        self._is_connected = False
        self._attempt: Attempt | None = None
        self._is_spent = False
        """Whether the attempt is over, and what it has created is to be removed."""
        self._heartbeats = Heartbeats(0)
        """Those of the present attempt."""
        self._wakefulness = Wakefulness()
        self._held_until_ms: int | None = None
        """Until when the znode of a leadership that was lost stays, so that no other one begins."""
        self._has_news = False
        self._enter_ms: int | None = None
        """When to create the znode; None unless there is none."""
        self._look_ms = 0
        """When to look even without a watch, or to send the next heartbeat."""
        self._steps: Steps[object] | None = None
        """The requests that are under way, one sequence at a time."""
        self._then: Callable[[object], None] | None = None
        self._withdraws = False
        self._number = 0
        self._sent_ms = 0
        self._unsent: tuple[ZkRequest, ...] | None = None
        self._now_ms = 0
        self._effects: list[Effect] = []

    def step(self, event: Event, now_ms: int) -> tuple[Effect, ...]:
        """Handle *event*, and return the effects of it, in their order."""
        self._look_at_clock(now_ms)
        self._give_up_if_silent()
        match event:
            case Join():
                self._join()
            case Leave():
                self._leave()
            case Connected():
                self._connect(event)
            case Suspended():
                self._is_connected = False
                self._depose(Loss.SUSPENDED)
            case SessionOver():
                self._end_session()
            case WatchFired():
                self._has_news = True
            case Replied(number, replies):
                # Those of a sequence that was given up are of no interest.
                if number == self._number and self._steps is not None:
                    self._resume(replies)
            case _:
                assert_never(event)
        return self._finish()

    def on_deadline(self, now_ms: int) -> tuple[Effect, ...]:
        """Do what is due."""
        self._look_at_clock(now_ms)
        self._give_up_if_silent()
        return self._finish()

    def next_deadline(self) -> int | None:
        """When `on_deadline` has something to do; None if only an event can change anything."""
        deadlines = [] if self.lease is None else [self.lease.given_up_ms]
        if self._watches_clock and self._session is not None:
            look_ms = self._wakefulness.next_look_ms(self._session.timeout_ms)
            deadlines += [] if look_ms is None else [look_ms]
        if self._held_until_ms is not None:
            deadlines.append(self._held_until_ms)
            return min(deadlines)
        if self._steps is None and self._is_connected and self._attempt is not None:
            deadlines.append(self._look_ms if self._enter_ms is None else self._enter_ms)
        return min(deadlines, default=None)

    @property
    def is_out(self) -> bool:
        """Whether it neither contends nor has left anything."""
        return not self._wants and self._attempt is None

    def is_leading(self, now_ms: int) -> bool:
        """Whether a leader may still act as one: its loss is noticed with the next event only."""
        return self.lease is not None and now_ms < self.lease.given_up_ms

    @property
    def _watches_clock(self) -> bool:
        return self._session is not None and self._is_connected and self._attempt is not None

    def _look_at_clock(self, now_ms: int) -> None:
        self._now_ms = now_ms
        if self._session is not None and self._watches_clock:
            self._wakefulness.look(now_ms, self._session.timeout_ms)
        else:
            self._wakefulness.rest()

    # Events.

    def _join(self) -> None:
        self._wants = True
        self._held_until_ms = None
        self._failure = None

    def _leave(self) -> None:
        self._wants = False
        self._depose(Loss.RESIGNED)
        self._held_until_ms = None
        if self.is_out:
            self._effects.append(Left())

    def _connect(self, event: Connected) -> None:
        session = Session(event.session_id, event.timeout_ms)
        if self._session is not None and self._session.session_id != session.session_id:
            self._end_session()
        self._session = session
        if self._is_connected:
            return  # It is repeated: nothing has happened in between.
        self._is_connected = True
        self._has_news = True
        if self._unsent is not None:
            self._send(self._unsent)

    def _end_session(self) -> None:
        self._depose(Loss.EXPIRED)
        self._session = None
        self._is_connected = False
        self._drop_steps()
        self._forget_attempt()

    def _give_up_if_silent(self) -> None:
        if self.lease is not None and self._now_ms >= self.lease.given_up_ms:
            self._depose(Loss.SILENT)

    def _depose(self, loss: Loss) -> None:
        """End the leadership, if there is one: this contender does not lead by that znode again."""
        if self.lease is not None:
            self._effects.append(Deposed(self.lease, loss))
            self._held_until_ms = self.lease.valid_until_ms
            self.lease = None
            self._is_spent = True
            self._wants = False
            # A heartbeat whose answer comes later must not elect it again.
            self._drop_steps()

    def _forget_attempt(self) -> None:
        """Nothing of it is left in ZooKeeper."""
        had_one = self._attempt is not None
        self._attempt = None
        self._is_spent = False
        self._held_until_ms = None
        self._enter_ms = None
        if self._failure is not None:
            self._effects.append(Failed(self._failure))
            self._failure = None
        elif had_one and not self._wants:
            self._effects.append(Left())

    # What to do next.

    def _finish(self) -> tuple[Effect, ...]:
        self._go_on()
        effects = tuple(self._effects)
        self._effects.clear()
        return effects

    def _go_on(self) -> None:
        if self._held_until_ms is not None and self._now_ms >= self._held_until_ms:
            self._held_until_ms = None
        if self._session is None or self._held_until_ms is not None:
            return
        if self._attempt is not None and (self._is_spent or not self._wants):
            # At once, in place of what is under way: the server takes requests in their order, so
            # that a creation without a reply is carried out before its node is looked for.
            if not self._withdraws:
                self._begin(self._attempt.withdraw(), self._on_withdrawn)
                self._withdraws = True
            return
        if self._steps is not None or not self._is_connected:
            return
        if self._attempt is None:
            if self._wants:
                self._attempt = self._new_attempt(self._session.session_id)
                self._heartbeats = Heartbeats(self._session.timeout_ms)
                self._look()
        elif self._enter_ms is not None:
            if self._now_ms >= self._enter_ms:
                self._enter_ms = None
                self._begin(self._attempt.enter(), lambda _: self._look())
        elif self._has_news or self._now_ms >= self._look_ms:
            if self.lease is None:
                self._look()
            else:
                self._confirm()

    def _look(self) -> None:
        assert self._attempt is not None
        self._has_news = False
        self._begin(self._attempt.look(), self._on_place)

    def _confirm(self) -> None:
        assert self._attempt is not None
        self._has_news = False
        self._begin(self._attempt.confirm(), self._on_grant)

    def _on_place(self, place: Place) -> None:
        assert self._session is not None
        match place:
            case Absent():
                self._enter_ms = self._now_ms + self._delay_ms()
            case Behind():
                self._look_ms = self._now_ms + self._session.timeout_ms
            case First():
                self._confirm()
            case _:
                assert_never(place)

    def _on_grant(self, grant: Grant | None) -> None:
        if grant is None:
            if self.lease is None:
                self._look()
            else:
                self._depose(Loss.REMOVED)
            return
        assert self._session is not None
        timeout_ms = self._session.timeout_ms
        has_pinged = self._wakefulness.has_pinged(self._sent_ms, timeout_ms)
        valid_until_ms = self._heartbeats.answer(self._sent_ms, self._now_ms, has_pinged=has_pinged)
        self._look_ms = self._sent_ms + heartbeat_after_ms(timeout_ms)
        lease = Lease(
            path=grant.node.rpartition("/")[0],
            node=grant.node,
            epoch=grant.epoch,
            session_id=self._session.session_id,
            fence=grant.fence,
            given_up_ms=given_up_ms(valid_until_ms, timeout_ms),
            valid_until_ms=valid_until_ms,
        )
        if self._now_ms >= lease.given_up_ms or not self._is_connected:
            # The reply is too old to lead by, or a pause before it was too long.
            return
        self._effects.append(Elected(lease) if self.lease is None else Renewed(lease))
        self.lease = lease

    def _on_withdrawn(self, _: None) -> None:
        self._withdraws = False
        self._forget_attempt()

    # Sequences of requests.

    def _begin(self, steps: Steps[T], then: Callable[[T], None]) -> None:
        """Begin *steps* in place of those that are under way, and call *then* with the result."""
        self._drop_steps()
        self._steps, self._then = steps, then  # type: ignore[assignment]  # of the same T
        self._resume(None)

    def _drop_steps(self) -> None:
        if self._steps is not None:
            self._steps.close()
        self._steps = self._then = self._unsent = None
        self._withdraws = False

    def _resume(self, replies: tuple[ZkReply, ...] | None) -> None:
        assert self._steps is not None
        try:
            requests = next(self._steps) if replies is None else self._steps.send(replies)
        except StopIteration as end:
            then = self._then
            assert then is not None
            self._steps = self._then = None
            then(end.value)
        except (Refusal, MixedElection) as error:
            self._fail(error)
        else:
            self._send(requests)

    def _send(self, requests: tuple[ZkRequest, ...]) -> None:
        """Send *requests*, once there is a connection."""
        self._number += 1
        if not self._is_connected:
            self._unsent = requests
            return
        self._unsent = None
        self._sent_ms = self._now_ms
        self._effects.append(Send(self._number, requests))

    def _fail(self, error: Refusal | MixedElection) -> None:
        was_withdrawing = self._withdraws
        self._drop_steps()
        self._depose(Loss.REMOVED)
        self._wants = False
        self._failure = self._failure or error
        if was_withdrawing:
            self._forget_attempt()
