"""Znode paths and JSON codecs, by Kafka release; contains no ZooKeeper client."""

__all__ = [
    "acls",
    "admin",
    "brokers",
    "cluster",
    "configs",
    "consumers",
    "controller",
    "layout",
    "paths",
    "requests",
    "steps",
    "tokens",
    "topics",
    "znode",
]
