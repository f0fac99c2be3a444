"""Reassignments: planned, started, cancelled, listed and verified"""

__all__ = ["cancellation", "load_picture", "moves", "plans", "run"]
