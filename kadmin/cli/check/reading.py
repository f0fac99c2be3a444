"""The evidence of a check: who is asked for what, and what if somebody does not answer?"""

import time
from typing import TYPE_CHECKING

from kadmin.cli.session import Session
from kadmin.errors import KadminError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cluster.model.ids import BrokerId
    from kadmin.admin.ports import ConfigAdmin
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.plan.check.evidence import Evidence

TELLS_CONFIGS = (2, 4)
"""The first release whose brokers tell all of topics."""


def read_evidence(session: Session, *, default_min_isr: int, asks_brokers: bool) -> "Evidence":
    """Look at the cluster: at ZooKeeper where it is named, and at brokers for what they know.

    What cannot be had beside the snapshot is named in the evidence, with the reason.

    Raises:
        UnreachableError: whoever tells of brokers and topics does not.
    """
    if session.asks_brokers:
        with session.connect_brokers() as connection:
            return by_brokers(session, connection, default_min_isr)
    evidence = by_zookeeper(session, default_min_isr)
    if not asks_brokers:
        return with_gap(evidence, "log directories and versions of brokers (--no-brokers)")
    try:
        with session.connect_brokers() as connection:
            return with_brokers(evidence, connection)
    except KadminError as error:
        return with_gap(evidence, f"log directories and versions of brokers: {error.message}")


def by_zookeeper(session: Session, default_min_isr: int) -> "Evidence":
    from kadmin.admin.zookeeper.ensemble import ask_ensemble
    from kadmin.admin.zookeeper.zookeeper_configs import ZooKeeperConfigs
    from kadmin.admin.zookeeper.zookeeper_elections import ZooKeeperElections
    from kadmin.admin.zookeeper.zookeeper_topics import ZooKeeperTopics
    from kadmin.plan.check.evidence import Evidence
    from kadmin.plan.ensemble import report_on
    from kadmin.plan.select import TopicSelection

    gaps = []
    with session.connect() as connection:
        topics = ZooKeeperTopics(connection)
        names = topics.names()
        snapshot = topics.snapshot(TopicSelection())
        try:
            elections = tuple(ZooKeeperElections(connection).under_way())
        except KadminError as error:
            elections = ()
            gaps.append(f"elections: {error.message}")
        configs = broker_configs(ZooKeeperConfigs(connection))
    session.leave_out_down_servers()
    return Evidence(
        snapshot=snapshot,
        now_ms=now_ms(),
        default_min_isr=default_min_isr,
        orphan_marks=tuple(sorted(names.marked_for_deletion - set(names.names))),
        elections=elections,
        broker_configs=configs,
        ensemble=report_on(ask_ensemble(session.settings.zookeeper(), admin_port=None)),
        unlooked=tuple(gaps),
    )


def by_brokers(session: Session, connection: "WireConnection", default_min_isr: int) -> "Evidence":
    from kadmin.admin.wire.attempts import Attempts
    from kadmin.admin.wire.snapshot import read_snapshot
    from kadmin.admin.wire.wire_configs import WireConfigs
    from kadmin.plan.check.evidence import Evidence
    from kadmin.plan.select import TopicSelection

    tells_configs = connection.broker_version >= TELLS_CONFIGS
    gaps = ["what only ZooKeeper knows: itself, topics that wait for deletion, and elections"]
    if not tells_configs:
        gaps.append("min ISR, throttles and reassignments: brokers tell of them from 2.4 on")
    attempts = Attempts()
    evidence = Evidence(
        snapshot=read_snapshot(connection, TopicSelection(), with_configs=tells_configs),
        now_ms=now_ms(),
        default_min_isr=default_min_isr,
        broker_configs=attempts.ask(
            "configs of brokers",
            lambda: broker_configs(WireConfigs(connection, session.output.warn)),
        ),
        unlooked=(*gaps, *attempts.gaps),
    )
    return with_brokers(evidence, connection)


def broker_configs(admin: "ConfigAdmin") -> "dict[BrokerId, Mapping[str, str]]":
    """The dynamic configs of single brokers."""
    from cluster.model.config_entity import EntityKind
    from cluster.model.ids import BrokerId
    from kadmin.plan.entities import EntitySelection, Wanted

    entities = admin.find(EntitySelection(Wanted(EntityKind.BROKERS)))
    found, _ = admin.read(entities)
    return {
        BrokerId(int(entity.root.name)): overrides.values
        for entity, overrides in found.items()
        if entity.root.name is not None and entity.root.name.isdecimal()
    }


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
    )


def with_gap(evidence: "Evidence", gap: str) -> "Evidence":
    from dataclasses import replace

    return replace(evidence, unlooked=(*evidence.unlooked, gap))


def now_ms() -> int:
    return time.time_ns() // 1_000_000
