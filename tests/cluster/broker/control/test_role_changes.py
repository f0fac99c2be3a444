"""Which partitions does a broker lead and follow after an order, and who is told of it?"""

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, TypeVar, cast

import pytest

from cluster.broker.control.fences import ControllerFence, Sender
from cluster.broker.control.leadership import LeadershipListener
from cluster.broker.control.queue import ControlQueue
from cluster.broker.control.refused_partitions import RefusedPartitions
from cluster.broker.control.replica_stops import ReplicaStops, Stop
from cluster.broker.control.role_changes import RoleChange, RoleChanger, RolesChanged, Unserved
from cluster.broker.metadata_cache import LiveBroker, MetadataCache
from cluster.broker.ports import ApiSettings
from cluster.broker.procedures import Procedure
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.broker.replica_manager.throttles import Throttles
from cluster.broker.replica_manager.topic_config_handler import TopicConfigHandler
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId, ControllerEpoch, LeaderEpoch, TopicPartition
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.replication.replica import IsrRules, Replica
from cluster.statechange.broker import OrderTag
from cluster.storage.health import DirectoryHealth
from tests.cluster.api.world import Clock
from tests.sim.ports import SimJournal, SimMemory, SimRegistration

T = TypeVar("T")
ME, OTHER, EPOCH = BrokerId(1), BrokerId(2), BrokerEpoch(50)
OFFSETS = [TopicPartition("__consumer_offsets", index) for index in range(3)]


class Log:
    """As much of a log as a change of roles touches."""

    is_offline = owes_flush = False
    log_end_offset = log_start_offset = committable_end = 0
    config: Any = None

    def __init__(self) -> None:
        self.health = DirectoryHealth("/data")

    def assign_epoch(self, leader_epoch: int) -> None: ...

    def reconfigure(self, config: object) -> None: ...


class Listener:
    """What a coordinator is told."""

    def __init__(self) -> None:
        self.told: list[tuple[Any, ...]] = []

    def became_leader(self, partition: TopicPartition, leader_epoch: LeaderEpoch) -> None:
        self.told.append(("leader", partition.partition, leader_epoch))

    def became_follower(self, partition: TopicPartition, leader_epoch: LeaderEpoch) -> None:
        self.told.append(("follower", partition.partition, leader_epoch))

    def stopped(self, partition: TopicPartition) -> None:
        self.told.append(("stopped", partition.partition))


class Fetchers:
    def follow(self, followers: object) -> None: ...

    def stop(self, partitions: object) -> None: ...

    def close_idle(self) -> None: ...


class Parts:
    """A role changer and replica stops, without a broker, a disk or a loop."""

    def __init__(self, *listeners: LeadershipListener) -> None:
        self.overrides: dict[str, Mapping[str, str] | ApiError] | ApiError = {}
        self.read: list[Callable[[Any], None]] = []
        """Reads of overrides that have no answer yet."""
        self.clock, self.journal = Clock(), SimJournal()
        self.cache = MetadataCache()
        self.cache.update(ME, [LiveBroker(one, {}, None) for one in (ME, OTHER)], ())
        self.partitions = Partitions(self.cache)
        registration = SimRegistration(ME, EPOCH)
        nothing: Callable[..., None] = lambda *_: None  # noqa: E731
        ports: Any = SimpleNamespace(
            clock=self.clock,
            journal=self.journal,
            registration=registration,
            settings=ApiSettings(),
            store=SimpleNamespace(read_topic_overrides=lambda _, done: self.read.append(done)),
            logs=SimpleNamespace(place_of=nothing, delete=nothing),
            random_stream=SimpleNamespace(unique_id=lambda: bytes(16)),
        )
        fence = ControllerFence(ports)
        unserved: Unserved = {}
        refused = RefusedPartitions(registration)
        self.role_changer = RoleChanger(
            ports=ports,
            cache=self.cache,
            partitions=self.partitions,
            hosting=cast(Any, self),
            fence=fence,
            control_queue=ControlQueue(self.clock, SimMemory()),
            replica_fetchers=cast(Any, Fetchers()),
            topic_config_handler=TopicConfigHandler(ports, self.partitions, Throttles()),
            unserved=unserved,
            refused_partitions=refused,
            listeners=listeners,
        )
        self.replica_stops = ReplicaStops(
            ports=ports,
            partitions=self.partitions,
            fence=fence,
            replica_fetchers=cast(Any, Fetchers()),
            log_dir_moves=cast(Any, SimpleNamespace(give_up=nothing)),
            unserved=unserved,
            refused_partitions=refused,
            listeners=listeners,
        )

    # In the place of `Hosting`.

    def is_offline(self, partition: TopicPartition) -> bool:
        return False

    def topic_id(self, partition: TopicPartition) -> bytes:
        return NO_TOPIC_ID

    def host(self, partition: TopicPartition, *args: object, **options: object) -> HostedPartition:
        replica = Replica(ME, 0, 1, IsrRules(30_000, lambda _: True))
        hosted = HostedPartition(partition, replica, cast(Any, Log()), NO_TOPIC_ID)
        self.partitions.add(hosted)
        return hosted

    # What a controller does.

    def obey(self, procedure: Procedure[T]) -> T:
        results: list[T] = []

        def obey() -> Procedure[None]:
            results.append((yield from procedure))

        self.role_changer.control_queue.enter(obey(), lambda: None, 0)
        self.answer_reads()
        (result,) = results
        return result

    def answer_reads(self) -> None:
        while self.read:
            self.read.pop()(self.overrides)

    def order(self, changes: Sequence[RoleChange], epoch: int = 1) -> RolesChanged:
        changed = self.obey(self.role_changer.change(sender(epoch), changes))
        assert isinstance(changed, RolesChanged)
        return changed


