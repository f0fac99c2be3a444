"""Completion scripts of the shells, one module each, written from the tree of commands."""

__all__ = []
