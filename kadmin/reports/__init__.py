"""What operators are shown, as values: reports on topics, offsets, sizes"""

__all__ = ["log_dir_usage", "offsets", "topic_summary", "topics", "unanswered"]
