"""A broker's logic: partitions, roles, metadata, orders, delayed requests; no sockets."""

__all__ = [
    "authorizer",
    "broker",
    "cluster_store",
    "configs",
    "control",
    "coordinators",
    "delayed_metadata",
    "handling",
    "line_limit",
    "metadata_cache",
    "metrics",
    "ports",
    "procedures",
    "producer_ids",
    "refusals_log",
    "replica_manager",
    "topics",
]
