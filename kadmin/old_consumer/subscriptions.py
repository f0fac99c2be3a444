"""Subscriptions of old consumers: which topics does a registration mean?

Source: Kafka's TopicFilter and TopicCount.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from cluster.model.consumer import ConsumerRegistration, ConsumerThread, SubscriptionPattern

INTERNAL: Final = frozenset({"__consumer_offsets", "__transaction_state"})


class UnknownPattern(Exception):
    """A regular expression of *consumer_id* that only Java understands."""

    def __init__(self, consumer_id: str, pattern: str) -> None:
        super().__init__(f"the pattern '{pattern}' of consumer {consumer_id} is not understood")
        self.consumer_id = consumer_id


def threads_by_topic(
    members: Mapping[str, ConsumerRegistration], topics: Iterable[str]
) -> dict[str, list[ConsumerThread]]:
    """Return the threads of all *members*, by their consumer ids, for each topic that is wanted.

    Patterns are matched with *topics*; other subscriptions name topics that need not be there.

    Raises:
        UnknownPattern: a pattern cannot be understood, so nothing can be assigned as others do.
    """
    topics = list(topics)
    found: dict[str, list[ConsumerThread]] = {}
    for consumer_id, member in members.items():
        for topic, count in streams_of(consumer_id, member, topics).items():
            threads = (ConsumerThread(consumer_id, number) for number in range(count))
            found.setdefault(topic, []).extend(threads)
    return found


def streams_of(
    consumer_id: str, member: ConsumerRegistration, topics: Iterable[str]
) -> dict[str, int]:
    """Return how many threads *member* has for each topic."""
    if member.pattern is SubscriptionPattern.STATIC:
        return dict(member.streams)
    found: dict[str, int] = {}
    for pattern, count in member.streams.items():
        try:
            matcher = re.compile(filter_of(pattern))
        except re.error as error:
            raise UnknownPattern(consumer_id, pattern) from error
        is_white = member.pattern is SubscriptionPattern.WHITE_LIST
        for topic in topics:
            if topic not in INTERNAL and (matcher.fullmatch(topic) is not None) == is_white:
                found[topic] = count
    return found


def filter_of(text: str) -> str:
    """Return the regular expression that Kafka makes of *text*, in which a comma means "or"."""
    return text.strip().replace(",", "|").replace(" ", "").strip("\"'")
