"""A simulated world of groups: brokers, their log, clients; faults first, then all must come right.

Everything is drawn from the seed.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from cluster.group.answers import Answer
from cluster.group.requests import Request
from cluster.group.states import GroupState
from cluster.model.ids import LeaderEpoch
from tests.sim.groups.broker import Broker
from tests.sim.groups.client import Consumer, Keeper
from tests.sim.groups.log import ALL_FENCES, LogFences, OffsetsLog
from tests.sim.groups.oracle import Oracle
from tests.sim.groups.violation import Kind, Violation
from tests.sim.schedule import Schedule

FAULTS_MS: Final = 1500
HEALING_MS: Final = 1200
BROKERS: Final = 3
EAGER, COOPERATIVE, KEPT = "eager", "coop", "kept"
WAIT_MAX_MS: Final = 400
"""For how long a request may wait for an answer when nothing breaks any more."""


def violation_of(seed: int, fences: LogFences = ALL_FENCES) -> Violation | None:
    """How the story of *seed* ends badly; None when it ends well."""
    try:
        World(seed, fences).play()
    except Violation as violation:
        return violation
    return None


class World:
    def __init__(self, seed: int, fences: LogFences = ALL_FENCES) -> None:
        self.random = Random(f"{seed} groups")
        self.schedule = Schedule()
        self.is_troubled = True
        self._number = 0
        self.oracle = Oracle(self)
        self.log = OffsetsLog(
            self.schedule,
            Random(f"{seed} log"),
            self.oracle.on_append,
            self.oracle.on_truncate,
        )
        self.log.fences = fences
        self.loss = self.random.choice((0, 0.02, 0.1))
        self.doubling = self.random.choice((0, 0.05, 0.2))
        self.brokers = [Broker(self, broker_id) for broker_id in range(BROKERS)]
        self.consumers = [self._consumer(seed, number) for number in range(7)]
        self.keeper = Keeper(self, KEPT, Random(f"{seed} keeper"))

    def _consumer(self, seed: int, number: int) -> Consumer:
        is_eager = number < 4
        random = Random(f"{seed} consumer {number}")
        return Consumer(
            self,
            EAGER if is_eager else COOPERATIVE,
            random,
            f"c{number}",
            instance_id=f"s{number}" if random.random() < 0.4 else None,
            is_eager=is_eager,
            version=random.choice((3, 5, 9)),
        )

    # What processes use.

    def next_number(self) -> int:
        self._number += 1
        return self._number

    def new_id(self) -> str:
        return f"#{self.next_number()}"

    @property
    def long_ms(self) -> int:
        """How long a request may be on its way."""
        return 80 if self.is_troubled and self.random.random() < 0.05 else 6

    def loses(self) -> bool:
        return self.is_troubled and self.random.random() < self.loss

    def doubles(self) -> int:
        return int(self.is_troubled and self.random.random() < self.doubling)

    def find_coordinator(self) -> int:
        """The broker that leads, or another one by metadata that are old."""
        if self.is_troubled and self.random.random() < 0.1:
            return self.random.randrange(BROKERS)
        return self.log.leader_id

    def request(
        self, broker_id: int, request: Request, delay_ms: int, reply: Callable[[Answer], None]
    ) -> None:
        broker = self.brokers[broker_id]
        self.schedule.after(delay_ms, lambda: broker.on_request(request, reply))

    def check(self, is_so: bool, text: str) -> None:
        if not is_so:
            raise Violation(Kind.ASSERTION, text)

    # What happens.

    def play(self) -> None:
        """Play the story to its end.

        Raises:
            Violation: something happened that must not, or did not come right.
        """
        try:
            self._begin()
            self._run_until(FAULTS_MS)
            self._heal()
            self._run_until(FAULTS_MS + HEALING_MS)
            self._check_all_is_well()
        except Violation:
            raise
        except AssertionError as error:
            raise Violation(Kind.ASSERTION, str(error)) from error
        except Exception as error:
            raise Violation(Kind.ERROR, repr(error)) from error

    def _begin(self) -> None:
        self._elect(0, 1)
        for consumer in self.consumers:
            self.schedule.after(self.random.randint(0, 300), consumer.come_back)
            consumer.is_up = False
        self.schedule.after(30, self.keeper.run)
        acts = (
            *3 * (self._move_leader,),
            *2 * (self._crash_broker,),
            *2 * (self._pause_broker,),
            *2 * (self._lead_twice,),
            *2 * (self._crash_consumer,),
            *2 * (self._pause_consumer,),
            *3 * (self._slow_down,),
            self._leave,
            *2 * (self._change,),
        )
        for _ in range(self.random.randint(5, 25)):
            at_ms = self.random.randint(200, FAULTS_MS)
            self._act(at_ms, self.random.choice(acts))

    def _act(self, delay_ms: int, act: Callable[[], None]) -> None:
        """Let something happen later, unless nothing breaks any more by then."""

        def do() -> None:
            if self.is_troubled:
                act()

        self.schedule.after(delay_ms, do)

    def _run_until(self, until_ms: int) -> None:
        while self.schedule.run_next(until_ms):
            pass

    def _elect(self, broker_id: int, epoch_step: int) -> None:
        self.log.lead(broker_id, epoch_step)
        epoch = self.log.leader_epoch
        for broker in self.brokers:
            delay_ms = self.random.randint(1, 60 if self.is_troubled else 5)
            self._tell(broker, broker_id, epoch, delay_ms)

    def _tell(self, broker: Broker, leader_id: int, epoch: LeaderEpoch, delay_ms: int) -> None:
        """Tell a broker who leads; what is older than what it knows has no effect there."""
        self.schedule.after(delay_ms, lambda: broker.on_leader(leader_id, epoch))

    def _move_leader(self) -> None:
        up = [one.broker_id for one in self.brokers if one.is_up] or [0]
        self._elect(self.random.choice(up), self.random.choice((1, 1, 2)))

    def _crash_broker(self) -> None:
        broker = self.random.choice(self.brokers)
        if not broker.is_up:
            return
        broker.crash()
        self.schedule.after(self.random.randint(10, 300), lambda: self._start(broker))
        if broker.broker_id == self.log.leader_id:
            self._act(self.random.randint(1, 100), self._move_leader)

    def _start(self, broker: Broker) -> None:
        if not broker.is_up:
            broker.start()
            # It asks for its role; the controller gives one that has restarted a new epoch.
            if broker.broker_id == self.log.leader_id:
                self._elect(broker.broker_id, 1)

    def _slow_down(self) -> None:
        """Slow down the followers of the log; a new leader may be elected meanwhile."""
        self.log.slow_until_ms = self.schedule.now_ms + self.random.randint(100, 400)
        if self.random.random() < 0.5:
            self._act(self.random.randint(100, 400), self._move_leader)

    def _pause_broker(self) -> None:
        broker = self.random.choice(self.brokers)
        if not broker.is_up or broker.is_paused:
            return
        self._pause(broker, self.random.randint(20, 400))
        if broker.broker_id == self.log.leader_id and self.random.random() < 0.7:
            for _ in range(self.random.randint(1, 2)):
                self._act(self.random.randint(1, 200), self._move_leader)

    def _pause(self, broker: Broker, for_ms: int) -> None:
        broker.is_paused = broker.is_up
        self.schedule.after(for_ms, lambda: self._resume(broker))

    def _lead_twice(self) -> None:
        """Pause a leader, maybe while it loads, and let another lead until it is elected again."""
        up = [one for one in self.brokers if one.is_up and not one.is_paused]
        if len(up) < 2:
            return
        broker, other = self.random.sample(up, 2)
        paused_ms = 0
        if broker.broker_id != self.log.leader_id:
            self._elect(broker.broker_id, 1)
            paused_ms = self.random.randint(5, 100)
        back_ms = paused_ms + self.random.randint(50, 900)
        acts = (
            (paused_ms, lambda: self._pause(broker, back_ms + 50)),
            (paused_ms + 5, lambda: self._elect(other.broker_id, 1)),
            (paused_ms + 30, self._change),
            (back_ms, lambda: self._elect(broker.broker_id, 1)),
        )
        for at_ms, act in acts:
            self._act(at_ms, act)

    def _resume(self, broker: Broker) -> None:
        if broker.is_up and broker.is_paused:
            broker.resume()

    def _crash_consumer(self) -> None:
        consumer = self.random.choice(self.consumers)
        if consumer.is_up:
            consumer.crash()
            self.schedule.after(self.random.randint(10, 500), consumer.come_back)

    def _pause_consumer(self) -> None:
        consumer = self.random.choice(self.consumers)
        if consumer.is_up and not consumer.is_paused:
            consumer.pause(self.random.randint(20, 500))

    def _leave(self) -> None:
        consumer = self.random.choice(self.consumers)
        if consumer.is_up and not consumer.is_paused:
            consumer.leave()
            self.schedule.after(self.random.randint(10, 500), consumer.come_back)

    def _change(self) -> None:
        consumer = self.random.choice(self.consumers)
        if consumer.is_up and not consumer.is_paused:
            consumer.change()

    # The end.

    def _heal(self) -> None:
        self.is_troubled = self.log.is_troubled = False
        for broker in self.brokers:
            self._start(broker)
            self._resume(broker)
        for consumer in self.consumers:
            consumer.come_back()
        self._elect(self.random.randrange(BROKERS), 1)

    def _check_all_is_well(self) -> None:
        now_ms = self.schedule.now_ms
        for broker in self.brokers:
            for came_ms, request in broker.waiting.values():
                if now_ms - came_ms > WAIT_MAX_MS:
                    raise Violation(Kind.STUCK, f"{request} waits since {came_ms}")
        leader = self.brokers[self.log.leader_id]
        for group_id in (EAGER, COOPERATIVE):
            self._check_group(leader, group_id)

    def _check_group(self, leader: Broker, group_id: str) -> None:
        members = [one for one in self.consumers if one.group_id == group_id]
        view = leader.core.describe(group_id)
        text = f"{group_id} is {view.state}: {', '.join(map(str, members))}"
        is_stable = view.state == GroupState.STABLE and all(one.is_stable for one in members)
        if not is_stable or len({one.generation for one in members}) != 1:
            raise Violation(Kind.NOT_STABLE, text)
        if {one.member_id for one in members} != {one.member_id for one in view.members}:
            raise Violation(Kind.NOT_STABLE, f"{text}; members {view.members}")
