"""Log directories: which logs they have, and whose they are."""

__all__ = [
    "log_directory",
    "log_manager",
    "properties",
]
