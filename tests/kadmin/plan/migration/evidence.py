"""Short ways to write the evidence of a migration down."""

from dataclasses import replace
from typing import Any

from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.controller import Controller, ControllerEpochNode, MigrationState
from cluster.model.ids import BrokerId, ControllerEpoch, ZkVersion
from cluster.model.snapshot import ClusterSnapshot
from cluster.zk import paths
from kadmin.plan.migration.evidence import MigrationEvidence, NodeTimes
from tests.kadmin.builders import brokers, cluster, topic

NOW_MS = 1_700_000_000_000


def calm(**more: Any) -> MigrationEvidence:
    """A cluster with nothing to say about it, but for *more*."""
    found = MigrationEvidence(
        snapshot=cluster(brokers("0:a 1:b"), topic("t", "0,1 1,0")),
        now_ms=NOW_MS,
        nodes={
            path: NodeTimes(NOW_MS - 60_000, NOW_MS - 60_000, 1)
            for path in (paths.CONTROLLER, paths.CONTROLLER_EPOCH)
        },
    )
    return replace(found, **more)


def with_snapshot(snapshot: ClusterSnapshot, **more: Any) -> MigrationEvidence:
    return calm(snapshot=snapshot, **more)


def migration(offset: int, *, kraft_epoch: int = 1) -> MigrationState:
    return MigrationState(
        kraft_controller_id=BrokerId(3000),
        kraft_controller_epoch=kraft_epoch,
        kraft_metadata_offset=offset,
        kraft_metadata_epoch=1,
        zk_version=ZkVersion(7),
    )


def migrating(
    offset: int | None,
    *,
    owner: str = "kraft",
    live: str = "0 1",
    kraft_epoch: int = 1,
    epoch: int = 2,
) -> MigrationEvidence:
    """A cluster whose `/migration` is at *offset*, and whose `/controller` is that of *owner*:
    `kraft`, `zookeeper` or nobody."""
    controllers = {
        "kraft": Controller(
            broker_id=BrokerId(3000),
            version=2,
            kraft_controller_epoch=kraft_epoch,
            zk_version=ZkVersion(0),
        ),
        "zookeeper": Controller(broker_id=BrokerId(0), zk_version=ZkVersion(0)),
    }
    found = calm()
    snapshot = replace(
        cluster(brokers(live), topic("t", "0,1 1,0")),
        controller=controllers.get(owner),
        controller_epoch=ControllerEpochNode(ControllerEpoch(epoch), ZkVersion(epoch)),
    )
    nodes = dict(found.nodes)
    if offset is not None:
        nodes[paths.MIGRATION] = NodeTimes(NOW_MS - 50_000, NOW_MS - 1_000, 7)
    state = None if offset is None else migration(offset, kraft_epoch=kraft_epoch)
    has_begun = state is not None and state.has_begun
    return replace(
        found,
        snapshot=replace(snapshot, migration=state if has_begun else None),
        nodes=nodes,
        migration=state,
    )


def overrides(kind: EntityKind, name: str, **values: str) -> dict[ConfigEntity, ConfigOverrides]:
    return {ConfigEntity(Entity(kind, name)): ConfigOverrides(values=values)}
