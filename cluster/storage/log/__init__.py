"""The log of one partition: appends, reads, truncation, retention, flushes."""

__all__ = [
    "copying",
    "growing_log",
    "leader_epochs",
    "offset_lookup",
    "partition_log",
    "producer_replay",
    "producer_state",
    "reading",
    "work",
]
