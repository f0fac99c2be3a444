"""Listeners for the begin and the end of this broker's leadership of a partition.

A coordinator is one: it serves the groups or transactions whose log this broker leads.
"""

from typing import Protocol

from cluster.model.ids import LeaderEpoch, TopicPartition


class LeadershipListener(Protocol):
    """Called between two requests, once the partition has its new role.

    Long work begins here and continues later: a controller waits for the answer to its order.

    Source: Kafka's RequestHandlerHelper.onLeadershipChange and handleStopReplicaRequest.
    """

    def became_leader(self, partition: TopicPartition, leader_epoch: LeaderEpoch) -> None:
        """This broker leads, perhaps as in an older epoch: appends are accepted from now on."""

    def became_follower(self, partition: TopicPartition, leader_epoch: LeaderEpoch) -> None:
        """Another broker leads, perhaps as in an older epoch."""

    def stopped(self, partition: TopicPartition) -> None:
        """This broker no longer has the replica: it was deleted, or its disk has failed."""
