"""Performance tests: producers and consumers at full speed or at a rate, and what they measure."""

__all__ = [
    "availability",
    "clock",
    "compare",
    "consume",
    "end_to_end",
    "load",
    "peers",
    "processes",
    "produce",
    "records",
    "tally",
    "target",
]
