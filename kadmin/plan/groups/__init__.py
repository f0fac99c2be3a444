"""Consumer groups: their members, how far they lag, and which offsets a reset gives them"""

__all__ = ["changes", "group", "lag", "verdict"]
