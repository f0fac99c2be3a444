"""Beans of the controller; those of the cluster are 0 where a broker is not the controller."""

from typing import Final

from cluster.metrics.beans import BeanType

KAFKA_CONTROLLER: Final = BeanType("kafka.controller", "KafkaController")
ACTIVE_CONTROLLERS: Final = KAFKA_CONTROLLER.gauge(
    "ActiveControllerCount", "1 if this broker is the controller, else 0."
)
CONTROLLER_STATE: Final = KAFKA_CONTROLLER.gauge(
    "ControllerState",
    "What the controller is busy with, by the number of Kafka's ControllerState; 0 is idle.",
)
OFFLINE_PARTITIONS: Final = KAFKA_CONTROLLER.gauge(
    "OfflinePartitionsCount", "Partitions without a leader."
)
IMBALANCE: Final = KAFKA_CONTROLLER.gauge(
    "PreferredReplicaImbalanceCount", "Partitions that are not led by their preferred replicas."
)
GLOBAL_TOPICS: Final = KAFKA_CONTROLLER.gauge("GlobalTopicCount", "Topics of the cluster.")
GLOBAL_PARTITIONS: Final = KAFKA_CONTROLLER.gauge(
    "GlobalPartitionCount", "Partitions of the cluster."
)
TOPICS_TO_DELETE: Final = KAFKA_CONTROLLER.gauge(
    "TopicsToDeleteCount", "Topics that are to be deleted."
)
REPLICAS_TO_DELETE: Final = KAFKA_CONTROLLER.gauge(
    "ReplicasToDeleteCount", "Replicas of topics that are to be deleted."
)
TOPICS_INELIGIBLE: Final = KAFKA_CONTROLLER.gauge(
    "TopicsIneligibleToDeleteCount", "Topics whose deletion has to wait."
)
REPLICAS_INELIGIBLE: Final = KAFKA_CONTROLLER.gauge(
    "ReplicasIneligibleToDeleteCount", "Replicas whose deletion has to wait."
)
ACTIVE_BROKERS: Final = KAFKA_CONTROLLER.gauge("ActiveBrokerCount", "Brokers that are registered.")
FENCED_BROKERS: Final = KAFKA_CONTROLLER.gauge(
    # Kafka's is constant with ZooKeeper, too; alerts compare it with ActiveBrokerCount.
    "FencedBrokerCount",
    "Always 0: with ZooKeeper no broker is fenced, in Kafka as here.",
)

CONTROLLER_STATS: Final = BeanType("kafka.controller", "ControllerStats")
_TIMER_NAMES: Final = {
    "BrokerChange": "LeaderElection",
    "AlterPartitionReassignment": "PartitionReassignment",
}
TIMERS: Final = {
    state: CONTROLLER_STATS.timer(
        f"{_TIMER_NAMES.get(state, state)}RateAndTimeMs",
        f"How long events of the kind {state} took.",
    )
    for state in (
        *("ControllerChange", "BrokerChange", "TopicChange", "TopicDeletion"),
        *("AlterPartitionReassignment", "AutoLeaderBalance", "ManualLeaderBalance"),
        *("ControlledShutdown", "IsrChange", "LeaderAndIsrResponseReceived", "LogDirChange"),
        *("UncleanLeaderElectionEnable", "TopicUncleanLeaderElectionEnable"),
        "ListPartitionReassignment",
    )
}
"""By the controller's state; Kafka has none for answers to UpdateMetadata."""
UNCLEAN_ELECTIONS: Final = CONTROLLER_STATS.meter(
    "UncleanLeaderElectionsPerSec", "Elections of leaders that were not in the ISR."
)

EVENT_MANAGER: Final = BeanType("kafka.controller", "ControllerEventManager")
EVENT_QUEUE_SIZE: Final = EVENT_MANAGER.gauge(
    "EventQueueSize", "Events that wait for the controller."
)
EVENT_QUEUE_TIME: Final = EVENT_MANAGER.histogram(
    "EventQueueTimeMs", "How long events waited for the controller."
)

CHANNEL_MANAGER: Final = BeanType("kafka.controller", "ControllerChannelManager")
TOTAL_QUEUE_SIZE: Final = CHANNEL_MANAGER.gauge(
    "TotalQueueSize",
    "Orders to all brokers that wait for an answer.",
    differs="Those in flight count.",
)
QUEUE_SIZE: Final = CHANNEL_MANAGER.gauge(
    "QueueSize",
    "Orders to a broker that wait for an answer.",
    tags=("broker-id",),
    differs="The one in flight counts.",
)
ORDERS: Final = CHANNEL_MANAGER.timer(
    "RequestRateAndQueueTimeMs",
    "Orders that were sent to a broker, and how long they waited for their turn.",
    tags=("broker-id",),
)
