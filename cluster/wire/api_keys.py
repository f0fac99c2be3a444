"""API keys: the number of each API, and the module with its messages."""

from enum import IntEnum
from typing import Final


class ApiKey(IntEnum):
    PRODUCE = 0
    FETCH = 1
    LIST_OFFSETS = 2
    METADATA = 3
    LEADER_AND_ISR = 4
    STOP_REPLICA = 5
    UPDATE_METADATA = 6
    CONTROLLED_SHUTDOWN = 7
    OFFSET_COMMIT = 8
    OFFSET_FETCH = 9
    FIND_COORDINATOR = 10
    JOIN_GROUP = 11
    HEARTBEAT = 12
    LEAVE_GROUP = 13
    SYNC_GROUP = 14
    DESCRIBE_GROUPS = 15
    LIST_GROUPS = 16
    SASL_HANDSHAKE = 17
    API_VERSIONS = 18
    CREATE_TOPICS = 19
    DELETE_TOPICS = 20
    DELETE_RECORDS = 21
    INIT_PRODUCER_ID = 22
    OFFSET_FOR_LEADER_EPOCH = 23
    DESCRIBE_ACLS = 29
    CREATE_ACLS = 30
    DELETE_ACLS = 31
    DESCRIBE_CONFIGS = 32
    ALTER_CONFIGS = 33
    ALTER_REPLICA_LOG_DIRS = 34
    DESCRIBE_LOG_DIRS = 35
    SASL_AUTHENTICATE = 36
    CREATE_PARTITIONS = 37
    DELETE_GROUPS = 42
    ELECT_LEADERS = 43
    INCREMENTAL_ALTER_CONFIGS = 44
    ALTER_PARTITION_REASSIGNMENTS = 45
    LIST_PARTITION_REASSIGNMENTS = 46
    OFFSET_DELETE = 47
    DESCRIBE_CLIENT_QUOTAS = 48
    ALTER_CLIENT_QUOTAS = 49
    DESCRIBE_USER_SCRAM_CREDENTIALS = 50
    ALTER_USER_SCRAM_CREDENTIALS = 51
    ALTER_PARTITION = 56
    UPDATE_FEATURES = 57
    DESCRIBE_CLUSTER = 60
    DESCRIBE_PRODUCERS = 61
    ALLOCATE_PRODUCER_IDS = 67


MODULES: Final = {
    ApiKey.PRODUCE: "produce",
    ApiKey.FETCH: "fetch",
    ApiKey.LIST_OFFSETS: "list_offsets",
    ApiKey.METADATA: "metadata",
    ApiKey.LEADER_AND_ISR: "leader_and_isr",
    ApiKey.STOP_REPLICA: "stop_replica",
    ApiKey.UPDATE_METADATA: "update_metadata",
    ApiKey.CONTROLLED_SHUTDOWN: "controlled_shutdown",
    ApiKey.OFFSET_COMMIT: "offset_commit",
    ApiKey.OFFSET_FETCH: "offset_fetch",
    ApiKey.FIND_COORDINATOR: "find_coordinator",
    ApiKey.JOIN_GROUP: "group_members",
    ApiKey.HEARTBEAT: "group_members",
    ApiKey.LEAVE_GROUP: "group_members",
    ApiKey.SYNC_GROUP: "group_members",
    ApiKey.DESCRIBE_GROUPS: "groups",
    ApiKey.LIST_GROUPS: "groups",
    ApiKey.DELETE_GROUPS: "groups",
    ApiKey.OFFSET_DELETE: "groups",
    ApiKey.SASL_HANDSHAKE: "sasl",
    ApiKey.SASL_AUTHENTICATE: "sasl",
    ApiKey.API_VERSIONS: "api_versions",
    ApiKey.CREATE_TOPICS: "topics",
    ApiKey.DELETE_TOPICS: "topics",
    ApiKey.CREATE_PARTITIONS: "topics",
    ApiKey.DELETE_RECORDS: "topics",
    ApiKey.INIT_PRODUCER_ID: "producers",
    ApiKey.DESCRIBE_PRODUCERS: "producers",
    ApiKey.ALLOCATE_PRODUCER_IDS: "producers",
    ApiKey.OFFSET_FOR_LEADER_EPOCH: "offset_for_leader_epoch",
    ApiKey.DESCRIBE_ACLS: "acls",
    ApiKey.CREATE_ACLS: "acls",
    ApiKey.DELETE_ACLS: "acls",
    ApiKey.DESCRIBE_CONFIGS: "configs",
    ApiKey.ALTER_CONFIGS: "configs",
    ApiKey.INCREMENTAL_ALTER_CONFIGS: "configs",
    ApiKey.ALTER_REPLICA_LOG_DIRS: "log_dirs",
    ApiKey.DESCRIBE_LOG_DIRS: "log_dirs",
    ApiKey.ELECT_LEADERS: "elect_leaders",
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: "reassignments",
    ApiKey.LIST_PARTITION_REASSIGNMENTS: "reassignments",
    ApiKey.DESCRIBE_CLIENT_QUOTAS: "quotas",
    ApiKey.ALTER_CLIENT_QUOTAS: "quotas",
    ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS: "scram",
    ApiKey.ALTER_USER_SCRAM_CREDENTIALS: "scram",
    ApiKey.ALTER_PARTITION: "alter_partition",
    ApiKey.UPDATE_FEATURES: "features",
    ApiKey.DESCRIBE_CLUSTER: "cluster",
}
"""The module of `cluster.wire.messages` that has an API's request and response."""

assert MODULES.keys() == set(ApiKey)
