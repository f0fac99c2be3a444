"""The group coordinator as a pure core: members, generations and committed offsets of groups."""

__all__ = [
    "answers",
    "config",
    "context",
    "core",
    "effects",
    "events",
    "replay",
    "requests",
    "states",
    "views",
]
