"""Comparisons of replicas, from files and from brokers"""

__all__ = ["files", "live"]
