"""AlterConfigs and IncrementalAlterConfigs: may a topic's overrides become these?

Source: Kafka's ZkAdminManager.alterConfigs and incrementalAlterConfigs.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import partial
from typing import Final, TypeAlias, cast

from cluster.api.context import Context
from cluster.api.describe_configs import ResourceType
from cluster.api.gathering import Gathering
from cluster.api.handling import Peer, Reply
from cluster.api.ports import ChangeConfigs, Outcome, TopicConfigs
from cluster.api.topic_configs import configs_problem
from cluster.model.config_spec import ValueKind, members, trimmed
from cluster.model.config_table import TOPIC_CONFIGS
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
    IncrementalAlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)


class Operation(IntEnum):
    """What is done to one config, by Kafka's numbers."""

    SET = 0
    DELETE = 1
    APPEND = 2
    SUBTRACT = 3


Resource: TypeAlias = tuple[int, str]
Overrides: TypeAlias = Mapping[str, str]
Response: TypeAlias = type[AlterConfigsResponse] | type[IncrementalAlterConfigsResponse]

BROKERS_ARE_FIXED: Final = (
    "this broker's configs stand in its server.properties: they cannot be changed while it runs"
)


def handle(context: Context, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    """AlterConfigs: what a topic is given is all that it has afterwards."""
    body = cast(AlterConfigsRequest, request.body)
    changes = [
        ((one.resource_type, one.resource_name), partial(replaced, context, one.configs))
        for one in body.resources
    ]
    alter(context, changes, body.validate_only, AlterConfigsResponse, reply)


def handle_incremental(context: Context, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    """IncrementalAlterConfigs: what is not named stays."""
    body = cast(IncrementalAlterConfigsRequest, request.body)
    changes = [
        ((one.resource_type, one.resource_name), partial(changed, context, one.configs))
        for one in body.resources
    ]
    alter(context, changes, body.validate_only, IncrementalAlterConfigsResponse, reply)


def alter(
    context: Context,
    changes: Sequence[tuple[Resource, ChangeConfigs]],
    validates_only: bool,
    response: Response,
    reply: Reply,
) -> None:
    counts = Counter(resource for resource, _ in changes)

    def done(results: list[AlterConfigsResourceResponse]) -> None:
        reply(response(responses=results))

    gathering: Gathering[Resource, AlterConfigsResourceResponse] = Gathering(counts, done)
    gathering.check()
    for resource, change in dict(changes).items():
        refused = refusal(context, resource, counts[resource])
        if refused.error is not ErrorCode.NONE:
            put(gathering, resource, refused)
            continue
        if validates_only:
            context.ports.store.read_topic_configs(
                (resource[1],), partial(validate, gathering, resource, change)
            )
        else:
            context.ports.store.alter_topic_configs(
                resource[1], change, partial(put, gathering, resource)
            )


def refusal(context: Context, resource: Resource, count: int) -> Outcome:
    kind, name = resource
    if count > 1:
        return Outcome(ErrorCode.INVALID_REQUEST, f"resource '{name}' is named twice")
    if kind == ResourceType.BROKER:
        return Outcome(ErrorCode.INVALID_REQUEST, BROKERS_ARE_FIXED)
    if kind != ResourceType.TOPIC:
        message = f"resources of type {kind} have no configs here: topics (2) have"
        return Outcome(ErrorCode.INVALID_REQUEST, message)
    if not context.cache.partitions_of(name):
        message = f"topic '{name}' does not exist"
        return Outcome(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, message)
    return Outcome()


def put(
    gathering: Gathering[Resource, AlterConfigsResourceResponse],
    resource: Resource,
    outcome: Outcome,
) -> None:
    gathering.put(resource, AlterConfigsResourceResponse(outcome.error, outcome.message, *resource))


def validate(
    gathering: Gathering[Resource, AlterConfigsResourceResponse],
    resource: Resource,
    change: Callable[[Overrides], Overrides | Outcome],
    overrides: TopicConfigs | Outcome,
) -> None:
    """Find out what *change* would come to."""
    before = overrides if isinstance(overrides, Outcome) else overrides[resource[1]]
    after = before if isinstance(before, Outcome) else change(before)
    put(gathering, resource, after if isinstance(after, Outcome) else Outcome())


def replaced(
    context: Context, configs: Sequence[AlterableConfig], before: Overrides
) -> Overrides | Outcome:
    """The overrides of a topic that is given *configs*; *before* does not matter."""
    after: dict[str, str] = {}
    for config in configs:
        if config.value is None:
            return invalid(f"null value not supported for config {config.name}")
        after[config.name] = config.value
    return checked(context, after)


def changed(
    context: Context, configs: Sequence[IncrementalAlterableConfig], before: Overrides
) -> Overrides | Outcome:
    """The overrides *before*, each of *configs* applied."""
    after = dict(before)
    named: set[str] = set()
    for config in configs:
        if config.name in named:
            message = f"config {config.name} is named twice"
            return Outcome(ErrorCode.INVALID_REQUEST, message)
        named.add(config.name)
        problem = apply(context, after, config)
        if problem is not None:
            return problem
    return checked(context, after)


def apply(
    context: Context, overrides: dict[str, str], config: IncrementalAlterableConfig
) -> Outcome | None:
    """Change one config in *overrides*; else say why not."""
    name, operation = config.name, config.config_operation
    if operation == Operation.DELETE:
        overrides.pop(name, None)
        return None
    if config.value is None:
        return invalid(f"null value not supported for config {name}")
    if operation == Operation.SET:
        overrides[name] = config.value
        return None
    if operation not in (Operation.APPEND, Operation.SUBTRACT):
        message = f"unknown operation {operation} for config {name}"
        return Outcome(ErrorCode.INVALID_REQUEST, message)
    spec = TOPIC_CONFIGS.get(name)
    if spec is None or spec.kind is not ValueKind.LIST:
        return invalid(f"nothing can be added to or taken from config {name}: it is no list")
    defaults = context.ports.settings.topic_defaults
    current = overrides.get(name, defaults.get(name, spec.default or ""))
    words = members(trimmed(current))
    given = members(trimmed(config.value))
    if operation == Operation.APPEND:
        words += [word for word in given if word not in words]
    else:
        words = [word for word in words if word not in given]
    overrides[name] = ",".join(words)
    return None


def checked(context: Context, overrides: Overrides) -> Overrides | Outcome:
    problem = configs_problem(overrides, context.ports.settings)
    return overrides if problem is None else invalid(problem)


def invalid(message: str) -> Outcome:
    return Outcome(ErrorCode.INVALID_CONFIG, message)
