"""DescribeConfigs: the configs of topics, of this broker and of all brokers, with their sources.

Source: Kafka's ConfigHelper.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple, cast

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.dynamic_config_validation import broker_spec, is_dynamic
from cluster.broker.configs.supported_configs import (
    NOT_USED,
    SUPPORTED_BROKER_CONFIGS,
    SUPPORTED_TOPIC_CONFIGS,
)
from cluster.broker.configs.topic_configs import synonyms_of, value_of
from cluster.broker.control.refused_partitions import RefusedPartitions
from cluster.broker.handling import Peer, Reply, Steps
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports
from cluster.coordination.client_requests import TopicOverrides
from cluster.model.api_error import ApiError
from cluster.model.config_source import ConfigSource, ConfigSynonym
from cluster.model.config_spec import ConfigSpec, ValueKind
from cluster.model.config_table import REFUSED_PARTITIONS, TOPIC_CONFIGS
from cluster.model.error_codes import ErrorCode
from cluster.model.kafka_broker_configs import KAFKA_BROKER_CONFIGS
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)


class ResourceType(IntEnum):
    """The supported types of resources, by Kafka's numbers."""

    TOPIC = 2
    BROKER = 4


TYPE_NUMBERS: Final = {
    ValueKind.BOOLEAN: 1,
    ValueKind.STRING: 2,
    ValueKind.INT: 3,
    ValueKind.SHORT: 4,
    ValueKind.LONG: 5,
    ValueKind.DOUBLE: 6,
    ValueKind.LIST: 7,
    ValueKind.CLASS: 8,
    ValueKind.PASSWORD: 9,
}
"""Kafka's numbers for types of values."""
assert TYPE_NUMBERS.keys() == set(ValueKind)
UNKNOWN_TYPE: Final = 0
DIGITS_MAX: Final = 10
REFUSED_DOC: Final = (
    "No config: the partitions that this broker should serve and does not, and why."
)
EVERY_BROKER: Final = ""
"""The name of the resource that has the configs of all brokers."""


class Described(NamedTuple):
    """One config, before it is reduced to what the request wants."""

    name: str
    spec: ConfigSpec | None
    """None for an unknown key."""
    value: str | None
    source: ConfigSource
    synonyms: Sequence[ConfigSynonym]
    is_read_only: bool
    doc: str | None


