"""Coordinators on this broker: the groups whose records are in the partitions that it leads."""

__all__ = ["group_service"]
