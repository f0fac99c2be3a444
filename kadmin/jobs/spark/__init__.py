"""Spark as an engine: a driver in a JVM, and tasks that take work items from this process."""

__all__ = ["driver", "engine", "errors", "master_url", "started"]
