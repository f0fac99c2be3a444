"""Carries changes of a cluster out: plan, show, confirm, write, report, wait."""

__all__ = [
    "acls",
    "change",
    "commit",
    "configs",
    "delete_records",
    "elect",
    "groups",
    "meant_groups",
    "migrate_offsets",
    "migration_rollback",
    "reassign",
    "reassign_cancel",
    "reassign_status",
    "reassign_wait",
    "supervision",
    "throttle_release",
    "topics",
    "unreadable",
    "user_and_host",
]
