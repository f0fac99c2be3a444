"""Replicas as brokers report them, for a session of ZooKeeper; brokers are connected only if
needed.

Their reports are optional: whatever prevents them yields an empty result and no error.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import TYPE_CHECKING, Final, TypeVar

from kadmin.errors import KadminError

if TYPE_CHECKING:
    from cluster.model.ids import BrokerId, TopicPartition
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.admin.wire.wire_replicas import WireReplicas
    from kadmin.plan.log_dirs import LogDirs

PATIENCE_S: Final = 3.0
"""So long brokers are waited for."""

PAUSE_S: Final = 30.0
"""So long they are not asked again that have not answered."""

Told = TypeVar("Told")


class LateReplicas:
    """A `kadmin.admin.ports.ReplicaTeller` that connects when it is asked first; to be closed."""

    def __init__(self, connect: "Callable[[], AbstractContextManager[WireConnection]]") -> None:
        self.connect = connect
        self.replicas: WireReplicas | None = None
        self.stack = ExitStack()
        self.silent_until_s = float("-inf")

    def log_dirs(self, partitions: "Sequence[TopicPartition] | None") -> "LogDirs | None":
        return self.told(lambda replicas: replicas.log_dirs(partitions))

    def end_offsets(
        self, replicas: "Mapping[TopicPartition, Sequence[BrokerId]]"
    ) -> "Mapping[TopicPartition, Mapping[BrokerId, int]]":
        return self.told(lambda found: found.end_offsets(replicas)) or {}

    def told(self, ask: "Callable[[WireReplicas], Told]") -> Told | None:
        if time.monotonic() < self.silent_until_s:
            return None
        # kafka-python is large, and most commands need it for nothing.
        from kafka.errors import KafkaError

        from kadmin.admin.wire.wire_replicas import WireReplicas

        try:
            if self.replicas is None:
                self.replicas = WireReplicas(self.stack.enter_context(self.connect()))
            return ask(self.replicas)
        except (KadminError, KafkaError):
            self.silent_until_s = time.monotonic() + PAUSE_S
            self.close()
            return None

    def close(self) -> None:
        self.replicas = None
        self.stack.close()
