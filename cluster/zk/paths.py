"""Where does Kafka keep what in ZooKeeper?

Paths are below the chroot.  Names of users, clients and ips stand URL-encoded in them.
"""

from typing import Final
from urllib.parse import quote, unquote

from cluster.model.ids import BrokerId, TopicPartition

CONTROLLER: Final = "/controller"
CONTROLLER_EPOCH: Final = "/controller_epoch"
BROKERS: Final = "/brokers"
BROKER_IDS: Final = "/brokers/ids"
BROKER_SEQUENCE: Final = "/brokers/seqid"
TOPICS: Final = "/brokers/topics"
CONFIG: Final = "/config"
CONFIG_CHANGES: Final = "/config/changes"
ADMIN: Final = "/admin"
DELETE_TOPICS: Final = "/admin/delete_topics"
REASSIGN_PARTITIONS: Final = "/admin/reassign_partitions"
PREFERRED_ELECTION: Final = "/admin/preferred_replica_election"
ISR_CHANGES: Final = "/isr_change_notification"
LOG_DIR_EVENTS: Final = "/log_dir_event_notification"
CLUSTER_ID: Final = "/cluster/id"
PRODUCER_ID_BLOCK: Final = "/latest_producer_id_block"
FEATURE: Final = "/feature"
MIGRATION: Final = "/migration"
CONSUMERS: Final = "/consumers"

DEFAULT_ENTITY: Final = "<default>"


def broker(broker_id: BrokerId) -> str:
    return f"{BROKER_IDS}/{broker_id}"


def topic(name: str) -> str:
    return f"{TOPICS}/{name}"


def partition(topic_partition: TopicPartition) -> str:
    return f"{TOPICS}/{topic_partition.topic}/partitions/{topic_partition.partition}"


def state(name: str, partition_id: int) -> str:
    return f"{TOPICS}/{name}/partitions/{partition_id}/state"


def topic_config(name: str) -> str:
    return f"{CONFIG}/topics/{name}"


def delete_topic(name: str) -> str:
    return f"{DELETE_TOPICS}/{name}"


def config_change_prefix() -> str:
    return f"{CONFIG_CHANGES}/config_change_"


def sanitized(name: str) -> str:
    """URL-encode a user, client or ip name as Kafka's Sanitizer does; `<default>` stays."""
    return name if name == DEFAULT_ENTITY else quote(name, safe="-._~").replace("~", "%7E")


def desanitized(name: str) -> str:
    return unquote(name)
