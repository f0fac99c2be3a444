"""A broker's session with ZooKeeper, its registration, and its dynamic configs."""

__all__ = [
    "chroot",
    "config_change_listener",
    "dynamic_broker_configs",
    "earlier_session",
    "membership",
    "runner",
    "session",
]
