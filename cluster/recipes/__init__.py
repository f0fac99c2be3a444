"""Leader election over ZooKeeper: fair or unfair, as leases with epochs; latch and selector."""

__all__ = ["attempt", "latch", "lease", "view"]
