"""What the files of a partition's log say, of any Kafka release: batches, records, indexes."""

__all__ = [
    "borders",
    "compare",
    "coordinator_records",
    "dump",
    "fetched",
    "live",
    "pieces",
    "replica_log",
    "source",
    "values",
    "walk",
]
