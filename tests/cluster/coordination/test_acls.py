"""Nodes that a tool makes belong to whom their parents belong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.coordination.acls import SENSITIVE_ROOTS, inherited, with_inherited_acls
from cluster.coordination.configs import write_overrides
from cluster.coordination.topics import create_topic
from cluster.coordination.transaction import Fence
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.ids import BrokerId
from cluster.model.outcome import Committed
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.zk import paths
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.requests import (
    EVERYTHING,
    OPEN_ACL,
    Acl,
    AclEntry,
    AclRead,
    Create,
    GetAcl,
    Multi,
    MultiDone,
    ZkReply,
    ZkRequest,
)
from cluster.zk.steps import run
from tests.sim.zookeeper import TOOL, SimZooKeeper

READ = 1
KAFKA = AclEntry(EVERYTHING, "digest", "kafka:c2VjcmV0")
WORLD_READS = AclEntry(READ, "world", "anyone")
HIDDEN = AclEntry(READ, "digest", "helper:x")
CLOSED = (KAFKA, WORLD_READS)

ASSIGNMENT = TopicAssignment(partitions={0: PartitionAssignment((BrokerId(1),))})

entries = st.sampled_from([KAFKA, WORLD_READS, HIDDEN, *OPEN_ACL])
acls = st.lists(entries, min_size=1, max_size=3, unique=True).map(tuple)
nodes = st.sampled_from(["/config/topics/t", "/brokers/topics/t", *SENSITIVE_ROOTS]) | st.builds(
    "{}/{}".format, st.sampled_from(SENSITIVE_ROOTS), st.sampled_from("uv")
)


class Cluster:
    """The layout of a cluster, in which all nodes have one ACL."""

    def __init__(self, acl: Acl) -> None:
        self.zookeeper = SimZooKeeper(lambda *_: None, lambda _: None)
        self.session = self.zookeeper.connect()
        made = Multi(tuple(Create(path, acl=acl) for path in PERSISTENT_PATHS))
        assert isinstance(self.serve((made,))[0], MultiDone)

    def serve(self, requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        return tuple(self.zookeeper.serve(self.session, one, TOOL) for one in requests)

    def acl(self, path: str) -> Acl:
        (reply,) = self.serve((GetAcl(path),))
        assert isinstance(reply, AclRead)
        return reply.acl


@pytest.mark.parametrize("acl", [OPEN_ACL, CLOSED])
def test_a_topic_belongs_to_those_who_have_the_others(acl: Acl) -> None:
    cluster = Cluster(acl)

    steps = with_inherited_acls(create_topic(Fence(None), "t", ASSIGNMENT, {}))

    assert run(steps, cluster.serve) == Committed()
    assert acl == cluster.acl(paths.topic("t")) == cluster.acl(paths.topic_config("t"))


def test_what_is_made_below_a_new_node_follows_that_and_credentials_are_hidden() -> None:
    cluster = Cluster(CLOSED)
    user, client = Entity(EntityKind.USERS, "u"), Entity(EntityKind.CLIENTS, "c")
    overrides = ConfigOverrides(values={"a": "1"})
    steps = write_overrides(Fence(None), ConfigEntity(user, client), overrides)

    assert run(with_inherited_acls(steps), cluster.serve) == Committed()
    for path in ("/config/users/u", "/config/users/u/clients", "/config/users/u/clients/c"):
        assert (KAFKA,) == cluster.acl(path)
    (news,) = cluster.zookeeper.children(paths.CONFIG_CHANGES)
    assert CLOSED == cluster.acl(f"{paths.CONFIG_CHANGES}/{news}")


def test_without_it_new_nodes_are_open_as_a_broker_makes_them() -> None:
    cluster = Cluster(CLOSED)

    run(create_topic(Fence(None), "t", ASSIGNMENT, {}), cluster.serve)

    assert OPEN_ACL == cluster.acl(paths.topic("t"))


@given(path=nodes, parent=acls)
def test_nobody_gets_a_right_that_he_has_not_on_the_parent(path: str, parent: Acl) -> None:
    made = inherited(path, parent)

    assert all(entry in parent or entry.scheme == "auth" for entry in made)
    assert KAFKA not in parent or KAFKA in made
    is_open = parent == OPEN_ACL
    assert is_open or not path.startswith(SENSITIVE_ROOTS) or WORLD_READS not in made


@given(path=nodes, parent=acls)
def test_a_digest_that_is_hidden_is_not_copied(path: str, parent: Acl) -> None:
    made = inherited(path, parent)

    assert HIDDEN not in made
    assert (AclEntry(READ, "auth", "") in made) == (HIDDEN in parent)
