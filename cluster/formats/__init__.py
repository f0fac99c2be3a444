"""Kafka's formats on disk and in internal topics: batches, records, indexes, small files."""

__all__ = [
    "batch_building",
    "batch_walk",
    "checkpoints",
    "compression",
    "coordinator_records",
    "directory_names",
    "errors",
    "group_records",
    "indexes",
    "message_building",
    "message_fields",
    "metadata_records",
    "producer_snapshot",
    "properties",
    "record_batch",
    "record_columns",
    "records",
    "segment_names",
]
