"""Plan files for tests of supervised runs."""

from collections.abc import Mapping
from pathlib import Path

from cluster.model.ids import BrokerId, TopicPartition, ZkVersion
from kadmin.plan.moves.plan_file import MovePlan, PlannedMove, to_json
from tests.kadmin.builders import ids


def planned(name: str, text: str, *, size: int | None = None, version: int | None = None):
    """`planned("t-0", "0,1 -> 1,2")`."""
    topic, _, number = name.rpartition("-")
    before, _, after = text.partition(" -> ")
    return PlannedMove(
        partition=TopicPartition(topic, int(number)),
        replicas=ids(before),
        target=ids(after),
        zk_version=None if version is None else ZkVersion(version),
        size_bytes=size,
    )


def plan_of(*moves: PlannedMove, cluster_id: str | None = None) -> MovePlan:
    brokers = {broker for move in moves for broker in (*move.replicas, *move.target)}
    count = sum(len(move.adding) for move in moves)
    return MovePlan(
        tool_version="test",
        cluster_id=cluster_id,
        planned_at_ms=0,
        goal="balance",
        moved_replicas=count,
        lower_bound=count,
        moved_bytes=None,
        lower_bound_bytes=None,
        is_optimal=True,
        brokers=dict.fromkeys(sorted(map(BrokerId, brokers))),
        moves=moves,
    )


def plan_file(
    moves: Mapping[str, str], *, cluster_id: str | None = None, version: int | None = None
) -> str:
    """A file in this directory, by the names of partitions: `{"t-0": "0,1 -> 1,2"}`."""
    made = (planned(name, text, version=version) for name, text in moves.items())
    path = Path("moves.json").absolute()
    path.write_text(to_json(plan_of(*made, cluster_id=cluster_id)))
    return str(path)
