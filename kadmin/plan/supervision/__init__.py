"""The supervised run of a move plan: what is done next, what holds it up, and how far it is."""

__all__ = [
    "drift",
    "events",
    "gates",
    "journal",
    "pace",
    "procedure",
    "progress",
    "run",
    "stalls",
    "standing",
    "view",
]
