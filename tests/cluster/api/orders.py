"""Orders of a controller as tests give them, and how disks fail at them."""

from collections.abc import Sequence

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import TopicPartition
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.stop_replica import (
    StopReplicaPartitionState,
    StopReplicaPartitionV0,
    StopReplicaRequest,
    StopReplicaTopicState,
    StopReplicaTopicV1,
)
from tests.cluster.api.world import EPOCH, ME, World

OTHER_ID = bytes(15) + b"\x09"
ORDERS_0 = TopicPartition("orders", 0)
DURING_DELETION = -2


def outcome(answer) -> ErrorCode:
    """The error of the only partition of a LeaderAndIsr."""
    assert answer.error_code == ErrorCode.NONE
    (topic,) = answer.topics
    (part,) = topic.partition_errors
    return ErrorCode(part.error_code)


def stop(
    world: World,
    *,
    is_deleted: bool = True,
    leader_epoch: int = DURING_DELETION,
    controller_epoch: int = 1,
    broker_epoch: int = EPOCH,
    version: int = 4,
):
    """StopReplica for orders-0."""
    forms: dict[str, Sequence[object]] = {
        "topic_states": [
            StopReplicaTopicState(
                "orders", [StopReplicaPartitionState(0, leader_epoch, is_deleted)]
            )
        ]
    }
    if version < 3:
        forms = {"topics": [StopReplicaTopicV1("orders", [0])]}
    if version == 0:
        forms = {"ungrouped_partitions": [StopReplicaPartitionV0("orders", 0)]}
    body = StopReplicaRequest(
        controller_id=ME,
        controller_epoch=controller_epoch,
        broker_epoch=broker_epoch,
        delete_partitions=is_deleted,
        **forms,  # type: ignore[arg-type]
    )
    return world.ask_now(ApiKey.STOP_REPLICA, body, version)


def failing(kind: str, part: str):
    """What makes a disk fail in operations of *kind* on paths with *part*."""

    def fault(of: str, path: str) -> OSError | None:
        return OSError(5, "Input/output error") if of == kind and part in path else None

    return fault