def sender(controller_epoch: int = 1) -> Sender:
    return Sender(OrderTag(ME, OTHER, ControllerEpoch(controller_epoch), 0), EPOCH)


def change(
    partition: TopicPartition, leader: BrokerId, leader_epoch: int = 0, replicas: Any = (ME, OTHER)
) -> RoleChange:
    state = PartitionState(leader, replicas, LeaderEpoch(leader_epoch), ControllerEpoch(1))
    return RoleChange(partition, NO_TOPIC_ID, state, PartitionAssignment(replicas), True)


def test_listeners_are_told_who_leads_and_what_is_gone() -> None:
    listeners = Listener(), Listener()
    parts = Parts(*listeners)

    parts.order([change(OFFSETS[0], OTHER), change(OFFSETS[1], ME), change(OFFSETS[2], ME)])
    parts.order([change(OFFSETS[0], ME, 1), change(OFFSETS[1], OTHER, 1)])
    parts.obey(parts.replica_stops.stop(sender(), [Stop(OFFSETS[2], 0, is_deleted=True)]))

    told = [
        ("leader", 1, 0),
        ("leader", 2, 0),
        ("follower", 0, 0),
        ("leader", 0, 1),
        ("follower", 1, 1),
        ("stopped", 2),
    ]
    assert [told, told] == [listener.told for listener in listeners]


@pytest.mark.parametrize(
    ("changes", "controller_epoch"),
    [
        ([change(OFFSETS[0], ME, 1)], 1),
        ([change(OFFSETS[0], OTHER, 2, (OTHER,))], 1),
        ([change(OFFSETS[0], BrokerId(9), 2)], 1),
        ([change(OFFSETS[0], OTHER, 2)], 0),
    ],
    ids=["stale epoch", "not assigned", "leader is not alive", "former controller"],
)
def test_listeners_are_told_nothing_of_what_does_not_happen(
    changes: list[RoleChange], controller_epoch: int
) -> None:
    listener = Listener()
    parts = Parts(listener)
    parts.order([change(OFFSETS[0], ME, 1)])
    listener.told.clear()

    parts.order(changes, controller_epoch)
    parts.obey(parts.replica_stops.stop(sender(0), [Stop(OFFSETS[0], -2, is_deleted=True)]))
    parts.obey(parts.replica_stops.stop(sender(), [Stop(OFFSETS[0], 1, is_deleted=False)]))

    assert [] == listener.told


def test_a_partition_leads_when_its_listener_hears_of_it() -> None:
    class Appends(Listener):
        def became_leader(self, partition: TopicPartition, leader_epoch: LeaderEpoch) -> None:
            self.told.append((parts.partitions.led(*partition, leader_epoch),))

    listener = Appends()
    parts = Parts(listener)

    parts.order([change(OFFSETS[0], ME)])

    assert [(parts.partitions.find(OFFSETS[0]),)] == listener.told


@pytest.mark.parametrize(
    "before", [{"segment.bytes": "no number"}, ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "damaged")]
)
def test_a_topic_that_is_mended_while_it_is_taken_over_is_served(
    before: Mapping[str, str] | ApiError,
) -> None:
    """Its overrides were read before, and cannot be served as they were then."""
    listener = Listener()
    parts = Parts(listener)
    topic = OFFSETS[0].topic
    parts.overrides = {topic: before}

    many = [change(TopicPartition(topic, index), ME) for index in range(20)]
    results: list[Any] = []

    def obey() -> Procedure[None]:
        results.append((yield from parts.role_changer.change(sender(), many)))

    parts.role_changer.control_queue.enter(obey(), lambda: None, 0)
    parts.answer_reads()
    assert not results, "the order has paused"
    parts.role_changer.topic_config_handler.change(topic, {})
    parts.overrides = {topic: {}}
    parts.role_changer.try_again(topic)
    parts.clock.advance(0)
    parts.answer_reads()
    parts.clock.advance(0)

    assert {ErrorCode.NONE} < set(results[0].errors.values())
    assert 20 == len(listener.told) == len(parts.partitions.of_topic(topic))
