"""Snapshots of a live cluster, as they are saved: what is read from where, and what cannot be.

What may change most is read last: the topics and their partitions.
"""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, TypeVar

from kadmin.app.session import Session
from kadmin.snapshots.saved import SavedCluster, SavedGroup, Section, Source
from kadmin.version import VERSION

if TYPE_CHECKING:
    from cluster.model.acl import AclEntry, ResourcePattern
    from cluster.model.config_entity import ConfigEntity, ConfigOverrides
    from cluster.model.fault import Fault, Subject
    from cluster.model.ids import BrokerId
    from cluster.model.snapshot import ClusterSnapshot
    from kadmin.admin.ports import AclAdmin, ConfigAdmin
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.admin.zookeeper.connection import Connection
    from kadmin.arguments.entities import EntitySelection
    from kadmin.plan.log_dirs import LogDirs

T = TypeVar("T")

WITHOUT_GROUPS: Final = frozenset(Section) - {Section.GROUPS}
LAYOUT: Final = frozenset({Section.CLUSTER, Section.BROKERS, Section.TOPICS, Section.LOG_DIRS})
"""What a planner or a simulation uses."""

TELLS_CONFIGS: Final = (2, 4)
"""The first release whose brokers return all configs of topics."""


@dataclass(slots=True)
class Parts:
    """The parts of a snapshot that may be missing in it; *faults* has the reasons."""

    session: Session
    faults: "list[Fault]" = field(default_factory=list)

    def ask(self, subject: "Subject", what: str, call: Callable[[], T]) -> T | None:
        """Return what *call* returns; None, and a fault of *what*, where it fails."""
        from kadmin.admin.wire.attempts import Attempts

        attempts = Attempts(self.session.budget)
        found = attempts.ask(what, call)
        for text in (*attempts.hidden, *attempts.gaps):
            self.note(subject, what, text.removeprefix(f"{what}: "))
        return found

    def note(self, subject: "Subject", what: str, reason: str) -> None:
        from cluster.model.fault import Fault

        text = f"{what}: {reason}"
        self.faults.append(
            Fault(subject=subject, where=what, version=None, reason=reason, text=text)
        )


def read_saved(
    session: Session,
    sections: Collection[Section] = WITHOUT_GROUPS,
    *,
    asks_brokers: bool = True,
) -> SavedCluster:
    """Read the *sections* of the cluster that is meant, and always what topics depend on.

    Where ZooKeeper is read, brokers are asked for their log directories, unless *asks_brokers* is
    False.

    Raises:
        UnreachableError: brokers and topics cannot be read.
    """
    parts = Parts(session)

    def by_zookeeper(connection: "Connection") -> SavedCluster:
        return read_by_zookeeper(parts, connection, sections, asks_brokers=asks_brokers)

    def by_brokers(connection: "WireConnection") -> SavedCluster:
        return read_by_brokers(parts, connection, sections)

    # Their coordinators may keep it waiting, so they come first.
    groups = read_groups(parts) if Section.GROUPS in sections else None
    with session.asked(by_zookeeper, by_brokers) as saved:
        return replace(saved, groups=groups)


def read_by_zookeeper(
    parts: Parts,
    connection: "Connection",
    sections: Collection[Section],
    *,
    asks_brokers: bool,
) -> SavedCluster:
    from cluster.model import fault as subjects
    from kadmin.admin.zookeeper.cluster_id import read_cluster_id
    from kadmin.admin.zookeeper.snapshot import read_brokers
    from kadmin.admin.zookeeper.zookeeper_acls import ZooKeeperAcls
    from kadmin.admin.zookeeper.zookeeper_configs import ZooKeeperConfigs
    from kadmin.admin.zookeeper.zookeeper_topics import ZooKeeperTopics
    from kadmin.arguments.topics import TopicSelection

    session = parts.session
    cluster_id = parts.ask(
        subjects.CLUSTER_ID, "the cluster's id", lambda: connection.read(read_cluster_id())
    )
    configs = read_configs(parts, ZooKeeperConfigs(connection), sections)
    acls: Mapping[ResourcePattern, tuple[AclEntry, ...]] = {}
    if Section.ACLS in sections:
        acls = read_acls(parts, lambda: ZooKeeperAcls(connection, session.warn))
    log_dirs: LogDirs = {}
    if Section.LOG_DIRS in sections and asks_brokers:
        brokers = list(connection.read(read_brokers()))

        def ask() -> "LogDirs":
            with session.connect_brokers(connection) as found:
                return read_log_dirs(parts, found, brokers)

        log_dirs = parts.ask(subjects.LOG_DIRS, "log directories", ask) or {} if brokers else {}
    elif Section.LOG_DIRS in sections:
        parts.note(subjects.LOG_DIRS, "log directories", "no broker was asked (--no-brokers)")
    cluster = ZooKeeperTopics(connection).snapshot(TopicSelection())
    return saved_of(parts, Source.ZOOKEEPER, cluster_id, cluster, configs, acls, log_dirs)


