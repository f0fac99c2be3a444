"""The log cleaner: which log is dirtiest, and of each key the last record."""

__all__ = [
    "cleaning",
    "compaction",
    "dirtiness",
]
