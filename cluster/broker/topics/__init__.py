"""New topics and partitions: validated, and placed on the live brokers."""

__all__ = [
    "auto_creation",
    "new_partitions",
    "new_topics",
    "placement",
]
