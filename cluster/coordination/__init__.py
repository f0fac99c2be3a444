"""What the controller, brokers and tools want of ZooKeeper, as sequences of its requests."""

__all__ = [
    "acls",
    "carry_out",
    "client",
    "configs",
    "election",
    "hints",
    "isr",
    "notifications",
    "producer_ids",
    "reassignment",
    "registration",
    "resource_acls",
    "startup",
    "topics",
    "transaction",
]
