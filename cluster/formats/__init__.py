"""Kafka's formats on disk and in internal topics: batches, records, indexes, small files."""

__all__ = [
    "batch_walk",
    "checkpoints",
    "compression",
    "coordinator_records",
    "directory_names",
    "errors",
    "indexes",
    "producer_snapshot",
    "properties",
    "record_batch",
    "records",
    "segment_names",
]
