"""Paths of znodes in ZooKeeper, below the chroot.

Paths of config entities are in `cluster.zk.configs`.
"""

import re
from typing import TYPE_CHECKING, Final

from cluster.model.ids import BrokerId, TopicPartition

if TYPE_CHECKING:
    from cluster.model.acl import PatternType, ResourcePattern

CONTROLLER: Final = "/controller"
CONTROLLER_EPOCH: Final = "/controller_epoch"
BROKERS: Final = "/brokers"
BROKER_IDS: Final = "/brokers/ids"
BROKER_SEQUENCE: Final = "/brokers/seqid"
INCARNATIONS: Final = "/brokers/incarnations"
TOPICS: Final = "/brokers/topics"
CONFIG: Final = "/config"
CONFIG_CHANGES: Final = "/config/changes"
ADMIN: Final = "/admin"
DELETE_TOPICS: Final = "/admin/delete_topics"
REASSIGN_PARTITIONS: Final = "/admin/reassign_partitions"
PREFERRED_ELECTION: Final = "/admin/preferred_replica_election"
CLUSTER: Final = "/cluster"
ISR_CHANGES: Final = "/isr_change_notification"
LOG_DIR_EVENTS: Final = "/log_dir_event_notification"
CLUSTER_ID: Final = "/cluster/id"
PRODUCER_ID_BLOCK: Final = "/latest_producer_id_block"
FEATURE: Final = "/feature"
MIGRATION: Final = "/migration"
CONSUMERS: Final = "/consumers"
ACLS: Final = "/kafka-acl"
ACL_CHANGES: Final = "/kafka-acl-changes"
EXTENDED_ACLS: Final = "/kafka-acl-extended"
EXTENDED_ACL_CHANGES: Final = "/kafka-acl-extended-changes"
DELEGATION_TOKENS: Final = "/delegation_token/tokens"
DELEGATION_TOKEN_CHANGES: Final = "/delegation_token/token_changes"

DEFAULT_ENTITY: Final = "<default>"


def is_path(path: str) -> bool:
    """Whether ZooKeeper takes *path* for a znode below the root.

    Source: ZooKeeper's PathUtils.validatePath.
    """
    names = path.split("/")[1:]
    return (
        path.startswith("/")
        and not {"", ".", ".."}.intersection(names)
        and all(map(is_allowed, path))
    )


def is_allowed(character: str) -> bool:
    """Whether a path may have *character*: no control character, surrogate or private one."""
    return not (
        character <= "\x1f"
        or "\x7f" <= character <= "\x9f"
        or "\ud800" <= character <= "\uf8ff"
        or "\ufff0" <= character <= "\uffff"
    )


def broker(broker_id: BrokerId) -> str:
    return f"{BROKER_IDS}/{broker_id}"


def incarnation(broker_id: BrokerId) -> str:
    """The path of the number of the broker's last start; none of Kafka's."""
    return f"{INCARNATIONS}/{broker_id}"


def topic(name: str) -> str:
    return f"{TOPICS}/{name}"


def partitions(name: str) -> str:
    return f"{TOPICS}/{name}/partitions"


def partition(topic_partition: TopicPartition) -> str:
    return f"{TOPICS}/{topic_partition.topic}/partitions/{topic_partition.partition}"


def state(name: str, partition_id: int) -> str:
    return f"{TOPICS}/{name}/partitions/{partition_id}/state"


def topic_config(name: str) -> str:
    return f"{CONFIG}/topics/{name}"


def delete_topic(name: str) -> str:
    return f"{DELETE_TOPICS}/{name}"


def config_change_prefix() -> str:
    """To be created with a sequence number, as all prefixes here."""
    return f"{CONFIG_CHANGES}/config_change_"


def isr_change_prefix() -> str:
    return f"{ISR_CHANGES}/isr_change_"


def log_dir_event_prefix() -> str:
    return f"{LOG_DIR_EVENTS}/log_dir_event_"


def acl_store(pattern_type: "PatternType") -> str:
    """The path of the rules of all resources of that pattern type, by type of resource."""
    return ACLS if pattern_type == "LITERAL" else f"{EXTENDED_ACLS}/{pattern_type.lower()}"


def acls(resource: "ResourcePattern") -> str:
    return f"{acl_store(resource.pattern_type)}/{resource.resource_type}/{resource.name}"


def acl_change_prefix(resource: "ResourcePattern") -> str:
    store = ACL_CHANGES if resource.is_literal else EXTENDED_ACL_CHANGES
    return f"{store}/acl_changes_"


def delegation_token(token_id: str) -> str:
    return f"{DELEGATION_TOKENS}/{token_id}"


def delegation_token_change_prefix() -> str:
    return f"{DELEGATION_TOKEN_CHANGES}/token_change_"


def consumer_group(group: str) -> str:
    return f"{CONSUMERS}/{group}"


def consumer_ids(group: str) -> str:
    return f"{CONSUMERS}/{group}/ids"


def consumer_owners(group: str) -> str:
    return f"{CONSUMERS}/{group}/owners"


def consumer_offsets(group: str) -> str:
    return f"{CONSUMERS}/{group}/offsets"


def consumer(group: str, consumer_id: str) -> str:
    return f"{consumer_ids(group)}/{consumer_id}"


def consumer_owner(group: str, topic_partition: TopicPartition) -> str:
    return f"{consumer_owners(group)}/{topic_partition.topic}/{topic_partition.partition}"


def consumer_offset(group: str, topic_partition: TopicPartition) -> str:
    return f"{consumer_offsets(group)}/{topic_partition.topic}/{topic_partition.partition}"


def sanitized(name: str) -> str:
    """URL-encode a name as Kafka's Sanitizer does: all but ASCII letters, digits and `.-_`."""
    # Imported here: a list of topics needs neither it nor what it imports.
    from urllib.parse import quote

    return quote(name, safe="").replace("~", "%7E")


ILLEGAL_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
"""What Java's decoder refuses."""


def desanitized(name: str) -> str:
    """Undo `sanitized`; `+` also means a blank, as in Java's decoder."""
    from urllib.parse import unquote_plus

    return unquote_plus(name)
