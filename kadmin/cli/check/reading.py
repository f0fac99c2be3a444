"""The evidence of a check: who is asked for what, and what if somebody does not answer?"""

import time
from typing import TYPE_CHECKING, TypeVar

from kadmin.cli.session import Session
from kadmin.errors import KadminError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from cluster.model.fault import Fault
    from cluster.model.ids import BrokerId
    from kadmin.admin.ports import ConfigAdmin
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.plan.check.evidence import Evidence

T = TypeVar("T")

TELLS_CONFIGS = (2, 4)
"""The first release whose brokers tell all of topics."""


def read_evidence(session: Session, *, default_min_isr: int, asks_brokers: bool) -> "Evidence":
    """Look at the cluster: at ZooKeeper where it is named, and at brokers for what they know.

    What cannot be had beside the snapshot is named in the evidence, with the reason.

    Raises:
        UnreachableError: whoever tells of brokers and topics does not.
    """
    from dataclasses import replace

    from kadmin.admin.wire.errors import BrokersDenied

    if session.asks_brokers:
        with session.connect_brokers() as connection:
            return by_brokers(session, connection, default_min_isr)
    evidence = by_zookeeper(session, default_min_isr)
    if not asks_brokers:
        return with_gap(evidence, "log directories and versions of brokers (--no-brokers)")
    of_brokers = "log directories and versions of brokers"
    try:
        with session.connect_brokers() as connection:
            return with_brokers(evidence, connection)
    except BrokersDenied as error:
        hidden = (*evidence.hidden, f"{of_brokers}: {error.message}")
        return replace(evidence, hidden=hidden)
    except KadminError as error:
        return with_gap(evidence, f"{of_brokers}: {error.message}")


def by_zookeeper(session: Session, default_min_isr: int) -> "Evidence":
    from cluster.model import fault as subjects
    from kadmin.admin.zookeeper.ensemble import ask_ensemble
    from kadmin.admin.zookeeper.throttle_journal import read_journal
    from kadmin.admin.zookeeper.zookeeper_configs import ZooKeeperConfigs
    from kadmin.admin.zookeeper.zookeeper_elections import ZooKeeperElections
    from kadmin.admin.zookeeper.zookeeper_topics import ZooKeeperTopics
    from kadmin.plan.check.evidence import Evidence
    from kadmin.plan.ensemble import report_on
    from kadmin.plan.select import TopicSelection

    hidden: list[str] = []
    with session.connect() as connection:
        topics = ZooKeeperTopics(connection)
        # Before what moves: throttles come first, and their journal before them.
        journal = unless_hidden(hidden, lambda: connection.read(read_journal()))
        configs = unless_hidden(hidden, lambda: broker_configs(ZooKeeperConfigs(connection)))
        snapshot = topics.snapshot(TopicSelection())
        names = None
        if all(fault.subject != subjects.TOPICS for fault in snapshot.faults):
            names = unless_hidden(hidden, topics.names)
        elections = unless_hidden(hidden, ZooKeeperElections(connection).under_way)
    session.leave_out_down_servers()
    return Evidence(
        snapshot=snapshot,
        now_ms=now_ms(),
        default_min_isr=default_min_isr,
        orphan_marks=()
        if names is None
        else tuple(sorted(names.marked_for_deletion - set(names.names))),
        elections=tuple(elections or ()),
        broker_configs=None if configs is None else configs[0],
        ensemble=report_on(ask_ensemble(session.settings.zookeeper(), admin_port=None)),
        faults=() if configs is None else tuple(configs[1]),
        hidden=tuple(dict.fromkeys(hidden)),
        journal=journal,
    )


def unless_hidden(hidden: list[str], call: "Callable[[], T]") -> "T | None":
    """What *call* returns; None, and the reason in *hidden*, where it may not or cannot be read."""
    from kadmin.admin.wire.errors import BrokersDenied
    from kadmin.admin.zookeeper.connection import ZooKeeperDenied

    try:
        return call()
    except (ZooKeeperDenied, BrokersDenied, RefusedError) as error:
        hidden.append(error.message)
    return None


