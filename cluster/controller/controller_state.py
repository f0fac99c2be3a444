"""What the controller can be busy with, by Kafka's names, which its metrics use."""

from enum import StrEnum


class ControllerState(StrEnum):
    """The kinds of a controller's events, for which separate metrics are kept.

    Kafka's metric of one is its name and `RateAndTimeMs`; of BROKER_CHANGE it is
    `LeaderElectionRateAndTimeMs`, of ALTER_PARTITION_REASSIGNMENT
    `PartitionReassignmentRateAndTimeMs`.

    Source: Kafka's ControllerState.
    """

    CONTROLLER_CHANGE = "ControllerChange"
    BROKER_CHANGE = "BrokerChange"
    TOPIC_CHANGE = "TopicChange"
    TOPIC_DELETION = "TopicDeletion"
    ALTER_PARTITION_REASSIGNMENT = "AlterPartitionReassignment"
    AUTO_LEADER_BALANCE = "AutoLeaderBalance"
    MANUAL_LEADER_BALANCE = "ManualLeaderBalance"
    CONTROLLED_SHUTDOWN = "ControlledShutdown"
    ISR_CHANGE = "IsrChange"
    LEADER_AND_ISR_RESPONSE_RECEIVED = "LeaderAndIsrResponseReceived"
    LOG_DIR_CHANGE = "LogDirChange"
    UNCLEAN_LEADER_ELECTION_ENABLE = "UncleanLeaderElectionEnable"
    TOPIC_UNCLEAN_LEADER_ELECTION_ENABLE = "TopicUncleanLeaderElectionEnable"
    LIST_PARTITION_REASSIGNMENT = "ListPartitionReassignment"
    UPDATE_METADATA_RESPONSE_RECEIVED = "UpdateMetadataResponseReceived"
