"""The evidence of a check: what is read from where, and what if a server does not answer?"""

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from kadmin.app.session import Session
from kadmin.errors import DeniedError, KadminError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from cluster.model.fault import Fault
    from cluster.model.ids import BrokerId, TopicPartition
    from kadmin.admin.ports import ConfigAdmin
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.admin.zookeeper.connection import Connection
    from kadmin.admin.zookeeper.ensemble import EnsembleAsking
    from kadmin.plan.api_versions import BrokerApis
    from kadmin.plan.check.evidence import Evidence
    from kadmin.plan.log_dirs import LogDirs

T = TypeVar("T")

TELLS_CONFIGS: Final = (2, 4)
"""The first release whose brokers return all configs of topics."""

AGAIN_S: Final = 1.0
"""For ZooKeepers that have been waited for already."""

OF_ZOOKEEPER: Final = (
    "what only ZooKeeper knows: itself, topics that wait for deletion, and elections"
)
LEASES: Final = "leases of throttles in the ZooKeeper that brokers name, which cannot be reached"
OF_BROKERS: Final = "log directories and versions of brokers"
STRAYS: Final = "logs that nothing uses"
BY_DEFAULT: Final = "PLAINTEXT"
"""The protocol where none is configured."""
UNASKED: Final = f"{OF_BROKERS} (--no-brokers)"


def read_evidence(session: Session, *, default_min_isr: int, asks_brokers: bool) -> "Evidence":
    """Look at the cluster: at ZooKeeper where it is named, and at brokers for what they know.

    Who may keep others waiting is asked first, and what changes most is read last.  What cannot be
    had beside the snapshot is named in the evidence, with the reason.

    Raises:
        UnreachableError: brokers and topics cannot be read.
    """
    from kadmin.admin.zookeeper.ensemble import EnsembleAsking
    from kadmin.plan.ensemble import report_on

    if session.asks_brokers:
        with session.connect_brokers() as connection:
            return by_brokers(session, connection, default_min_isr)
    zookeeper = session.settings.zookeeper()
    with EnsembleAsking(zookeeper, admin_port=None) as ensemble:

        def by_zookeeper(connection: "Connection") -> "Evidence":
            return read_by_zookeeper(
                session, connection, ensemble, default_min_isr, asks_brokers=asks_brokers
            )

        def in_its_place(connection: "WireConnection") -> "Evidence":
            # Some of them may have served when they were asked first.
            soon = replace(zookeeper, timeout_s=min(zookeeper.timeout_s, AGAIN_S))
            with EnsembleAsking(soon, admin_port=None) as again:
                found = by_brokers(session, connection, default_min_isr)
                return replace(found, ensemble=report_on(again.answers()))

        with session.asked(by_zookeeper, in_its_place) as evidence:
            return evidence


def read_by_zookeeper(
    session: Session,
    connection: "Connection",
    ensemble: "EnsembleAsking",
    default_min_isr: int,
    *,
    asks_brokers: bool,
) -> "Evidence":
    from cluster.model import fault as subjects
    from kadmin.admin.zookeeper.cluster_id import cluster_id_faults
    from kadmin.admin.zookeeper.run_store import ZooKeeperRuns
    from kadmin.admin.zookeeper.throttle_journal import read_journal
    from kadmin.admin.zookeeper.zookeeper_configs import ZooKeeperConfigs
    from kadmin.admin.zookeeper.zookeeper_elections import ZooKeeperElections
    from kadmin.admin.zookeeper.zookeeper_topics import ZooKeeperTopics
    from kadmin.arguments.topics import TopicSelection
    from kadmin.plan.check.evidence import Evidence
    from kadmin.plan.check.stray_logs import stray_logs
    from kadmin.plan.ensemble import report_on

    hidden: list[str] = []
    topics = ZooKeeperTopics(connection)
    # Before what moves: throttles come first, and their journal before them.
    journal = unless_hidden(hidden, lambda: connection.read(read_journal()))
    supervisor = unless_hidden(hidden, ZooKeeperRuns(connection).supervisor)
    configs = unless_hidden(hidden, lambda: broker_configs(ZooKeeperConfigs(connection)))
    # Brokers may keep this waiting; the state of the partitions is that of the end.
    of_brokers = answers_beside(session, connection) if asks_brokers else OfBrokers(gaps=(UNASKED,))
    snapshot = topics.snapshot(TopicSelection())
    names = None
    if all(fault.subject != subjects.TOPICS for fault in snapshot.faults):
        names = unless_hidden(hidden, topics.names)
    elections = unless_hidden(hidden, ZooKeeperElections(connection).under_way)
    of_id = unless_hidden(hidden, lambda: connection.read(cluster_id_faults())) or ()
    session.leave_out_down_servers()
    evidence = Evidence(
        snapshot=snapshot,
        now_ms=now_ms(),
        default_min_isr=default_min_isr,
        orphan_marks=()
        if names is None
        else tuple(sorted(names.marked_for_deletion - set(names.names))),
        elections=tuple(elections or ()),
        broker_configs=None if configs is None else configs[0],
        ensemble=report_on(ensemble.answers()),
        faults=(*of_id, *(() if configs is None else configs[1])),
        hidden=tuple(dict.fromkeys(hidden)),
        journal=journal,
        has_supervisor=supervisor is not None,
    )
    evidence = of_brokers.added_to(evidence)
    if not stray_logs(evidence.snapshot, evidence.log_dirs or {}):
        return evidence
    try:
        with session.budget.sharing(), session.connect_brokers(connection) as found:
            return with_strays(evidence, found, by_zookeeper=True)
    except KadminError as error:
        gap = f"{STRAYS}: {error.message}"
        return replace(evidence, unlooked=(*evidence.unlooked, gap))


