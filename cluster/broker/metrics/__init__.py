"""Metrics of a broker's services: what these count anyway, read when a reporter asks."""

__all__ = ["counts", "services"]
