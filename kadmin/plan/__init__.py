"""Pure planners and judges: a snapshot in, a plan out."""

__all__ = [
    "config_arguments",
    "config_plan",
    "config_values",
    "config_warnings",
    "election",
    "election_results",
    "entities",
    "health",
    "log_dirs",
    "offsets",
    "place",
    "reassignment",
    "replication",
    "report",
    "scram",
    "select",
    "times",
    "topic_refusals",
    "topic_text",
    "topics",
]
