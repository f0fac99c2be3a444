"""Checks of batches and records before they are appended."""

__all__ = [
    "up_conversion",
    "validation",
]
