"""Orders of controllers: their codec, queue and fences, and the role changes and stops in them."""

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
