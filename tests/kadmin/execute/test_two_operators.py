"""Two operators with throttled reassignments: does every order end with what was before both?

Played by seeds: at any write the other one may come in between, and any write may be the last one
of its command.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Final

import pytest

from cluster.model.config_entity import ConfigEntity, ConfigOverrides
from cluster.model.fault import Fault
from cluster.model.ids import NEVER_READ, BrokerId, TopicPartition, ZkVersion
from kadmin.admin.ports import Committed, Conflict, ConflictKind, Fence, Outcome
from kadmin.execute.commit import ChangedInBetween
from kadmin.execute.throttles import put_throttles_back, set_throttles
from kadmin.plan.config_plan import ConfigPlan
from kadmin.plan.reassignment.journal import Owner, ThrottleJournal
from kadmin.plan.reassignment.throttles import FOLLOWER_RATE, LEADER_RATE, LEADER_REPLICAS
from tests.kadmin.execute.test_throttles import ONE, OWN, TWO, Admin, Configs, Killed, T

SEEDS: Final = 100
STEPS: Final = 12
RATES: Final = {"A": ("1000", "1500"), "B": ("2000", "2500")}
OTHER: Final = {"A": "B", "B": "A"}
DEPTH_MAX: Final = 2


@dataclass
class Shared(Configs):
    """The configs of the cluster; *after* is called when a write was made, and may kill."""

    after: Callable[[], None] = lambda: None


@dataclass
class Way(Configs):
    """One operator's way to the configs of the cluster, *shared*, which checks his *lease*."""

    shared: Shared = field(default_factory=lambda: Shared({}))
    lease: Callable[[], ZkVersion] = lambda: NEVER_READ

    def read(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, ConfigOverrides], Sequence[Fault]]:
        return self.shared.read(entities)

    def write(self, fence: Fence, plan: ConfigPlan) -> Outcome:
        self.shared.disturb()
        if fence.lease != self.lease():
            return Conflict("the lease", ConflictKind.VERSION)
        before, self.shared.disturb = self.shared.disturb, lambda: None
        outcome = self.shared.write(fence, plan)
        self.shared.disturb = before
        if isinstance(outcome, Committed):
            self.shared.after()
        return outcome


class Lease(Admin):
    """One operator's way to the cluster."""

    def write_journal(self, fence: Fence, journal: ThrottleJournal) -> Outcome:
        assert isinstance(self.configs, Way)
        self.configs.disturb = self.configs.shared.disturb
        outcome = super().write_journal(fence, journal)
        if isinstance(outcome, Committed):
            self.configs.shared.after()
        return outcome


class Play:
    """One story, from *seed*; the operators share one lease, or have a file each."""

    def __init__(self, seed: int, *, is_shared: bool) -> None:
        self.random = Random(seed)
        self.configs = Shared({entity: dict(values) for entity, values in OWN.items()})
        self.own = {entity: dict(values) for entity, values in OWN.items()}
        self.configs.disturb = self.disturb
        self.configs.after = self.perhaps_kill
        self.moving: dict[TopicPartition, tuple[BrokerId, ...]] = {}
        one = self.way()
        two = one if is_shared else self.way()
        self.ways = {"A": one, "B": two}
        self.is_shared = is_shared
        self.depth = 0
        self.acting = ""
        self.own_count = 0
        self.told: list[str] = []

    def way(self) -> Lease:
        configs = Way(self.configs.values, shared=self.configs)
        lease = Lease(configs, moving=self.moving)
        configs.lease = lambda: lease.kept.zk_version
        return lease

    def play(self) -> None:
        for _ in range(STEPS):
            self.step(self.random.choice("AB"))
        self.configs.disturb = self.configs.after = lambda: None
        self.moving.clear()
        self.told.append("end")

    def step(self, who: str) -> None:
        """One command of *who*, which may be killed; or an end of moves, or an own change."""
        action = self.random.choice(
            (self.execute, self.execute, self.verify, self.cancel, self.finish, self.change)
        )
        before, self.acting = self.acting, who
        self.told.append(f"{'  ' * self.depth}{who} {action.__name__}")
        self.depth += 1
        with suppress(Killed, ChangedInBetween):
            action(who)
        self.depth -= 1
        self.acting = before

    def disturb(self) -> None:
        self.perhaps_kill()
        if self.depth < DEPTH_MAX and self.random.random() < 0.2:
            self.step(OTHER[self.acting])

    def perhaps_kill(self) -> None:
        if self.random.random() < 0.04:
            self.told.append(f"{'  ' * self.depth}{self.acting} killed")
            raise Killed

    def execute(self, who: str) -> None:
        """Also again, and with another rate: what is moving gets the throttle, too."""
        way, rate = self.ways[who], self.random.choice(RATES[who])
        snapshot = way.look()
        partition = TopicPartition("t", "AB".index(who))
        slowed = sorted({*self.moving, partition})
        named = ",".join(f"{each.partition}:1" for each in slowed)
        rates = {LEADER_RATE: rate, FOLLOWER_RATE: rate}
        wanted: Mapping[ConfigEntity, Mapping[str, str]] = {
            T: {LEADER_REPLICAS: named}, ONE: rates, TWO: rates,
        }  # fmt: skip
        owner = Owner(
            run=f"{who}{len(self.told)}",
            by=who,
            since="",
            rate=int(rate),
            dir_rate=None,
            partitions={"t": tuple(each.partition for each in slowed)},
        )
        set_throttles(way, snapshot, wanted, owner)
        self.disturb()
        self.moving[partition] = (BrokerId(2),)
        set_throttles(way, snapshot, wanted, owner)

    def verify(self, who: str) -> None:
        put_throttles_back(self.ways[who], self.ways[who].look, [])

    def cancel(self, who: str) -> None:
        self.finish(who)
        self.verify(who)

    def finish(self, who: str) -> None:
        self.moving.pop(TopicPartition("t", "AB".index(who)), None)

    def change(self, _who: str) -> None:
        """A third one sets a rate by hand."""
        self.own_count += 1
        value = str(self.own_count)
        self.own[ONE][LEADER_RATE] = value
        self.configs.put(ONE, {**self.configs.values[ONE], LEADER_RATE: value})


@pytest.mark.parametrize("seed", range(SEEDS))
def test_by_one_lease_whoever_verifies_last_restores_what_was_before_both(seed: int) -> None:
    story = Play(seed, is_shared=True)

    story.play()
    story.verify("AB"[seed % 2])

    assert story.own == story.configs.values, story.told
    assert () == story.ways["A"].kept.owners


@pytest.mark.parametrize("seed", range(SEEDS))
def test_by_two_files_both_restore_it_each_as_often_as_something_is_left(seed: int) -> None:
    story = Play(seed, is_shared=False)

    story.play()
    order = ("AB" if seed % 2 else "BA") * 4
    for who in order:
        story.verify(who)

    assert story.own == story.configs.values, story.told
