"""The value of a saved cluster's JSON; its opposite is `kadmin.snapshots.writing`."""

import json
import re
from typing import Final, cast

from cluster.model.acl import AclEntry, PatternType, ResourcePattern, ResourceType
from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.controller import Controller, ControllerEpochNode, MigrationState
from cluster.model.fault import Fault, Subject, Thing
from cluster.model.ids import (
    NEVER_READ,
    BrokerEpoch,
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    TopicPartition,
    ZkVersion,
)
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic import (
    RECOVERED,
    RECOVERING,
    PartitionAssignment,
    PartitionState,
    TopicAssignment,
)
from kadmin.errors import UsageError
from kadmin.json_object import BadJsonObject, parse_json_object
from kadmin.plan.log_dirs import LogDir, ReplicaLog
from kadmin.snapshots.fields import INT32_MAX, Fields, WrongField, is_number, is_text
from kadmin.snapshots.saved import SavedCluster, SavedGroup, Source
from kadmin.snapshots.writing import SCHEMA, VERSION
from kadmin.wording import listed

SCHEMA_TEXT: Final = re.compile(rf"{re.escape(SCHEMA)}/([1-9][0-9]{{0,8}})")

HINT: Final = "'kadmin snapshot save FILE' writes such a file"


class BadSnapshot(UsageError):
    """A file that is no saved cluster, or is damaged."""

    def __init__(self, source: str, problem: str, hint: str = HINT) -> None:
        super().__init__(f"cannot use {source}: {problem}", hint=hint)
        self.source = source
        self.problem = problem


def saved_in(text: str, source: str) -> SavedCluster:
    """Return the cluster that was saved as *text*, which is the content of *source*.

    Raises:
        BadSnapshot: it is no snapshot, of a newer kadmin, cut off, or damaged.
    """
    try:
        document = parse_json_object(text)
    except BadJsonObject as error:
        cause = error.__cause__
        if isinstance(cause, json.JSONDecodeError) and f'"schema": "{SCHEMA}/' in text[:200]:
            problem = f"it is cut off or damaged at line {cause.lineno}: {cause.msg}"
            raise BadSnapshot(source, problem, "copy it again, or save it again") from error
        raise BadSnapshot(source, listed(error.problems, "; ")) from error
    check_schema(document.get("schema"), source)
    try:
        return saved_of(Fields(document, ""))
    except WrongField as error:
        raise BadSnapshot(source, str(error), "copy it again, or save it again") from error


def check_schema(schema: object, source: str) -> None:
    found = SCHEMA_TEXT.fullmatch(schema) if isinstance(schema, str) else None
    if found is None:
        raise BadSnapshot(source, f"it is no snapshot: its 'schema' is not '{SCHEMA}/{VERSION}'")
    if int(found[1]) > VERSION:
        raise BadSnapshot(
            source,
            f"it was saved by a newer kadmin, as {schema}; this one reads {SCHEMA}/{VERSION}",
            "use that kadmin, or save the cluster by this one",
        )


def saved_of(fields: Fields) -> SavedCluster:
    topics = [topic_of(each) for each in fields.each("topics")]
    brokers = [broker_of(each) for each in fields.each("brokers")]
    epoch = fields.below("controller_epoch")
    cluster = ClusterSnapshot(
        brokers={each.broker_id: each for each in brokers},
        topics={each.name: each for each in topics},
        controller=controller_of(fields),
        controller_epoch=None
        if epoch is None
        else ControllerEpochNode(
            ControllerEpoch(epoch.integer("epoch", 0, INT32_MAX)), version_in(epoch, "zk_version")
        ),
        migration=migration_of(fields),
        moving=moves_in(fields, "moving"),
        stale_moves=moves_in(fields, "stale_moves"),
        broker_defaults=ConfigOverrides(values=fields.texts("broker_defaults")),
        faults=tuple(map(fault_of, fields.each("faults"))),
    )
    log_dirs: dict[BrokerId, list[LogDir]] = {}
    for each in fields.each("log_dirs"):
        log_dirs.setdefault(each.broker("broker"), []).append(log_dir_of(each))
    saved = SavedCluster(
        tool_version=fields.text("tool_version"),
        taken_at_ms=fields.integer("taken_at_ms", 0),
        source=fields.member("source", Source),
        cluster_id=fields.optional_text("cluster_id"),
        cluster=cluster,
        configs={entity_of(each): each.texts("values") for each in fields.each("configs")},
        secrets=tuple(secrets_in(fields)),
        acls=acls_in(fields),
        log_dirs={broker: tuple(directories) for broker, directories in log_dirs.items()},
        groups=groups_in(fields),
    )
    if fields.integer("partition_count", 0) != saved.partition_count:
        raise WrongField(
            f"it has {saved.partition_count} partitions, and 'partition_count' is"
            f" {fields.values['partition_count']}"
        )
    return saved


