"""Scopes: the tags of a metric as one word, in names that have no tags.

Source: Kafka's KafkaMetricsGroup.toScope.
"""

from collections.abc import Sequence


def scope_of(tags: Sequence[str], values: Sequence[str]) -> str:
    """Return `partition.0.topic.my_topic`; empty without tags that have a value."""
    pairs = sorted((tag, value) for tag, value in zip(tags, values, strict=True) if value)
    return ".".join(f"{tag}.{value.replace('.', '_')}" for tag, value in pairs)
