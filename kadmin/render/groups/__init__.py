"""Consumer groups: lists, members, lag, verdicts"""

__all__ = ["lag", "listing", "members", "verdicts"]
