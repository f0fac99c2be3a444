"""Spark as an engine: a session, and a DataFrame of the pieces of work."""

__all__ = ["data_source", "engine", "master_url", "session"]
