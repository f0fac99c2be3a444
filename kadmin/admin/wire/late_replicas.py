"""Replicas as brokers report them, for a session of ZooKeeper; brokers are connected only if
needed.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from kadmin.admin.wire.late_brokers import LateBrokers

if TYPE_CHECKING:
    from cluster.model.ids import BrokerId, TopicPartition
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.admin.wire.wire_replicas import WireReplicas
    from kadmin.plan.log_dirs import LogDirs


class LateReplicas(LateBrokers["WireReplicas"]):
    """A `kadmin.admin.ports.ReplicaTeller` that connects when it is asked first; to be closed."""

    def __init__(self, connect: "Callable[[], AbstractContextManager[WireConnection]]") -> None:
        def port(connection: "WireConnection") -> "WireReplicas":
            from kadmin.admin.wire.wire_replicas import WireReplicas

            return WireReplicas(connection)

        super().__init__(connect, port)

    def log_dirs(self, partitions: "Sequence[TopicPartition] | None") -> "LogDirs | None":
        return self.ask(lambda replicas: replicas.log_dirs(partitions))

    def end_offsets(
        self, replicas: "Mapping[TopicPartition, Sequence[BrokerId]]"
    ) -> "Mapping[TopicPartition, Mapping[BrokerId, int]]":
        return self.ask(lambda found: found.end_offsets(replicas)) or {}
