"""`kadmin reassign`: move partitions to other replicas."""

__all__ = []
