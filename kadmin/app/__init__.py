"""What a command, a page or a supervisor does: sessions, evidence, collections, verifications"""

__all__ = [
    "actions",
    "broker_paths",
    "collecting",
    "consuming",
    "evidence",
    "groups",
    "hint_target",
    "leading",
    "move_plans",
    "moves",
    "polling",
    "preloading",
    "reading",
    "session",
    "snapshot_files",
    "snapshots",
    "spark",
    "supervising",
    "verify_files",
    "verify_live",
]
