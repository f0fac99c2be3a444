"""Which topics does the registration of an old consumer mean?"""

from collections.abc import Mapping

import pytest

from cluster.model.consumer import ConsumerRegistration, SubscriptionPattern
from kadmin.old_consumer.subscriptions import UnknownPattern, streams_of, threads_by_topic

TOPICS = ("__consumer_offsets", "orders", "payments", "payments-old")


def member(pattern: str, streams: Mapping[str, int]) -> ConsumerRegistration:
    return ConsumerRegistration(
        streams=streams, pattern=SubscriptionPattern(pattern), timestamp_ms=1
    )


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("static", "absent", {"absent"}),
        ("white_list", "orders", {"orders"}),
        ("white_list", "orders, payments", {"orders", "payments"}),
        ("white_list", "'pay.*'", {"payments", "payments-old"}),
        ("white_list", ".*", {"orders", "payments", "payments-old"}),
        ("black_list", "pay.*", {"orders"}),
    ],
)
def test_patterns_mean_topics(pattern: str, text: str, expected: set[str]) -> None:
    assert dict.fromkeys(expected, 2) == streams_of("c", member(pattern, {text: 2}), TOPICS)


def test_threads_of_all_members_share_a_topic() -> None:
    members = {"a": member("static", {"orders": 2}), "b": member("white_list", {"o.*": 1})}

    found = threads_by_topic(members, TOPICS)

    assert {"orders": ["a-0", "a-1", "b-0"]} == {
        topic: [str(thread) for thread in some] for topic, some in found.items()
    }


def test_a_pattern_that_only_java_understands_is_named() -> None:
    with pytest.raises(UnknownPattern, match=r"the pattern '\(\?<n' of consumer a"):
        threads_by_topic({"a": member("white_list", {"(?<n": 1})}, TOPICS)
