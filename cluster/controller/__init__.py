"""The controller as a pure core: elects leaders and tells brokers which partitions are theirs."""

__all__ = [
    "active_controller",
    "brokers",
    "core",
    "effects",
    "events",
    "hints",
    "orders",
    "requests",
]
