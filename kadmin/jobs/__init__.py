"""Jobs over many files: merging state-change logs, on Spark or here; comparing replicas."""

__all__ = ["collected_replicas", "factory", "merge", "segment_files", "verify", "verify_live"]
