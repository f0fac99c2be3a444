"""The controller of a cluster: how does it look?"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from cluster.model import fault as subjects
from cluster.model.controller import METADATA_VERSION, Feature, Quorum, QuorumReplica
from cluster.model.snapshot import ClusterSnapshot
from kadmin.render.brokers import as_list, is_fault, short_time, stacked, time_text
from kadmin.render.faults import fault_bodies
from kadmin.render.fields import csv_rows, line_of
from kadmin.render.output import Document
from kadmin.render.visible import visible

if TYPE_CHECKING:
    from rich.console import RenderableType

Record: TypeAlias = Mapping[str, object]

METADATA_VERSIONS: Final = (
    *("3.0-IV1", "3.1-IV0", "3.2-IV0", "3.3-IV0", "3.3-IV1", "3.3-IV2", "3.3-IV3", "3.4-IV0"),
    *("3.5-IV0", "3.5-IV1", "3.5-IV2", "3.6-IV0", "3.6-IV1", "3.6-IV2", "3.7-IV0", "3.7-IV1"),
    *("3.7-IV2", "3.7-IV3", "3.7-IV4", "3.8-IV0", "3.9-IV0", "4.0-IV0", "4.0-IV1", "4.0-IV2"),
    *("4.0-IV3", "4.1-IV0", "4.1-IV1", "4.2-IV0", "4.2-IV1"),
)
"""Kafka's names of the levels of `metadata.version`, from 1 on."""


def controller_document(snapshot: ClusterSnapshot) -> Document:
    """Return who controls the cluster, and where: nowhere when that broker is not registered.

    On KRaft the quorum and the features are there, too, except in CSV.
    """
    controller, epoch = snapshot.controller, snapshot.controller_epoch
    record: dict[str, object] = {
        "controller": None if controller is None else controller.broker_id,
        "endpoints": endpoints_of(snapshot),
        "epoch": epoch_of(snapshot),
        "epoch_zk_version": None if epoch is None else epoch.epoch_zk_version,
        "since": None if controller is None else time_text(controller.timestamp_ms),
        "owner": owner(snapshot),
        "migration": None if snapshot.migration is None else str(snapshot.migration),
    }
    quorum = snapshot.quorum
    replicas = [] if quorum is None else [replica_record(quorum, each) for each in quorum.replicas]
    body = {
        "high_watermark": None if quorum is None else quorum.high_watermark,
        "replicas": replicas,
    }
    return Document(
        schema="kadmin.controller/1",
        body=lambda: {
            **record,
            "quorum": None if quorum is None else body,
            "features": [feature_record(each) for each in snapshot.features],
            "faults": fault_bodies(snapshot.faults),
        },
        columns=tuple(record),
        rows=lambda: csv_rows([record], tuple(record)),
        lines=lambda: (
            *controller_lines(record),
            *map(replica_line, replicas),
            *map(feature_line, snapshot.features),
        ),
        pretty=lambda: pretty(record, replicas, snapshot.features),
    )


def endpoints_of(snapshot: ClusterSnapshot) -> list[str]:
    """Return the addresses of the controller, as it registered them or as the quorum has them."""
    if snapshot.controller is None:
        return []
    registered = snapshot.brokers.get(snapshot.controller.broker_id)
    if registered is not None:
        return [str(endpoint) for endpoint in registered.endpoints]
    leader = None if snapshot.quorum is None else snapshot.quorum.leader
    return [] if leader is None else list(leader.endpoints)


def replica_record(quorum: Quorum, replica: QuorumReplica) -> dict[str, object]:
    is_leader = replica.node_id == quorum.leader_id
    return {
        "node": replica.node_id,
        "role": "leader" if is_leader else "voter" if replica.is_voter else "observer",
        "endpoints": list(replica.endpoints),
        "log_end_offset": None if replica.log_end_offset < 0 else replica.log_end_offset,
        "lag": quorum.lag(replica),
        "last_fetch": time_text(replica.last_fetch_ms),
        "last_caught_up": time_text(replica.last_caught_up_ms),
    }


def replica_line(record: Record) -> str:
    """Return one node of the quorum, in the form of Kafka's describe lines."""
    return "\t" + line_of(
        {
            "node": record["node"],
            "role": record["role"],
            "endpoints": visible(",".join(map(str, as_list(record["endpoints"])))) or "unknown",
            "log_end_offset": known(record["log_end_offset"]),
            "lag": known(record["lag"]),
            "last_fetch": "none" if record["role"] == "leader" else known(record["last_fetch"]),
            "last_caught_up": known(record["last_caught_up"]),
        }
    )


