"""What a replica knows of its own partition: its role, its epoch and what is committed."""

__all__ = ["follower_state", "isr", "replica", "replica_roles", "throttle"]
