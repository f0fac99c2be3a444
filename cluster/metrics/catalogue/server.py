"""Beans of the records that come and go, of replicas and fetchers, and of the broker itself."""

from typing import Final

from cluster.metrics.beans import Bean, BeanType

BROKER_TOPIC: Final = BeanType("kafka.server", "BrokerTopicMetrics")


def broker_topic(name: str, meaning: str, differs: str = "") -> tuple[Bean, Bean]:
    """Return the beans of all topics together, and of each."""
    return (
        BROKER_TOPIC.meter(name, f"{meaning}, of all topics.", differs=differs),
        BROKER_TOPIC.meter(name, f"{meaning}, of a topic.", tags=("topic",), differs=differs),
    )


MESSAGES_IN: Final = broker_topic("MessagesInPerSec", "Records that were appended")
BYTES_IN: Final = broker_topic("BytesInPerSec", "Bytes of batches that were appended")
BYTES_OUT: Final = broker_topic("BytesOutPerSec", "Bytes that consumers were sent")
BYTES_REJECTED: Final = broker_topic(
    "BytesRejectedPerSec", "Bytes of batches that were refused for their size"
)
PRODUCE_REQUESTS: Final = broker_topic(
    "TotalProduceRequestsPerSec", "Batches that were to be appended"
)
FETCH_REQUESTS: Final = broker_topic(
    "TotalFetchRequestsPerSec",
    "Partitions that were read for fetches",
    "In a session only partitions that may have news are read.",
)
FAILED_PRODUCE: Final = broker_topic(
    "FailedProduceRequestsPerSec", "Batches that were refused for what is in them"
)
FAILED_FETCH: Final = broker_topic(
    "FailedFetchRequestsPerSec", "Reads that failed, of damaged records for example"
)
PRODUCE_CONVERSIONS: Final = broker_topic(
    "ProduceMessageConversionsPerSec",
    "Records of producers before 0.11 that were converted to batches",
)
FETCH_CONVERSIONS: Final = broker_topic(
    "FetchMessageConversionsPerSec",
    "Records that were converted for consumers before 0.11",
    "All records of a batch that was converted, those before the offset that was asked for as"
    " well.",
)
REPLICATION_BYTES_IN: Final = BROKER_TOPIC.meter(
    "ReplicationBytesInPerSec", "Bytes that followers of this broker have fetched."
)
REPLICATION_BYTES_OUT: Final = BROKER_TOPIC.meter(
    "ReplicationBytesOutPerSec", "Bytes that other brokers' followers were sent."
)
REASSIGNMENT_BYTES_IN: Final = BROKER_TOPIC.meter(
    "ReassignmentBytesInPerSec", "Bytes that replicas which are being added here have fetched."
)
REASSIGNMENT_BYTES_OUT: Final = BROKER_TOPIC.meter(
    "ReassignmentBytesOutPerSec", "Bytes that replicas which are being added elsewhere were sent."
)
NO_KEY: Final = BROKER_TOPIC.meter(
    "NoKeyCompactedTopicRecordsPerSec",
    "Records that a compacted topic refused since they had no key.",
)
INVALID_CRC: Final = BROKER_TOPIC.meter(
    "InvalidMessageCrcRecordsPerSec",
    "Batches that were refused as damaged.",
    differs="All damage of a batch counts, not the checksum alone.",
)
INVALID_SEQUENCE: Final = BROKER_TOPIC.meter(
    "InvalidOffsetOrSequenceRecordsPerSec",
    "Batches that were refused for their sequence numbers.",
    differs="Batches of producers out of sequence, and no offsets within batches.",
)

REPLICA_MANAGER: Final = BeanType("kafka.server", "ReplicaManager")
LEADER_COUNT: Final = REPLICA_MANAGER.gauge("LeaderCount", "Partitions that this broker leads.")
PARTITION_COUNT: Final = REPLICA_MANAGER.gauge("PartitionCount", "Replicas of this broker.")
OFFLINE_REPLICAS: Final = REPLICA_MANAGER.gauge(
    "OfflineReplicaCount", "Replicas in log directories that have failed."
)
UNDER_REPLICATED: Final = REPLICA_MANAGER.gauge(
    "UnderReplicatedPartitions",
    "Partitions that this broker leads and whose ISR lacks replicas.",
)
UNDER_MIN_ISR: Final = REPLICA_MANAGER.gauge(
    "UnderMinIsrPartitionCount",
    "Partitions that this broker leads and whose ISR is below `min.insync.replicas`.",
)
AT_MIN_ISR: Final = REPLICA_MANAGER.gauge(
    "AtMinIsrPartitionCount",
    "Partitions that this broker leads and whose ISR has just `min.insync.replicas`.",
)
REASSIGNING: Final = REPLICA_MANAGER.gauge(
    "ReassigningPartitions", "Partitions that this broker leads and that are being reassigned."
)
PRODUCER_IDS: Final = REPLICA_MANAGER.gauge(
    "ProducerIdCount", "Producers whose sequence numbers are known, by partition."
)
ISR_SHRINKS: Final = REPLICA_MANAGER.meter(
    "IsrShrinksPerSec", "Changes that took members out of ISRs."
)
ISR_EXPANDS: Final = REPLICA_MANAGER.meter(
    "IsrExpandsPerSec", "Changes that brought members into ISRs."
)
FAILED_ISR_UPDATES: Final = REPLICA_MANAGER.meter(
    "FailedIsrUpdatesPerSec", "Changes of ISRs that the controller refused."
)

