"""Fetches of followers from their leaders: connections, truncations, failures."""

__all__ = [
    "manager",
    "truncations",
]
