"""Saved clusters, and what two of them differ in"""

__all__ = ["differences", "show"]
