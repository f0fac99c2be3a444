"""The topic configs that a broker's own keys give defaults for."""

import pytest

from cluster.broker.configs.broker_configs import topic_defaults
from cluster.broker.configs.supported_configs import SUPPORTED_BROKER_CONFIGS, TOPIC_DEFAULTS
from cluster.model.config_table import TOPIC_CONFIGS


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"log.retention.hours": "1"}, {"retention.ms": "3600000"}),
        ({"log.retention.hours": "1", "log.retention.minutes": "1"}, {"retention.ms": "60000"}),
        ({"log.retention.minutes": "1", "log.retention.ms": "5"}, {"retention.ms": "5"}),
        ({"log.retention.hours": "-1"}, {"retention.ms": "-1"}),
        ({"log.roll.hours": "2"}, {"segment.ms": "7200000"}),
        ({"log.roll.ms": "9", "log.roll.hours": "2"}, {"segment.ms": "9"}),
        ({"log.flush.scheduler.interval.ms": "7"}, {"flush.ms": "7"}),
        ({"message.max.bytes": "10"}, {"max.message.bytes": "10"}),
        ({"min.insync.replicas": "2"}, {"min.insync.replicas": "2"}),
    ],
)
def test_the_brokers_keys_are_the_defaults_of_topics(
    values: dict[str, str], expected: dict[str, str]
) -> None:
    assert topic_defaults(values) == expected


def test_each_default_of_a_topic_is_a_config_that_topics_have() -> None:
    assert set(TOPIC_DEFAULTS.values()) <= TOPIC_CONFIGS.keys()
    assert TOPIC_DEFAULTS.keys() <= SUPPORTED_BROKER_CONFIGS.keys()
