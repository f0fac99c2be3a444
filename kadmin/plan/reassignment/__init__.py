"""Which partitions are to get which replicas: Kafka's files, plans, and whether it is done."""

__all__ = [
    "dir_moves",
    "generate",
    "journal",
    "moves",
    "progress",
    "shorthand",
    "sizes",
    "standing_throttles",
    "status",
    "targets",
    "throttle_release",
    "throttles",
    "waves",
    "withdrawal",
]
