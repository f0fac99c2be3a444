"""What a replica knows of its own partition: its role, its epoch and what is committed."""

__all__ = ["replica", "replica_roles"]