@dataclass(frozen=True, slots=True)
class ConfigReader:
    """Describes the configs of topics and brokers."""

    ports: Ports
    cache: MetadataCache
    refused_partitions: RefusedPartitions

    def handle(self, request: RequestFrame, peer: Peer, reply: Reply) -> None:
        """Describe each resource once, even if it is named again: its configs are kilobytes."""
        body = cast(DescribeConfigsRequest, request.body)
        body = body._replace(resources=tuple(dict.fromkeys(body.resources)))
        topics = tuple(
            dict.fromkeys(
                one.resource_name
                for one in body.resources
                if one.resource_type == ResourceType.TOPIC
                and self.cache.partitions_of(one.resource_name)
            )
        )

        def read(overrides: TopicOverrides | ApiError) -> None:
            reply.in_turns(self.answer(body, overrides))

        if topics:
            self.ports.store.read_topic_overrides(topics, read)
        else:
            read({})

    def answer(self, body: DescribeConfigsRequest, overrides: TopicOverrides | ApiError) -> Steps:
        results: list[DescribeConfigsResult] = []
        for resource in body.resources:
            kind, name = resource.resource_type, resource.resource_name
            if kind == ResourceType.BROKER:
                found = self._of_broker(resource)
            else:
                found = self._of_topic(resource, overrides)
            if isinstance(found, ApiError):
                results.append(DescribeConfigsResult(found.error, found.message, kind, name))
            else:
                entries: list[DescribeConfigsResourceResult] = []
                for one in found:
                    entries.append(entry(one, body))
                    yield
                results.append(DescribeConfigsResult(0, None, kind, name, entries))
            yield
        return DescribeConfigsResponse(results=results)

    def _of_topic(
        self, resource: DescribeConfigsResource, overrides: TopicOverrides | ApiError
    ) -> Sequence[Described] | ApiError:
        kind, name = resource.resource_type, resource.resource_name
        if kind != ResourceType.TOPIC:
            message = (
                f"resources of type {kind} have no configs here: topics (2) and brokers (4) have"
            )
            return ApiError(ErrorCode.INVALID_REQUEST, message)
        if isinstance(overrides, ApiError):
            return overrides
        own = overrides.get(name)
        if own is None or not self.cache.partitions_of(name):
            message = f"topic '{name}' does not exist"
            return ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, message)
        if isinstance(own, ApiError):
            return own
        found = []
        settings = self.ports.settings
        for key in chosen(TOPIC_CONFIGS, resource.configuration_keys):
            spec = TOPIC_CONFIGS[key]
            value, source = value_of(spec, own, settings)
            synonyms = synonyms_of(spec, own, settings)
            row = SUPPORTED_TOPIC_CONFIGS.get(key)
            doc = None if row is None else row.doc
            found.append(Described(key, spec, value, source, synonyms, is_read_only=False, doc=doc))
        return found

    def _of_broker(self, resource: DescribeConfigsResource) -> Sequence[Described] | ApiError:
        name, keys = resource.resource_name, resource.configuration_keys
        own_id = self.ports.registration.broker_id
        configs = self.ports.settings.configs
        if name == EVERY_BROKER:
            names = chosen(configs.cluster_default_names(), keys)
            source = ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG
            return [broker_config(configs, key, (source,)) for key in names]
        broker_id = broker_number(name)
        if broker_id == own_id:
            names = chosen(configs.names(), keys)
            found = [broker_config(configs, key, tuple(ConfigSource)) for key in names]
            return found + list(self._refused(keys))
        if broker_id is None:
            message = f"Broker id must be an integer, but it is: {name}"
        else:
            message = (
                f"Unexpected broker id, expected {own_id} or empty string, but received {name}"
            )
        return ApiError(ErrorCode.INVALID_REQUEST, message)

    def _refused(self, keys: Sequence[str] | None) -> Iterator[Described]:
        """Yield the overrides that the broker cannot apply, if there are any."""
        refused = self.refused_partitions.shown
        if refused and (not keys or REFUSED_PARTITIONS in keys):
            yield Described(
                REFUSED_PARTITIONS,
                ConfigSpec(REFUSED_PARTITIONS, ValueKind.STRING),
                json.dumps({str(partition): reason for partition, reason in refused.items()}),
                ConfigSource.DEFAULT_CONFIG,
                (),
                is_read_only=True,
                doc=REFUSED_DOC,
            )


def broker_config(
    configs: BrokerConfigs, name: str, sources: tuple[ConfigSource, ...]
) -> Described:
    """Return a broker's config, restricted to *sources*."""
    synonyms = [one for one in configs.synonyms(name) if one.source in sources]
    return Described(
        name,
        broker_spec(name),
        synonyms[0].value if synonyms else None,
        synonyms[0].source if synonyms else ConfigSource.DEFAULT_CONFIG,
        synonyms,
        is_read_only=not is_dynamic(name),
        doc=broker_documentation(name),
    )


def broker_documentation(name: str) -> str | None:
    """Return the documentation of a broker's config, and whether it has an effect here; None if
    unknown.
    """
    row = SUPPORTED_BROKER_CONFIGS.get(name)
    if row is not None:
        return row.doc
    config = KAFKA_BROKER_CONFIGS.get(name)
    return None if config is None else NOT_USED + config.doc


def broker_number(name: str) -> int | None:
    """Return the broker id in a resource's name; None for an impossible one."""
    digits = name[1:] if name[:1] in ("+", "-") else name
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= DIGITS_MAX
    return int(name) if is_number else None


def chosen(names: Iterable[str], keys: Sequence[str] | None) -> Iterator[str]:
    """Return the requested ones; null means all, as an empty list does."""
    return (name for name in names if not keys or name in keys)


def entry(found: Described, body: DescribeConfigsRequest) -> DescribeConfigsResourceResult:
    """One config in the form that *body* wants; an unknown one may be a secret."""
    spec = found.spec
    is_secret = spec is None or spec.is_sensitive
    synonyms = found.synonyms if body.include_synonyms else ()
    return DescribeConfigsResourceResult(
        name=found.name,
        value=None if is_secret else found.value,
        read_only=found.is_read_only,
        is_default=found.source is ConfigSource.DEFAULT_CONFIG,
        config_source=found.source,
        is_sensitive=is_secret,
        synonyms=tuple(
            DescribeConfigsSynonym(one.name, None if is_secret else one.value, one.source)
            for one in synonyms
        ),
        config_type=UNKNOWN_TYPE if spec is None else TYPE_NUMBERS[spec.kind],
        documentation=found.doc if body.include_documentation else None,
    )