def feature_record(feature: Feature) -> dict[str, object]:
    return {
        "feature": feature.name,
        "level": feature.level,
        "level_name": level_text(feature, feature.level),
        "supported_min": feature.supported_min,
        "supported_max": feature.supported_max,
    }


def feature_line(feature: Feature) -> str:
    """Return *feature* as kafka-features describe does, without the epoch."""
    return "\t" + line_of(
        {
            "feature": feature.name,
            "supported_min_version": level_text(feature, feature.supported_min),
            "supported_max_version": level_text(feature, feature.supported_max),
            "finalized_version_level": level_text(feature, feature.level),
        }
    )


def level_text(feature: Feature, level: int) -> str:
    """Return Kafka's name of a *level* of *feature*: that of a release, or its number."""
    if feature.name == METADATA_VERSION and 1 <= level <= len(METADATA_VERSIONS):
        return METADATA_VERSIONS[level - 1]
    return str(level)


def known(value: object) -> object:
    return "unknown" if value is None else value


def epoch_of(snapshot: ClusterSnapshot) -> int | None:
    """Return the controller's epoch; on KRaft that of the quorum's leader."""
    controller, epoch = snapshot.controller, snapshot.controller_epoch
    if epoch is None and controller is not None and controller.is_kraft:
        return controller.kraft_controller_epoch
    return None if epoch is None else epoch.epoch


def owner(snapshot: ClusterSnapshot) -> str:
    if snapshot.controller is None:
        return "unreadable" if is_fault(snapshot, subjects.CONTROLLER) else "none"
    return "kraft" if snapshot.controller.is_kraft else "zookeeper"


def controller_lines(record: Mapping[str, object]) -> Iterator[str]:
    unknown = "none yet" if record["controller"] is None else "unknown"
    epoch = unknown if record["epoch"] is None else record["epoch"]
    if record["controller"] is None:
        yield f"Controller: {record['owner']}\tEpoch: {epoch}"
        return
    # A controller of a quorum need not be a broker, and then no broker returns its address.
    nowhere = "no broker" if record["owner"] == "kraft" else "not registered"
    endpoints = visible(",".join(map(str, as_list(record["endpoints"])))) or nowhere
    line = (
        f"Controller: {record['controller']}\tEndpoints: {endpoints}\tEpoch: {epoch}"
        f"\tSince: {record['since'] or 'unknown'}"
    )
    yield line + ("\tOwner: kraft" if record["owner"] == "kraft" else "")


def pretty(
    record: Record, replicas: Sequence[Record], features: Sequence[Feature]
) -> "RenderableType":
    from rich.console import Group
    from rich.text import Text

    from kadmin.render.tables import Shown, dashed, table_of

    def name(record: Record) -> Text:
        if record["controller"] is None:
            return Text(str(record["owner"]), "bold red")
        is_kraft = record["owner"] == "kraft"
        return Text(f"{record['controller']}{' (KRaft)' if is_kraft else ''}", "bold")

    controller = table_of(
        [record],
        Shown("controller", name),
        Shown("endpoints", lambda record: stacked(as_list(record["endpoints"])), worth=2),
        Shown("epoch", lambda record: dashed(record["epoch"]), right=True, worth=3),
        Shown("since (UTC)", lambda record: short_time(record["since"]), worth=1),
    )
    if not (replicas or features):
        return controller
    quorum = table_of(
        replicas,
        Shown("node", lambda record: Text(str(record["node"]), "bold")),
        Shown("role", lambda record: str(record["role"])),
        Shown("endpoints", lambda record: stacked(as_list(record["endpoints"])), worth=1),
        Shown("log end", lambda record: dashed(record["log_end_offset"]), right=True, worth=3),
        Shown("lag", lambda record: dashed(record["lag"]), right=True, worth=6),
        Shown("last fetch (UTC)", lambda record: short_time(record["last_fetch"]), worth=5),
        Shown("caught up (UTC)", lambda record: short_time(record["last_caught_up"]), worth=4),
    )
    levels = table_of(
        features,
        Shown("feature", lambda each: Text(each.name, "bold")),
        Shown("level", lambda each: level_text(each, each.level), right=True),
        Shown("supported up to", lambda each: level_text(each, each.supported_max), right=True),
    )
    return Group(controller, *([quorum] if replicas else ()), *([levels] if features else ()))
