"""Finds a Java and makes what runs on it start fast; starts processes that outlive us."""

__all__ = ["archive", "archive_build", "interrupts", "java", "process"]
