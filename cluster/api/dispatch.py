"""The table of the served APIs: the handler of each, and the permissions that it needs.

Versions are those of Kafka 3.9, as far as the APIs are served, with the lower bounds of Kafka 4
where older versions would need a conversion of records.
"""

from collections.abc import Mapping
from functools import partial
from typing import Final, NamedTuple, Protocol

from cluster.api import (
    acls,
    allocate_producer_ids,
    alter_configs,
    alter_partition,
    alter_partition_reassignments,
    alter_replica_log_dirs,
    api_versions,
    controlled_shutdown,
    create_partitions,
    create_topics,
    delete_groups,
    delete_records,
    delete_topics,
    describe_cluster,
    describe_groups,
    describe_log_dirs,
    describe_producers,
    elect_leaders,
    heartbeat,
    init_producer_id,
    join_group,
    leader_and_isr,
    leave_group,
    list_groups,
    list_offsets,
    list_partition_reassignments,
    offset_for_leader_epoch,
    stop_replica,
    sync_group,
    update_metadata,
)
from cluster.api.describe_configs import ConfigReader
from cluster.api.fetch import Fetches
from cluster.api.find_coordinator import CoordinatorFinder
from cluster.api.leader_hints import LeaderHints
from cluster.api.metadata import MetadataReader
from cluster.api.offset_commit import OffsetCommits
from cluster.api.offset_delete import OffsetDeletions
from cluster.api.offset_fetch import OffsetFetches
from cluster.api.produce import Produces
from cluster.broker.authorizer import Authorizer, Permission
from cluster.broker.control.metadata_updates import MetadataUpdates
from cluster.broker.control.orders import Orders
from cluster.broker.control.refused_partitions import RefusedPartitions
from cluster.broker.control.replica_stops import ReplicaStops
from cluster.broker.control.role_changes import RoleChanger
from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.handling import Cancel, Handler, Peer, Reply
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports
from cluster.broker.producer_ids import ProducerIds
from cluster.broker.refusals_log import RefusalsLog
from cluster.broker.replica_manager.appending import Appender
from cluster.broker.replica_manager.checkpoint_writes import CheckpointWrites
from cluster.broker.replica_manager.fetch_reading import FetchReader
from cluster.broker.replica_manager.fetch_sessions import FetchSessions
from cluster.broker.replica_manager.isr_changes import IsrChanges
from cluster.broker.replica_manager.log_dir_moves import LogDirMoves
from cluster.broker.replica_manager.partitions import Partitions
from cluster.broker.replica_manager.record_work import RecordWorks
from cluster.broker.replica_manager.throttles import Throttles
from cluster.broker.topics.auto_creation import AutoCreation
from cluster.broker.topics.new_topics import NewTopics
from cluster.model.acl import AclOperation, ResourceType
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import RequestFrame
from cluster.wire.versions import Versions


class Services(Protocol):
    """The services of a broker that its APIs use."""

    ports: Ports
    cache: MetadataCache
    partitions: Partitions
    throttles: Throttles
    refused_partitions: RefusedPartitions
    metadata_updates: MetadataUpdates
    orders: Orders
    role_changer: RoleChanger
    replica_stops: ReplicaStops
    auto_creation: AutoCreation
    new_topics: NewTopics
    fetch_sessions: FetchSessions
    fetch_reader: FetchReader
    isr_changes: IsrChanges
    producer_ids: ProducerIds
    refusals_log: RefusalsLog
    appender: Appender
    record_work: RecordWorks
    checkpoint_writes: CheckpointWrites
    log_dir_moves: LogDirMoves
    group_service: GroupService


class Api(NamedTuple):
    """The permissions for one API, and its versions.

    A client needs one of *permissions*, as in Kafka's KafkaApis; without any, everything is
    allowed.
    """

    versions: Versions
    permissions: tuple[Permission, ...]


