"""The lease of throttles of a connection to brokers: in ZooKeeper if it can be reached, or a file.

What the file has from a time when it could not be, or from an earlier kadmin, goes to ZooKeeper
with the next write.
"""

from dataclasses import replace
from typing import Any, Final

from kafka.errors import KafkaError
from kafka.protocol.admin import DescribeConfigsRequest

from cluster.model.outcome import Committed
from kadmin.admin.ports import LeaseKeeper, Outcome
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.describe_configs import BROKER
from kadmin.admin.wire.throttle_journal import JournalFile
from kadmin.errors import KadminError
from kadmin.plan.reassignment.journal import ThrottleJournal, joined

ZOOKEEPER: Final = "zookeeper.connect"
ASKED_MAX: Final = 2
"""So many brokers are asked where ZooKeeper is, of which all know it."""


class KeptThrottles:
    """The lease of the cluster of *connection*; without *lease* in *file* alone."""

    def __init__(
        self, connection: WireConnection, file: JournalFile, lease: LeaseKeeper | None
    ) -> None:
        self.connection = connection
        self.file = file
        self.lease = lease
        self.zookeeper: str | None = None
        self.was_read = ThrottleJournal()
        self.is_shared = False
        """Whether what was read last is ZooKeeper's."""

    def read(self) -> ThrottleJournal:
        """Return the lease, with all that the file has.

        Raises:
            RefusedError: one of them is damaged.
        """
        own = self.file.read()
        shared = self.read_shared()
        self.is_shared = shared is not None
        self.was_read = replace(own, is_shared=False) if shared is None else joined(own, shared)
        return self.was_read

    def is_kept(self) -> bool:
        """Return whether the lease is the one that was read last."""
        was_read = self.was_read
        return self.read() == was_read

    def read_shared(self) -> ThrottleJournal | None:
        if self.lease is not None and self.zookeeper is None:
            self.zookeeper = zookeeper_of_brokers(self.connection)
            if self.zookeeper is None:
                self.lease = None
        if self.lease is None or self.zookeeper is None:
            return None
        return self.lease.read(self.zookeeper, self.connection.metadata([])["cluster_id"])

    def write(self, journal: ThrottleJournal) -> Outcome:
        """Keep *journal* in the place of the one that was read last."""
        if not self.is_shared:
            return self.file.write(journal)
        assert self.lease is not None
        # ZooKeeper first: what is in both after a crash in between is the same, and counts once.
        outcome = self.lease.write(journal)
        if outcome is None:
            self.is_shared = False
            return self.file.write(journal)
        if isinstance(outcome, Committed) and self.file.was_read is not None:
            return self.file.write(replace(journal, entries={}, owners=()))
        return outcome


def read_journal(connection: WireConnection, lease: LeaseKeeper | None) -> ThrottleJournal:
    """Return the lease of the cluster of *connection*, as `KeptThrottles` reads it; empty without
    any.

    Raises:
        RefusedError: it is damaged, or may not be read.
    """
    # Brokers before 0.10.1 return no cluster id.
    cluster_id = connection.metadata([]).get("cluster_id")
    if cluster_id is None:
        return ThrottleJournal()
    return KeptThrottles(connection, JournalFile(cluster_id), lease).read()


def zookeeper_of_brokers(connection: WireConnection) -> str | None:
    """Return the brokers' `zookeeper.connect`; None if they have none or do not return it."""
    if not connection.serves(DescribeConfigsRequest):
        return None
    try:
        brokers = [broker["node_id"] for broker in connection.metadata([])["brokers"]]
        answers = connection.at_once(
            brokers[:ASKED_MAX], lambda broker: answered(connection, broker)
        )
    except (KafkaError, KadminError):
        return None
    for configs in answers.values():
        for config in configs if isinstance(configs, list) else ():
            if config.name == ZOOKEEPER and config.value:
                return str(config.value)
    return None


def answered(connection: WireConnection, broker: int) -> list[Any]:
    """Return the config as *broker* describes it; empty if the answer is an error."""
    request = DescribeConfigsRequest(
        resources=[(BROKER, str(broker), [ZOOKEEPER])], include_synonyms=False
    )
    results = connection.ask(request, broker).results
    return [config for each in results if each.error_code == 0 for config in each.configs]
