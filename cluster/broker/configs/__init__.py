"""Configs of a broker and of its topics: table, sources, precedence, validation and application."""

__all__ = [
    "alter_config_ops",
    "broker_configs",
    "config_propagation",
    "dynamic_config_validation",
    "listeners",
    "reporter_configs",
    "supported_configs",
    "topic_configs",
]
