"""Questions about partitions that only their leaders answer, with retries at new leaders.

The caller supplies the request: a function that asks one broker.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from kafka.errors import (
    FencedLeaderEpochError,
    LeaderNotAvailableError,
    NotLeaderForPartitionError,
    OffsetNotAvailableError,
    UnknownLeaderEpochError,
    UnknownTopicOrPartitionError,
)

from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from kadmin.admin.answers import Answers
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.admin.wire.outcomes import words_of

Answer = TypeVar("Answer")

Told: TypeAlias = Iterable[tuple[TopicPartition, int, Answer]]
"""Partitions with their error code, 0 for none, and the answer about them."""

PASSING: Final = frozenset(
    error.errno
    for error in (
        FencedLeaderEpochError,
        LeaderNotAvailableError,
        NotLeaderForPartitionError,
        OffsetNotAvailableError,
        UnknownLeaderEpochError,
        UnknownTopicOrPartitionError,
    )
)
"""Errors of a leader that has just become one, or is none any more."""

ROUNDS_MAX: Final = 6
PAUSE_S: Final = 0.05
"""Twice as long after each round: in all, long enough for brokers to hear of an election."""


def ask_leaders(
    connection: WireConnection,
    partitions: Iterable[TopicPartition],
    ask: Callable[[BrokerId, Sequence[TopicPartition]], Told[Answer]],
    leaders: Mapping[TopicPartition, BrokerId] | None = None,
) -> Answers[Answer]:
    """Ask the leaders of *partitions* by *ask*, and those again whose leader has moved.

    *leaders* are those that were read a moment ago, if any: all that have one.  A leader that does
    not answer costs its own partitions.

    Raises:
        KafkaError: an error that *ask* lets out.
    """
    found: dict[TopicPartition, Answer] = {}
    unanswered: dict[TopicPartition, str] = {}
    pending = set(partitions)
    for round_number in range(ROUNDS_MAX):
        if not pending:
            break
        if round_number > 0:
            connection.budget.pause(PAUSE_S * 2**round_number)
        if leaders is None or round_number > 0:
            leaders = leaders_of(connection, pending)
        for partition in sorted(pending - leaders.keys()):
            unanswered[partition] = "it has no leader"
            pending.remove(partition)
        for led, answers in answers_of_leaders(connection, leaders, pending, ask):
            if isinstance(answers, BrokersUnreachable):
                unanswered |= dict.fromkeys(led, answers.reason)
                pending.difference_update(led)
                continue
            if isinstance(answers, Exception):
                raise answers
            for partition, code, answer in answers:
                if code == 0:
                    found[partition] = answer
                    unanswered.pop(partition, None)
                else:
                    unanswered[partition] = words_of(code)
                if code not in PASSING:
                    pending.discard(partition)
    return Answers(found=found, unanswered=unanswered)


def answers_of_leaders(
    connection: WireConnection,
    leaders: Mapping[TopicPartition, BrokerId],
    partitions: Iterable[TopicPartition],
    ask: Callable[[BrokerId, Sequence[TopicPartition]], Told[Answer]],
) -> Iterator[tuple[list[TopicPartition], "list[tuple[TopicPartition, int, Answer]] | Exception"]]:
    """Return the answer or error of each leader of *partitions*, with the partitions that it leads.

    All leaders are asked at once.
    """
    led: dict[BrokerId, list[TopicPartition]] = {}
    for partition in sorted(partitions):
        led.setdefault(leaders[partition], []).append(partition)
    by_broker = connection.at_once(sorted(led), lambda broker: list(ask(broker, led[broker])))
    for broker, answers in by_broker.items():
        yield led[broker], answers


def leaders_of(
    connection: WireConnection, partitions: Iterable[TopicPartition]
) -> dict[TopicPartition, BrokerId]:
    """Return the leaders of those of *partitions* that have one."""
    wanted = set(partitions)
    metadata = connection.metadata(sorted({each.topic for each in wanted}))
    leaders = leaders_in(metadata["topics"])
    return {each: leader for each, leader in leaders.items() if each in wanted}


def leaders_in(topics: Iterable[Mapping[str, Any]]) -> dict[TopicPartition, BrokerId]:
    """Return the leaders in the metadata of *topics*."""
    return {
        TopicPartition(topic["name"], part["partition_index"]): BrokerId(part["leader_id"])
        for topic in topics
        for part in topic["partitions"]
        if part["leader_id"] != NO_LEADER
    }


def by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Return the numbers of *partitions* by topic, in their order."""
    numbers: dict[str, list[int]] = {}
    for partition in partitions:
        numbers.setdefault(partition.topic, []).append(partition.partition)
    return numbers
