"""A broker that may coordinate: a shell around the core, with crashes and pauses."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from cluster.group.answers import Answer
from cluster.group.config import GroupConfig
from cluster.group.core import GroupCoordinator
from cluster.group.effects import Append, Effect, Load, Respond
from cluster.group.events import Appended, AppendFailed, Elected, Event, Loaded, Requested, Resigned
from cluster.group.replay import Replay
from cluster.group.requests import Request
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import LeaderEpoch
from tests.sim.groups.log import Batch

if TYPE_CHECKING:
    from tests.sim.groups.world import World

CONFIG = GroupConfig(min_session_timeout_ms=1, initial_rebalance_delay_ms=30, max_size=4)
WALL_MS = 1_700_000_000_000


class Broker:
    """One broker in all its lives."""

    def __init__(self, world: World, broker_id: int) -> None:
        self.world = world
        self.broker_id = broker_id
        self.is_up = True
        self.is_paused = False
        self.life = 0
        self.waiting: dict[int, tuple[int, Request]] = {}
        """When each request came that has no answer yet."""
        self._inbox: deque[Callable[[], None]] = deque()
        self._replies: dict[int, Callable[[Answer], None]] = {}
        self._planned_ms: int | None = None
        self._epoch = LeaderEpoch(-1)
        self.core = self._new_core()

    def _new_core(self) -> GroupCoordinator:
        return GroupCoordinator(CONFIG, 1, self.world.new_id)

    @property
    def known_epoch(self) -> LeaderEpoch:
        """The epoch in which it coordinates."""
        return self._epoch

    # Lives.

    def crash(self) -> None:
        self.is_up = False
        self.is_paused = False
        self.life += 1
        self._inbox.clear()
        self._replies.clear()
        self.waiting.clear()

    def start(self) -> None:
        self.is_up = True
        self._planned_ms = None
        self._epoch = LeaderEpoch(-1)
        self.core = self._new_core()

    def resume(self) -> None:
        self.is_paused = False
        while self._inbox and not self.is_paused:
            self._inbox.popleft()()
        self._plan()

    def deliver(self, action: Callable[[], None]) -> None:
        """Let *action* happen in this life, once the process runs."""
        life = self.life

        def act() -> None:
            if self.is_up and self.life == life:
                action()

        if self.is_paused:
            self._inbox.append(act)
        else:
            act()

    # Events.

    def on_leader(self, leader_id: int, epoch: LeaderEpoch) -> None:
        def take() -> None:
            # Orders may be late: a broker obeys none of an epoch before the one that it knows.
            if epoch > self._epoch:
                self._epoch = epoch
                is_me = leader_id == self.broker_id
                self.step(Elected(0, epoch) if is_me else Resigned(0, epoch))

        self.deliver(take)

    def on_request(self, request: Request, reply: Callable[[Answer], None]) -> None:
        def take() -> None:
            request_id = self.world.next_number()
            self._replies[request_id] = reply
            self.waiting[request_id] = (self.world.schedule.now_ms, request)
            self.step(Requested(request_id, request))

        self.deliver(take)

    def step(self, event: Event) -> None:
        now_ms = self.world.schedule.now_ms
        self._carry_out(self.core.step(event, now_ms, WALL_MS + now_ms))
        self._plan()

    def _plan(self) -> None:
        """Wake up for the core's next deadline; one that is put off wakes up for nothing."""
        deadline_ms = self.core.next_deadline()
        if deadline_ms is None or (
            self._planned_ms is not None and self._planned_ms <= deadline_ms
        ):
            return
        delay_ms = max(0, deadline_ms - self.world.schedule.now_ms)
        core = self.core
        self._planned_ms = self.world.schedule.now_ms + delay_ms
        self.world.schedule.after(delay_ms, lambda: self._on_deadline(core))

    def _on_deadline(self, core: GroupCoordinator) -> None:
        now_ms = self.world.schedule.now_ms
        if self._planned_ms == now_ms:
            self._planned_ms = None
        deadline_ms = core.next_deadline()
        is_due = deadline_ms is not None and deadline_ms <= now_ms
        if core is not self.core or not self.is_up or self.is_paused:
            return
        if is_due:
            self._carry_out(core.on_deadline(now_ms, WALL_MS + now_ms))
        self._plan()

    # Effects.

    def _carry_out(self, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            match effect:
                case Respond(request_id, answer):
                    self.world.check(request_id in self.waiting, "a second answer")
                    _, request = self.waiting.pop(request_id)
                    self.world.oracle.on_answer(self, request, answer)
                    self._replies.pop(request_id)(answer)
                case Append():
                    self._append(effect)
                case Load(_, epoch):
                    self._load(epoch)

    def _append(self, append: Append) -> None:
        def outcome(error: ErrorCode, offset: int) -> None:
            if append.append_id is None:
                return
            event: Event = Appended(0, append.append_id, offset)
            if error is not ErrorCode.NONE:
                event = AppendFailed(0, append.append_id, error)
            deliver(lambda: self.step(event))

        life = self.life

        def deliver(action: Callable[[], None]) -> None:
            if self.life == life:
                self.deliver(action)

        self.world.log.append(self.broker_id, append, outcome)

    def _load(self, epoch: LeaderEpoch) -> None:
        """Read the log in two slices, with time for other things between and after."""
        replay = Replay()
        log = self.world.log

        def begin() -> None:
            batches = log.local(self.broker_id)
            half = len(batches) // 2
            take(batches[:half])
            self._later(lambda: finish(batches[half:], len(batches)))

        def finish(rest: list[Batch], count: int) -> None:
            take(rest)
            loaded = Loaded(0, epoch, replay)
            done = partial(self._later, lambda: self.step(loaded))
            log.when_replicated(self.broker_id, count, done)

        def take(batches: list[Batch]) -> None:
            for batch in batches:
                replay.take(batch.offset, batch.records)

        self._later(begin)

    def _later(self, action: Callable[[], None]) -> None:
        life = self.life

        def arrive() -> None:
            if self.life == life:
                self.deliver(action)

        self.world.schedule.after(self.world.random.randint(1, 15), arrive)