def controller_of(fields: Fields) -> Controller | None:
    found = fields.below("controller")
    if found is None:
        return None
    return Controller(
        broker_id=found.broker("broker"),
        timestamp_ms=found.optional_integer("elected_at_ms"),
        kraft_controller_epoch=found.integer("kraft_controller_epoch"),
    )


def migration_of(fields: Fields) -> MigrationState | None:
    found = fields.below("migration")
    if found is None:
        return None
    return MigrationState(
        kraft_controller_id=found.broker("kraft_controller_id", -1),
        kraft_controller_epoch=found.integer("kraft_controller_epoch"),
        kraft_metadata_offset=found.integer("kraft_metadata_offset"),
        kraft_metadata_epoch=found.integer("kraft_metadata_epoch"),
    )


def fault_of(fields: Fields) -> Fault:
    name = fields.text("thing").upper()
    if name not in Thing.__members__:
        fields.refuse("thing", name, "a thing that kadmin knows")
    return Fault(
        subject=Subject(Thing[name], fields.text("name")),
        where=fields.text("where"),
        version=fields.optional_integer("zk_version"),
        reason=fields.text("reason"),
        text=fields.text("text"),
    )


def broker_of(fields: Fields) -> BrokerRegistration:
    endpoints = tuple(
        Endpoint(
            listener=each.text("listener"),
            security_protocol=each.text("security_protocol"),
            host=each.text("host"),
            port=each.integer("port", -1, 65_535),
        )
        for each in fields.each("endpoints")
    )
    refused = fields.each("refused") if "refused" in fields.values else ()
    return BrokerRegistration(
        broker_id=fields.broker("broker"),
        endpoints=endpoints,
        version=fields.integer("registration_version"),
        rack=fields.optional_text("rack"),
        timestamp_ms=fields.optional_integer("registered_at_ms"),
        broker_epoch=BrokerEpoch(fields.integer("broker_epoch")),
        refused={partition_in(each): each.text("reason") for each in refused},
    )


def topic_of(fields: Fields) -> TopicSnapshot:
    name = fields.text("topic")
    partitions: dict[int, PartitionAssignment] = {}
    states: dict[int, PartitionState] = {}
    since: dict[int, int] = {}
    for each in fields.each("partitions"):
        number = each.integer("partition", 0, INT32_MAX)
        if number in partitions:
            raise WrongField(f"'{each.place}' has partition {number} of '{name}' once more")
        partitions[number] = assignment_of(each)
        if "leader" in each.values:
            states[number] = state_of(each)
        if "leaderless_since_ms" in each.values:
            since[number] = each.integer("leaderless_since_ms")
    return TopicSnapshot(
        name=name,
        assignment=TopicAssignment(
            partitions=partitions,
            version=fields.integer("node_version", 0, INT32_MAX),
            topic_id=fields.optional_text("topic_id"),
            zk_version=version_in(fields, "zk_version"),
        ),
        config=ConfigOverrides(values=fields.texts("configs")),
        states=states,
        is_marked_for_deletion=fields.boolean("marked_for_deletion"),
        leaderless_since_ms=since,
    )


