"""`kadmin check`: look at the whole cluster"""

__all__ = []
