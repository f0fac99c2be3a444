"""DescribeConfigs: how are topics, this broker and all brokers configured, and who says so?

Source: Kafka's ConfigHelper.
"""

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from functools import partial
from typing import Final, cast

from cluster.api.broker_configs import Said, Source
from cluster.api.context import Context
from cluster.api.dynamic_configs import UPDATABLE, broker_spec
from cluster.api.handling import Peer, Reply
from cluster.api.ports import Outcome, TopicConfigs
from cluster.api.topic_configs import KIND_NUMBERS, synonyms_of, value_of
from cluster.model.config_spec import ConfigSpec
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
EVERY_BROKER: Final = ""
"""The name of the resource that has the configs of all brokers."""


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
    for key in chosen(TOPIC_CONFIGS, resource.configuration_keys):
        spec = TOPIC_CONFIGS[key]
        value, source = value_of(spec, own, settings)
        synonyms = synonyms_of(spec, own, settings) if has_synonyms else ()
        entries.append(entry(key, spec, value, source, synonyms, is_read_only=False))
    return DescribeConfigsResult(0, None, kind, name, tuple(entries))


def described_broker(
    context: Context, resource: DescribeConfigsResource, has_synonyms: bool
) -> DescribeConfigsResult:
    kind, name = resource.resource_type, resource.resource_name
    own_id = context.ports.broker.broker_id
    broker_id = broker_number(name)
    configs = context.ports.settings.configs
    if name == EVERY_BROKER:
        names = configs.names_for_all()
    elif broker_id == own_id:
        names = configs.names()
    else:
        message = (
            f"Broker id must be an integer, but it is: {name}"
            if broker_id is None
            else f"Unexpected broker id, expected {own_id} or empty string, but received {name}"
        )
        return failed(resource, Outcome(ErrorCode.INVALID_REQUEST, message))
    entries = []
    for key in chosen(names, resource.configuration_keys):
        said = configs.said(key)
        if name == EVERY_BROKER:
            said = tuple(one for one in said if one.source is Source.DYNAMIC_DEFAULT)
        value, source = (said[0].value, said[0].source) if said else (None, Source.DEFAULT)
        spec = configs.specs.get(key) or broker_spec(key)
        synonyms = said if has_synonyms else ()
        is_fixed = key not in UPDATABLE
        entries.append(entry(key, spec, value, source, synonyms, is_read_only=is_fixed))
    return DescribeConfigsResult(0, None, kind, name, tuple(entries))


def broker_number(name: str) -> int | None:
    """The id that a broker's resource names; None when it is no number."""
    digits = name[1:] if name[:1] in ("+", "-") else name
    return int(name) if digits.isascii() and digits.isdigit() else None


def chosen(names: Iterable[str], keys: Sequence[str] | None) -> Iterator[str]:
    """Those that are asked for; null asks for all, an empty list as well."""
    return (name for name in names if not keys or name in keys)


def entry(
    name: str,
    spec: ConfigSpec | None,
    value: str | None,
    source: Source,
    synonyms: Sequence[Said],
    *,
    is_read_only: bool,
) -> DescribeConfigsResourceResult:
    """One config; what nobody knows may be a secret."""
    is_secret = spec is None or spec.is_sensitive
    return DescribeConfigsResourceResult(
        name=name,
        value=None if is_secret else value,
        read_only=is_read_only,
        is_default=source is Source.DEFAULT,
        config_source=source,
        is_sensitive=is_secret,
        synonyms=tuple(
            DescribeConfigsSynonym(one.name, None if is_secret else one.value, one.source)
            for one in synonyms
        ),
        config_type=UNKNOWN_KIND if spec is None else KIND_NUMBERS[spec.kind],
    )


def failed(resource: DescribeConfigsResource, outcome: Outcome) -> DescribeConfigsResult:
    return DescribeConfigsResult(
        outcome.error, outcome.message, resource.resource_type, resource.resource_name
    )
