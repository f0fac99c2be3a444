"""A broker's process, as the other parts of the simulation use it."""

from collections.abc import Callable, Iterable
from typing import Protocol

from cluster.api.dispatch import Dispatch
from cluster.broker.broker import Broker
from cluster.model.ids import BrokerId, TopicPartition
from cluster.storage.log.partition_log import PartitionLog
from cluster.wire.api_keys import ApiKey
from tests.sim.disk import SimDisk
from tests.sim.ports import SimClock


class SimProcess(Protocol):
    """`tests.sim.process` describes the attributes."""

    clock: SimClock
    disk: SimDisk
    broker: Broker
    dispatch: Dispatch
    session: int
    is_up: bool
    is_registered: bool
    is_frozen: bool
    is_expiring: bool
    known_logs: dict[TopicPartition, str]

    @property
    def broker_id(self) -> BrokerId: ...

    def deliver(self, action: Callable[[], None]) -> None: ...

    def kill(self) -> None: ...

    def close(self) -> None: ...

    def open_logs(self) -> Iterable[tuple[TopicPartition, PartitionLog]]: ...

    def on_answered(self, api_key: ApiKey) -> None: ...

    def on_watch(self, path: str) -> None: ...

    def on_session_expired(self, next_session: int) -> None: ...
