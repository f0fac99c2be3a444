"""What a command, a page or a supervisor does: sessions, evidence, collections, verifications"""

__all__ = [
    "broker_paths",
    "collecting",
    "consuming",
    "evidence",
    "groups",
    "leading",
    "machine",
    "move_plans",
    "moves",
    "perf_experiments",
    "reading",
    "session",
    "snapshot_files",
    "snapshots",
    "spark",
    "verify_files",
    "verify_live",
]
