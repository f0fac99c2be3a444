"""`kadmin topics`: see and change topics."""

__all__ = []
