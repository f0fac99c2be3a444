"""kazoo as a runner of ZooKeeper requests: sends them, and translates the results."""

__all__ = ["handler", "kazoo_requests", "multi_read", "negotiated_timeout"]
