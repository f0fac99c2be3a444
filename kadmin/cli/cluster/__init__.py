"""`kadmin cluster`: run a cluster on this machine."""

__all__ = ["options"]
