"""The schemas of the API's answers, as JSON Schema: those of the commands' `--output json`.

A test asks for every answer and compares.
"""

from typing import Any, Final, TypeAlias

from kadmin.plan.health import Finding

Schema: TypeAlias = dict[str, Any]

INTEGER: Final[Schema] = {"type": "integer"}
NUMBER: Final[Schema] = {"type": "number"}
TEXT: Final[Schema] = {"type": "string"}
FLAG: Final[Schema] = {"type": "boolean"}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def several(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def record(**fields: Schema) -> Schema:
    """Return the schema of an object with these *fields*, and no others."""
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def document(name: str, **fields: Schema) -> Schema:
    """Return the schema of a document, whose `schema` is *name*."""
    return record(schema={"const": name}, **fields)


def by_name(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


FAULTS: Final = several(record(path=TEXT, zk_version=or_null(INTEGER), reason=TEXT))

CLUSTER: Final = record(
    name=TEXT,
    read_at_ms=or_null(INTEGER),
    failure=or_null(TEXT),
    is_healthy=or_null(FLAG),
    worst=or_null(TEXT),
    broker_count=or_null(INTEGER),
    controller=or_null(INTEGER),
    topic_count=or_null(INTEGER),
    partition_count=or_null(INTEGER),
)
CLUSTERS: Final = record(clusters=several(CLUSTER))

CHECK: Final = document(
    "kadmin.check/1",
    healthy=FLAG,
    worst=or_null(TEXT),
    brokers=INTEGER,
    controller=or_null(INTEGER),
    topics=INTEGER,
    partitions=INTEGER,
    findings=several(
        record(
            severity=TEXT,
            kind=TEXT,
            text=TEXT,
            partitions=several(TEXT),
            topics=several(TEXT),
            brokers=several(INTEGER),
            command=or_null(TEXT),
            groups=several(TEXT),
        )
    ),
    not_looked_at=several(TEXT),
)

CONTROLLER: Final = document(
    "kadmin.controller/1",
    controller=or_null(INTEGER),
    endpoints=several(TEXT),
    epoch=or_null(INTEGER),
    epoch_zk_version=or_null(INTEGER),
    since=or_null(TEXT),
    owner=TEXT,
    migration=or_null(TEXT),
    quorum=or_null(
        record(
            high_watermark=or_null(INTEGER),
            replicas=several(
                record(
                    node=INTEGER,
                    role=TEXT,
                    endpoints=several(TEXT),
                    log_end_offset=or_null(INTEGER),
                    lag=or_null(INTEGER),
                    last_fetch=or_null(TEXT),
                    last_caught_up=or_null(TEXT),
                )
            ),
        )
    ),
    features=several(
        record(
            feature=TEXT,
            level=INTEGER,
            level_name=TEXT,
            supported_min=INTEGER,
            supported_max=INTEGER,
        )
    ),
    faults=FAULTS,
)

BROKERS: Final = document(
    "kadmin.brokers.describe/1",
    brokers=several(
        record(
            id=INTEGER,
            state=TEXT,
            endpoints=several(TEXT),
            rack=or_null(TEXT),
            epoch=or_null(INTEGER),
            since=or_null(TEXT),
            registration_version=or_null(INTEGER),
            replicas=INTEGER,
            replica_skew_percent=or_null(INTEGER),
            leaders=INTEGER,
            preferred_leaders=INTEGER,
            leader_skew_percent=or_null(INTEGER),
            is_controller=FLAG,
        )
    ),
    faults=FAULTS,
)

OF_LOGS: Final = {
    "replicas": INTEGER,
    "size_bytes": INTEGER,
    "lag_max": INTEGER,
    "future_replicas": INTEGER,
    "log_dirs": INTEGER,
    "offline_log_dirs": INTEGER,
    "total_bytes": or_null(INTEGER),
    "usable_bytes": or_null(INTEGER),
}
LOG_DIRS: Final = document(
    "kadmin.log-dirs/1",
    by=TEXT,
    rows=several(record(broker=INTEGER, log_dir=TEXT, **OF_LOGS)),
    hidden_rows=INTEGER,
    total=record(**OF_LOGS),
    silent_brokers=several(INTEGER),
    dead_brokers=several(INTEGER),
)

PARTITION: Final = record(
    partition=INTEGER,
    leader=or_null(INTEGER),
    leader_epoch=or_null(INTEGER),
    controller_epoch=or_null(INTEGER),
    preferred_leader=INTEGER,
    replicas=several(INTEGER),
    isr=several(INTEGER),
    elr=or_null(several(INTEGER)),
    last_known_elr=or_null(several(INTEGER)),
    adding_replicas=several(INTEGER),
    removing_replicas=several(INTEGER),
    min_isr=INTEGER,
    findings=several(TEXT),
    leaderless_since=or_null(TEXT),
    needs_brokers=several(INTEGER),
    refused_by=by_name(TEXT),
)
TOPIC: Final = document(
    "kadmin.topics.describe/1",
    controller=or_null(INTEGER),
    brokers=several(INTEGER),
    topics=several(
        record(
            name=TEXT,
            topic_id=or_null(TEXT),
            partition_count=INTEGER,
            replication_factor=INTEGER,
            configs=by_name(TEXT),
            internal=FLAG,
            marked_for_deletion=FLAG,
            partitions=several(PARTITION),
        )
    ),
    faults=FAULTS,
)

TOPICS: Final = document(
    "kadmin.topics.summary/1",
    topics=several(
        record(
            topic=TEXT,
            partitions=INTEGER,
            replication_factor_min=INTEGER,
            replication_factor_max=INTEGER,
            size_bytes=or_null(INTEGER),
            unsized_replicas=or_null(INTEGER),
            marked_for_deletion=FLAG,
            **{finding.name.lower(): INTEGER for finding in Finding},
        )
    ),
    hidden_topics=INTEGER,
    faults=FAULTS,
)

SPREAD: Final = document(
    "kadmin.page.spread/1",
    topics=several(
        record(
            topic=TEXT,
            partitions=INTEGER,
            brokers=INTEGER,
            broker_skew_percent=INTEGER,
            leader_skew_percent=INTEGER,
            spread_percent=INTEGER,
            under_replicated_percent=INTEGER,
            preferred_percent=INTEGER,
            size_bytes=or_null(INTEGER),
            unsized_replicas=or_null(INTEGER),
            offsets_sum=or_null(INTEGER),
            unknown_ends=INTEGER,
            records_per_s=or_null(NUMBER),
        )
    ),
    hidden_topics=INTEGER,
)

MOVES: Final = document(
    "kadmin.reassign.list/1",
    partitions=several(
        record(
            topic=TEXT,
            partition=INTEGER,
            replicas=several(INTEGER),
            adding=several(INTEGER),
            removing=several(INTEGER),
            target=several(INTEGER),
            bytes_left=or_null(INTEGER),
            lag_records=or_null(INTEGER),
            lags=several(record(broker=INTEGER, lag_records=or_null(INTEGER))),
        )
    ),
    log_dirs=several({"type": "object"}),
    not_there=several(record(topic=TEXT, partition=INTEGER, target=several(INTEGER))),
)

OF_GROUP: Final = {
    "group": TEXT,
    "state": TEXT,
    "member_count": INTEGER,
    "lag": INTEGER,
    "unknown_lags": INTEGER,
    "lag_ms": or_null(INTEGER),
}
MOVEMENT: Final = {"read_per_s": or_null(NUMBER), "written_per_s": or_null(NUMBER)}
UNANSWERED: Final = several(record(group=TEXT, reason=TEXT))

GROUPS: Final = document(
    "kadmin.groups.verdict/1",
    time_ms=INTEGER,
    behind_after_ms=INTEGER,
    window_ms=INTEGER,
    groups=several(
        record(
            **OF_GROUP,
            verdict=TEXT,
            **MOVEMENT,
            caught_up_in_s=or_null(NUMBER),
            partitions=several(
                record(
                    topic=TEXT,
                    partition=INTEGER,
                    verdict=TEXT,
                    reason=TEXT,
                    current_offset=or_null(INTEGER),
                    log_end_offset=or_null(INTEGER),
                    lag=or_null(INTEGER),
                    lag_ms=or_null(INTEGER),
                    **MOVEMENT,
                    consumer_id=or_null(TEXT),
                    host=or_null(TEXT),
                )
            ),
        )
    ),
    hidden_groups=INTEGER,
    untold=UNANSWERED,
)

GROUP: Final = document(
    "kadmin.groups.describe/1",
    time_ms=INTEGER,
    groups=several(
        record(
            **OF_GROUP,
            partitions=several(
                record(
                    topic=TEXT,
                    partition=INTEGER,
                    current_offset=or_null(INTEGER),
                    log_start_offset=or_null(INTEGER),
                    log_end_offset=or_null(INTEGER),
                    lag=or_null(INTEGER),
                    lag_ms=or_null(INTEGER),
                    lag_ms_is_lower_bound=FLAG,
                    unread_since_ms=or_null(INTEGER),
                    condition=TEXT,
                    **MOVEMENT,
                    caught_up_in_s=or_null(NUMBER),
                    consumer_id=or_null(TEXT),
                    host=or_null(TEXT),
                    client_id=or_null(TEXT),
                    reason=or_null(TEXT),
                )
            ),
        )
    ),
    hidden_partitions=INTEGER,
    untold=UNANSWERED,
)

PROBLEM: Final = {
    **record(type=TEXT, title=TEXT, status=INTEGER, detail=TEXT),
    "required": ["type", "title", "status"],
}
"""The answer to a request that failed.  Source: RFC 9457."""
