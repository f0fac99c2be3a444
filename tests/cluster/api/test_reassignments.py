"""Requests to move replicas: what does the controller understand, and the client of its answer?"""

from typing import Any

import pytest

from cluster.api.dispatch import APIS
from cluster.broker.authorizer import Permission
from cluster.controller.requests import (
    AlterReassignments,
    AlterReassignmentsReply,
    ControllerReply,
    ListReassignments,
    ListReassignmentsReply,
)
from cluster.model.acl import AclOperation, ResourceType
from cluster.model.api_error import ApiError
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic import PartitionAssignment
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.reassignments import (
    AlterPartitionReassignmentsRequest,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
    ReassignablePartition,
    ReassignablePartitionResponse,
    ReassignableTopic,
    ReassignableTopicResponse,
)
from tests.cluster.api.world import World, versions


def brokers(*ids: int) -> tuple[BrokerId, ...]:
    return tuple(map(BrokerId, ids))


ORDERS = [TopicPartition("orders", number) for number in range(3)]
AUDIT = TopicPartition("audit", 0)


def alter(
    world: World, reply: ControllerReply, *topics: ReassignableTopic, version: int = 0
) -> Any:
    world.controller.reply = reply
    body = AlterPartitionReassignmentsRequest(topics=topics)
    return world.ask_now(ApiKey.ALTER_PARTITION_REASSIGNMENTS, body, version)


def list_ongoing(
    world: World,
    reply: ControllerReply,
    topics: tuple[ListPartitionReassignmentsTopics, ...] | None,
    version: int = 0,
) -> Any:
    world.controller.reply = reply
    body = ListPartitionReassignmentsRequest(topics=topics)
    return world.ask_now(ApiKey.LIST_PARTITION_REASSIGNMENTS, body, version)


@pytest.mark.parametrize("version", versions(ApiKey.ALTER_PARTITION_REASSIGNMENTS))
def test_what_shall_move_goes_to_the_controller(world: World, version: int):
    alter(
        world,
        AlterReassignmentsReply(ErrorCode.NONE),
        ReassignableTopic(
            "orders",
            (
                ReassignablePartition(0, (3, 1)),
                ReassignablePartition(1, None),
                ReassignablePartition(2, ()),
            ),
        ),
        ReassignableTopic(
            "audit", (ReassignablePartition(0, (1,)), ReassignablePartition(0, (2,)))
        ),
        version=version,
    )

    targets = {ORDERS[0]: brokers(3, 1), ORDERS[1]: None, ORDERS[2]: (), AUDIT: brokers(2)}
    assert world.controller.requests == [AlterReassignments(targets)]


def test_each_partition_is_told_why_it_does_not_move(world: World):
    refusal = ApiError(
        ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, "No partition reassignment is in progress."
    )
    refusals = {ORDERS[0]: None, AUDIT: refusal, ORDERS[1]: refusal}

    body = alter(world, AlterReassignmentsReply(ErrorCode.NONE, refusals))

    assert (body.error_code, body.error_message) == (0, None)
    assert body.responses == (
        ReassignableTopicResponse(
            "orders",
            (
                ReassignablePartitionResponse(0, 0, None),
                ReassignablePartitionResponse(1, *refusal),
            ),
        ),
        ReassignableTopicResponse("audit", (ReassignablePartitionResponse(0, *refusal),)),
    )


@pytest.mark.parametrize("version", versions(ApiKey.LIST_PARTITION_REASSIGNMENTS))
def test_what_moves_is_listed_as_the_controller_says(world: World, version: int):
    moving = PartitionAssignment(brokers(3, 1, 2), adding=brokers(3), removing=brokers(1))
    reply = ListReassignmentsReply(ErrorCode.NONE, {ORDERS[0]: moving, AUDIT: moving})

    body = list_ongoing(world, reply, None, version)

    assert world.controller.requests == [ListReassignments(None)]
    assert body.error_code == 0
    assert body.topics == (
        OngoingTopicReassignment(
            "orders", (OngoingPartitionReassignment(0, (3, 1, 2), (3,), (1,)),)
        ),
        OngoingTopicReassignment(
            "audit", (OngoingPartitionReassignment(0, (3, 1, 2), (3,), (1,)),)
        ),
    )


def test_single_partitions_may_be_asked_for(world: World):
    asked = (
        ListPartitionReassignmentsTopics("orders", (0, 2)),
        ListPartitionReassignmentsTopics("audit", (0,)),
    )

    list_ongoing(world, ListReassignmentsReply(ErrorCode.NONE), asked)
    list_ongoing(world, ListReassignmentsReply(ErrorCode.NONE), ())

    assert world.controller.requests == [
        ListReassignments((ORDERS[0], ORDERS[2], AUDIT)),
        ListReassignments(()),
    ]


def test_a_broker_that_is_not_the_controller_says_so(world: World):
    altered = alter(world, AlterReassignmentsReply(ErrorCode.NOT_CONTROLLER))
    listed = list_ongoing(world, ListReassignmentsReply(ErrorCode.NOT_CONTROLLER), None)

    assert [altered.error_code, listed.error_code] == [ErrorCode.NOT_CONTROLLER] * 2


def test_moving_needs_the_right_to_alter_the_cluster_and_listing_that_to_describe_it() -> None:
    needed = [
        APIS[key].permissions
        for key in (ApiKey.ALTER_PARTITION_REASSIGNMENTS, ApiKey.LIST_PARTITION_REASSIGNMENTS)
    ]

    assert needed == [
        (Permission(AclOperation.ALTER, ResourceType.CLUSTER),),
        (Permission(AclOperation.DESCRIBE, ResourceType.CLUSTER),),
    ]


def test_a_long_list_is_asked_for_in_slices(world: World):
    targets = [ReassignablePartition(number, (1, 2)) for number in range(1001)]

    body = alter(
        world,
        AlterReassignmentsReply(ErrorCode.NONE, {AUDIT: None}),
        ReassignableTopic("orders", targets),
    )

    sizes = [
        len(request.targets)
        for request in world.controller.requests
        if isinstance(request, AlterReassignments)
    ]
    assert [1000, 1] == sizes
    (topic,) = body.responses
    assert ("audit", 1) == (topic.name, len(topic.partitions))


def test_who_is_no_controller_is_asked_for_nothing_more(world: World):
    many = range(5000)

    altered = alter(
        world,
        AlterReassignmentsReply(ErrorCode.NOT_CONTROLLER),
        ReassignableTopic("orders", [ReassignablePartition(number, (1,)) for number in many]),
    )
    listed = list_ongoing(
        world,
        ListReassignmentsReply(ErrorCode.NOT_CONTROLLER),
        (ListPartitionReassignmentsTopics("orders", many),),
    )

    assert 2 == len(world.controller.requests)
    assert ErrorCode.NOT_CONTROLLER == altered.error_code == listed.error_code
