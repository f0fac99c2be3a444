"""Consumer groups: lists, members, lag"""

__all__ = ["lag", "listing", "members"]
