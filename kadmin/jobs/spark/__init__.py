"""Spark as an engine: a session, and jobs whose tasks do the pieces of work."""

__all__ = ["data_source", "engine", "master_url", "session"]
