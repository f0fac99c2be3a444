"""What the controller, brokers and tools want of ZooKeeper, as sequences of its requests."""

__all__ = [
    "acls",
    "carry_out",
    "client",
    "configs",
    "hints",
    "isr",
    "notifications",
    "producer_ids",
    "registration",
    "startup",
    "topics",
    "transaction",
]
