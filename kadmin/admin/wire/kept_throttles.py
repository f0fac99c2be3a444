"""The lease of throttles of a connection to brokers: in ZooKeeper if it can be reached, or a file.

What the file has from a time when it could not be, or from an earlier kadmin, goes to ZooKeeper
with the next write.
"""

from dataclasses import replace
from typing import Any, Final

from kafka.errors import KafkaError
from kafka.protocol.admin import DescribeConfigsRequest

from kadmin.admin.ports import Committed, LeaseKeeper, Outcome
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
        """The lease, with all that the file has.

        Raises:
            RefusedError: one of them is damaged.
        """
        own = self.file.read()
        shared = self.read_shared()
        self.is_shared = shared is not None
        self.was_read = replace(own, is_shared=False) if shared is None else joined(own, shared)
        return self.was_read

    def is_kept(self) -> bool:
        """Whether the lease is the one that was read last."""
        was_read = self.was_read
        return self.read() == was_read

    def read_shared(self) -> ThrottleJournal | None:
        if self.lease is not None and self.zookeeper is None:
            self.zookeeper = told_zookeeper(self.connection)
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


def told_zookeeper(connection: WireConnection) -> str | None:
    """The connect string that brokers have; None where they have none, or do not tell it."""
    if not connection.serves(DescribeConfigsRequest):
        return None
    try:
        brokers = [broker["node_id"] for broker in connection.metadata([])["brokers"]]
        for broker in brokers[:ASKED_MAX]:
            request = DescribeConfigsRequest(
                resources=[(BROKER, str(broker), [ZOOKEEPER])], include_synonyms=False
            )
            told = [config for each in answered(connection, request, broker) for config in each]
            for config in told:
                if config.name == ZOOKEEPER and config.value:
                    return str(config.value)
    except (KafkaError, KadminError):
        return None
    return None


def answered(connection: WireConnection, request: Any, broker: int) -> list[Any]:
    """The configs in the answers of *broker* that are no errors."""
    results = connection.ask(request, broker).results
    return [result.configs for result in results if result.error_code == 0]
