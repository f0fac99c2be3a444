"""AlterConfigs and IncrementalAlterConfigs: changes configs of topics and brokers.

Source: Kafka's ZkAdminManager.alterConfigs and incrementalAlterConfigs.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TypeAlias, cast

from cluster.api.describe_configs import EVERY_BROKER, ResourceType, broker_number
from cluster.broker.configs.alter_config_ops import Overrides, Rules, changed, replaced
from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.dynamic_config_validation import broker_spec, password_problem
from cluster.broker.configs.topic_configs import configs_problem
from cluster.broker.handling import Peer, Reply
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import ApiSettings, Ports, Registration
from cluster.broker.procedures import Procedure, outcome_of, run_all
from cluster.coordination.client_requests import ChangeConfigs
from cluster.model.api_error import ApiError
from cluster.model.config_entity import Entity, EntityKind
from cluster.model.config_table import TOPIC_CONFIGS
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.configs import (
    AlterConfigsRequest,
    AlterConfigsResourceResponse,
    AlterConfigsResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)

Resource: TypeAlias = tuple[int, str]
Response: TypeAlias = type[AlterConfigsResponse] | type[IncrementalAlterConfigsResponse]


def handle(
    ports: Ports, cache: MetadataCache, request: RequestFrame, peer: Peer, reply: Reply
) -> None:
    """Replace all overrides of a resource (AlterConfigs)."""
    alter(
        ports, cache, cast(AlterConfigsRequest, request.body), replaced, AlterConfigsResponse, reply
    )


def handle_incremental(
    ports: Ports, cache: MetadataCache, request: RequestFrame, peer: Peer, reply: Reply
) -> None:
    """Change the named overrides (IncrementalAlterConfigs); all others stay."""
    body = cast(IncrementalAlterConfigsRequest, request.body)
    alter(ports, cache, body, changed, IncrementalAlterConfigsResponse, reply)


def alter(
    ports: Ports,
    cache: MetadataCache,
    body: AlterConfigsRequest | IncrementalAlterConfigsRequest,
    change: Callable[..., Overrides | ApiError],
    response: Response,
    reply: Reply,
) -> None:
    """Answer each resource of *body*; *change* returns its overrides by the configs asked for."""
    changes = {
        resource: partial(change, rules_of(ports.settings, resource), one.configs)
        for one in body.resources
        for resource in ((one.resource_type, one.resource_name),)
    }
    counts = Counter((one.resource_type, one.resource_name) for one in body.resources)
    altering = (
        alter_one(ports, cache, resource, change_one, counts[resource], body.validate_only)
        for resource, change_one in changes.items()
    )
    run_all(ports.clock, altering, lambda results: reply(response(responses=results)))


def alter_one(
    ports: Ports,
    cache: MetadataCache,
    resource: Resource,
    change: ChangeConfigs,
    count: int,
    validates_only: bool,
) -> Procedure[AlterConfigsResourceResponse]:
    """Change the configs of one resource, or only validate the change."""
    outcome = refusal(ports.registration, cache, resource, count)
    if outcome.error is ErrorCode.NONE:
        entity = entity_of(ports.registration, resource)
        if validates_only:
            before = yield from outcome_of(partial(ports.store.read_overrides, entity))
            after = before if isinstance(before, ApiError) else change(before)
            outcome = after if isinstance(after, ApiError) else ApiError()
        else:
            outcome = yield from outcome_of(partial(ports.store.alter_configs, entity, change))
    return AlterConfigsResourceResponse(outcome.error, outcome.message, *resource)


def refusal(
    registration: Registration, cache: MetadataCache, resource: Resource, count: int
) -> ApiError:
    kind, name = resource
    if count > 1:
        return ApiError(ErrorCode.INVALID_REQUEST, f"resource '{name}' is named twice")
    if kind == ResourceType.BROKER:
        return broker_refusal(registration, name)
    if kind != ResourceType.TOPIC:
        message = f"resources of type {kind} have no configs here: topics (2) and brokers (4) have"
        return ApiError(ErrorCode.INVALID_REQUEST, message)
    if not cache.partitions_of(name):
        message = f"topic '{name}' does not exist"
        return ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, message)
    return ApiError()


def broker_refusal(registration: Registration, name: str) -> ApiError:
    """Return why the configs of the broker *name* cannot be changed here; no error when they can.

    Only the broker itself changes its own configs; any broker changes those for all.
    """
    own_id = registration.broker_id
    broker_id = broker_number(name)
    if name == EVERY_BROKER or broker_id == own_id:
        return ApiError()
    if broker_id is None:
        message = f"Node id must be an integer, but it is: {name}"
    else:
        message = f"Unexpected broker id, expected {own_id}, but received {name}"
    return ApiError(ErrorCode.INVALID_REQUEST, message)


def entity_of(registration: Registration, resource: Resource) -> Entity:
    kind, name = resource
    if kind == ResourceType.TOPIC:
        return Entity(EntityKind.TOPICS, name)
    if name == EVERY_BROKER:
        return Entity(EntityKind.BROKERS, None)
    return Entity(EntityKind.BROKERS, str(registration.broker_id))


def rules_of(settings: ApiSettings, resource: Resource) -> Rules:
    """Return the rules for the configs of *resource*, whose type has been checked."""
    if resource[0] == ResourceType.BROKER:
        is_cluster_default = resource[1] == EVERY_BROKER
        return Rules(
            broker_spec,
            lambda spec: spec.default or "",
            partial(broker_problem, settings.configs, is_cluster_default=is_cluster_default),
        )
    defaults = settings.topic_defaults
    return Rules(
        TOPIC_CONFIGS.get,
        lambda spec: defaults.get(spec.name, spec.default or ""),
        partial(topic_problem, settings, resource[1]),
    )


def broker_problem(
    configs: BrokerConfigs, changes: Overrides, after: Overrides, *, is_cluster_default: bool
) -> ApiError | None:
    problem = configs.change_problem(changes, after, is_cluster_default=is_cluster_default)
    if problem is not None:
        return ApiError(ErrorCode.INVALID_REQUEST, problem)
    problem = password_problem(changes)
    return None if problem is None else ApiError(ErrorCode.INVALID_CONFIG, problem)


def topic_problem(
    settings: ApiSettings, topic: str, changes: Overrides, after: Overrides
) -> ApiError | None:
    problem = configs_problem(after, settings)
    return None if problem is None else ApiError(ErrorCode.INVALID_CONFIG, problem)
