"""Controllers' orders: their queue and fences, role changes, stops of replicas, their codec."""

__all__ = [
    "fences",
    "leadership",
    "metadata_updates",
    "order_codec",
    "orders",
    "queue",
    "refused_partitions",
    "replica_stops",
    "role_changes",
]
