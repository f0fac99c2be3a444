"""The click commands: parse, call, render."""

__all__ = ["main"]
