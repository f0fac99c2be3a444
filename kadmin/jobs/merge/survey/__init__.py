"""The survey of all files: which times and lines lie in which part of each."""

__all__ = ["parts", "records", "results", "surveyed_file", "tasks", "time_bounds"]
