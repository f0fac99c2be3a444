"""`kadmin configs`: see and change dynamic configs."""

__all__ = []