def unless_hidden(hidden: list[str], call: "Callable[[], T]") -> "T | None":
    """Return what *call* returns; None, and the reason in *hidden*, where it may not or cannot
    be read."""
    try:
        return call()
    except (DeniedError, RefusedError) as error:
        hidden.append(error.message)
    return None


def by_brokers(session: Session, connection: "WireConnection", default_min_isr: int) -> "Evidence":
    from kafka.protocol.admin import ListPartitionReassignmentsRequest

    from cluster.model.ids import BrokerId
    from kadmin.admin.wire.attempts import Attempts
    from kadmin.admin.wire.kept_throttles import read_journal
    from kadmin.admin.wire.refused_partitions import read_refused, refusing
    from kadmin.admin.wire.snapshot import ongoing_reassignments, read_snapshot, with_quorum
    from kadmin.admin.wire.wire_configs import WireConfigs
    from kadmin.admin.zookeeper.lease_beside import LeaseBeside
    from kadmin.arguments.topics import TopicSelection
    from kadmin.plan.check.evidence import Evidence

    tells_configs = connection.broker_version >= TELLS_CONFIGS
    gaps = [] if connection.is_on_kraft else [OF_ZOOKEEPER]
    if not tells_configs:
        gaps.append("min ISR, throttles and reassignments: brokers describe them from 2.4 on")
    # First of all, so that those are known who keep others waiting.
    brokers = [BrokerId(each["node_id"]) for each in connection.metadata([])["brokers"]]
    of_brokers = answers_of(connection, brokers)
    attempts = Attempts(connection.budget)
    # Before what moves: throttles come first, and their journal before them.
    has_majority = session.zookeeper_failure is None
    lease = LeaseBeside(session.connect_zookeeper_beside) if has_majority else None
    journal = attempts.ask("the journal of throttles", lambda: read_journal(connection, lease))
    if lease is not None and lease.is_given_up:
        gaps.append(LEASES)
    admin = WireConfigs(connection, session.warn, leaves_out_silent=True)
    configs = attempts.ask("configs of brokers", lambda: broker_configs(admin))
    refused = attempts.ask("what brokers refuse", lambda: read_refused(connection, brokers)) or {}
    # Before the snapshot, in which all replicas of a moving partition are alike.
    moves = attempts.ask("what is being reassigned", lambda: ongoing_reassignments(connection))
    ongoing, denied = moves or ({}, ())
    snapshot = read_snapshot(
        connection, TopicSelection(), with_configs=tells_configs, ongoing=ongoing
    )
    snapshot = with_quorum(connection, snapshot, of_brokers.apis or {})
    moving = {each: part.target for each, part in ongoing.items() if each.topic in snapshot.topics}
    evidence = Evidence(
        snapshot=replace(
            snapshot,
            brokers=refusing(snapshot.brokers, refused),
            moving=moving,
            faults=(*snapshot.faults, *denied),
        ),
        now_ms=now_ms(),
        default_min_isr=default_min_isr,
        broker_configs=None if configs is None else configs[0],
        faults=() if configs is None else tuple(configs[1]),
        unlooked=(*gaps, *attempts.gaps),
        journal=journal,
        sees_moves=moves is not None and connection.serves(ListPartitionReassignmentsRequest),
        hidden=tuple(attempts.hidden),
    )
    return with_strays(of_brokers.added_to(evidence), connection, by_zookeeper=False)


