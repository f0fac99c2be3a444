"""What does the controller understand of a leader's proposal, and the leader of its answer?"""

from typing import Any

import pytest

from cluster.controller.requests import (
    AlteredPartition,
    AlterPartition,
    AlterPartitionReply,
    AskedTopic,
    IsrMember,
    IsrProposal,
)
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId, ControllerEpoch, LeaderEpoch, ZkVersion
from cluster.model.topic import RECOVERED, RECOVERING, PartitionState
from cluster.model.topic_id import NO_TOPIC_ID, topic_id_text
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.alter_partition import (
    AlterPartitionRequest,
    BrokerState,
    PartitionData,
    TopicData,
)
from tests.cluster.api.world import TOPIC_ID, World, versions

STATE = PartitionState(
    leader=BrokerId(2),
    isr=(BrokerId(2), BrokerId(1)),
    leader_epoch=LeaderEpoch(5),
    controller_epoch=ControllerEpoch(3),
    leader_recovery_state=RECOVERING,
    zk_version=ZkVersion(9),
)


def topic_data(version: int, *partitions: PartitionData) -> TopicData:
    if version < 2:
        return TopicData(topic_name="orders", partitions=partitions)
    return TopicData(topic_id=TOPIC_ID, partitions=partitions)


def asked(version: int) -> AskedTopic:
    return AskedTopic("orders") if version < 2 else AskedTopic(topic_id=topic_id_text(TOPIC_ID))


def partition_data(version: int, number: int, recovery_state: int = RECOVERED) -> PartitionData:
    return PartitionData(
        partition_index=number,
        leader_epoch=5,
        new_isr=(2, 1) if version < 3 else (),
        new_isr_with_epochs=(BrokerState(2, 70), BrokerState(1)) if version >= 3 else (),
        leader_recovery_state=recovery_state if version >= 1 else 0,
        partition_epoch=8,
    )


def ask(world: World, version: int, *topics: TopicData) -> Any:
    return world.ask_now(ApiKey.ALTER_PARTITION, AlterPartitionRequest(2, 77, topics), version)


@pytest.mark.parametrize("version", versions(ApiKey.ALTER_PARTITION))
def test_what_a_leader_proposes_goes_to_the_controller(world: World, version: int):
    world.controller.reply = AlterPartitionReply(ErrorCode.NONE)
    data = partition_data(version, 4, RECOVERING)

    ask(world, version, topic_data(version, data), topic_data(version, partition_data(version, 0)))

    epochs = (-1, -1) if version < 3 else (70, -1)
    members = tuple(
        IsrMember(BrokerId(broker), BrokerEpoch(epoch))
        for broker, epoch in zip((2, 1), epochs, strict=True)
    )
    last = IsrProposal(LeaderEpoch(5), ZkVersion(8), members, RECOVERED)
    first = last._replace(leader_recovery_state=RECOVERED if version < 1 else RECOVERING)
    expected = AlterPartition(BrokerId(2), BrokerEpoch(77), {asked(version): {4: first, 0: last}})
    assert [expected] == world.controller.requests


@pytest.mark.parametrize("version", versions(ApiKey.ALTER_PARTITION))
def test_the_leader_is_told_what_holds_now(world: World, version: int):
    altered = {
        3: AlteredPartition(ErrorCode.NONE, STATE),
        1: AlteredPartition(ErrorCode.FENCED_LEADER_EPOCH),
    }
    world.controller.reply = AlterPartitionReply(ErrorCode.NONE, {asked(version): altered})

    body = ask(world, version, topic_data(version, partition_data(version, 3)))

    (topic,) = body.topics
    good, bad = topic.partitions
    assert ErrorCode.NONE == body.error_code
    assert ("orders" if version < 2 else "") == topic.topic_name
    assert (NO_TOPIC_ID if version < 2 else TOPIC_ID) == topic.topic_id
    assert (3, ErrorCode.NONE, 2, 5, 9) == (
        good.partition_index,
        good.error_code,
        good.leader_id,
        good.leader_epoch,
        good.partition_epoch,
    )
    assert (2, 1) == tuple(good.isr)
    assert (RECOVERED if version < 1 else RECOVERING) == good.leader_recovery_state
    assert (1, ErrorCode.FENCED_LEADER_EPOCH) == (bad.partition_index, bad.error_code)


@pytest.mark.parametrize("version", versions(ApiKey.ALTER_PARTITION))
def test_a_replica_that_may_not_join_has_the_error_that_the_leader_knows(
    world: World, version: int
):
    altered = {0: AlteredPartition(ErrorCode.INELIGIBLE_REPLICA)}
    world.controller.reply = AlterPartitionReply(ErrorCode.NONE, {asked(version): altered})

    body = ask(world, version, topic_data(version, partition_data(version, 0)))

    is_known = version >= 2
    expected = ErrorCode.INELIGIBLE_REPLICA if is_known else ErrorCode.OPERATION_NOT_ATTEMPTED
    assert expected == body.topics[0].partitions[0].error_code


@pytest.mark.parametrize("version", versions(ApiKey.ALTER_PARTITION))
def test_what_is_refused_as_a_whole_names_no_partition(world: World, version: int):
    world.controller.reply = AlterPartitionReply(ErrorCode.STALE_BROKER_EPOCH)

    body = ask(world, version, topic_data(version, partition_data(version, 0)))

    assert (ErrorCode.STALE_BROKER_EPOCH, ()) == (body.error_code, tuple(body.topics))
