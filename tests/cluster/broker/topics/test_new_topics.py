"""Which topics may be created, and with how many partitions on which brokers?"""

import pytest

from cluster.broker.metadata_cache import LiveBroker, MetadataCache
from cluster.broker.ports import ApiSettings
from cluster.broker.topics.new_topics import BY_BROKER, AskedTopic, NewTopics
from cluster.broker.topics.placement import Refused
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId

ONE, TWO = BrokerId(1), BrokerId(2)
ASKED = AskedTopic("orders", BY_BROKER, BY_BROKER, (), ())


class RandomStream:
    """Always the first."""

    def below(self, bound: int) -> int:
        return 0

    def unique_id(self) -> bytes:
        return bytes(16)


@pytest.fixture
def new_topics() -> NewTopics:
    """Two brokers are alive; a topic has three partitions and one replica by default."""
    cache = MetadataCache()
    cache.update(ONE, [LiveBroker(one, {}, None) for one in (ONE, TWO)], ())
    return NewTopics(cache, RandomStream(), ApiSettings(partition_count=3))


def test_what_is_not_asked_for_the_brokers_settings_say(new_topics: NewTopics) -> None:
    topic = new_topics.check(ASKED, {}, room=10)

    assert {0: (ONE,), 1: (TWO,), 2: (ONE,)} == topic.layout


def test_an_assignment_is_taken_as_it_is(new_topics: NewTopics) -> None:
    asked = ASKED._replace(assignments=[(1, (TWO, ONE)), (0, (ONE, TWO))])

    assert {0: (ONE, TWO), 1: (TWO, ONE)} == new_topics.check(asked, {}, room=10).layout


@pytest.mark.parametrize(
    ("asked", "error"),
    [
        (ASKED._replace(name=".."), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (ASKED._replace(partition_count=0), ErrorCode.INVALID_PARTITIONS),
        (ASKED._replace(partition_count=11), ErrorCode.POLICY_VIOLATION),
        (ASKED._replace(replication_factor=0), ErrorCode.INVALID_REPLICATION_FACTOR),
        (ASKED._replace(replication_factor=3), ErrorCode.INVALID_REPLICATION_FACTOR),
        (ASKED._replace(configs=[("retention.ms", None)]), ErrorCode.INVALID_CONFIG),
        (ASKED._replace(configs=[("retention.ms", "long")]), ErrorCode.INVALID_CONFIG),
        (ASKED._replace(partition_count=1, assignments=[(0, (ONE,))]), ErrorCode.INVALID_REQUEST),
        (ASKED._replace(assignments=[(1, (ONE,))]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (ASKED._replace(assignments=[(0, (ONE, ONE))]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (ASKED._replace(assignments=[(0, (BrokerId(3),))]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ],
)
def test_what_cannot_be_is_refused(
    new_topics: NewTopics, asked: AskedTopic, error: ErrorCode
) -> None:
    with pytest.raises(Refused) as refused:
        new_topics.check(asked, {}, room=10)

    assert error is refused.value.error