def on_topic(operation: AclOperation) -> Permission:
    return Permission(operation, ResourceType.TOPIC)


def on_group(operation: AclOperation) -> Permission:
    return Permission(operation, ResourceType.GROUP)


def on_cluster(operation: AclOperation) -> Permission:
    return Permission(operation, ResourceType.CLUSTER)


READ: Final = on_topic(AclOperation.READ)
WRITE: Final = on_topic(AclOperation.WRITE)
DELETE: Final = on_topic(AclOperation.DELETE)
ALTER: Final = on_topic(AclOperation.ALTER)
DESCRIBE: Final = on_topic(AclOperation.DESCRIBE)
BROKER: Final = on_cluster(AclOperation.CLUSTER_ACTION)
"""The permission of brokers, which clients do not have."""


def on_either(operation: AclOperation) -> tuple[Permission, ...]:
    """Return the permissions for a request that names resources of both types."""
    return (on_topic(operation), on_cluster(operation))


APIS: Final[Mapping[ApiKey, Api]] = {
    ApiKey.PRODUCE: Api(Versions(0, 11), (WRITE,)),
    ApiKey.FETCH: Api(Versions(0, 17), (READ, BROKER)),
    ApiKey.LIST_OFFSETS: Api(Versions(0, 9), (DESCRIBE,)),
    ApiKey.METADATA: Api(Versions(0, 12), (DESCRIBE,)),
    ApiKey.LEADER_AND_ISR: Api(Versions(0, 7), (BROKER,)),
    ApiKey.STOP_REPLICA: Api(Versions(0, 4), (BROKER,)),
    ApiKey.UPDATE_METADATA: Api(
        Versions(0, 8),
        (BROKER,),
    ),
    ApiKey.CONTROLLED_SHUTDOWN: Api(Versions(0, 3), (BROKER,)),
    ApiKey.OFFSET_COMMIT: Api(Versions(0, 9), (on_group(AclOperation.READ),)),
    ApiKey.OFFSET_FETCH: Api(Versions(0, 9), (on_group(AclOperation.DESCRIBE),)),
    ApiKey.FIND_COORDINATOR: Api(
        Versions(0, 6),
        (
            on_group(AclOperation.DESCRIBE),
            Permission(AclOperation.DESCRIBE, ResourceType.TRANSACTIONAL_ID),
        ),
    ),
    ApiKey.JOIN_GROUP: Api(Versions(0, 9), (on_group(AclOperation.READ),)),
    ApiKey.HEARTBEAT: Api(Versions(0, 4), (on_group(AclOperation.READ),)),
    ApiKey.LEAVE_GROUP: Api(Versions(0, 5), (on_group(AclOperation.READ),)),
    ApiKey.SYNC_GROUP: Api(Versions(0, 5), (on_group(AclOperation.READ),)),
    ApiKey.DESCRIBE_GROUPS: Api(Versions(0, 5), (on_group(AclOperation.DESCRIBE),)),
    ApiKey.LIST_GROUPS: Api(
        Versions(0, 5),
        (on_cluster(AclOperation.DESCRIBE), on_group(AclOperation.DESCRIBE)),
    ),
    ApiKey.API_VERSIONS: Api(Versions(0, 4), ()),
    ApiKey.CREATE_TOPICS: Api(Versions(0, 7), on_either(AclOperation.CREATE)),
    ApiKey.DELETE_TOPICS: Api(Versions(0, 6), (DELETE,)),
    ApiKey.DELETE_RECORDS: Api(Versions(0, 2), (DELETE,)),
    ApiKey.INIT_PRODUCER_ID: Api(
        Versions(0, 5),
        (on_cluster(AclOperation.IDEMPOTENT_WRITE), WRITE),
    ),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: Api(Versions(0, 4), (DESCRIBE, BROKER)),
    ApiKey.DESCRIBE_ACLS: Api(Versions(0, 3), (on_cluster(AclOperation.DESCRIBE),)),
    ApiKey.CREATE_ACLS: Api(Versions(0, 3), (on_cluster(AclOperation.ALTER),)),
    ApiKey.DELETE_ACLS: Api(Versions(0, 3), (on_cluster(AclOperation.ALTER),)),
    ApiKey.DESCRIBE_CONFIGS: Api(Versions(0, 4), on_either(AclOperation.DESCRIBE_CONFIGS)),
    ApiKey.ALTER_CONFIGS: Api(Versions(0, 2), on_either(AclOperation.ALTER_CONFIGS)),
    ApiKey.ALTER_REPLICA_LOG_DIRS: Api(Versions(0, 2), (on_cluster(AclOperation.ALTER),)),
    ApiKey.DESCRIBE_LOG_DIRS: Api(Versions(0, 4), (on_cluster(AclOperation.DESCRIBE),)),
    ApiKey.CREATE_PARTITIONS: Api(Versions(0, 3), (ALTER,)),
    ApiKey.DELETE_GROUPS: Api(Versions(0, 2), (on_group(AclOperation.DELETE),)),
    ApiKey.ELECT_LEADERS: Api(Versions(0, 2), (on_cluster(AclOperation.ALTER),)),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: Api(Versions(0, 1), on_either(AclOperation.ALTER_CONFIGS)),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: Api(Versions(0, 0), (on_cluster(AclOperation.ALTER),)),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: Api(Versions(0, 0), (on_cluster(AclOperation.DESCRIBE),)),
    ApiKey.OFFSET_DELETE: Api(Versions(0, 0), (on_group(AclOperation.DELETE),)),
    ApiKey.ALTER_PARTITION: Api(Versions(0, 3), (BROKER,)),
    ApiKey.DESCRIBE_CLUSTER: Api(Versions(0, 1), ()),
    ApiKey.DESCRIBE_PRODUCERS: Api(Versions(0, 0), (READ,)),
    ApiKey.ALLOCATE_PRODUCER_IDS: Api(Versions(0, 0), (BROKER,)),
}

