"""Actions that operators may want of a cluster: planned, shown, confirmed, carried out"""

__all__ = [
    "acls",
    "action",
    "configs",
    "elections",
    "groups",
    "moves",
    "shown_changes",
    "throttles",
    "topics",
]
