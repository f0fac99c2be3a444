"""Changes and reads of ZooKeeper by the controller, brokers and tools, as sequences of requests."""

__all__ = [
    "acls",
    "client",
    "client_requests",
    "configs",
    "consumer_groups",
    "consumer_offsets",
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
