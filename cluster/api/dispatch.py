"""The table of the APIs that are served: who answers each, and who may ask.

Versions are those of Kafka 3.9, as far as the APIs are served, with the lower ends of Kafka 4 where
older versions would need records to be converted.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, NamedTuple, TypeAlias

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
    delete_records,
    delete_topics,
    describe_cluster,
    describe_configs,
    describe_log_dirs,
    describe_producers,
    elect_leaders,
    fetch,
    init_producer_id,
    leader_and_isr,
    list_offsets,
    list_partition_reassignments,
    metadata,
    offset_for_leader_epoch,
    produce,
    stop_replica,
    update_metadata,
)
from cluster.broker.authorizer import Authorizer, Permission
from cluster.broker.broker import Broker
from cluster.broker.handling import Cancel, Handler, Peer, Reply
from cluster.model.acl import AclOperation, ResourceType
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import RequestFrame
from cluster.wire.versions import Versions

Handle: TypeAlias = Callable[[Broker, RequestFrame, Peer, Reply], Cancel | None]


class Api(NamedTuple):
    """How one API is served.

    A client needs one of *permissions*, as in Kafka's KafkaApis; without any, everybody may ask.
    """

    handle: Handle
    versions: Versions
    permissions: tuple[Permission, ...]


def tell_versions(broker: Broker, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    """ApiVersions, the one API that has to know of all."""
    api_versions.handle(ADVERTISED, request, reply)


def on_topic(operation: AclOperation) -> Permission:
    return Permission(operation, ResourceType.TOPIC)


def on_cluster(operation: AclOperation) -> Permission:
    return Permission(operation, ResourceType.CLUSTER)


READ: Final = on_topic(AclOperation.READ)
WRITE: Final = on_topic(AclOperation.WRITE)
DELETE: Final = on_topic(AclOperation.DELETE)
ALTER: Final = on_topic(AclOperation.ALTER)
DESCRIBE: Final = on_topic(AclOperation.DESCRIBE)
BROKER: Final = on_cluster(AclOperation.CLUSTER_ACTION)
"""What brokers may do that no client may."""


def on_either(operation: AclOperation) -> tuple[Permission, ...]:
    """For requests that name resources of both types."""
    return (on_topic(operation), on_cluster(operation))


APIS: Final[Mapping[ApiKey, Api]] = {
    # Clients look for versions 0 to 2 when they find out what a broker can do; the message formats
    # that belong to these are refused, batch by batch.
    ApiKey.PRODUCE: Api(produce.handle, Versions(0, 11), (WRITE,)),
    ApiKey.FETCH: Api(fetch.handle, Versions(4, 17), (READ, BROKER)),
    ApiKey.LIST_OFFSETS: Api(list_offsets.handle, Versions(1, 9), (DESCRIBE,)),
    ApiKey.METADATA: Api(metadata.handle, Versions(0, 12), (DESCRIBE,)),
    ApiKey.LEADER_AND_ISR: Api(
        lambda b, *a: leader_and_isr.handle(b.orders, b.role_changer, *a), Versions(0, 7), (BROKER,)
    ),
    ApiKey.STOP_REPLICA: Api(
        lambda b, *a: stop_replica.handle(b.orders, b.replica_stops, *a), Versions(0, 4), (BROKER,)
    ),
    ApiKey.UPDATE_METADATA: Api(
        lambda b, *a: update_metadata.handle(b.orders, b.metadata_updates, *a),
        Versions(0, 8),
        (BROKER,),
    ),
    ApiKey.CONTROLLED_SHUTDOWN: Api(controlled_shutdown.handle, Versions(0, 3), (BROKER,)),
    ApiKey.API_VERSIONS: Api(tell_versions, Versions(0, 4), ()),
    ApiKey.CREATE_TOPICS: Api(create_topics.handle, Versions(0, 7), on_either(AclOperation.CREATE)),
    ApiKey.DELETE_TOPICS: Api(delete_topics.handle, Versions(0, 6), (DELETE,)),
    ApiKey.DELETE_RECORDS: Api(delete_records.handle, Versions(0, 2), (DELETE,)),
    ApiKey.INIT_PRODUCER_ID: Api(
        init_producer_id.handle,
        Versions(0, 5),
        (on_cluster(AclOperation.IDEMPOTENT_WRITE), WRITE),
    ),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: Api(
        offset_for_leader_epoch.handle, Versions(0, 4), (DESCRIBE, BROKER)
    ),
    ApiKey.DESCRIBE_ACLS: Api(acls.describe, Versions(0, 3), (on_cluster(AclOperation.DESCRIBE),)),
    ApiKey.CREATE_ACLS: Api(acls.create, Versions(0, 3), (on_cluster(AclOperation.ALTER),)),
    ApiKey.DELETE_ACLS: Api(acls.delete, Versions(0, 3), (on_cluster(AclOperation.ALTER),)),
    ApiKey.DESCRIBE_CONFIGS: Api(
        describe_configs.handle, Versions(0, 4), on_either(AclOperation.DESCRIBE_CONFIGS)
    ),
    ApiKey.ALTER_CONFIGS: Api(
        alter_configs.handle, Versions(0, 2), on_either(AclOperation.ALTER_CONFIGS)
    ),
    ApiKey.ALTER_REPLICA_LOG_DIRS: Api(
        alter_replica_log_dirs.handle, Versions(0, 2), (on_cluster(AclOperation.ALTER),)
    ),
    ApiKey.DESCRIBE_LOG_DIRS: Api(
        describe_log_dirs.handle, Versions(0, 4), (on_cluster(AclOperation.DESCRIBE),)
    ),
    ApiKey.CREATE_PARTITIONS: Api(create_partitions.handle, Versions(0, 3), (ALTER,)),
    ApiKey.ELECT_LEADERS: Api(
        elect_leaders.handle, Versions(0, 2), (on_cluster(AclOperation.ALTER),)
    ),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: Api(
        alter_configs.handle_incremental, Versions(0, 1), on_either(AclOperation.ALTER_CONFIGS)
    ),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: Api(
        alter_partition_reassignments.handle, Versions(0, 0), (on_cluster(AclOperation.ALTER),)
    ),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: Api(
        list_partition_reassignments.handle, Versions(0, 0), (on_cluster(AclOperation.DESCRIBE),)
    ),
    ApiKey.ALTER_PARTITION: Api(alter_partition.handle, Versions(0, 3), (BROKER,)),
    ApiKey.DESCRIBE_CLUSTER: Api(describe_cluster.handle, Versions(0, 1), ()),
    ApiKey.DESCRIBE_PRODUCERS: Api(describe_producers.handle, Versions(0, 0), (READ,)),
    ApiKey.ALLOCATE_PRODUCER_IDS: Api(allocate_producer_ids.handle, Versions(0, 0), (BROKER,)),
}

SERVED: Final = {key: api.versions for key, api in APIS.items()}
ADVERTISED: Final = api_versions.advertised(SERVED)

IN_ONE_GO: Final = 10_000
"""How much is dealt with at once and keeps nobody waiting; of new partitions in one request KRaft
takes as many.
"""

ELEMENTS_MAX: Final[Mapping[ApiKey, int]] = {
    # For each partition a dozen values are made, and collecting garbage takes its time with those;
    # no broker has as many replicas.
    ApiKey.LEADER_AND_ISR: 10 * IN_ONE_GO,
    ApiKey.STOP_REPLICA: 10 * IN_ONE_GO,
    # A producer sends a batch of 70 bytes or more for each partition, and 1 MB by default.
    ApiKey.PRODUCE: IN_ONE_GO,
    ApiKey.FETCH: 2 * IN_ONE_GO,
    # Kafka's leaders propose all their changes at once, each with the members of the ISR; the one
    # whose request is refused proposes the same again, for ever.
    ApiKey.ALTER_PARTITION: 10 * IN_ONE_GO,
    ApiKey.DELETE_RECORDS: IN_ONE_GO,
    # Of its partitions eight count as one element, but each is answered with a struct.
    ApiKey.DESCRIBE_PRODUCERS: 2 * IN_ONE_GO,
    ApiKey.ALTER_REPLICA_LOG_DIRS: IN_ONE_GO,
    # Of one broker, which has no more replicas than a controller orders of it.
    ApiKey.DESCRIBE_LOG_DIRS: 10 * IN_ONE_GO,
    ApiKey.ELECT_LEADERS: IN_ONE_GO,
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: IN_ONE_GO,
    ApiKey.LIST_PARTITION_REASSIGNMENTS: IN_ONE_GO,
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


class Dispatch:
    """All APIs of one broker."""

    __slots__ = ("_handlers",)

    def __init__(self, broker: Broker) -> None:
        authorizer = broker.ports.authorizer
        # Without an authorizer no request pays for the question.
        self._handlers: dict[ApiKey, Handler] = {
            key: partial(api.handle, broker)
            if authorizer is None
            else partial(authorized, authorizer, key, broker)
            for key, api in APIS.items()
        }

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> Cancel | None:
        """Answer a request of an API and version that is served; see `Handler`."""
        return self._handlers[request.api_key](request, peer, reply)


def authorized(
    authorizer: Authorizer,
    key: ApiKey,
    broker: Broker,
    request: RequestFrame,
    peer: Peer,
    reply: Reply,
) -> Cancel | None:
    """Answer if *peer* has one of the permissions that the API needs, for whatever resources of the
    type; else end its connection.
    """
    api = APIS[key]
    if api.permissions and not any(
        authorizer.allows(peer.principal, permission) for permission in api.permissions
    ):
        needed = " or ".join(str(permission) for permission in api.permissions)
        reply.close(f"{peer.principal} may not ask for {key.name}, which needs {needed}")
        return None
    return api.handle(broker, request, peer, reply)
