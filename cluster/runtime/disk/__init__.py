"""Files, disk threads, the loading of logs and their scheduled tasks."""

__all__ = [
    "compaction_process",
    "disk_threads",
    "files",
    "log_loading",
    "log_scheduler",
    "settled_clock",
]
