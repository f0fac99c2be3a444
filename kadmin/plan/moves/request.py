"""What an operator asks a planner of moves for: a goal, with its arguments and bounds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from cluster.model.ids import BrokerId
from kadmin.errors import UsageError


class Goal(StrEnum):
    """What a plan is to reach, moving no more than that takes."""

    BALANCE = "balance"
    """All brokers have as many replicas as the others, as far as racks allow, and lead as many."""
    DRAIN = "drain"
    """The given brokers have no replica."""
    ADD = "add"
    """The given brokers, which are new, have their share."""
    REPLACE = "replace"
    """One broker has the replicas of another."""
    REPLICATION_FACTOR = "replication-factor"
    """Each partition has so many replicas."""
    RACKS = "racks"
    """The replicas of each partition are spread over the racks."""
    RELIEVE = "relieve"
    """No broker's disks are fuller than so much."""
    LEADERS = "leaders"
    """All brokers are the preferred leader of as many partitions; nothing is copied."""
    KAFKA = "kafka"
    """What Kafka's own `--generate` proposes."""


class By(StrEnum):
    """What is balanced."""

    REPLICAS = "replicas"
    BYTES = "bytes"


NEEDS: Final[Mapping[Goal, tuple[str, ...]]] = {
    Goal.BALANCE: (),
    Goal.DRAIN: ("brokers",),
    Goal.ADD: ("brokers",),
    Goal.REPLACE: ("replace",),
    Goal.REPLICATION_FACTOR: ("replication_factor",),
    Goal.RACKS: (),
    Goal.RELIEVE: ("above",),
    Goal.LEADERS: (),
    Goal.KAFKA: (),
}
"""The arguments without which a goal means nothing."""

TAKES: Final[Mapping[Goal, tuple[str, ...]]] = {
    Goal.BALANCE: ("tolerance", "max_replicas", "exclude_brokers", "disable_rack_aware"),
    Goal.DRAIN: ("max_replicas", "exclude_brokers", "disable_rack_aware"),
    Goal.ADD: ("max_replicas", "disable_rack_aware"),
    Goal.REPLACE: ("max_replicas", "exclude_brokers", "disable_rack_aware"),
    Goal.REPLICATION_FACTOR: ("max_replicas", "exclude_brokers", "disable_rack_aware"),
    Goal.RACKS: ("max_replicas", "exclude_brokers"),
    Goal.RELIEVE: ("disk_size", "exclude_brokers", "disable_rack_aware"),
    Goal.LEADERS: (),
    Goal.KAFKA: ("brokers", "disable_rack_aware"),
}
"""The arguments that a goal takes besides.

Each also takes topics, topics to leave alone, and what to balance by, which only `BALANCE` heeds.
"""

assert NEEDS.keys() == TAKES.keys() == set(Goal)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """*goal* and its arguments; see `NEEDS` and `TAKES`.

    Of *topics* only, all where empty, and never of *excluded_topics*, anything is moved.
    *excluded_brokers* keep what they have and get nothing.
    """

    goal: Goal
    brokers: tuple[BrokerId, ...] = ()
    replacements: Mapping[BrokerId, BrokerId] = field(default_factory=dict)
    replication_factor: int | None = None
    above_percent: float | None = None
    disk_size_bytes: int | None = None
    by: By = By.REPLICAS
    tolerance_percent: float = 10
    max_replicas: int | None = None
    topics: tuple[str, ...] = ()
    excluded_topics: tuple[str, ...] = ()
    excluded_brokers: tuple[BrokerId, ...] = ()
    is_rack_aware: bool = True

    def arguments(self) -> dict[str, object]:
        """Return those that are given, as the file of a plan has them."""
        found: dict[str, object] = {
            "brokers": list(self.brokers),
            "replace": [f"{old}={new}" for old, new in self.replacements.items()],
            "replication_factor": self.replication_factor,
            "above": self.above_percent,
            "disk_size": self.disk_size_bytes,
            "by": None if self.by is By.REPLICAS else str(self.by),
            "tolerance": self.tolerance_percent if self.by is By.BYTES else None,
            "max_replicas": self.max_replicas,
            "topics": list(self.topics),
            "exclude_topics": list(self.excluded_topics),
            "exclude_brokers": list(self.excluded_brokers),
            "disable_rack_aware": True if not self.is_rack_aware else None,
        }
        return {key: value for key, value in found.items() if value not in (None, [])}


class WrongArguments(UsageError):
    """Arguments that do not go with the goal, or lack one that it needs."""

    def __init__(self, goal: Goal, problem: str) -> None:
        super().__init__(
            f"--goal {goal} {problem}",
            hint="'kadmin reassign plan --help' has each goal with what it needs",
        )
        self.goal = goal


def check_arguments(goal: Goal, given: Mapping[str, bool]) -> None:
    """Check which arguments, by their names in `NEEDS` and `TAKES`, are *given*.

    Raises:
        WrongArguments: one is missing, or does not go with *goal*.
    """
    missing = [name for name in NEEDS[goal] if not given[name]]
    if missing:
        raise WrongArguments(goal, f"needs {option_of(missing[0])}")
    stray = [
        name
        for name, is_given in given.items()
        if is_given and name not in NEEDS[goal] + TAKES[goal]
    ]
    if stray:
        raise WrongArguments(goal, f"does not take {', '.join(map(option_of, stray))}")


def option_of(name: str) -> str:
    return "--" + name.replace("_", "-")
