"""A broker's session with ZooKeeper, its registration, and what it reads and writes there."""

__all__ = [
    "chroot",
    "config_change_listener",
    "dynamic_broker_configs",
    "earlier_session",
    "membership",
    "runner",
    "session",
]
