"""Replica fetchers: followers' connections to leaders, log truncation, and failures."""

__all__ = ["fetcher", "manager", "truncations"]