def assignment_of(fields: Fields) -> PartitionAssignment:
    replicas = fields.brokers("replicas")
    changing = {key: fields.brokers(key, is_optional=True) for key in ("adding", "removing")}
    for key, brokers in changing.items():
        if not set(brokers) <= set(replicas):
            fields.refuse(key, brokers, "a part of the replicas")
    return PartitionAssignment(replicas, **changing)


def state_of(fields: Fields) -> PartitionState:
    return PartitionState(
        fields.broker("leader", -1),
        fields.brokers("isr"),
        LeaderEpoch(fields.integer("leader_epoch", -2, INT32_MAX)),
        ControllerEpoch(fields.integer("controller_epoch", -2, INT32_MAX)),
        recovery_state_of(fields),
        zk_version=version_in(fields, "zk_version"),
    )


def recovery_state_of(fields: Fields) -> int:
    """Return what the file leaves out where a partition is recovered."""
    if "leader_recovery_state" not in fields.values:
        return RECOVERED
    return fields.integer("leader_recovery_state", RECOVERED, RECOVERING)


def moves_in(fields: Fields, key: str) -> dict[TopicPartition, tuple[BrokerId, ...]]:
    return {partition_in(each): each.brokers("target") for each in fields.each(key)}


def partition_in(fields: Fields) -> TopicPartition:
    return TopicPartition(fields.text("topic"), fields.integer("partition", 0, INT32_MAX))


def entity_of(fields: Fields) -> ConfigEntity:
    parts = [
        Entity(each.member("kind", EntityKind), each.optional_text("name"), each.boolean("raw"))
        for each in fields.each("entity")
    ]
    kinds = [part.kind for part in parts]
    if len(parts) != 1 and kinds != [EntityKind.USERS, EntityKind.CLIENTS]:
        fields.refuse("entity", kinds, "one entity, or a client of a user")
    return ConfigEntity(*parts)


def secrets_in(fields: Fields) -> list[str]:
    found = fields.listed("secrets_left_out")
    if not all(map(is_text, found)):
        fields.refuse("secrets_left_out", found, "a list of text")
    return cast("list[str]", found)


def acls_in(fields: Fields) -> dict[ResourcePattern, tuple[AclEntry, ...]]:
    found: dict[ResourcePattern, tuple[AclEntry, ...]] = {}
    for each in fields.each("acls"):
        resource = ResourcePattern(
            each.member("resource_type", ResourceType),
            each.text("name"),
            each.member("pattern_type", PatternType),
        )
        entry = AclEntry(
            principal=each.text("principal"),
            permission_type=each.text("permission_type"),
            operation=each.text("operation"),
            host=each.text("host"),
        )
        found[resource] = (*found.get(resource, ()), entry)
    return found


def log_dir_of(fields: Fields) -> LogDir:
    rows = fields.row("replicas", (is_text, is_number, is_number, is_number))
    return LogDir(
        path=fields.text("path"),
        replicas=tuple(
            ReplicaLog(
                partition=TopicPartition(cast("str", row[0]), cast("int", row[1])),
                size_bytes=cast("int", row[2]),
                lag_records=cast("int", row[3]),
                is_future=row[4:] == [True],
            )
            for row in rows
        ),
        error_code=fields.integer("error_code"),
        total_bytes=fields.optional_integer("total_bytes"),
        usable_bytes=fields.optional_integer("usable_bytes"),
    )


def groups_in(fields: Fields) -> dict[str, SavedGroup] | None:
    if "groups" not in fields.values:
        return None
    return {
        each.text("group"): SavedGroup(
            state=each.optional_text("state"),
            offsets={
                TopicPartition(cast("str", row[0]), cast("int", row[1])): cast("int", row[2])
                for row in each.row("offsets", (is_text, is_number, is_number))
            },
        )
        for each in fields.each("groups")
    }


def version_in(fields: Fields, key: str) -> ZkVersion:
    found = fields.optional_integer(key, 0)
    return NEVER_READ if found is None else ZkVersion(found)
