"""A replica's own view of its partition: role, leader epoch, ISR and high watermark."""

__all__ = [
    "fetch_pace",
    "fetch_phases",
    "fetch_session_handler",
    "fetch_state",
    "follower_state",
    "isr",
    "read_replica",
    "replica",
    "replica_roles",
    "throttle",
    "truncation",
]
