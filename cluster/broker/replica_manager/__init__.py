"""Replicas of this broker: appends, reads, waits, ISR changes, throttles, moves, compaction."""

__all__ = [
    "appending",
    "checkpoint_writes",
    "delayed_delete_records",
    "delayed_fetch",
    "delayed_produce",
    "down_conversion",
    "fetch_reading",
    "fetch_sessions",
    "follower_fetches",
    "hosting",
    "isr_changes",
    "leader_flush",
    "log_cleaner",
    "log_dir_moves",
    "partitions",
    "record_work",
    "refused_batches",
    "throttles",
    "topic_config_handler",
    "topic_stats",
]
