"""Consumer groups: lists, members, lag, verdicts"""

__all__ = ["changes", "lag", "listing", "members", "verdicts"]
