"""The controller as a pure core: elects leaders and tells brokers which partitions are theirs."""

__all__ = [
    "active_controller",
    "brokers",
    "core",
    "effects",
    "election",
    "events",
    "orders",
    "requests",
    "zookeeper_requests",
]
