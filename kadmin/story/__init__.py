"""Who led a partition, when, decided by whom, and why it moved: a fold of state-change lines."""

__all__ = ["causes", "clocks", "coverage", "events", "fold", "unlogged", "values"]
