"""The rebalance of old consumers, which coordinate through ZooKeeper alone: a pure core."""

__all__ = ["core", "znodes"]
