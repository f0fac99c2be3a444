"""New topics and partitions: checked, and laid out on the brokers that are alive."""

__all__ = [
    "auto_creation",
    "new_partitions",
    "new_topics",
    "placement",
]
