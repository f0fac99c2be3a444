"""Reads of what a migration to KRaft depends on, and the one write that it may need"""

__all__ = ["reading", "writing"]
