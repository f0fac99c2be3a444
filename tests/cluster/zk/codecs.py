"""Which codec is for which path?  The table over which the tests of all codecs run."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from cluster.zk import acls, admin, brokers, cluster, configs, consumers, controller, tokens, topics
from cluster.zk.znode import Znode
from tests.cluster.zk import strategies as values


@dataclass(frozen=True, slots=True)
class Codec:
    """*path* is an example, *pattern* a regular expression for all of the kind."""

    name: str
    path: str
    pattern: str
    values: st.SearchStrategy[Any]
    decode: Callable[[Znode], Any]
    encode: Callable[[Any], bytes]

    def node(self, data: bytes | None) -> Znode:
        return Znode(self.path, data, values.ZK_VERSION, czxid=values.CZXID)


CODECS = (
    Codec(
        "assignment",
        "/brokers/topics/t",
        r"/brokers/topics/[^/]+",
        values.assignments,
        topics.decode_assignment,
        topics.encode_assignment,
    ),
    Codec(
        "state",
        "/brokers/topics/t/partitions/0/state",
        r"/brokers/topics/[^/]+/partitions/[0-9]+/state",
        values.states,
        topics.decode_state,
        topics.encode_state,
    ),
    Codec(
        "broker",
        "/brokers/ids/0",
        r"/brokers/ids/[0-9]+",
        values.registrations(),
        brokers.decode_broker,
        brokers.encode_broker,
    ),
    Codec(
        "controller",
        "/controller",
        "/controller",
        values.controllers,
        controller.decode_controller,
        controller.encode_controller,
    ),
    Codec(
        "controller epoch",
        "/controller_epoch",
        "/controller_epoch",
        values.controller_epochs,
        controller.decode_controller_epoch,
        lambda node: controller.encode_controller_epoch(node.epoch),
    ),
    Codec(
        "migration",
        "/migration",
        "/migration",
        values.migrations,
        controller.decode_migration,
        controller.encode_migration,
    ),
    Codec(
        "config",
        "/config/topics/t",
        r"/config/(topics|brokers|clients|users|ips)/[^/]+(/clients/[^/]+)?",
        values.entity_configs,
        configs.decode_config,
        configs.encode_config,
    ),
    Codec(
        "config change",
        "/config/changes/config_change_0000000000",
        r"/config/changes/config_change_[0-9]{10}",
        values.config_changes,
        configs.decode_config_change,
        configs.encode_config_change,
    ),
    Codec(
        "reassignment",
        "/admin/reassign_partitions",
        "/admin/reassign_partitions",
        values.reassignments,
        admin.decode_reassignment,
        admin.encode_reassignment,
    ),
    Codec(
        "preferred election",
        "/admin/preferred_replica_election",
        "/admin/preferred_replica_election",
        values.partition_lists,
        admin.decode_preferred_election,
        admin.encode_preferred_election,
    ),
    Codec(
        "isr change",
        "/isr_change_notification/isr_change_0000000000",
        r"/isr_change_notification/isr_change_[0-9]{10}",
        values.partition_lists,
        admin.decode_isr_change,
        admin.encode_isr_change,
    ),
    Codec(
        "log dir event",
        "/log_dir_event_notification/log_dir_event_0000000000",
        r"/log_dir_event_notification/log_dir_event_[0-9]{10}",
        values.log_dir_events,
        admin.decode_log_dir_event,
        admin.encode_log_dir_event,
    ),
    Codec(
        "cluster id",
        "/cluster/id",
        "/cluster/id",
        values.cluster_ids,
        cluster.decode_cluster_id,
        cluster.encode_cluster_id,
    ),
    Codec(
        "producer id block",
        "/latest_producer_id_block",
        "/latest_producer_id_block",
        values.producer_id_blocks,
        cluster.decode_producer_id_block,
        cluster.encode_producer_id_block,
    ),
    Codec(
        "features",
        "/feature",
        "/feature",
        values.features,
        cluster.decode_features,
        cluster.encode_features,
    ),
    Codec(
        "acls",
        "/kafka-acl/Topic/t",
        r"/kafka-acl(-extended/prefixed)?/[A-Za-z]+/.+",
        values.acls,
        acls.decode_acls,
        acls.encode_acls,
    ),
    Codec(
        "acl change",
        "/kafka-acl-changes/acl_changes_0000000000",
        r"/kafka-acl-changes/acl_changes_[0-9]{10}",
        values.literal_acl_changes,
        acls.decode_acl_change,
        acls.encode_acl_change,
    ),
    Codec(
        "extended acl change",
        "/kafka-acl-extended-changes/acl_changes_0000000000",
        r"/kafka-acl-extended-changes/acl_changes_[0-9]{10}",
        values.extended_acl_changes,
        acls.decode_extended_acl_change,
        acls.encode_acl_change,
    ),
    Codec(
        "delegation token",
        "/delegation_token/tokens/x",
        r"/delegation_token/tokens/[^/]+",
        values.delegation_tokens(),
        tokens.decode_token,
        tokens.encode_token,
    ),
    Codec(
        "delegation token change",
        "/delegation_token/token_changes/token_change_0000000000",
        r"/delegation_token/token_changes/token_change_[0-9]{10}",
        values.name,
        tokens.decode_token_change,
        tokens.encode_token_change,
    ),
    Codec(
        "consumer",
        "/consumers/g/ids/c",
        r"/consumers/[^/]+/ids/[^/]+",
        values.consumers,
        consumers.decode_consumer,
        consumers.encode_consumer,
    ),
    Codec(
        "consumer owner",
        "/consumers/g/owners/t/0",
        r"/consumers/[^/]+/owners/[^/]+/[0-9]+",
        values.consumer_threads,
        consumers.decode_consumer_owner,
        consumers.encode_consumer_owner,
    ),
    Codec(
        "consumer offset",
        "/consumers/g/offsets/t/0",
        r"/consumers/[^/]+/offsets/[^/]+/[0-9]+",
        values.int64,
        consumers.decode_consumer_offset,
        consumers.encode_consumer_offset,
    ),
)


def codec_for(path: str) -> Codec:
    """The one codec whose pattern *path* has."""
    found = [codec for codec in CODECS if re.fullmatch(codec.pattern, path)]
    assert len(found) == 1, f"{path}: {[codec.name for codec in found]}"
    return found[0]
