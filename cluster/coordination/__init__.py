"""What the controller, brokers and tools want of ZooKeeper, as sequences of its requests."""

__all__ = [
    "acls",
    "client",
    "configs",
    "election",
    "isr",
    "notifications",
    "producer_ids",
    "reads",
    "reassignment",
    "registration",
    "resource_acls",
    "startup",
    "topics",
    "transaction",
    "writes",
]
