"""Reports on topics, and changes of them"""

__all__ = ["changes", "describe", "names", "summary"]
