"""Which partitions are to get which replicas: Kafka's files, plans, and whether it is done."""

__all__ = [
    "files",
    "generate",
    "journal",
    "moves",
    "shorthand",
    "status",
    "targets",
    "throttles",
    "waves",
]
