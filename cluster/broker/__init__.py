"""A broker's whole logic: partitions, roles, metadata, orders, delayed requests; no socket."""

__all__ = [
    "authorizer",
    "broker",
    "cluster_store",
    "configs",
    "control",
    "delayed_metadata",
    "fan_in",
    "handling",
    "line_limit",
    "metadata_cache",
    "metrics",
    "ports",
    "producer_ids",
    "refusals_log",
    "replica_manager",
    "settled_clock",
    "topics",
]
