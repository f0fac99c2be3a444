"""Throttles of reassignments: whoever is killed or gets in between, do an operator's own stay?"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, broker_entity, topic_entity
from cluster.model.fault import Fault
from cluster.model.ids import NEVER_READ, BrokerId, TopicPartition, ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.answers import ConfigSnapshot
from kadmin.admin.ports import DirsAsked, Fence, Outcome, Remaining
from kadmin.arguments.entities import EntitySelection
from kadmin.arguments.topics import TopicSelection
from kadmin.execute.commit import ChangedInBetween
from kadmin.execute.throttle_release import Releaser
from kadmin.execute.throttles import put_throttles_back, set_throttles
from kadmin.execute.unreadable import Unreadable
from kadmin.plan.config_plan import ConfigPlan
from kadmin.plan.config_values import ConfigValue
from kadmin.plan.log_dirs import LogDir, LogDirs, ReplicaLog
from kadmin.plan.reassignment.dir_moves import DirMove
from kadmin.plan.reassignment.journal import Recorded, ThrottleJournal
from kadmin.plan.reassignment.moves import Move, MovePlan
from kadmin.plan.reassignment.standing_throttles import ThrottleView
from kadmin.plan.reassignment.throttle_release import plan_release
from kadmin.plan.reassignment.throttles import (
    FOLLOWER_RATE,
    LEADER_RATE,
    LEADER_REPLICAS,
    LOG_DIR_RATE,
)
from tests.kadmin.builders import brokers, cluster, topic

ONE, TWO, T = broker_entity(BrokerId(1)), broker_entity(BrokerId(2)), topic_entity("t")
WANTED = {
    T: {LEADER_REPLICAS: "0:1"},
    ONE: {LEADER_RATE: "1000", FOLLOWER_RATE: "1000"},
    TWO: {LEADER_RATE: "1000", FOLLOWER_RATE: "1000"},
}
OWN = {ONE: {LEADER_RATE: "5", "num.io.threads": "3"}, TWO: {}, T: {LEADER_REPLICAS: "*"}}


class Killed(Exception):
    """What ends the command at once."""


@dataclass
class Configs:
    """Configs in versions; *disturb* is called before each write, and may kill."""

    values: dict[ConfigEntity, dict[str, str]]
    versions: dict[ConfigEntity, int] = field(default_factory=dict)
    disturb: Callable[[], None] = lambda: None
    damaged: tuple[Fault, ...] = ()

    def read(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, ConfigOverrides], Sequence[Fault]]:
        hidden = {fault.subject for fault in self.damaged}
        return {
            entity: ConfigOverrides(
                values=dict(self.values.get(entity, {})),
                zk_version=ZkVersion(self.versions.get(entity, 0)),
            )
            for entity in entities
            if subjects.config(entity) not in hidden
        }, self.damaged

    def write(self, fence: Fence, plan: ConfigPlan) -> Outcome:
        self.disturb()
        if plan.before.zk_version != self.versions.get(plan.entity, 0):
            return Conflict(str(plan.entity), ConflictKind.VERSION)
        self.put(plan.entity, plan.after.values)
        return Committed()

    def put(self, entity: ConfigEntity, values: Mapping[str, str]) -> None:
        self.values[entity] = dict(values)
        self.versions[entity] = self.versions.get(entity, 0) + 1

    def fence(self) -> Fence:
        return Fence(mark=None)

    def absence(self) -> None:
        raise NotImplementedError

    def topic_names(self, selection: TopicSelection) -> Sequence[str]:
        raise NotImplementedError

    def find(self, selection: EntitySelection) -> list[ConfigEntity]:
        raise NotImplementedError

    def read_all(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, Sequence[ConfigValue]], Sequence[Fault]]:
        raise NotImplementedError

    def snapshot(self, entities: Sequence[ConfigEntity]) -> ConfigSnapshot:
        raise NotImplementedError

    def dry_run(self, plans: Sequence[ConfigPlan]) -> None:
        raise NotImplementedError


@dataclass
class Admin:
    """A cluster with topic t on brokers 1 and 2, of which nothing moves unless *moving* says so."""

    configs: Configs
    kept: ThrottleJournal = field(default_factory=ThrottleJournal)
    writes: int = 0
    moving: dict[TopicPartition, tuple[BrokerId, ...]] = field(default_factory=dict)
    topics: Sequence[str] = ("t",)
    dirs: LogDirs = field(default_factory=dict)
    takes_one_request: bool = False

    def cluster_id(self) -> str | None:
        return None

    def look(self) -> ClusterSnapshot:
        return cluster(
            brokers("1 2"),
            *(
                topic(name, "1,2", configs=self.configs.values.get(topic_entity(name)))
                for name in self.topics
            ),
            moving=self.moving,
        )

    def fence(self) -> Fence:
        return Fence(mark=None)

    def journal(self) -> ThrottleJournal:
        return self.kept

    def write_journal(self, fence: Fence, journal: ThrottleJournal) -> Outcome:
        self.configs.disturb()
        if journal.zk_version != self.kept.zk_version:
            return Conflict("the journal", ConflictKind.VERSION)
        self.writes += 1
        version = ZkVersion(self.writes) if journal.entries else NEVER_READ
        self.kept = replace(journal, zk_version=version)
        return Committed()

    def snapshot(
        self, selection: TopicSelection, *, with_states: bool = True, with_configs: bool = False
    ) -> ClusterSnapshot:
        raise NotImplementedError

    def waves(self, plan: MovePlan) -> Sequence[MovePlan]:
        raise NotImplementedError

    def log_dirs(self, partitions: Sequence[TopicPartition] | None) -> LogDirs:
        assert partitions is None
        return self.dirs

    def end_offsets(
        self, replicas: Mapping[TopicPartition, Sequence[BrokerId]]
    ) -> Mapping[TopicPartition, Mapping[BrokerId, int]]:
        raise NotImplementedError

    def move_dirs(self, moves: Sequence[DirMove]) -> DirsAsked:
        raise NotImplementedError

    def not_moved(self, moves: Sequence[Move]) -> Remaining[Move]:
        raise NotImplementedError

    def write(self, fence: Fence, plan: MovePlan) -> Outcome:
        raise NotImplementedError


def admin() -> Admin:
    return Admin(Configs({entity: dict(values) for entity, values in OWN.items()}))


def set_all(found: Admin) -> None:
    set_throttles(found, found.look(), WANTED)


def put_back(found: Admin):
    return put_throttles_back(found, found.look, [])


def killing(found: Admin, after: int) -> None:
    """Kill whoever makes one write more than *after*."""
    left = after

    def kill() -> None:
        nonlocal left
        if left == 0:
            raise Killed
        left -= 1

    found.configs.disturb = kill


def test_all_is_set_and_all_comes_back() -> None:
    found = admin()

    set_all(found)
    during = {entity: dict(values) for entity, values in found.configs.values.items()}
    now = put_back(found)

    assert {entity: OWN[entity] | WANTED[entity] for entity in OWN} == during
    assert OWN == found.configs.values
    assert {} == found.kept.entries
    assert now is not None
    assert {ONE, TWO, T} == set(now.cleared)
    assert {LEADER_RATE: "5"} == now.restored[ONE]
    # The operator's own are nobody's reassignment's.
    assert {T: (LEADER_REPLICAS,), ONE: (LEADER_RATE,)} == now.foreign


@pytest.mark.slow
@pytest.mark.parametrize("setting", range(6))
@pytest.mark.parametrize("clearing", range(6))
def test_whoever_is_killed_at_any_write_the_operator_s_own_come_back(
    setting: int, clearing: int
) -> None:
    found = admin()

    for action, survived in ((set_all, setting), (put_back, clearing)):
        killing(found, survived)
        with suppress(Killed):
            action(found)
    found.configs.disturb = lambda: None
    put_back(found)

    assert OWN == found.configs.values
    assert {} == found.kept.entries


def released(found: Admin) -> Outcome:
    """Release the orphans, as `kadmin throttle release` does."""
    configs, _ = found.configs.read([T, ONE, TWO])
    view = ThrottleView(snapshot=found.look(), configs=configs, journal=found.journal())
    return Releaser(found).write(found.fence(), plan_release(view, (), (), 5))


@pytest.mark.parametrize("survived", range(5))
def test_a_release_that_is_killed_at_any_write_can_be_run_again(survived: int) -> None:
    found = admin()
    set_all(found)
    killing(found, survived)
    with suppress(Killed):
        released(found)
    found.configs.disturb = lambda: None

    assert Committed() == released(found) == released(found)
    assert OWN == found.configs.values
    assert {} == found.kept.entries


def test_a_release_is_refused_when_a_config_was_changed_since_it_was_read() -> None:
    found = admin()
    set_all(found)
    configs, _ = found.configs.read([T, ONE, TWO])
    view = ThrottleView(snapshot=found.look(), configs=configs, journal=found.journal())
    plan = plan_release(view, (), (), 5)
    found.configs.put(T, {LEADER_REPLICAS: "0:7"})

    assert isinstance(Releaser(found).write(found.fence(), plan), Conflict)
    assert {LEADER_REPLICAS: "0:7"} == found.configs.values[T]
    assert found.kept.entries


@pytest.mark.parametrize("survived", range(5))
def test_whoever_is_killed_while_he_sets_them_may_set_them_again(survived: int) -> None:
    found = admin()
    killing(found, survived)
    with pytest.raises(Killed):
        set_all(found)
    found.configs.disturb = lambda: None

    set_all(found)
    assert {entity: OWN[entity] | WANTED[entity] for entity in OWN} == found.configs.values
    put_back(found)

    assert OWN == found.configs.values


RATES = st.sampled_from(("1000", "2000", "3000"))
LISTS = st.sampled_from(("0:1", "0:2", "0:1,0:2"))
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        T: st.fixed_dictionaries({LEADER_REPLICAS: LISTS}),
        ONE: st.fixed_dictionaries({LEADER_RATE: RATES, FOLLOWER_RATE: RATES}),
        TWO: st.fixed_dictionaries({LEADER_RATE: RATES, FOLLOWER_RATE: RATES}),
    },
)
"""What a reassignment wants; none for one that verifies."""


@given(
    # So many writes each survives; one that survives more than it makes is not killed.
    runs=st.lists(st.tuples(st.none() | SETTINGS, st.integers(0, 6)), max_size=8),
    last=SETTINGS,
)
def test_whoever_is_killed_and_however_often_the_operator_s_own_come_back(
    runs: list[tuple[dict[ConfigEntity, dict[str, str]] | None, int]],
    last: dict[ConfigEntity, dict[str, str]],
) -> None:
    found = admin()

    for wanted, survived in runs:
        killing(found, survived)
        with suppress(Killed):
            if wanted is None:
                put_back(found)
            else:
                set_throttles(found, found.look(), wanted)
    found.configs.disturb = lambda: None
    set_throttles(found, found.look(), last)
    put_back(found)

    assert OWN == found.configs.values
    assert {} == found.kept.entries


def test_another_one_s_change_in_between_is_kept() -> None:
    found = admin()
    hits: list[int] = []

    def disturb() -> None:
        if len(hits) == 1:
            found.configs.put(ONE, {LEADER_RATE: "6"})
        hits.append(1)

    found.configs.disturb = disturb
    set_all(found)
    put_back(found)

    assert {LEADER_RATE: "6"} == found.configs.values[ONE]


def test_nothing_is_put_back_while_something_moves() -> None:
    found = admin()
    set_all(found)
    found.moving = {TopicPartition("t", 0): (BrokerId(2),)}
    during = dict(found.configs.values)

    assert put_back(found) is None
    assert during == found.configs.values
    assert 3 == len(found.kept.entries)


def test_a_throttle_of_log_directories_stays_while_its_broker_copies_between_them() -> None:
    found = admin()
    set_throttles(found, found.look(), {ONE: {LOG_DIR_RATE: "9"}})
    copied = ReplicaLog(
        partition=TopicPartition("t", 0), size_bytes=1, lag_records=1, is_future=True
    )
    two = {BrokerId(2): [LogDir(path="/b", replicas=(copied,))]}
    found.dirs = {BrokerId(1): [LogDir(path="/b", replicas=(copied,))], **two}

    assert put_back(found) is None
    assert "9" == found.configs.values[ONE][LOG_DIR_RATE]

    # That another broker copies is no reason: it is not slowed down.
    found.dirs = two
    assert put_back(found) is not None
    assert OWN == found.configs.values


def test_one_that_begins_in_between_keeps_its_throttle() -> None:
    """Who verifies has looked when the next reassignment sets another rate, and then moves."""
    found = admin()
    set_all(found)
    faster = {ONE: {LEADER_RATE: "9000"}}

    def begin() -> None:
        found.configs.disturb = lambda: None
        set_throttles(found, found.look(), faster)
        found.moving = {TopicPartition("t", 0): (BrokerId(2),)}

    found.configs.disturb = begin
    assert put_back(found) is None

    assert "9000" == found.configs.values[ONE][LEADER_RATE]
    found.moving = {}
    put_back(found)
    assert OWN[ONE] == found.configs.values[ONE]


@dataclass
class Late(Admin):
    """Who looked earlier: the first answers are those of then, and writes go to *now*."""

    now: Admin = field(default_factory=admin)
    seen: list[ThrottleJournal] = field(default_factory=list)

    def journal(self) -> ThrottleJournal:
        return self.seen.pop() if self.seen else self.now.journal()

    def write_journal(self, fence: Fence, journal: ThrottleJournal) -> Outcome:
        return self.now.write_journal(fence, journal)


@dataclass
class LateConfigs(Configs):
    now: Configs = field(default_factory=lambda: Configs({}))
    has_told: bool = False

    def read(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, ConfigOverrides], Sequence[Fault]]:
        if self.has_told:
            return self.now.read(entities)
        self.has_told = True
        return super().read(entities)

    def write(self, fence: Fence, plan: ConfigPlan) -> Outcome:
        return self.now.write(fence, plan)


def late(found: Admin) -> Late:
    """One who looks at *found* now, and acts later."""
    configs = found.configs
    then = {entity: dict(values) for entity, values in configs.values.items()}
    return Late(
        LateConfigs(then, dict(configs.versions), now=configs), now=found, seen=[found.kept]
    )


@pytest.mark.parametrize("looks", range(5))
@pytest.mark.parametrize("later", range(5))
def test_who_verifies_while_they_are_set_forgets_none_of_them(looks: int, later: int) -> None:
    """He looks before one of the writes, and acts before the same or a later one."""
    found = admin()
    other: Late | None = None
    number = -1

    def disturb() -> None:
        nonlocal number, other
        number += 1
        if number == looks:
            other = late(found)
        if number == looks + later and other is not None:
            found.configs.disturb = lambda: None
            put_back(other)

    found.configs.disturb = disturb
    set_all(found)
    found.configs.disturb = lambda: None
    put_back(found)

    assert OWN == found.configs.values
    assert {} == found.kept.entries


def test_a_topic_that_is_gone_is_forgotten() -> None:
    found = admin()
    set_all(found)
    found.topics = ()
    del found.configs.values[T]

    now = put_back(found)

    assert now is not None
    assert T not in now.cleared
    assert {} == found.kept.entries
    assert T not in found.configs.values


def test_what_cannot_be_understood_stays_in_the_journal() -> None:
    found = admin()
    set_all(found)
    damage = Fault(
        subject=subjects.config(ONE), where="/config/brokers/1", version=1, reason="", text="bad"
    )
    found.configs.damaged = (damage,)

    put_back(found)

    assert {ONE} == set(found.kept.entries)
    assert OWN[TWO] == found.configs.values[TWO]
    with pytest.raises(Unreadable):
        set_all(found)
    found.configs.damaged = ()
    put_back(found)
    assert OWN == found.configs.values


def test_nobody_tries_for_ever() -> None:
    found = admin()

    def disturb() -> None:
        found.configs.versions[ONE] = found.configs.versions.get(ONE, 0) + 1

    found.configs.disturb = disturb

    with pytest.raises(ChangedInBetween):
        set_all(found)


def test_a_broker_that_does_not_answer_is_named_and_its_throttle_stays_recorded() -> None:
    found = admin()
    silent = broker_entity(BrokerId(2))
    wanted = {**WANTED, silent: {LEADER_RATE: "4000"}}
    set_throttles(found, found.look(), wanted)
    found.configs.damaged = (
        subjects.unavailable(subjects.config(silent), "broker 2", "no answer"),
    )

    not_set = set_throttles(found, found.look(), {**wanted, silent: {LEADER_RATE: "5000"}})
    now = put_back(found)

    assert {silent} == not_set
    assert now is not None
    assert (silent,) == now.silent
    assert "4000" == found.configs.values[silent][LEADER_RATE]
    assert {silent} == found.kept.entries.keys()
    found.configs.damaged = ()
    assert put_back(found) is not None
    assert {} == found.kept.entries
    assert not found.configs.values[silent]


def test_a_broker_that_died_since_loses_its_throttle() -> None:
    """Through ZooKeeper, where its configs outlive it."""
    found = admin()
    dead = broker_entity(BrokerId(3))
    set_throttles(found, found.look(), {**WANTED, dead: {LEADER_RATE: "4000"}})
    assert "4000" == found.configs.values[dead][LEADER_RATE]

    put_back(found)

    assert OWN | {dead: {}} == found.configs.values
    assert {} == found.kept.entries


@pytest.mark.parametrize("died", ["before the look", "after it"])
def test_one_that_has_died_since_the_look_is_named_since_its_moves_would_not_be_slowed(
    died: str,
) -> None:
    found = admin()
    gone = subjects.unavailable(subjects.config(TWO), "broker 2", "it is not alive")
    found.configs.damaged = (gone,)
    seen = found.look()
    if died == "before the look":
        seen = replace(seen, brokers={BrokerId(1): seen.brokers[BrokerId(1)]})

    not_set = set_throttles(found, seen, WANTED)

    assert (frozenset() if died == "before the look" else {TWO}) == not_set
    assert "1000" == found.configs.values[ONE][LEADER_RATE]
    assert {} == found.configs.values[TWO]


def test_a_dead_broker_of_which_nobody_tells_is_left_out_and_remembered() -> None:
    """Over the wire: it is the only one that tells and takes its configs."""
    found = admin()
    dead = broker_entity(BrokerId(3))
    reason = "it is not alive"
    found.configs.damaged = (
        Fault(
            subject=subjects.config(dead),
            where="broker 3",
            version=None,
            reason=reason,
            text=reason,
        ),
    )
    before = Recorded(before=None, afters=("4000",))
    found.kept = ThrottleJournal(entries={dead: {LEADER_RATE: before}})

    set_throttles(found, found.look(), {**WANTED, dead: {LEADER_RATE: "4000"}})
    during = dict(found.configs.values)
    now = put_back(found)

    assert dead not in during
    assert OWN[ONE] | WANTED[ONE] == during[ONE]
    assert OWN == found.configs.values
    assert now is not None
    assert {dead: {LEADER_RATE: before}} == found.kept.entries