SERVED: Final = {key: api.versions for key, api in APIS.items()}
ADVERTISED: Final = api_versions.advertised(SERVED)

IN_ONE_GO: Final = 10_000
"""How many elements are processed at once without delaying others; KRaft allows as many new
partitions in one request.
"""

ELEMENTS_MAX: Final[Mapping[ApiKey, int]] = {
    # A dozen values are made for each partition, and collecting garbage takes time with those; no
    # broker has as many replicas.
    ApiKey.LEADER_AND_ISR: 10 * IN_ONE_GO,
    ApiKey.STOP_REPLICA: 10 * IN_ONE_GO,
    # A producer sends a batch of 70 bytes or more for each partition, and 1 MB by default.
    ApiKey.PRODUCE: IN_ONE_GO,
    ApiKey.FETCH: 2 * IN_ONE_GO,
    # Kafka's leaders propose all their changes at once, each with the members of the ISR; the one
    # whose request is refused proposes the same again, for ever.
    ApiKey.ALTER_PARTITION: 10 * IN_ONE_GO,
    ApiKey.DELETE_RECORDS: IN_ONE_GO,
    # Eight of its partitions count as one element, but each is answered with a struct.
    ApiKey.DESCRIBE_PRODUCERS: 2 * IN_ONE_GO,
    ApiKey.ALTER_REPLICA_LOG_DIRS: IN_ONE_GO,
    # Of one broker, which has no more replicas than a controller assigns to it.
    ApiKey.DESCRIBE_LOG_DIRS: 10 * IN_ONE_GO,
    ApiKey.ELECT_LEADERS: IN_ONE_GO,
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: IN_ONE_GO,
    ApiKey.LIST_PARTITION_REASSIGNMENTS: IN_ONE_GO,
    # The commits of a group are appended and stored at once.
    ApiKey.OFFSET_COMMIT: IN_ONE_GO,
    ApiKey.OFFSET_DELETE: IN_ONE_GO,
    ApiKey.OFFSET_FETCH: 2 * IN_ONE_GO,
    ApiKey.FIND_COORDINATOR: IN_ONE_GO,
    ApiKey.JOIN_GROUP: IN_ONE_GO,
    ApiKey.SYNC_GROUP: IN_ONE_GO,
    ApiKey.LEAVE_GROUP: IN_ONE_GO,
    ApiKey.DESCRIBE_GROUPS: IN_ONE_GO,
    ApiKey.DELETE_GROUPS: IN_ONE_GO,
    # Each of these waits for ZooKeeper, and its answer may be a hundred times as large.
    ApiKey.CREATE_TOPICS: IN_ONE_GO,
    ApiKey.DELETE_TOPICS: IN_ONE_GO,
    ApiKey.CREATE_PARTITIONS: IN_ONE_GO,
    ApiKey.DESCRIBE_CONFIGS: IN_ONE_GO,
    ApiKey.ALTER_CONFIGS: IN_ONE_GO,
    ApiKey.INCREMENTAL_ALTER_CONFIGS: IN_ONE_GO,
    # Each is answered with a sentence.
    ApiKey.CREATE_ACLS: IN_ONE_GO,
    ApiKey.DELETE_ACLS: IN_ONE_GO,
}
"""How many elements the arrays of a request may have, where that is fewer than the codec allows."""


