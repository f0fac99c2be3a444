"""What the controller, brokers and tools want of ZooKeeper, as sequences of its requests."""

__all__ = [
    "acls",
    "client",
    "client_requests",
    "configs",
    "election",
    "notifications",
    "reads",
    "reassignment",
    "registration",
    "resource_acls",
    "startup",
    "topics",
    "transaction",
    "writes",
]
