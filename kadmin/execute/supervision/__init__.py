"""Supervised runs of move plans: begun, carried on, given up, taken back."""

__all__ = ["beginning", "carrying_out", "reading"]