FETCHER_MANAGER: Final = BeanType("kafka.server", "ReplicaFetcherManager")
_CLIENT: Final = ("clientId",)
FAILED_PARTITIONS: Final = FETCHER_MANAGER.gauge(
    "FailedPartitionsCount",
    "Partitions that are not fetched until the controller orders it anew.",
    tags=_CLIENT,
)
MAX_LAG: Final = FETCHER_MANAGER.gauge(
    "MaxLag", "By how many records the replica that lags most is behind.", tags=_CLIENT
)
MIN_FETCH_RATE: Final = FETCHER_MANAGER.gauge(
    "MinFetchRate", "Requests a second of the slowest fetcher, in the last minute.", tags=_CLIENT
)
CONSUMER_LAG: Final = BeanType("kafka.server", "FetcherLagMetrics").gauge(
    "ConsumerLag",
    "By how many records a replica of this broker is behind its leader.",
    tags=("clientId", "topic", "partition"),
)
FETCHER_STATS: Final = BeanType("kafka.server", "FetcherStats")
_LEADER: Final = ("clientId", "brokerHost", "brokerPort")
FETCHER_REQUESTS: Final = FETCHER_STATS.meter(
    "RequestsPerSec", "Fetches that a leader has answered.", tags=_LEADER
)
FETCHER_BYTES: Final = FETCHER_STATS.meter(
    "BytesPerSec", "Bytes that were fetched from a leader.", tags=_LEADER
)

PURGATORY: Final = BeanType("kafka.server", "DelayedOperationPurgatory")
_OPERATION: Final = ("delayedOperation",)
PURGATORY_SIZE: Final = PURGATORY.gauge(
    "PurgatorySize",
    "Conditions that requests of a kind wait for: records of a partition, for example.",
    tags=_OPERATION,
    differs="What is over no longer counts; Kafka removes it later.",
)
DELAYED_OPERATIONS: Final = PURGATORY.gauge(
    "NumDelayedOperations", "Requests of a kind that wait.", tags=_OPERATION
)

SESSION_CACHE: Final = BeanType("kafka.server", "FetchSessionCache")
FETCH_SESSIONS: Final = SESSION_CACHE.gauge(
    "NumIncrementalFetchSessions", "Sessions of consumers and followers that fetch."
)
SESSION_PARTITIONS: Final = SESSION_CACHE.gauge(
    "NumIncrementalFetchPartitionsCached", "Partitions of these sessions."
)
SESSION_EVICTIONS: Final = SESSION_CACHE.meter(
    "IncrementalFetchSessionEvictionsPerSec", "Sessions that made room for others."
)

HANDLER_IDLE: Final = BeanType("kafka.server", "KafkaRequestHandlerPool").meter(
    "RequestHandlerAvgIdlePercent",
    "The share of the time, from 0 to 1, in which the event loop had nothing to do: its rates."
    "  Its count is in nanoseconds.",
    differs="There is one thread for requests, the event loop.",
)

KAFKA_SERVER: Final = BeanType("kafka.server", "KafkaServer")
BROKER_STATE: Final = KAFKA_SERVER.gauge(
    "BrokerState", "1 starting, 2 recovering logs, 3 running, 6 shutting down, 7 shut down."
)
CLUSTER_ID: Final = KAFKA_SERVER.gauge("ClusterId", "The id of the cluster.")
METRICS_COUNT: Final = KAFKA_SERVER.gauge(
    "yammer-metrics-count",
    "How many metrics there are.",
    differs="What is read of all partitions by one function counts once.",
)

EXPIRE_LISTENER: Final = BeanType("kafka.server", "SessionExpireListener")
SESSION_STATE: Final = EXPIRE_LISTENER.gauge(
    "SessionState", "CONNECTED or CONNECTING: whether ZooKeeper answers."
)
ZK_DISCONNECTS: Final = EXPIRE_LISTENER.meter(
    "ZooKeeperDisconnectsPerSec", "Connections to ZooKeeper that were lost."
)
ZK_EXPIRES: Final = EXPIRE_LISTENER.meter(
    "ZooKeeperExpiresPerSec", "Sessions with ZooKeeper that expired."
)
ZK_CONNECTS: Final = EXPIRE_LISTENER.meter(
    "ZooKeeperSyncConnectsPerSec", "Connections to ZooKeeper that were made."
)
ZK_LATENCY: Final = BeanType("kafka.server", "ZooKeeperClientMetrics").histogram(
    "ZooKeeperRequestLatencyMs", "How long ZooKeeper took to answer requests."
)
