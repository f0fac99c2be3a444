"""Reads and writes of a live cluster: ports, and behind them ZooKeeper and the wire."""

__all__ = ["answers", "metrics", "oauth", "ports", "tls", "wire", "zookeeper"]
