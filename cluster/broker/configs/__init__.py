"""Configs of a broker and of its topics: the table, sources, which value wins, who applies it."""

__all__ = [
    "alter_config_ops",
    "broker_configs",
    "config_propagation",
    "dynamic_config_validation",
    "listeners",
    "supported_configs",
    "topic_configs",
]
