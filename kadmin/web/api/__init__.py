"""The JSON API: one module for each group of routes"""

__all__ = ["endpoints"]
