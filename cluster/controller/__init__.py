"""The controller as a pure core: elects leaders and orders brokers to lead or follow partitions."""

__all__ = [
    "active_controller",
    "brokers",
    "context",
    "controller_state",
    "core",
    "effects",
    "events",
    "hints",
    "orders",
    "requests",
]
