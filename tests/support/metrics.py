"""Registries of metrics for tests, and what is read of them."""

import time
from collections.abc import Callable
from random import Random

from cluster.metrics.registry import Attributes, MetricsRegistry, attributes_of


def new_registry(monotonic_ns: Callable[[], int] = time.monotonic_ns) -> MetricsRegistry:
    return MetricsRegistry(monotonic_ns=monotonic_ns, random=Random(7).random)


def all_of(registry: MetricsRegistry) -> dict[str, Attributes]:
    """Return the attributes of all metrics by their names in JMX."""
    return {bean.object_name(tags): attributes_of(value) for bean, tags, value in registry.points()}
