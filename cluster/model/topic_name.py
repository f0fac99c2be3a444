"""Validation of topic names.

Source: Kafka's Topic.validate and Topic.unifyCollisionChars.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from cluster.model.ids import TopicPartition

TOPIC_NAME_LENGTH_MAX: Final = 249
TOPIC_NAME: Final = re.compile(r"[a-zA-Z0-9._-]+")


def topic_name_problem(name: str) -> str | None:
    """Why Kafka refuses a topic called *name*; None when it is valid."""
    if not name:
        return "topic name is illegal: it cannot be empty"
    if name in (".", ".."):
        return "topic name cannot be '.' or '..'"
    if len(name) > TOPIC_NAME_LENGTH_MAX:
        # In a request it may have 32,767: as many characters as a valid name has identify it.
        beginning = f"{name[:TOPIC_NAME_LENGTH_MAX]}…"
        return (
            f"topic name is illegal: it cannot be longer than {TOPIC_NAME_LENGTH_MAX} characters,"
            f" {beginning!r} has {len(name)}"
        )
    if TOPIC_NAME.fullmatch(name) is None:
        return (
            f"topic name {name!r} is illegal: it contains a character other than ASCII"
            " alphanumerics, '.', '_' and '-'"
        )
    return None


def can_be(partition: TopicPartition) -> bool:
    """Whether its topic's name and its number are valid.

    An invalid partition must not reach a disk or ZooKeeper: it would be another path there.
    """
    return partition.partition >= 0 and topic_name_problem(partition.topic) is None


def metric_name(name: str) -> str:
    """The topic's name within names of metrics, where a dot becomes an underscore."""
    return name.replace(".", "_")


def collides(name: str, other: str) -> bool:
    """Whether the metrics of the two would have the same name; every name collides with itself."""
    return metric_name(name) == metric_name(other)


def by_metric_name(names: Iterable[str]) -> dict[str, list[str]]:
    """*names* in groups that collide."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(metric_name(name), []).append(name)
    return groups


def colliding_names(name: str, existing: Mapping[str, Sequence[str]]) -> list[str]:
    """The other topics that *name* collides with, sorted; *existing* as by `by_metric_name`."""
    return sorted(other for other in existing.get(metric_name(name), ()) if other != name)
