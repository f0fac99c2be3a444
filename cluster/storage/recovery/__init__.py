"""What of a log is still there when it is opened."""

__all__ = [
    "findings",
    "opening",
]
