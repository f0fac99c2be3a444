"""What each message of the protocol holds, in all versions: every class is its own table."""

__all__ = [
    "acls",
    "alter_partition",
    "api_versions",
    "cluster",
    "configs",
    "controlled_shutdown",
    "elect_leaders",
    "fetch",
    "leader_and_isr",
    "leaders",
    "list_offsets",
    "log_dirs",
    "metadata",
    "offset_for_leader_epoch",
    "produce",
    "producers",
    "reassignments",
    "stop_replica",
    "topics",
    "update_metadata",
]
