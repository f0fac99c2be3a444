"""Clusters of this machine"""

__all__ = ["clusters", "partitions"]