def with_strays(
    evidence: "Evidence", connection: "WireConnection", *, by_zookeeper: bool
) -> "Evidence":
    """Return *evidence* with the logs whose brokers are no replicas of them.

    Brokers describe their logs before the topics are read, and delete some meanwhile, so they are
    asked a second time.  They do not show topics that this user may not describe.
    """
    from kadmin.admin.wire.attempts import Attempts
    from kadmin.admin.wire.log_dirs import read_log_dirs
    from kadmin.plan.check.stray_logs import stray_logs

    suspected = stray_logs(evidence.snapshot, evidence.log_dirs or {})
    if not suspected:
        return evidence
    partitions = {partition for logs in suspected.values() for partition in logs}
    attempts = Attempts(connection.budget)

    def look_again() -> "dict[BrokerId, dict[TopicPartition, int]]":
        found = stray_logs(evidence.snapshot, read_log_dirs(connection, [*suspected], partitions))
        gone = {each.topic for each in partitions} - evidence.snapshot.topics.keys()
        hidden = set() if by_zookeeper or not gone else existing(connection, gone)
        return {
            broker: {each: size for each, size in logs.items() if each.topic not in hidden}
            for broker, logs in found.items()
        }

    strays = attempts.ask(STRAYS, look_again) or {}
    return replace(evidence, strays=strays, unlooked=(*evidence.unlooked, *attempts.gaps))


def existing(connection: "WireConnection", topics: "Collection[str]") -> set[str]:
    """Return those of *topics* that brokers do not call unknown."""
    from cluster.model.error_codes import ErrorCode

    answers = connection.metadata(sorted(topics))["topics"]
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return {each["name"] for each in answers if each["error_code"] != unknown}


def broker_configs(
    admin: "ConfigAdmin",
) -> "tuple[dict[BrokerId, Mapping[str, str]], Sequence[Fault]]":
    """Return the dynamic configs of single brokers, and what of them cannot be read."""
    from cluster.model.config_entity import EntityKind
    from cluster.model.ids import BrokerId
    from kadmin.arguments.entities import EntitySelection, Wanted

    entities = admin.find(EntitySelection(Wanted(EntityKind.BROKERS)))
    found, faults = admin.read(entities)
    configs = {
        BrokerId(int(entity.root.name)): overrides.values
        for entity, overrides in found.items()
        if entity.root.name is not None and entity.root.name.isdecimal()
    }
    return configs, faults


@dataclass(frozen=True, slots=True, kw_only=True)
class OfBrokers:
    """The reports of the brokers that were *asked*, unless *none_answered*; *gaps* and *hidden* are
    what could not be read, or not by this user."""

    asked: "Sequence[BrokerId]" = ()
    apis: "BrokerApis | None" = None
    log_dirs: "LogDirs | None" = None
    none_answered: bool = False
    gaps: "Sequence[str]" = ()
    hidden: "Sequence[str]" = ()

    def added_to(self, evidence: "Evidence") -> "Evidence":
        """Return *evidence* with it; a broker is silent that is still registered."""
        parts = [each for each in (self.apis, self.log_dirs) if each is not None]
        return replace(
            evidence,
            apis=self.apis,
            log_dirs=self.log_dirs,
            silent_brokers=tuple(
                broker
                for broker in self.asked
                if broker in evidence.snapshot.brokers
                and (self.none_answered or any(broker not in each for each in parts))
            ),
            unlooked=(*evidence.unlooked, *self.gaps),
            hidden=(*evidence.hidden, *self.hidden),
        )


def answers_beside(session: Session, connection: "Connection") -> OfBrokers:
    """Read what registered brokers report of themselves.

    Raises:
        NoSuchListener: none listens with the protocol that the operator has configured.
    """
    from kadmin.admin.wire.errors import BrokersDenied, BrokersUnreachable
    from kadmin.admin.zookeeper.bootstrap import NoSuchListener
    from kadmin.admin.zookeeper.snapshot import read_brokers

    brokers = list(connection.read(read_brokers()))
    try:
        with session.budget.sharing(), session.connect_brokers(connection) as found:
            return answers_of(found, brokers)
    except BrokersDenied as error:
        return OfBrokers(asked=brokers, hidden=(f"{OF_BROKERS}: {error.message}",))
    except BrokersUnreachable as error:
        gap = f"{OF_BROKERS}: {error.message}"
        return OfBrokers(asked=brokers, none_answered=True, gaps=(gap,))
    except KadminError as error:
        if isinstance(error, NoSuchListener) and error.protocol != BY_DEFAULT:
            raise
        return OfBrokers(asked=brokers, gaps=(f"{OF_BROKERS}: {error.message}",))


def answers_of(connection: "WireConnection", brokers: "Sequence[BrokerId]") -> OfBrokers:
    """Read what *brokers* know of themselves."""
    from kadmin.admin.wire.api_versions import read_api_versions
    from kadmin.admin.wire.attempts import Attempts
    from kadmin.admin.wire.log_dirs import read_log_dirs

    attempts = Attempts(connection.budget)
    return OfBrokers(
        asked=brokers,
        apis=attempts.ask("versions of brokers", lambda: read_api_versions(connection, brokers)),
        log_dirs=attempts.ask("log directories", lambda: read_log_dirs(connection, brokers)),
        gaps=attempts.gaps,
        hidden=attempts.hidden,
    )


def now_ms() -> int:
    return time.time_ns() // 1_000_000
