"""A simulated run of a move plan: faults first, then all must come right.

Everything is drawn from the seed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from typing import Final

from cluster.model.config_entity import ConfigEntity, broker_entity, topic_entity
from cluster.model.ids import BrokerId, TopicPartition
from kadmin.errors import KadminError
from kadmin.execute.supervision.carrying_out import Site, Supervision, carry_on
from kadmin.execute.supervision.reading import Clock
from kadmin.plan.moves.plan_file import MovePlan, PlannedMove
from kadmin.plan.reassignment.throttles import FOLLOWER_RATE, LEADER_RATE, LEADER_REPLICAS
from kadmin.plan.supervision.run import Goal, MoveRun, RunState, Settings
from kadmin.plan.supervision.standing import Standing, standing_of
from tests.sim.moves.actors import Actor
from tests.sim.moves.cluster import Cluster, Era, Replicas
from tests.sim.moves.ports import SimAdmin, SimStore, Wire
from tests.sim.moves.state import State
from tests.sim.moves.violation import Kind, Violation

TROUBLED_STEPS: Final = 400
HEALING_STEPS: Final = 4000
BROKERS: Final = range(1, 6)
STEP_MS: Final = 100
SESSION_MS: Final = 2000
"""The lease of a supervisor that is gone, or stands still for so long, ends."""

OTHER: Final = TopicPartition("other", 0)


def violation_of(seed: int, change: Callable[["World"], None] = lambda _: None) -> Violation | None:
    """How the story of *seed* ends badly; None when it ends well.  *change* may take a fence
    out."""
    world = World(seed)
    change(world)
    try:
        world.play()
    except Violation as violation:
        return violation
    finally:
        for actor in world.actors:
            if not actor.has_ended:
                actor.kill()
    return None


class World:
    def __init__(self, seed: int) -> None:
        self.random = random = Random(f"{seed} moves")
        self.is_troubled = True
        self.now_ms = 1_000_000
        self.loss = random.choice((0.0, 0.01, 0.04))
        self.standstill = random.choice((0.0, 0.02, 0.1))
        """How often a process stands still right before a write, while another takes over."""
        layout = {
            TopicPartition(topic, number): drawn(random, random.randint(1, 3))
            for topic in ("t", "u")
            for number in range(random.randint(1, 3))
        }
        cluster = Cluster(random.choice(list(Era)), BROKERS, {**layout, OTHER: drawn(random, 2)})
        self.cluster = cluster
        self.state = State(cluster, lambda: self.is_troubled and random.random() < self.loss)
        self.own = self.draw_throttles()
        moves = tuple(self.draw_moves(layout))
        self.state.planned = {move.partition: move for move in moves}
        rate = random.choice((None, 2**20, 2**26))
        self.state.run = MoveRun(
            run_id="run",
            plan=plan_of(moves),
            by="operator@host",
            began_at_ms=self.now_ms,
            settings=Settings(
                max_moves=random.choice((1, 2, 5)),
                rate=rate,
                is_adaptive=rate is not None and random.random() < 0.4,
            ),
        )
        self.actors: list[Actor] = []
        self.paused_until_ms: dict[str, int] = {}
        self.lease_ends_ms: int | None = None
        self.touched: set[TopicPartition] = set()
        """The partitions of the plan that another client has moved."""
        self.foreign: dict[TopicPartition, Replicas] = {}

    def draw_throttles(self) -> dict[ConfigEntity, dict[str, str]]:
        own: dict[ConfigEntity, dict[str, str]] = {}
        if self.random.random() < 0.5:
            own[broker_entity(BrokerId(1))] = {LEADER_RATE: "5", FOLLOWER_RATE: "6"}
        if self.random.random() < 0.5:
            own[topic_entity("t")] = {LEADER_REPLICAS: "*"}
        for entity, values in own.items():
            self.cluster.put(entity, values)
        return own

    def draw_moves(self, layout: dict[TopicPartition, Replicas]) -> Iterator[PlannedMove]:
        for partition, replicas in sorted(layout.items()):
            target = drawn(self.random, self.random.randint(1, 3))
            if target != replicas:
                yield PlannedMove(
                    partition=partition, replicas=replicas, target=target, size_bytes=1000
                )

    # The story.

    def play(self) -> None:
        if not self.state.planned:
            return
        self.supervise()
        for _ in range(TROUBLED_STEPS):
            self.step()
            self.trouble()
        self.heal()
        for _ in range(HEALING_STEPS):
            if self.has_ended:
                break
            self.step()
            assert self.state.run is not None
            has_more = not self.state.run.state.is_final
            if has_more and all(actor.has_ended for actor in self.actors):
                self.supervise()
        self.check()

    @property
    def has_ended(self) -> bool:
        assert self.state.run is not None
        is_quiet = all(actor.has_ended for actor in self.actors)
        return self.state.run.state.is_final and is_quiet

    def supervise(self) -> None:
        me = f"supervisor {len(self.actors)}"
        stands_by = self.random.random() < 0.4

        def body(actor: Actor) -> None:
            wire = Wire(self.state, actor)

            @contextmanager
            def connect() -> Iterator[Site]:
                yield Site(SimAdmin(wire), SimStore(wire))

            def sleep(seconds: float) -> None:
                actor.wakes_at_ms = self.now_ms + round(1000 * seconds)
                actor.turn()

            carry_on(
                Supervision(
                    connect=connect,
                    run_id="run",
                    me=me,
                    clock=Clock(lambda: self.now_ms, lambda: self.now_ms, sleep),
                    notice=lambda _: None,
                    outage=lambda _: None,
                    lease_timeout_s=2 * SESSION_MS / 1000,
                    stands_by=stands_by,
                )
            )

        self.actors.append(Actor(me, body))

    def step(self) -> None:
        """Let one process go on, or the cluster."""
        self.now_ms += STEP_MS
        self.end_lease()
        ready = [
            actor
            for actor in self.actors
            if not actor.has_ended
            and actor.wakes_at_ms <= self.now_ms
            and self.paused_until_ms.get(actor.name, 0) <= self.now_ms
        ]
        if ready and self.random.random() < 0.8:
            actor = self.random.choice(ready)
            for _ in range(self.random.choice((1, 1, 3, 20))):
                if not actor.has_ended and actor.wakes_at_ms <= self.now_ms:
                    actor.step()
            is_troubled = self.is_troubled and self.random.random() < self.standstill
            if is_troubled and actor.is_about_to_write:
                self.paused_until_ms[actor.name] = self.now_ms + 5 * SESSION_MS
                self.supervise()
            if actor.error is not None and not isinstance(actor.error, KadminError):
                raise Violation(Kind.ERROR, repr(actor.error)) from actor.error
        else:
            actions = [self.cluster.copy, self.cluster.work]
            if not self.is_troubled and self.cluster.controller is None:
                actions.append(self.cluster.elect)
            self.random.choice(actions)(self.random)
        if self.state.problem is not None:
            raise self.state.problem

    def end_lease(self) -> None:
        """End the lease of a supervisor that is gone, or has stood still for a session timeout.

        By wire the lease is a lock, which a process holds as long as it is there.
        """
        holder = self.state.holder
        found = next((each for each in self.actors if each.name == holder), None)
        is_there = found is not None and not found.has_ended
        by_lock = self.cluster.era is Era.BY_WIRE
        is_paused = self.paused_until_ms.get(holder or "", 0) > self.now_ms and not by_lock
        if found is None or (is_there and not is_paused):
            self.lease_ends_ms = None
        elif self.lease_ends_ms is None:
            self.lease_ends_ms = self.now_ms + SESSION_MS
        elif self.now_ms >= self.lease_ends_ms:
            self.state.holder, self.lease_ends_ms = None, None

    def trouble(self) -> None:
        happening = self.random.random()
        for share, action in (
            (0.02, self.kill),
            (0.02, self.pause),
            (0.03, self.another),
            (0.015, self.stop_broker),
            (0.03, self.start_broker),
            (0.015, self.stop_controller),
            (0.05, self.elect),
            (0.01, self.move_another),
            (0.002, self.touch),
            (0.01, self.set_own),
            (0.02, self.change_goal),
        ):
            if happening < share:
                action()
                return
            happening -= share

    def living(self) -> list[Actor]:
        return [actor for actor in self.actors if not actor.has_ended]

    def kill(self) -> None:
        if self.living():
            self.random.choice(self.living()).kill()

    def pause(self) -> None:
        if self.living():
            name = self.random.choice(self.living()).name
            self.paused_until_ms[name] = self.now_ms + self.random.choice((500, 6000))

    def another(self) -> None:
        if len(self.living()) < 2:
            self.supervise()

    def stop_broker(self) -> None:
        if len(self.cluster.live) > 3:
            self.cluster.stop(self.random.choice(sorted(self.cluster.live)))

    def start_broker(self) -> None:
        down = sorted(self.cluster.all.keys() - self.cluster.live)
        if down:
            self.cluster.start(self.random.choice(down))

    def stop_controller(self) -> None:
        self.cluster.controller = None

    def elect(self) -> None:
        if self.cluster.controller is None:
            self.cluster.elect(self.random)

    def move_another(self) -> None:
        """Have another client move a partition that is not in the plan."""
        self.ask(OTHER, drawn(self.random, 2))

    def touch(self) -> None:
        """Have another client move a partition of the plan, which does not move yet."""
        partition = self.random.choice(sorted(self.state.planned))
        target = drawn(self.random, 2)
        move = self.state.planned[partition]
        if set(target) in (set(move.replicas), set(move.target)):
            return
        if not self.cluster.is_moving(partition) and self.ask(partition, target):
            self.touched.add(partition)

    def ask(self, partition: TopicPartition, target: Replicas) -> bool:
        if not set(target) <= self.cluster.live:
            return False
        if self.cluster.era is Era.BY_WIRE:
            if self.cluster.controller is None:
                return False
            self.cluster.begin(partition, target)
            return True
        if self.cluster.request:
            return False
        self.cluster.request = {partition: target}
        return True

    def set_own(self) -> None:
        """Have an operator set a throttle of his own, over whatever there is."""
        entity = broker_entity(BrokerId(self.random.choice(BROKERS)))
        value = str(self.random.randint(100, 10**6))
        self.cluster.put(entity, {**self.cluster.config(entity).values, LEADER_RATE: value})
        self.own.setdefault(entity, {})[LEADER_RATE] = value

    def change_goal(self) -> None:
        run = self.state.run
        assert run is not None
        is_moving = any(map(self.cluster.is_moving, self.state.planned))
        if run.goal is Goal.FORWARD and not run.state.is_final and is_moving:
            goal = self.random.choice((Goal.CANCEL, Goal.ROLLBACK))
            self.state.keep(replace(run, goal=goal))

    def heal(self) -> None:
        self.is_troubled = False
        self.paused_until_ms.clear()
        for broker in self.cluster.all:
            self.cluster.start(broker)
        self.elect()

    def check(self) -> None:
        """Raise what is wrong with the end."""
        run = self.state.run
        assert run is not None
        snapshot = self.cluster.snapshot()
        standings = {each: standing_of(snapshot, move) for each, move in self.state.planned.items()}
        if not run.state.is_final:
            raise Violation(Kind.STUCK, f"{run.state} {run.goal} {standings}")
        ends = {
            Goal.FORWARD: {Standing.DONE},
            Goal.ROLLBACK: {Standing.BEFORE},
            Goal.CANCEL: {Standing.BEFORE, Standing.DONE},
        }[run.goal]
        for partition, standing in standings.items():
            is_order_alone = run.goal is Goal.CANCEL and set(
                self.state.planned[partition].replicas
            ) == set(self.state.planned[partition].target)
            if standing not in ends and partition not in self.touched and not is_order_alone:
                raise Violation(Kind.ELSEWHERE, f"{partition}: {standing} for {run.goal}")
        is_clean = not self.touched and run.goal is not Goal.CANCEL
        if is_clean and run.state is RunState.FAILED:
            raise Violation(Kind.WRONG_STATE, f"{run.state}: {run.reason}")
        self.check_throttles()

    def check_throttles(self) -> None:
        now = {entity: values for entity, values in self.cluster.configs.items() if values}
        for entity, values in self.own.items():
            lost = {
                key: value for key, value in values.items() if now.get(entity, {}).get(key) != value
            }
            if lost:
                raise Violation(Kind.THROTTLE_LOST, f"{entity} {lost}: {now.get(entity)}")
        if now != self.own:
            raise Violation(Kind.THROTTLE_LEFT, f"{now}, own: {self.own}")


def drawn(random: Random, count: int) -> Replicas:
    return tuple(map(BrokerId, random.sample(BROKERS, count)))


def plan_of(moves: tuple[PlannedMove, ...]) -> MovePlan:
    return MovePlan(
        tool_version="sim",
        cluster_id="sim",
        planned_at_ms=0,
        goal="balance",
        moved_replicas=sum(len(move.adding) for move in moves),
        lower_bound=0,
        moved_bytes=None,
        lower_bound_bytes=None,
        is_optimal=False,
        brokers=dict.fromkeys(map(BrokerId, BROKERS)),
        moves=moves,
    )
