"""Reassignments: planned, started, cancelled, listed and verified"""

__all__ = ["cancellation", "moves", "plans", "run"]
