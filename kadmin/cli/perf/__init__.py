"""`kadmin perf`: performance tests of a cluster, with Kafka's options and lines."""

__all__ = []
