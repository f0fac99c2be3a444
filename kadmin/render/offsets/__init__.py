"""Offsets of partitions"""

__all__ = ["offsets"]
