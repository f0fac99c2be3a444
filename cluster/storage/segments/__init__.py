"""Segments of a log: a file of batches with its indexes."""

__all__ = [
    "segment",
]
