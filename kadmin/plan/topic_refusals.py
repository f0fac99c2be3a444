"""Refusals: why may a topic not be changed?"""

from collections.abc import Iterable, Sequence

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic_name import TOPIC_NAME_LENGTH_MAX, topic_name_problem
from kadmin.errors import KadminError, RefusedError, UsageError
from kadmin.wording import counted, first_listed, listed, verb_of


class TopicExists(KadminError):
    def __init__(self, name: str, *, is_marked_for_deletion: bool) -> None:
        if is_marked_for_deletion:
            message = f"topic '{name}' already exists and is marked for deletion"
            hint = "wait until its brokers are back and it is gone: 'kadmin topics --list'"
        else:
            message = f"topic '{name}' already exists"
            hint = f"see it with 'kadmin topics --describe --topic {name}',"
            hint += " or add --if-not-exists to let it be"
        super().__init__(message, hint=hint)
        self.name = name


class DeletionPending(RefusedError):
    """The deletion of a topic that is not there is asked for, and no controller takes it up."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"topic '{name}' is not there, and is marked for deletion: the next controller would"
            " delete a new one at once",
            hint="there is no controller, and one that is elected removes the mark: run the command"
            " again when 'kadmin controller' shows one",
        )
        self.name = name


class TopicCollision(KadminError):
    """Two names that differ in `.` and `_` only share their metrics in Kafka."""

    def __init__(self, name: str, others: Sequence[str]) -> None:
        super().__init__(
            f"topic '{name}' collides with existing topics: {listed(others)}"
            " ('.' and '_' are one in metric names)",
            hint="choose a name that differs in more than '.' and '_'",
        )
        self.name = name
        self.others = tuple(others)


class UnknownBrokers(RefusedError):
    def __init__(self, unknown: Sequence[BrokerId], live: Iterable[BrokerId]) -> None:
        shown = listed(sorted(live)) or "none"
        super().__init__(
            f"the assignment names brokers that are not alive: {listed(unknown)} (alive: {shown})",
            hint="correct the assignment, or add --allow-unknown-brokers if they are to come",
        )
        self.unknown = tuple(unknown)


class NotMorePartitions(KadminError):
    def __init__(self, name: str, current: int, wanted: int) -> None:
        super().__init__(
            f"the number of partitions for a topic can only be increased: '{name}' has {current},"
            f" {wanted} would not be an increase",
            hint=f"kadmin topics --describe --topic {name}",
        )
        self.name = name


class InternalTopic(RefusedError):
    def __init__(self, name: str, what: str) -> None:
        super().__init__(
            f"{name} is a Kafka internal topic: {what}",
            hint="--exclude-internal leaves internal topics out of a pattern",
        )
        self.name = name


class MarkedForDeletion(RefusedError):
    def __init__(self, name: str) -> None:
        super().__init__(
            f"topic '{name}' is marked for deletion and cannot be changed",
            hint="'kadmin topics --list' shows when it is gone",
        )
        self.name = name


class ReassignmentRunning(RefusedError):
    """Partitions cannot be added while replicas move: Kafka would take the replicas that are
    being added for part of the replication factor."""

    def __init__(self, partitions: Sequence[TopicPartition]) -> None:
        verb = verb_of(partitions, "is")
        super().__init__(
            f"{counted(len(partitions), 'partition')} {verb} being reassigned:"
            f" {first_listed(partitions)}",
            hint="add partitions when 'kadmin topics --describe' shows no more of them moving",
        )
        self.partitions = tuple(partitions)


class UnfitAssignment(UsageError):
    """A `--replica-assignment` that does not fit the topic or itself."""


LISTED_BY = "'kadmin topics --list' lists all topics"


class NoSuchTopic(KadminError):
    """A named topic does not exist, or no topic matches a pattern."""

    def __init__(self, wanted: Sequence[str], hint: str | None = None) -> None:
        if len(wanted) == 1:
            what = "no topic matches" if is_glob(wanted[0]) else "there is no topic"
            message = f"{what} '{wanted[0]}'"
        else:
            message = "there are no topics " + listed(f"'{name}'" for name in wanted)
        super().__init__(message, hint=hint or LISTED_BY)
        self.wanted = tuple(wanted)


class IllegalTopicName(UsageError):
    """Kafka takes no topic of that name."""

    def __init__(self, message: str) -> None:
        super().__init__(
            message,
            hint=f"use letters, digits, '.', '_' and '-', at most {TOPIC_NAME_LENGTH_MAX} of them",
        )


def check_topic_name(name: str) -> None:
    """Raise IllegalTopicName unless Kafka takes *name* for a topic."""
    problem = topic_name_problem(name)
    if problem is not None:
        raise IllegalTopicName(problem)


GLOB_CHARACTERS = frozenset("*?[")


def is_glob(text: str) -> bool:
    return not GLOB_CHARACTERS.isdisjoint(text)
