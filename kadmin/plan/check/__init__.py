"""What is wrong in a cluster: findings from a look at all of it, worst first, grouped by cause"""

__all__ = ["evidence", "findings", "judge", "leftovers", "partitions", "stray_logs"]
