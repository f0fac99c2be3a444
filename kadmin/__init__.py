"""The operator's side: plans, changes and shows log clusters coordinated by ZooKeeper."""

__all__ = []