def read_by_brokers(
    parts: Parts, connection: "WireConnection", sections: Collection[Section]
) -> SavedCluster:
    from cluster.model import fault as subjects
    from cluster.model.ids import BrokerId
    from kadmin.admin.wire.snapshot import ongoing_reassignments, read_snapshot
    from kadmin.admin.wire.wire_acls import WireAcls
    from kadmin.admin.wire.wire_configs import WireConfigs
    from kadmin.arguments.topics import TopicSelection

    metadata = connection.metadata([])
    brokers = [BrokerId(each["node_id"]) for each in metadata["brokers"]]
    cluster_id = metadata.get("cluster_id")
    if cluster_id is None:
        reason = "brokers return it from Kafka 0.10.1 on"
        parts.note(subjects.CLUSTER_ID, "the cluster's id", reason)
    admin = WireConfigs(connection, lambda text: None, leaves_out_silent=True)
    configs = read_configs(parts, admin, sections)
    acls: Mapping[ResourcePattern, tuple[AclEntry, ...]] = {}
    if Section.ACLS in sections:
        acls = read_acls(parts, lambda: WireAcls(connection))
    log_dirs: LogDirs = {}
    if Section.LOG_DIRS in sections:
        found = parts.ask(
            subjects.LOG_DIRS,
            "log directories",
            lambda: read_log_dirs(parts, connection, brokers),
        )
        log_dirs = found or {}
    tells_configs = connection.broker_version >= TELLS_CONFIGS
    if not tells_configs:
        reason = "brokers return them all from Kafka 2.4 on"
        parts.note(subjects.CONFIGS, "the configs of topics", reason)
    # Before the snapshot, in which all replicas of a moving partition are alike.
    ongoing, denied = ongoing_reassignments(connection)
    parts.faults += denied
    cluster = read_snapshot(
        connection, TopicSelection(), with_configs=tells_configs, ongoing=ongoing
    )
    return saved_of(parts, Source.BROKERS, cluster_id, cluster, configs, acls, log_dirs)


def saved_of(
    parts: Parts,
    source: Source,
    cluster_id: str | None,
    cluster: "ClusterSnapshot",
    configs: "Mapping[ConfigEntity, ConfigOverrides]",
    acls: "Mapping[ResourcePattern, tuple[AclEntry, ...]]",
    log_dirs: "LogDirs",
) -> SavedCluster:
    """Put the parts together, without configs that are secrets and their names beside the rest."""
    from cluster.model.config_entity import ConfigEntity, Entity, EntityKind, topic_entity

    secrets: list[str] = []
    shown: dict[ConfigEntity, ConfigOverrides] = {}
    for entity, overrides in configs.items():
        kept = without_secrets(entity, overrides, secrets)
        if kept.values:
            shown[entity] = kept
    topics = {}
    for name, topic in cluster.topics.items():
        config = without_secrets(topic_entity(name), topic.config, secrets)
        topics[name] = topic if config is topic.config else replace(topic, config=config)
    everywhere = ConfigEntity(Entity(EntityKind.BROKERS, None))
    defaults = without_secrets(everywhere, cluster.broker_defaults, [])
    if everywhere in shown:
        defaults = replace(defaults, values={**defaults.values, **shown[everywhere].values})
    faults = tuple(dict.fromkeys((*cluster.faults, *parts.faults)))
    return SavedCluster(
        tool_version=VERSION,
        taken_at_ms=time.time_ns() // 1_000_000,
        source=source,
        cluster_id=cluster_id,
        cluster=replace(cluster, topics=topics, broker_defaults=defaults, faults=faults),
        configs={entity: overrides.values for entity, overrides in shown.items()},
        secrets=tuple(sorted(secrets)),
        acls=acls,
        log_dirs=log_dirs,
    )


