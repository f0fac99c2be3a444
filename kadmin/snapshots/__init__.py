"""Snapshots of a cluster that are kept in files: their value, their JSON, and what two differ in"""

__all__ = ["diff", "differences", "reading", "saved", "summary", "writing"]
