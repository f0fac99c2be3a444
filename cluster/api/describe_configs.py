"""DescribeConfigs: how is a topic, or this broker, configured, and who says so?

Source: Kafka's ConfigHelper.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import partial
from typing import Final, cast

from cluster.api.context import Context
from cluster.api.handling import Peer, Reply
from cluster.api.ports import Outcome, TopicConfigs
from cluster.api.topic_configs import KIND_NUMBERS, Said, Source, said_of, synonyms_of
from cluster.model.config_spec import ConfigSpec, ValueKind
from cluster.model.config_table import TOPIC_CONFIGS
from cluster.model.error_codes import ErrorCode
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
    """The kinds of resources that are known here, by Kafka's numbers."""

    TOPIC = 2
    BROKER = 4


UNKNOWN_KIND: Final = 0


def handle(context: Context, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(DescribeConfigsRequest, request.body)
    topics = [
        one.resource_name for one in body.resources if one.resource_type == ResourceType.TOPIC
    ]
    if topics:
        context.ports.store.read_topic_configs(topics, partial(answer, context, body, reply))
    else:
        answer(context, body, reply, {})


def answer(
    context: Context,
    body: DescribeConfigsRequest,
    reply: Reply,
    overrides: TopicConfigs | Outcome,
) -> None:
    reply(
        DescribeConfigsResponse(
            results=tuple(
                described(context, resource, body.include_synonyms, overrides)
                for resource in body.resources
            )
        )
    )


def described(
    context: Context,
    resource: DescribeConfigsResource,
    has_synonyms: bool,
    overrides: TopicConfigs | Outcome,
) -> DescribeConfigsResult:
    kind, name = resource.resource_type, resource.resource_name
    if kind == ResourceType.BROKER:
        return described_broker(context, resource, has_synonyms)
    if kind != ResourceType.TOPIC:
        message = f"resources of type {kind} have no configs here: topics (2) and brokers (4) have"
        return failed(resource, Outcome(ErrorCode.INVALID_REQUEST, message))
    if isinstance(overrides, Outcome):
        return failed(resource, overrides)
    if not context.cache.partitions_of(name):
        message = f"topic '{name}' does not exist"
        return failed(resource, Outcome(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, message))
    own = overrides[name]
    if isinstance(own, Outcome):
        return failed(resource, own)
    settings = context.ports.settings
    entries = []
    for spec in chosen(TOPIC_CONFIGS.values(), resource.configuration_keys):
        said = tuple(said_of(spec, own, settings))
        entries.append(entry(spec, said[0], synonyms_of(spec, said) if has_synonyms else ()))
    return DescribeConfigsResult(0, None, kind, name, tuple(entries))


def described_broker(
    context: Context, resource: DescribeConfigsResource, has_synonyms: bool
) -> DescribeConfigsResult:
    kind, name = resource.resource_type, resource.resource_name
    own_id = context.ports.broker.broker_id
    if name != str(own_id):
        # Kafka answers for all brokers' common configs under the empty name: there are none here.
        if name == "":
            return DescribeConfigsResult(0, None, kind, name)
        message = f"broker {name} has to be asked itself: this is broker {own_id}"
        return failed(resource, Outcome(ErrorCode.INVALID_REQUEST, message))
    specs = chosen(context.ports.settings.broker_specs.values(), resource.configuration_keys)
    entries = []
    for spec in specs:
        said = tuple(said_by_broker(spec, context.ports.settings.static_configs))
        entries.append(entry(spec, said[0], said if has_synonyms else (), is_read_only=True))
    return DescribeConfigsResult(0, None, kind, name, tuple(entries))


def said_by_broker(spec: ConfigSpec, static_configs: Mapping[str, str]) -> Iterator[Said]:
    if spec.name in static_configs:
        yield Said(spec.name, static_configs[spec.name], Source.STATIC_BROKER)
    yield Said(spec.name, spec.default, Source.DEFAULT)


def chosen(specs: Iterable[ConfigSpec], keys: Sequence[str] | None) -> Iterator[ConfigSpec]:
    """Those that are asked for; null asks for all, an empty list as well."""
    return (spec for spec in specs if not keys or spec.name in keys)


def entry(
    spec: ConfigSpec, counts: Said, synonyms: Sequence[Said], *, is_read_only: bool = False
) -> DescribeConfigsResourceResult:
    is_secret = spec.is_sensitive or spec.kind is ValueKind.PASSWORD
    return DescribeConfigsResourceResult(
        name=spec.name,
        value=None if is_secret else counts.value,
        read_only=is_read_only,
        is_default=counts.source is Source.DEFAULT,
        config_source=counts.source,
        is_sensitive=is_secret,
        synonyms=tuple(
            DescribeConfigsSynonym(one.name, None if is_secret else one.value, one.source)
            for one in synonyms
        ),
        config_type=KIND_NUMBERS.get(spec.kind, UNKNOWN_KIND),
    )


def failed(resource: DescribeConfigsResource, outcome: Outcome) -> DescribeConfigsResult:
    return DescribeConfigsResult(
        outcome.error, outcome.message, resource.resource_type, resource.resource_name
    )
