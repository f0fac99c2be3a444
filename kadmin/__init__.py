"""The operator's side: plans, changes and shows Kafka clusters, on ZooKeeper or KRaft."""

__all__ = []
