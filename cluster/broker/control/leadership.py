"""The port of those who act when this broker begins or ceases to lead a partition.

A coordinator does: it serves the groups or transactions whose log this broker leads.
"""

from typing import Protocol

from cluster.model.ids import LeaderEpoch, TopicPartition


class LeadershipListener(Protocol):
    """Called between two requests, once the partition has its new role.

    What takes long begins here and goes on later: a controller waits for the answer to its order.

    Source: Kafka's RequestHandlerHelper.onLeadershipChange and handleStopReplicaRequest.
    """

    def became_leader(self, partition: TopicPartition, leader_epoch: LeaderEpoch) -> None:
        """This broker leads, maybe as in an older epoch: appends are taken from now on."""

    def became_follower(self, partition: TopicPartition, leader_epoch: LeaderEpoch) -> None:
        """Another broker leads, maybe as in an older epoch."""

    def stopped(self, partition: TopicPartition) -> None:
        """This broker has the replica no more: it was deleted, or its disk has failed."""
