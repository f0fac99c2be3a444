"""What a command, a page or a supervisor does: sessions, evidence, collections, verifications"""

__all__ = [
    "broker_paths",
    "collecting",
    "consuming",
    "evidence",
    "groups",
    "leading",
    "local_metrics",
    "metrics",
    "move_plans",
    "moves",
    "reading",
    "session",
    "snapshot_files",
    "snapshots",
    "spark",
    "verify_files",
    "verify_live",
]
