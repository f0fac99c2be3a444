"""What a znode is about that could not be understood, in words that no path is in."""

import pytest

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.errors import CorruptZnodeError
from cluster.model.fault import Fault, Subject, Thing
from cluster.model.ids import NEVER_READ, TopicPartition, ZkVersion
from cluster.zk import paths
from cluster.zk.configs import config_path
from kadmin.admin.zookeeper.faults import faults_of, subject_of

ENTITIES = [
    ConfigEntity(Entity(EntityKind.TOPICS, "a")),
    ConfigEntity(Entity(EntityKind.BROKERS, None)),
    ConfigEntity(Entity(EntityKind.USERS, "u 1/<default>")),
    ConfigEntity(Entity(EntityKind.USERS, None), Entity(EntityKind.CLIENTS, "c")),
    ConfigEntity(Entity(EntityKind.IPS, "10.0.0.1")),
]


@pytest.mark.parametrize(
    ("path", "subject"),
    [
        ("/controller", subjects.CONTROLLER),
        ("/controller_epoch", subjects.CONTROLLER_EPOCH),
        ("/admin/reassign_partitions", subjects.REASSIGNMENT),
        ("/brokers/ids/0", subjects.broker(0)),
        ("/brokers/topics/a", subjects.topic("a")),
        ("/brokers/topics/a b", subjects.topic("a b")),
        (paths.state("a-1", 2), Subject(Thing.PARTITION_STATE, str(TopicPartition("a-1", 2)))),
        *((config_path(entity), subjects.config(entity)) for entity in ENTITIES),
    ],
)
def test_a_fault_says_what_it_is_about(path: str, subject: Subject) -> None:
    assert subject_of(path) == subject


def test_an_operator_is_told_the_path_and_the_version() -> None:
    damaged, shut = faults_of(
        [
            CorruptZnodeError("/controller", ZkVersion(0), "is odd"),
            CorruptZnodeError("/brokers/ids/7", NEVER_READ, "may not be read by this user"),
        ]
    )

    assert damaged == Fault(
        subject=subjects.CONTROLLER,
        where="/controller",
        version=0,
        reason="is odd",
        text="/controller (zkVersion 0): is odd",
    )
    assert (shut.version, str(shut)) == (None, "/brokers/ids/7: may not be read by this user")