def by_brokers(session: Session, connection: "WireConnection", default_min_isr: int) -> "Evidence":
    from dataclasses import replace

    from kafka.protocol.admin import ListPartitionReassignmentsRequest

    from kadmin.admin.wire.attempts import Attempts
    from kadmin.admin.wire.snapshot import read_snapshot, told_reassignments
    from kadmin.admin.wire.throttle_journal import read_journal
    from kadmin.admin.wire.wire_configs import WireConfigs
    from kadmin.plan.check.evidence import Evidence
    from kadmin.plan.select import TopicSelection

    tells_configs = connection.broker_version >= TELLS_CONFIGS
    gaps = ["what only ZooKeeper knows: itself, topics that wait for deletion, and elections"]
    if not tells_configs:
        gaps.append("min ISR, throttles and reassignments: brokers describe them from 2.4 on")
    attempts = Attempts()
    configs = attempts.ask(
        "configs of brokers", lambda: broker_configs(WireConfigs(connection, session.output.warn))
    )
    journal = attempts.ask("the journal of throttles", lambda: read_journal(connection))
    # Before the snapshot, in which all replicas of a partition on its way are alike.
    told = attempts.ask("what is being reassigned", lambda: told_reassignments(connection))
    ongoing, denied = told or ({}, ())
    snapshot = read_snapshot(
        connection, TopicSelection(), with_configs=tells_configs, ongoing=ongoing
    )
    evidence = Evidence(
        snapshot=replace(snapshot, faults=(*snapshot.faults, *denied)),
        now_ms=now_ms(),
        default_min_isr=default_min_isr,
        broker_configs=None if configs is None else configs[0],
        faults=() if configs is None else tuple(configs[1]),
        unlooked=(*gaps, *attempts.gaps),
        journal=journal,
        sees_moves=told is not None and connection.serves(ListPartitionReassignmentsRequest),
        hidden=tuple(attempts.hidden),
    )
    return with_brokers(with_refused(evidence, connection), connection)


def with_refused(evidence: "Evidence", connection: "WireConnection") -> "Evidence":
    """*evidence* with what each broker does not serve, which by ZooKeeper its registration says."""
    from dataclasses import replace

    from kadmin.admin.wire.attempts import Attempts
    from kadmin.admin.wire.refused_partitions import read_refused, refusing

    attempts = Attempts()
    brokers = evidence.snapshot.brokers
    told = attempts.ask("what brokers refuse", lambda: read_refused(connection, brokers)) or {}
    known = refusing(brokers, told)
    return replace(
        evidence,
        snapshot=replace(evidence.snapshot, brokers=known),
        unlooked=(*evidence.unlooked, *attempts.gaps),
        hidden=(*evidence.hidden, *attempts.hidden),
    )


def broker_configs(
    admin: "ConfigAdmin",
) -> "tuple[dict[BrokerId, Mapping[str, str]], Sequence[Fault]]":
    """The dynamic configs of single brokers, and what of them cannot be read."""
    from cluster.model.config_entity import EntityKind
    from cluster.model.ids import BrokerId
    from kadmin.plan.entities import EntitySelection, Wanted

    entities = admin.find(EntitySelection(Wanted(EntityKind.BROKERS)))
    found, faults = admin.read(entities)
    told = {
        BrokerId(int(entity.root.name)): overrides.values
        for entity, overrides in found.items()
        if entity.root.name is not None and entity.root.name.isdecimal()
    }
    return told, faults


def with_brokers(evidence: "Evidence", connection: "WireConnection") -> "Evidence":
    """*evidence* with what each broker tells of itself."""
    from dataclasses import replace

    from kadmin.admin.wire.api_versions import read_api_versions
    from kadmin.admin.wire.attempts import Attempts
    from kadmin.admin.wire.log_dirs import read_log_dirs

    brokers = list(evidence.snapshot.brokers)
    attempts = Attempts()
    apis = attempts.ask("versions of brokers", lambda: read_api_versions(connection, brokers))
    log_dirs = attempts.ask("log directories", lambda: read_log_dirs(connection, brokers))
    return replace(
        evidence,
        apis=apis,
        log_dirs=log_dirs,
        silent_brokers=tuple(
            broker
            for broker in brokers
            if any(told is not None and broker not in told for told in (apis, log_dirs))
        ),
        unlooked=(*evidence.unlooked, *attempts.gaps),
        hidden=(*evidence.hidden, *attempts.hidden),
    )


def with_gap(evidence: "Evidence", gap: str) -> "Evidence":
    from dataclasses import replace

    return replace(evidence, unlooked=(*evidence.unlooked, gap))


def now_ms() -> int:
    return time.time_ns() // 1_000_000
