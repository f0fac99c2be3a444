"""What the controller would do: its very core, run on a saved cluster in this process"""

__all__ = ["scenario", "simulate"]