def without_secrets(
    entity: "ConfigEntity", overrides: "ConfigOverrides", secrets: list[str]
) -> "ConfigOverrides":
    """Return *overrides* of *entity* without those that must not be shown, which *secrets* takes
    the names of."""
    from kadmin.plan.config_plan import is_secret

    values = overrides.values
    hidden = [key for key in values if is_secret(entity.kind, key)]
    if not hidden:
        return overrides
    secrets += (f"{entity}: {key}" for key in hidden)
    return replace(
        overrides, values={key: value for key, value in values.items() if key not in hidden}
    )


def config_selections(sections: Collection[Section]) -> "Mapping[str, EntitySelection]":
    """Return what is read of the configs, by what it is called; those of all brokers always."""
    from cluster.model.config_entity import EntityKind
    from kadmin.arguments.entities import EntitySelection, Wanted

    users = Wanted(EntityKind.USERS)
    found = {"the configs of brokers": EntitySelection(Wanted(EntityKind.BROKERS))}
    if Section.QUOTAS in sections:
        found |= {
            "quotas of users": EntitySelection(users),
            "quotas of users' clients": EntitySelection(users, Wanted(EntityKind.CLIENTS)),
            "quotas of clients": EntitySelection(Wanted(EntityKind.CLIENTS)),
            "quotas of addresses": EntitySelection(Wanted(EntityKind.IPS)),
        }
    return found


def read_configs(
    parts: Parts, admin: "ConfigAdmin", sections: Collection[Section]
) -> "dict[ConfigEntity, ConfigOverrides]":
    from kadmin.snapshots.diff import configs_of_kind

    configs: dict[ConfigEntity, ConfigOverrides] = {}
    for what, selection in config_selections(sections).items():

        def ask(
            selection: "EntitySelection" = selection,
        ) -> "tuple[Mapping[ConfigEntity, ConfigOverrides], Sequence[Fault]]":
            return admin.read(admin.find(selection))

        found = parts.ask(configs_of_kind(selection.root.kind), what, ask)
        if found is not None:
            configs |= found[0]
            parts.faults += found[1]
    return configs


def read_acls(
    parts: Parts, admin: "Callable[[], AclAdmin]"
) -> "dict[ResourcePattern, tuple[AclEntry, ...]]":
    """Read all rules; brokers without an authorizer have none."""
    from cluster.model import fault as subjects
    from kadmin.admin.answers import AclSnapshot
    from kadmin.admin.wire.wire_acls import NoAuthorizer

    def ask() -> AclSnapshot:
        try:
            return admin().snapshot()
        except NoAuthorizer:
            return AclSnapshot(acls={}, damaged={})

    found = parts.ask(subjects.ACLS, "ACLs", ask)
    if found is None:
        return {}
    parts.faults += (*found.damaged.values(), *found.hidden.values(), *found.unread)
    return {resource: rules.entries for resource, rules in found.acls.items() if rules.entries}


def read_log_dirs(
    parts: Parts, connection: "WireConnection", brokers: "Sequence[BrokerId]"
) -> "LogDirs":
    """Read the log directories of *brokers*; those that do not answer are faults."""
    from cluster.model import fault as subjects
    from kadmin.admin.wire import log_dirs

    found = log_dirs.read_log_dirs(connection, brokers)
    for broker in brokers:
        if broker not in found:
            what = f"log directories of broker {broker}"
            parts.note(subjects.log_dirs(broker), what, "it did not answer")
    return found


def read_groups(parts: Parts) -> dict[str, SavedGroup]:
    """Read all groups of consumers with what they have committed, which only brokers know."""
    from cluster.model import fault as subjects

    def ask() -> dict[str, SavedGroup]:
        with parts.session.groups() as admin:
            listing = admin.listing()
            for broker, reason in listing.silent.items():
                what = f"the groups of broker {broker}"
                parts.note(subjects.GROUPS, what, reason)
            committed = admin.committed(each.name for each in listing.groups)
        for name, reason in committed.unanswered.items():
            parts.note(subjects.group(name), f"what group '{name}' has committed", reason)
        return {
            each.name: SavedGroup(state=each.state, offsets=committed.found.get(each.name, {}))
            for each in listing.groups
        }

    return parts.ask(subjects.GROUPS, "groups of consumers", ask) or {}
