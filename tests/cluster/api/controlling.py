"""Orders to lead many partitions."""

from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.leader_and_isr import (
    LeaderAndIsrPartitionState,
    LeaderAndIsrRequest,
    LeaderAndIsrTopicState,
)
from tests.cluster.api.world import ME, TOPIC_ID, World


def many(world: World, count: int, topic: str = "orders", controller_epoch: int = 1):
    """Order this broker to lead that many partitions."""
    states = [
        LeaderAndIsrPartitionState(
            partition_index=index, leader=ME, replicas=[ME], isr=[ME], is_new=True
        )
        for index in range(count)
    ]
    body = LeaderAndIsrRequest(
        controller_id=ME,
        controller_epoch=controller_epoch,
        topic_states=[LeaderAndIsrTopicState(topic, TOPIC_ID, states)],
    )
    return world.ask(ApiKey.LEADER_AND_ISR, body)


def nothing() -> None: ...
