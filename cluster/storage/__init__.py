"""The partition log in Kafka's disk format: segments, indexes, checkpoints, recovery."""
