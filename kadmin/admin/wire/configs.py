"""Which configs have topics, as brokers tell it, and how are they changed over the wire?

The requests go as they are: kafka-python's own calls drop the error of a single topic.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kafka.admin import AlterConfigOp, ConfigResourceType, ConfigSourceType
from kafka.errors import UnknownTopicOrPartitionError, for_code
from kafka.protocol.admin import DescribeConfigsRequest, IncrementalAlterConfigsRequest

from kadmin.admin.wire.connection import WireConnection
from kadmin.plan.configs import ConfigPlan

TOPICS_PER_REQUEST: Final = 500
ATTEMPTS_MAX: Final = 5
PAUSE_S: Final = 0.2
TOPIC: Final = ConfigResourceType.TOPIC.value
OF_TOPIC: Final = ConfigSourceType.DYNAMIC_TOPIC_CONFIG.value


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldConfigs:
    """What a broker tells of a topic: *own* was set for it, *inherited* holds the rest."""

    own: Mapping[str, str]
    inherited: Mapping[str, str]


def read_topic_configs(connection: WireConnection, names: Sequence[str]) -> dict[str, ToldConfigs]:
    """The configs of each topic of *names*, by name; a topic that is gone is left out.

    Raises:
        KafkaError: the error of a topic, which `connect_brokers` translates.
    """
    found: dict[str, ToldConfigs] = {}
    left = list(names)
    for attempt in range(ATTEMPTS_MAX):
        if attempt:
            time.sleep(PAUSE_S)
        for start in range(0, len(left), TOPICS_PER_REQUEST):
            found |= told_configs(connection, left[start : start + TOPICS_PER_REQUEST])
        # Not every broker has heard of a new topic yet; the next one asked may have.
        left = [name for name in names if name not in found]
        if not left:
            break
    return found


def told_configs(connection: WireConnection, names: Sequence[str]) -> dict[str, ToldConfigs]:
    """What one broker tells of *names*; topics that it does not know are left out."""
    found = {}
    request = DescribeConfigsRequest(
        resources=[(TOPIC, name, None) for name in names],
        include_synonyms=False,
        min_version=1,  # Before 1.1 nobody tells what is a topic's own.
    )
    for result in connection.send(request).results:
        if result.error_code == UnknownTopicOrPartitionError.errno:
            continue
        if result.error_code != 0:
            raise for_code(result.error_code)(f"configs of topic '{result.resource_name}'")
        # What is sensitive has no value here.
        told = sorted(
            (config.name, config.value, config.config_source == OF_TOPIC)
            for config in result.configs
            if config.value is not None
        )
        found[result.resource_name] = ToldConfigs(
            own={name: value for name, value, is_own in told if is_own},
            inherited={name: value for name, value, is_own in told if not is_own},
        )
    return found


def alter_topic_configs(connection: WireConnection, plan: ConfigPlan) -> tuple[int, str | None]:
    """Change what *plan* changes and nothing else; returns the answer's error code and reason."""
    before, after = plan.before.values, plan.after.values
    changes: list[tuple[str, int, str | None]] = [
        (name, AlterConfigOp.SET.value, value)
        for name, value in after.items()
        if before.get(name) != value
    ]
    changes += [(name, AlterConfigOp.DELETE.value, None) for name in before if name not in after]
    request = IncrementalAlterConfigsRequest(
        resources=[(TOPIC, str(plan.entity.root.name), changes)], validate_only=False
    )
    [answer] = connection.send(request).responses
    return int(answer.error_code), answer.error_message
