"""The partition log in Kafka's disk format: segments, indexes, checkpoints, recovery."""

__all__ = [
    "cleaner",
    "directories",
    "errors",
    "files",
    "health",
    "log",
    "log_config",
    "records",
    "recovery",
]