def handlers_of(services: Services) -> Mapping[ApiKey, Handler]:
    """Return the handler of each API, with the services that it uses."""
    of, ports, cache, partitions = services, services.ports, services.cache, services.partitions
    controller = ports.controller
    hints = LeaderHints(partitions, cache)
    produces = Produces(ports, partitions, of.appender, of.record_work, hints)
    fetches = Fetches(
        ports=ports,
        partitions=partitions,
        fetch_sessions=of.fetch_sessions,
        fetch_reader=of.fetch_reader,
        record_work=of.record_work,
        isr_changes=of.isr_changes,
        throttle=of.throttles.leader,
        hints=hints,
    )
    groups = of.group_service
    commits = OffsetCommits(ports, cache, groups)
    offset_fetches = OffsetFetches(ports, cache, groups)
    finder = CoordinatorFinder(ports.clock, cache, of.metadata_updates, of.auto_creation, groups)
    metadata_reader = MetadataReader(ports, cache, of.metadata_updates, of.auto_creation)
    config_reader = ConfigReader(ports, cache, of.refused_partitions)
    return {
        ApiKey.PRODUCE: produces.handle,
        ApiKey.FETCH: fetches.handle,
        ApiKey.METADATA: metadata_reader.handle,
        ApiKey.DESCRIBE_CONFIGS: config_reader.handle,
        ApiKey.OFFSET_COMMIT: commits.handle,
        ApiKey.OFFSET_FETCH: offset_fetches.handle,
        ApiKey.OFFSET_DELETE: OffsetDeletions(ports, cache, groups).handle,
        ApiKey.FIND_COORDINATOR: finder.handle,
        ApiKey.JOIN_GROUP: partial(join_group.handle, groups),
        ApiKey.SYNC_GROUP: partial(sync_group.handle, groups),
        ApiKey.HEARTBEAT: partial(heartbeat.handle, groups),
        ApiKey.LEAVE_GROUP: partial(leave_group.handle, groups),
        ApiKey.DESCRIBE_GROUPS: partial(describe_groups.handle, ports.authorizer, groups),
        ApiKey.LIST_GROUPS: partial(list_groups.handle, groups),
        ApiKey.DELETE_GROUPS: partial(delete_groups.handle, groups),
        ApiKey.DESCRIBE_ACLS: acls.describe,
        ApiKey.CREATE_ACLS: acls.create,
        ApiKey.DELETE_ACLS: acls.delete,
        ApiKey.API_VERSIONS: partial(api_versions.handle, ADVERTISED),
        ApiKey.LIST_OFFSETS: partial(list_offsets.handle, ports.clock, ports.journal, partitions),
        ApiKey.LEADER_AND_ISR: partial(leader_and_isr.handle, of.orders, of.role_changer),
        ApiKey.STOP_REPLICA: partial(stop_replica.handle, of.orders, of.replica_stops),
        ApiKey.UPDATE_METADATA: partial(update_metadata.handle, of.orders, of.metadata_updates),
        ApiKey.CONTROLLED_SHUTDOWN: partial(controlled_shutdown.handle, controller),
        ApiKey.CREATE_TOPICS: partial(create_topics.handle, ports, cache, of.new_topics),
        ApiKey.DELETE_TOPICS: partial(delete_topics.handle, ports, cache),
        ApiKey.DELETE_RECORDS: partial(
            delete_records.handle, ports, partitions, of.checkpoint_writes
        ),
        ApiKey.INIT_PRODUCER_ID: partial(init_producer_id.handle, of.refusals_log, of.producer_ids),
        ApiKey.OFFSET_FOR_LEADER_EPOCH: partial(offset_for_leader_epoch.handle, partitions),
        ApiKey.ALTER_CONFIGS: partial(alter_configs.handle, ports, cache),
        ApiKey.INCREMENTAL_ALTER_CONFIGS: partial(alter_configs.handle_incremental, ports, cache),
        ApiKey.ALTER_REPLICA_LOG_DIRS: partial(alter_replica_log_dirs.handle, of.log_dir_moves),
        ApiKey.DESCRIBE_LOG_DIRS: partial(describe_log_dirs.handle, ports, partitions),
        ApiKey.CREATE_PARTITIONS: partial(create_partitions.handle, ports, cache),
        ApiKey.ELECT_LEADERS: partial(elect_leaders.handle, ports, cache),
        ApiKey.ALTER_PARTITION_REASSIGNMENTS: partial(alter_partition_reassignments.handle, ports),
        ApiKey.LIST_PARTITION_REASSIGNMENTS: partial(list_partition_reassignments.handle, ports),
        ApiKey.ALTER_PARTITION: partial(alter_partition.handle, controller),
        ApiKey.DESCRIBE_CLUSTER: partial(describe_cluster.handle, ports, cache),
        ApiKey.DESCRIBE_PRODUCERS: partial(describe_producers.handle, partitions),
        ApiKey.ALLOCATE_PRODUCER_IDS: partial(allocate_producer_ids.handle, ports, of.refusals_log),
    }


class Dispatch:
    """All APIs of one broker."""

    __slots__ = ("_handlers",)

    def __init__(self, services: Services) -> None:
        handlers = handlers_of(services)
        assert handlers.keys() == APIS.keys()
        authorizer = services.ports.authorizer
        # Without an authorizer no request pays for the check.
        self._handlers = (
            handlers
            if authorizer is None
            else {
                key: partial(authorized, authorizer, key, handle)
                for key, handle in handlers.items()
            }
        )

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
        """Answer a request of an API and version that is served; see `Handler`."""
        return self._handlers[request.api_key](request, peer, reply)


def authorized(
    authorizer: Authorizer,
    key: ApiKey,
    handle: Handler,
    request: RequestFrame,
    peer: Peer,
    reply: Reply,
) -> Cancel | None:
    """Answer if *peer* has one of the permissions that the API needs, for whatever resources of the
    type; else end its connection.
    """
    permissions = APIS[key].permissions
    if permissions and not any(
        authorizer.allows(peer.principal, permission) for permission in permissions
    ):
        needed = " or ".join(str(permission) for permission in permissions)
        reply.close(f"{peer.principal} may not ask for {key.name}, which needs {needed}")
        return None
    return handle(request, peer, reply)
