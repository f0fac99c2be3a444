"""What the files of a partition's log say, of any Kafka release: batches, records, indexes."""

__all__ = [
    "compare",
    "dump",
    "fetched",
    "index_entries",
    "live",
    "pieces",
    "replica_log",
    "values",
]
