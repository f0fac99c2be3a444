"""Jobs over many files: merging state-change logs, on Spark or here; comparing replicas."""

__all__ = [
    "factory",
    "merge",
    "progress",
    "segment_files",
    "uris",
    "verify",
    "verify_live",
]
