"""Two operators with throttled reassignments: does every order end with what was before both?

Played by seeds: at any write the other one may come in between, and any write may be the last one
of its command.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

import pytest

from cluster.model.config_entity import ConfigEntity, ConfigOverrides
from cluster.model.fault import Fault
from cluster.model.ids import NEVER_READ, BrokerId, TopicPartition, ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind
from kadmin.admin.ports import Fence, Outcome
from kadmin.execute.commit import ChangedInBetween
from kadmin.execute.throttles import put_throttles_back, set_throttles
from kadmin.plan.config_plan import ConfigPlan
from kadmin.plan.reassignment.journal import Owner, ThrottleJournal
from kadmin.plan.reassignment.throttles import (
    FOLLOWER_RATE,
    LEADER_RATE,
    LEADER_REPLICAS,
    ThrottlesNow,
)
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


@dataclass
class Lease(Admin):
    """One operator's way to the cluster."""

    is_shared: bool = True

    def journal(self) -> ThrottleJournal:
        return replace(self.kept, is_shared=self.is_shared)

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
        one = self.way(is_shared=is_shared)
        two = one if is_shared else self.way(is_shared=is_shared)
        self.ways = {"A": one, "B": two}
        self.depth = 0
        self.acting = ""
        self.own_count = 0
        self.told: list[str] = []
        self.now: ThrottlesNow | None = None
        self.set_by_them: set[str] = set()

    def way(self, *, is_shared: bool) -> Lease:
        configs = Way(self.configs.values, shared=self.configs)
        lease = Lease(configs, moving=self.moving, is_shared=is_shared)
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
        self.set_by_them |= {rate, named}
        owner = Owner(
            run=f"{who}{len(self.told)}",
            by=who,
            since="",
            rate=int(rate),
            dir_rate=None,
            partitions={"t": (partition.partition,)},
        )
        set_throttles(way, snapshot, wanted, owner)
        self.disturb()
        self.moving[partition] = (BrokerId(2),)
        set_throttles(way, snapshot, wanted, owner)

    def verify(self, who: str) -> None:
        self.now = put_throttles_back(self.ways[who], self.ways[who].look, [])

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


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_by_one_lease_whoever_verifies_last_restores_what_was_before_both(seed: int) -> None:
    story = Play(seed, is_shared=True)

    story.play()
    story.verify("AB"[seed % 2])

    assert story.own == story.configs.values, story.told
    assert () == story.ways["A"].kept.owners


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(SEEDS))
def test_by_two_files_no_own_throttle_is_lost_and_what_is_left_is_named(seed: int) -> None:
    """Where ZooKeeper is out of reach, each has a file, and goes by values: both may have set the
    same, and in doubt it stays."""
    story = Play(seed, is_shared=False)

    story.play()
    for who in ("AB" if seed % 2 else "BA") * 4:
        story.verify(who)

    assert story.now is not None
    for entity, own in story.own.items():
        found = story.configs.values[entity]
        for key in own.keys() | found.keys():
            if found.get(key) != own.get(key):
                assert found[key] in story.set_by_them, story.told
                assert key in story.now.foreign[entity], story.told


ORDERS: Final = ("A", "B", "AB", "BA", "ABA", "BAB", "AAB", "ABB", "BBA")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("commands", "survived"),
    [(one, left) for one in ORDERS for left in (None, *range(5))] + [("ABAB", None)],
)
def test_by_two_files_every_plain_order_ends_with_what_was_before_both(
    commands: str, survived: int | None
) -> None:
    """Commands one after the other, of which the last but one may be killed; each runs once more
    before all ends, and each verifies until he has nothing left."""
    story = Play(0, is_shared=False)
    story.configs.disturb = story.configs.after = lambda: None

    for number, who in enumerate(commands):
        left = survived if number == len(commands) - 2 else None

        def kill() -> None:
            nonlocal left
            if left is not None:
                if left == 0:
                    raise Killed
                left -= 1

        story.configs.disturb = kill
        with suppress(Killed):
            story.execute(who)
    story.configs.disturb = lambda: None
    for who in dict.fromkeys(commands):
        story.finish(who)
    for who in len(commands) * [*dict.fromkeys(commands)]:
        story.verify(who)

    assert story.own == story.configs.values
