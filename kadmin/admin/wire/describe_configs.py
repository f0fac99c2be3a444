"""The configs of topics and brokers, as brokers describe them.

The requests go as they are: kafka-python's own calls drop the error of a single topic, and know no
defaults of all brokers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from kafka.admin import ConfigResourceType
from kafka.errors import (
    ClusterAuthorizationFailedError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
    for_code,
)
from kafka.protocol.admin import DescribeConfigsRequest

from cluster.model.config_entity import Entity
from cluster.model.config_source import ConfigSource, ConfigSynonym
from cluster.model.config_table import find_spec
from kadmin.admin.wire.connection import NotServed, WireConnection
from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.admin.wire.outcomes import words_of
from kadmin.plan.config_plan import HIDDEN, NULL
from kadmin.plan.config_values import ConfigValue, source_of

TOPICS_PER_REQUEST: Final = 500
ATTEMPTS_MAX: Final = 5
PAUSE_S: Final = 0.2
TOPIC: Final = ConfigResourceType.TOPIC.value
BROKER: Final = ConfigResourceType.BROKER.value
DENIALS: Final = (TopicAuthorizationFailedError.errno, ClusterAuthorizationFailedError.errno)
ALL_BROKERS: Final = ""
"""The name of the brokers' defaults."""

Described: TypeAlias = Sequence[Any]
"""The configs of one topic or broker as kafka-python hands them over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicConfigs:
    """The configs of a topic: *overrides* were set for it, *inherited* holds the rest."""

    overrides: Mapping[str, str]
    inherited: Mapping[str, str]


def read_topic_configs(
    connection: WireConnection,
    names: Sequence[str],
    denied: list[str] | None = None,
    failed: dict[str, str] | None = None,
) -> dict[str, TopicConfigs]:
    """Return the configs of each topic of *names*, by name, without those that brokers hide.

    A topic that is gone is left out, and so is one whose configs may not be read, where *denied*
    takes its name, or cannot be read, where *failed* takes it with the reason.

    Raises:
        KafkaError: the error of a topic, which `connect_brokers` translates.
    """
    own = ConfigSource.DYNAMIC_TOPIC_CONFIG
    found = {}
    for name, described in read_topics(connection, names, denied=denied, failed=failed).items():
        # What is sensitive has no value here.
        values = sorted(
            (config.name, config.value, config.config_source == own)
            for config in described
            if config.value is not None
        )
        found[name] = TopicConfigs(
            overrides={key: value for key, value, is_own in values if is_own},
            inherited={key: value for key, value, is_own in values if not is_own},
        )
    return found


def read_topics(
    connection: WireConnection,
    names: Sequence[str],
    *,
    with_synonyms: bool = False,
    denied: list[str] | None = None,
    failed: dict[str, str] | None = None,
) -> dict[str, Described]:
    """Read the configs of each topic of *names* from a broker, by name; a topic that is gone is
    left out.

    *denied* takes the names of those that may not be read, *failed* those that cannot be, each with
    the reason.

    Raises:
        NotServed: the brokers are older than 1.1.
        KafkaError: the error of a topic, which `connect_brokers` translates.
    """
    found: dict[str, Described] = {}
    left = list(names)
    for attempt in range(ATTEMPTS_MAX):
        if attempt:
            connection.budget.pause(PAUSE_S)
        for start in range(0, len(left), TOPICS_PER_REQUEST):
            if start:  # As many topics as these take their time, each request of them anew.
                connection.budget.renew()
            some = left[start : start + TOPICS_PER_REQUEST]
            found |= describe(
                connection,
                TOPIC,
                some,
                with_synonyms=with_synonyms,
                denied=denied,
                failed=failed,
            )
        # Not every broker knows a new topic yet; the next one asked may.
        settled = {*found, *(denied or ()), *(failed or ())}
        left = [name for name in names if name not in settled]
        if not left:
            break
    return found


def read_brokers(
    connection: WireConnection,
    names: Sequence[str],
    *,
    with_synonyms: bool = False,
    denied: list[str] | None = None,
    silent: dict[str, str] | None = None,
) -> dict[str, Described]:
    """Read the configs of each broker of *names* from itself, and ALL_BROKERS from any, by name.

    All are asked at once.  *denied* takes the names of those whose configs may not be read,
    *silent* those that do not answer, each with the reason.

    Raises:
        NotServed: the brokers are older than 1.1.
        BrokersUnreachable: one that is named does not answer, and there is no *silent*.
        KafkaError: the error of a broker, which `connect_brokers` translates.
    """

    def ask(name: str) -> dict[str, Described]:
        broker = broker_to_ask(name)
        return describe(
            connection, BROKER, [name], broker=broker, with_synonyms=with_synonyms, denied=denied
        )

    found: dict[str, Described] = {}
    for name, answer in connection.at_once(names, ask).items():
        if isinstance(answer, BrokersUnreachable) and silent is not None:
            silent[name] = answer.reason
        elif isinstance(answer, Exception):
            raise answer
        else:
            found |= answer
    return found


def broker_to_ask(name: str) -> int | None:
    """Return the only broker that reads and alters the configs of *name*; None if any
    broker does."""
    return None if name == ALL_BROKERS else int(name)


def describe(
    connection: WireConnection,
    kind: int,
    names: Sequence[str],
    *,
    broker: int | None = None,
    with_synonyms: bool = False,
    denied: list[str] | None = None,
    failed: dict[str, str] | None = None,
) -> dict[str, Described]:
    """Read the configs of *names* from one broker, by name.

    Topics that it does not know are left out, and so are those that may not be read, where *denied*
    takes their names, and those that it cannot read, where *failed* takes them with the reason.
    """
    if not connection.serves(DescribeConfigsRequest):
        # The older version of the answer has no source of a value.
        raise NotServed(connection.settings.bootstrap, "configs with their sources", "1.1")
    request = DescribeConfigsRequest(
        resources=[(kind, name, None) for name in names], include_synonyms=with_synonyms
    )
    found = {}
    for result in connection.ask(request, broker).results:
        if result.error_code == UnknownTopicOrPartitionError.errno:
            continue
        if denied is not None and result.error_code in DENIALS:
            denied.append(result.resource_name)
            continue
        if failed is not None and result.error_code != 0:
            failed[result.resource_name] = words_of(result.error_code)
            continue
        if result.error_code != 0:
            whose = "topic" if kind == TOPIC else "broker"
            raise for_code(result.error_code)(f"configs of {whose} '{result.resource_name}'")
        found[result.resource_name] = result.configs
    return found


def overrides_of(entity: Entity, described: Described) -> dict[str, str]:
    """Return the configs set on *entity* itself, by key; a value that brokers hide is HIDDEN, and
    null is NULL."""
    own = source_of(entity)
    return {
        config.name: (HIDDEN if config.is_sensitive else NULL)
        if config.value is None
        else config.value
        for config in described
        if config.config_source == own
    }


def config_values(entity: Entity, described: Described) -> tuple[ConfigValue, ...]:
    """Return all that was *described* of *entity*, by name."""
    values = [
        ConfigValue(
            name=config.name,
            value=config.value,
            source=ConfigSource(config.config_source),
            is_sensitive=config.is_sensitive,
            synonyms=tuple(
                ConfigSynonym(ConfigSource(one.source), one.name, one.value)
                for one in config.synonyms
            ),
            spec=find_spec(entity.kind, config.name),
        )
        for config in described
    ]
    return tuple(sorted(values, key=lambda value: value.name))
