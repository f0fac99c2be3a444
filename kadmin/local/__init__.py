"""Starts and stops an embedded cluster as processes of this machine."""

__all__ = [
    "addresses",
    "broker",
    "brokers",
    "clusters",
    "leased_process",
    "log_reading",
    "server",
    "server_properties",
    "servers",
    "state",
    "status",
    "zookeepers",
]
