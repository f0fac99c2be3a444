"""The partition log in Kafka's disk format: segments, indexes, checkpoints, recovery."""

__all__ = [
    "directory_names",
    "errors",
    "files",
    "findings",
    "leader_epochs",
    "log",
    "log_config",
    "log_directory",
    "log_manager",
    "offset_index",
    "offset_lookup",
    "producer_state",
    "properties",
    "records",
    "segment",
    "validation",
    "work",
]
