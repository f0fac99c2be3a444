"""What operators are shown, as values: reports on topics, groups, offsets, sizes"""

__all__ = [
    "exported",
    "groups",
    "log_dir_usage",
    "offsets",
    "simulation",
    "topic_sizes",
    "topic_summary",
    "topics",
    "unanswered",
    "views",
]
