"""Who may ask for what, when there is an authorizer and when there is none."""

from pathlib import Path

import pytest

from cluster.api.dispatch import APIS
from cluster.broker.authorizer import ANONYMOUS, Permission
from cluster.broker.handling import Peer
from cluster.model.acl import SUPPORTED_OPERATIONS, AclOperation, ResourceType
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.api_versions import ApiVersionsRequest
from cluster.wire.messages.cluster import DescribeClusterRequest
from cluster.wire.messages.controlled_shutdown import ControlledShutdownRequest
from cluster.wire.messages.fetch import FetchRequest
from cluster.wire.messages.metadata import MetadataRequest
from cluster.wire.schema import request_schema
from tests.cluster.api.world import PEER, World

ALICE = Peer("10.0.0.1", 4711, "SASL_PLAINTEXT", "User:alice")
DESCRIBE_TOPICS = Permission(AclOperation.DESCRIBE, ResourceType.TOPIC)
CLUSTER_ACTION = Permission(AclOperation.CLUSTER_ACTION, ResourceType.CLUSTER)


class Rules:
    """Allows what was said."""

    def __init__(self, *allowed: tuple[str, Permission]) -> None:
        self.allowed = set(allowed)

    def allows(self, principal: str, permission: Permission) -> bool:
        return (principal, permission) in self.allowed


def bits(*operations: AclOperation) -> int:
    return sum(1 << operation for operation in operations)


def test_every_api_has_a_test_in_each_version_that_is_served():
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))

    assert [] == [key.name for key in APIS if f"versions(ApiKey.{key.name})" not in tests]


def test_the_newest_version_that_is_served_is_kafka_s():
    newest = {key: request_schema(key).versions.highest for key in APIS}

    assert newest == {key: api.versions.highest for key, api in APIS.items()}


def test_every_permission_is_one_that_its_resource_knows():
    for api in APIS.values():
        for permission in api.permissions:
            assert permission.operation in SUPPORTED_OPERATIONS[permission.resource_type]


def test_whoever_comes_in_without_authentication_is_anonymous():
    assert "User:ANONYMOUS" == ANONYMOUS == PEER.principal


def test_only_those_who_are_allowed_to_are_answered():
    rules = Rules(("User:alice", DESCRIBE_TOPICS), (PEER.principal, CLUSTER_ACTION))
    world = World(authorizer=rules)
    world.lead()

    alice = world.ask(ApiKey.METADATA, MetadataRequest(), peer=ALICE)
    nobody = world.ask(ApiKey.METADATA, MetadataRequest())

    assert not alice.is_waiting
    assert alice.closed is None
    assert "User:ANONYMOUS may not ask for METADATA, which needs DESCRIBE on Topic" == nobody.closed


def test_one_of_several_permissions_is_enough():
    world = World(authorizer=Rules(("User:alice", CLUSTER_ACTION)))

    assert world.ask(ApiKey.FETCH, FetchRequest(), peer=ALICE).closed is None
    assert (
        "User:ANONYMOUS may not ask for FETCH, which needs READ on Topic or CLUSTER_ACTION on"
        " Cluster"
    ) == world.ask(ApiKey.FETCH, FetchRequest()).closed


def test_what_only_brokers_may_ask_never_reaches_the_controller():
    world = World(authorizer=Rules())

    answer = world.ask(ApiKey.CONTROLLED_SHUTDOWN, ControlledShutdownRequest(2, 7))

    assert answer.closed is not None
    assert [] == world.controller.requests


def test_what_needs_no_permission_is_answered_to_everybody():
    world = World(authorizer=Rules())

    assert world.ask(ApiKey.API_VERSIONS, ApiVersionsRequest("a", "1")).closed is None
    assert world.ask(ApiKey.DESCRIBE_CLUSTER, DescribeClusterRequest()).closed is None


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        pytest.param(
            None,
            bits(
                AclOperation.CREATE,
                AclOperation.ALTER,
                AclOperation.DESCRIBE,
                AclOperation.CLUSTER_ACTION,
                AclOperation.DESCRIBE_CONFIGS,
                AclOperation.ALTER_CONFIGS,
                AclOperation.IDEMPOTENT_WRITE,
            ),
            id="without an authorizer",
        ),
        pytest.param(
            Rules(("User:alice", CLUSTER_ACTION)), bits(AclOperation.CLUSTER_ACTION), id="with one"
        ),
    ],
)
def test_clients_are_told_what_they_may_do(rules: Rules | None, expected: int):
    world = World(authorizer=rules)
    body = DescribeClusterRequest(include_cluster_authorized_operations=True)

    answer = world.ask(ApiKey.DESCRIBE_CLUSTER, body, peer=ALICE)

    assert expected == answer.body.cluster_authorized_operations
