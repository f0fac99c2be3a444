"""Meters of what is counted elsewhere as plain numbers, which hot paths can afford."""

from collections.abc import Callable, Mapping

from cluster.metrics.beans import Bean
from cluster.metrics.registry import MetricsRegistry


def follow_counts(registry: MetricsRegistry, counts: Mapping[Bean, Callable[[], int]]) -> None:
    """Add a meter for each of *counts*, which never fall."""
    meters = [(registry.meters(bean).of(), read) for bean, read in counts.items()]

    def update() -> None:
        for meter, read in meters:
            meter.count = read()

    registry.before_reading(update)
