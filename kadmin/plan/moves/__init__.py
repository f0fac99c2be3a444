"""Moves planned ahead: which replicas go where with the least movement, kept in a file."""

__all__ = ["layout", "loads", "make_plan", "plan_file", "request"]
