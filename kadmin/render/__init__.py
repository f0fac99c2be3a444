"""Tables, plain lines and documents; the only importer of rich."""

__all__ = [
    "api_versions",
    "brokers",
    "cluster",
    "cluster_partitions",
    "config",
    "configs",
    "dump_log",
    "elections",
    "log_dirs",
    "merge_logs",
    "merge_progress",
    "offsets",
    "output",
    "reassign",
    "record_deletion",
    "records",
    "topic_changes",
    "topic_list",
    "topics",
    "verify_replicas",
]
