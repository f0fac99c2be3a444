"""Replicas as their brokers report them: their sizes and log end offsets.

Each broker reports its own replicas, leaders and followers alike; one that is silent is left out.
"""

from collections.abc import Mapping, Sequence

from kafka.errors import AuthorizationError

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.admin.wire.connection import NotServed, WireConnection
from kadmin.admin.wire.log_dirs import read_log_dirs
from kadmin.admin.wire.log_ends import DEBUGGER
from kadmin.admin.wire.offsets import list_offsets
from kadmin.admin.wire.snapshot import read_snapshot
from kadmin.plan.log_dirs import LogDirs
from kadmin.plan.offsets import LATEST


class WireReplicas:
    """A `kadmin.admin.ports.ReplicaTeller` on a connection to brokers."""

    def __init__(self, connection: WireConnection) -> None:
        self.connection = connection

    def log_dirs(self, partitions: Sequence[TopicPartition] | None) -> LogDirs | None:
        """Read the log directories; None if the brokers do not serve this, or not for this user."""
        brokers = read_snapshot(self.connection, None).brokers
        try:
            return read_log_dirs(self.connection, list(brokers), partitions)
        except (NotServed, AuthorizationError):
            return None

    def end_offsets(
        self, replicas: Mapping[TopicPartition, Sequence[BrokerId]]
    ) -> Mapping[TopicPartition, Mapping[BrokerId, int]]:
        """Read the log end offsets, not by `log_ends`, whose sockets do neither TLS nor SASL."""
        by_broker: dict[BrokerId, list[TopicPartition]] = {}
        for partition, brokers in replicas.items():
            for broker in brokers:
                by_broker.setdefault(broker, []).append(partition)
        answers, _ = self.connection.ask_all(
            {
                broker: list_offsets(partitions, LATEST, replica_id=DEBUGGER)
                for broker, partitions in sorted(by_broker.items())
            }
        )
        ends: dict[TopicPartition, dict[BrokerId, int]] = {}
        for broker, answer in sorted(answers.items()):
            for topic in answer.topics:
                for part in topic.partitions:
                    if part.error_code == 0:
                        partition = TopicPartition(topic.name, part.partition_index)
                        ends.setdefault(partition, {})[broker] = part.offset
        return ends
