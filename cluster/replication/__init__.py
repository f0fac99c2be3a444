"""What a replica knows of its own partition: its role, its epoch and what is committed."""

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
