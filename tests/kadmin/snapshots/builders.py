"""Short ways to write saved clusters down."""

from typing import Any

from cluster.model.fault import Fault, Subject
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from kadmin.snapshots.saved import SavedCluster, Source
from tests.kadmin.builders import brokers, cluster

THREE = brokers("1:a 2:b 3:c")


def saved(*topics: TopicSnapshot, faults: tuple[Subject, ...] = (), **more: Any) -> SavedCluster:
    """Three brokers with *topics*; *faults* are about what could not be read."""
    snapshot: ClusterSnapshot = more.pop("snapshot", None) or cluster(
        more.pop("live", THREE), *topics, faults=tuple(map(fault, faults))
    )
    return SavedCluster(
        **{
            "tool_version": "0.2.0",
            "taken_at_ms": 1_700_000_000_000,
            "source": Source.ZOOKEEPER,
            "cluster_id": "VcrVJPOVR7SVkgM35bYjEg",
            "cluster": snapshot,
            **more,
        }
    )


def fault(subject: Subject) -> Fault:
    text = f"{subject.thing.name.lower()} {subject.name} may not be read"
    return Fault(subject=subject, where="/x", version=None, reason="may not be read", text=text)
