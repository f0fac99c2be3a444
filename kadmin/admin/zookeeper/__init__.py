"""Reads and writes of a live cluster through ZooKeeper, on kazoo."""

__all__ = [
    "bootstrap",
    "client_probe",
    "cluster_id",
    "connection",
    "ensemble",
    "ensemble_probe",
    "layout",
    "leadership",
    "lease_beside",
    "migration",
    "old_member",
    "run_store",
    "snapshot",
    "throttle_journal",
    "zookeeper_acls",
    "zookeeper_configs",
    "zookeeper_elections",
    "zookeeper_groups",
    "zookeeper_reassignments",
    "zookeeper_topics",
]
