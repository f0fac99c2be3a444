"""Actions that operators may want of a cluster: planned, shown, confirmed, carried out"""

__all__ = []
