"""The lease of throttles of a connection to brokers: when does it stand in ZooKeeper, when here?"""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from kafka.errors import KafkaConnectionError

from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.ids import ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind
from kadmin.admin.ports import Outcome
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.kept_throttles import KeptThrottles
from kadmin.admin.wire.throttle_journal import JournalFile
from kadmin.plan.reassignment.journal import Recorded, ThrottleJournal, joined
from kadmin.plan.reassignment.throttles import LEADER_RATE
from kadmin.settings.brokers import BrokerSettings

BROKER = ConfigEntity(Entity(EntityKind.BROKERS, "1"))


def lease_of(before: str, after: str, version: int = -2) -> ThrottleJournal:
    entry = Recorded(before=before, afters=(after,))
    return ThrottleJournal(entries={BROKER: {LEADER_RATE: entry}}, zk_version=ZkVersion(version))


class Brokers(WireConnection):
    """Two brokers of cluster c that tell *zookeeper*; the first may answer with *error*."""

    def __init__(self, zookeeper: str | None = "zk:2181/c", error: int = 0) -> None:
        super().__init__(None, BrokerSettings(bootstrap="b:9092", timeout_s=1))
        self.zookeeper = zookeeper
        self.error = error
        self.is_silent = False

    def serves(self, request: type) -> bool:
        return True

    def metadata(self, topics: Any, broker: int | None = None) -> Any:
        return {"cluster_id": "c", "brokers": [{"node_id": 1}, {"node_id": 2}]}

    def ask(self, request: Any, broker: int | None = None, **_: Any) -> Any:
        if self.is_silent:
            raise KafkaConnectionError("gone")
        ((_, name, keys),) = request.resources
        assert (str(broker), ["zookeeper.connect"]) == (name, keys)
        error = self.error if broker == 1 else 0
        told = [] if self.zookeeper is None else [self.zookeeper]
        configs = [SimpleNamespace(name="zookeeper.connect", value=value) for value in told]
        return SimpleNamespace(results=[SimpleNamespace(error_code=error, configs=configs)])


@dataclass
class Shared:
    """A lease in ZooKeeper that is *there*; *outcome* is that of the writes."""

    there: ThrottleJournal | None = field(default_factory=ThrottleJournal)
    outcome: Outcome | None = field(default_factory=Committed)
    asked: list[tuple[str, str]] = field(default_factory=list)
    written: list[ThrottleJournal] = field(default_factory=list)

    def read(self, zookeeper: str, cluster_id: str) -> ThrottleJournal | None:
        self.asked.append((zookeeper, cluster_id))
        return self.there

    def write(self, journal: ThrottleJournal) -> Outcome | None:
        self.written.append(journal)
        return self.outcome


def file_with(journal: ThrottleJournal) -> JournalFile:
    file = JournalFile("c")
    file.read()
    assert Committed() == file.write(journal)
    return file


@pytest.mark.parametrize("error", [0, 29])
def test_it_is_zookeepers_where_a_broker_tells_of_one(error: int) -> None:
    shared = Shared(lease_of("5", "1000", 3))
    kept = KeptThrottles(Brokers(error=error), JournalFile("c"), shared)

    found = kept.read()

    assert (shared.there, True) == (found, found.is_shared)
    assert [("zk:2181/c", "c")] == shared.asked
    assert Committed() == kept.write(lease_of("5", "2000", 3))
    assert [lease_of("5", "2000", 3)] == shared.written
    assert ThrottleJournal() == JournalFile("c").read()


@pytest.mark.parametrize(
    ("brokers", "there"), [(Brokers(None), ThrottleJournal()), (Brokers(), None)]
)
def test_it_is_in_the_file_on_kraft_and_where_zookeeper_is_out_of_reach(
    brokers: Brokers, there: ThrottleJournal | None
) -> None:
    shared = Shared(there)
    kept = KeptThrottles(brokers, JournalFile("c"), shared)

    found = kept.read()

    assert (ThrottleJournal(), False) == (found, found.is_shared)
    assert Committed() == kept.write(lease_of("5", "1000"))
    assert [] == shared.written
    assert lease_of("5", "1000") == JournalFile("c").read()


def test_brokers_that_do_not_answer_tell_of_none() -> None:
    brokers = Brokers()
    brokers.is_silent = True
    shared = Shared()

    assert not KeptThrottles(brokers, JournalFile("c"), shared).read().is_shared
    assert [] == shared.asked


def test_what_the_file_has_goes_to_zookeeper_with_the_next_write() -> None:
    file = file_with(lease_of("5", "1000"))
    shared = Shared(lease_of("1000", "2000", 3))
    kept = KeptThrottles(Brokers(), file, shared)

    both = kept.read()
    conflict = Conflict("the lease", ConflictKind.VERSION)
    shared.outcome = conflict
    refused = kept.write(both), JournalFile("c").read()
    shared.outcome = Committed()
    outcome = kept.write(both)

    assert joined(lease_of("5", "1000"), lease_of("1000", "2000", 3)) == both
    assert (conflict, lease_of("5", "1000")) == refused
    assert (Committed(), ThrottleJournal()) == (outcome, JournalFile("c").read())
    assert [both, both] == shared.written


def test_where_zookeeper_may_not_be_written_the_file_is() -> None:
    kept = KeptThrottles(Brokers(), JournalFile("c"), Shared(outcome=None))
    kept.read()

    assert Committed() == kept.write(lease_of("5", "1000"))
    assert lease_of("5", "1000") == JournalFile("c").read()


def test_a_lease_that_was_changed_since_is_not_kept() -> None:
    shared = Shared(lease_of("5", "1000", 3))
    kept = KeptThrottles(Brokers(), JournalFile("c"), shared)
    kept.read()

    unchanged = kept.is_kept()
    shared.there = ThrottleJournal()

    assert (True, False) == (unchanged, kept.is_kept())
