"""Reads and writes of a live cluster by Kafka's protocol, as its brokers tell and take it."""

__all__ = [
    "api_versions",
    "attempts",
    "connection",
    "describe_configs",
    "errors",
    "kept_throttles",
    "late_replicas",
    "log_dirs",
    "log_ends",
    "offsets",
    "opening",
    "probe",
    "replica_reader",
    "snapshot",
    "wire_acls",
    "wire_configs",
    "wire_elections",
    "wire_reassignments",
    "wire_records",
    "wire_topics",
]
