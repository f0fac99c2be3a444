"""Znode paths and JSON codecs, by Kafka release; no ZooKeeper client in here."""

__all__ = [
    "acls",
    "admin",
    "brokers",
    "cluster",
    "configs",
    "controller",
    "layout",
    "paths",
    "requests",
    "steps",
    "topics",
    "znode",
]
