"""The comparison of two saved clusters."""

from dataclasses import replace

import pytest

from cluster.model import fault as subjects
from cluster.model.acl import AclEntry, ResourcePattern, ResourceType
from cluster.model.config_entity import ConfigEntity, Entity, EntityKind, broker_entity
from cluster.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, TopicPartition
from kadmin.plan.check.findings import Severity
from kadmin.plan.log_dirs import LogDir
from kadmin.snapshots.diff import configs_of_kind, diff
from kadmin.snapshots.differences import Kind, severity_of
from kadmin.snapshots.saved import SavedCluster, SavedGroup, Section, Source
from tests.kadmin.builders import brokers, state, topic
from tests.kadmin.snapshots.builders import THREE, saved

ALICE = ConfigEntity(Entity(EntityKind.USERS, "alice"))
OWN = broker_entity(BrokerId(1))
RULE = AclEntry(principal="User:a", permission_type="Allow", operation="Read", host="*")
RESOURCE = ResourcePattern(ResourceType.TOPIC, "t")
T0 = TopicPartition("t", 0)


def one(leader: int, isr: str, epoch: int = 0) -> SavedCluster:
    """A topic with one partition on all three brokers and a min ISR of 2."""
    written = state(leader, isr)._replace(leader_epoch=LeaderEpoch(epoch))
    return saved(topic("t", "1,2,3", {0: written}, configs={"min.insync.replicas": "2"}))


def found(before: SavedCluster, after: SavedCluster) -> list[tuple[Kind, str, object, object]]:
    report = diff(before, after, ("a", "b"))
    return [(each.kind, each.subject, each.before, each.after) for each in report.differences]


WHOLE = one(1, "1,2,3")
DIRS = {BrokerId(1): (LogDir(path="/d"),)}
FAILED = {BrokerId(1): (LogDir(path="/d", error_code=56),)}
GROUP = {"g": SavedGroup(state="Empty", offsets={T0: 5})}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (WHOLE, WHOLE, []),
        (WHOLE, one(1, "2,1,3"), []),
        (
            WHOLE,
            one(-1, "1,2,3"),
            [(Kind.OFFLINE, "t-0", "leader 1, ISR 1,2,3", "leader none, ISR 1,2,3")],
        ),
        (WHOLE, one(9, "9"), [(Kind.OFFLINE, "t-0", "leader 1, ISR 1,2,3", "leader none, ISR 9")]),
        (
            WHOLE,
            one(2, "2"),
            [(Kind.UNDER_MIN_ISR, "t-0", "leader 1, ISR 1,2,3", "leader 2, ISR 2")],
        ),
        (
            WHOLE,
            one(2, "2,3"),
            [(Kind.ISR_SHRUNK, "t-0", "leader 1, ISR 1,2,3", "leader 2, ISR 2,3")],
        ),
        (one(1, "1"), WHOLE, [(Kind.ONLINE, "t-0", "leader 1, ISR 1", "leader 1, ISR 1,2,3")]),
        (
            WHOLE,
            one(3, "1,2,3"),
            [(Kind.LEADER, "t-0", "leader 1, ISR 1,2,3", "leader 3, ISR 1,2,3")],
        ),
        (
            one(1, "1,2"),
            WHOLE,
            [(Kind.ISR_GROWN, "t-0", "leader 1, ISR 1,2", "leader 1, ISR 1,2,3")],
        ),
        (
            WHOLE,
            one(1, "1,2,3", epoch=4),
            [
                (
                    Kind.LEADER_EPOCH,
                    "t-0",
                    "leader 1, ISR 1,2,3, leader epoch 0",
                    "leader 1, ISR 1,2,3, leader epoch 4",
                )
            ],
        ),
        (WHOLE, saved(), [(Kind.TOPIC_REMOVED, "topic 't'", "1 partitions", None)]),
        (saved(), WHOLE, [(Kind.TOPIC_ADDED, "topic 't'", None, "1 partitions")]),
        (
            saved(topic("t", "1,2")),
            saved(topic("t", "1,2 2,3")),
            [(Kind.PARTITIONS_ADDED, "topic 't'", "1 partitions", "2 partitions")],
        ),
        (
            saved(topic("t", "1,2", {})),
            saved(topic("t", "2,3", {})),
            [(Kind.REPLICAS, "t-0", "1,2", "2,3")],
        ),
        (
            saved(topic("t", "1,2")),
            saved(topic("t", "1,3")),
            [
                (Kind.REPLICAS, "t-0", "1,2", "1,3"),
                (Kind.ISR_GROWN, "t-0", "leader 1, ISR 1,2", "leader 1, ISR 1,3"),
            ],
        ),
        (
            saved(topic("t", "1,2", {})),
            saved(topic("t", "3,1,2", {}, adding="3", removing="2")),
            [
                (Kind.REPLICAS, "t-0", "1,2", "3,1"),
                (Kind.REASSIGNMENT, "t-0", None, "adding 3; removing 2"),
            ],
        ),
        (
            saved(topic("t", "1", marked=False)),
            saved(topic("t", "1", marked=True)),
            [(Kind.DELETION, "topic 't'", None, "to be deleted")],
        ),
        (
            saved(topic("t", "1", configs={"a": "1", "b": "2"})),
            saved(topic("t", "1", configs={"b": "3", "c": "4"})),
            [
                (Kind.CONFIG, "topic 't': a", "1", None),
                (Kind.CONFIG, "topic 't': b", "2", "3"),
                (Kind.CONFIG, "topic 't': c", None, "4"),
            ],
        ),
        (
            saved(configs={ALICE: {"request_percentage": "1"}, OWN: {"x": "1"}}),
            saved(configs={ALICE: {"request_percentage": "2"}}),
            [
                (Kind.CONFIG, "brokers '1': x", "1", None),
                (Kind.QUOTA, "user-principal 'alice': request_percentage", "1", "2"),
            ],
        ),
        (
            saved(acls={RESOURCE: (RULE,)}),
            saved(),
            [
                (
                    Kind.ACL,
                    "ResourcePattern(resourceType=TOPIC, name=t, patternType=LITERAL)",
                    "(principal=User:a, host=*, operation=READ, permissionType=ALLOW)",
                    None,
                )
            ],
        ),
        (
            saved(),
            saved(live=brokers("1:a 2:b")),
            [(Kind.BROKER_REMOVED, "broker 3", "live", None)],
        ),
        (
            saved(live=brokers("1:a")),
            saved(live=brokers("1:b")),
            [(Kind.RACK, "broker 1", "a", "b")],
        ),
        (
            saved(live=brokers("1")),
            saved(
                live={BrokerId(1): replace(brokers("1")[BrokerId(1)], broker_epoch=BrokerEpoch(7))}
            ),
            [(Kind.BROKER_RESTARTED, "broker 1", "broker epoch 101", "broker epoch 7")],
        ),
        (
            saved(log_dirs=DIRS),
            saved(log_dirs=FAILED),
            [(Kind.LOG_DIR_FAILED, "broker 1: /d", "works", "failed (error code 56)")],
        ),
        (
            saved(log_dirs=FAILED),
            saved(log_dirs=DIRS),
            [(Kind.LOG_DIR_ADDED, "broker 1: /d", "failed (error code 56)", "works")],
        ),
        (saved(log_dirs=DIRS), saved(), []),
        (
            saved(cluster_id="a"),
            saved(cluster_id="b"),
            [(Kind.OTHER_CLUSTER, "cluster id", "a", "b")],
        ),
        (
            saved(groups=GROUP),
            saved(groups={"g": SavedGroup(state=None, offsets={T0: 4})}),
            [(Kind.OFFSETS_REWOUND, "group 'g': t-0", "5", "4")],
        ),
        (saved(groups=GROUP), saved(groups={"g": SavedGroup(state="Stable", offsets={T0: 6})}), []),
        (saved(groups=GROUP), saved(groups={}), [(Kind.GROUP_REMOVED, "group 'g'", "there", None)]),
        (saved(groups=GROUP), saved(), []),
    ],
)
def test_each_difference_has_its_kind(before, after, expected):
    assert expected == found(before, after)


@pytest.mark.parametrize(
    ("whole", "subject"),
    [
        (WHOLE, subjects.TOPICS),
        (WHOLE, subjects.topic("t")),
        (saved(live=brokers("1 2 3 4")), subjects.BROKERS),
        (saved(live=brokers("1 2 3 4")), subjects.broker(4)),
        (saved(configs={ALICE: {"x": "1"}}), subjects.CONFIGS),
        (saved(configs={ALICE: {"x": "1"}}), subjects.config(ALICE)),
        (saved(configs={ALICE: {"x": "1"}}), configs_of_kind(EntityKind.USERS)),
        (saved(acls={RESOURCE: (RULE,)}), subjects.ACLS),
        (saved(acls={RESOURCE: (RULE,)}), subjects.acls(RESOURCE)),
        (
            saved(acls={RESOURCE: (RULE,)}),
            subjects.Subject(subjects.Thing.ACLS, "/kafka-acl/Topic"),
        ),
        (saved(groups=GROUP), subjects.GROUPS),
        (saved(groups=GROUP), subjects.group("g")),
    ],
)
@pytest.mark.parametrize("is_reversed", [False, True])
def test_what_could_not_be_read_is_neither_gone_nor_new(whole, subject, is_reversed):
    """It is named instead, and nothing else is called different."""
    live = brokers("1 2 3") if whole.cluster.brokers.keys() != THREE.keys() else THREE
    lacking = saved(faults=(subject,), live=live, groups=None if whole.groups is None else {})
    pair = (lacking, whole) if is_reversed else (whole, lacking)
    report = diff(pair[0], pair[1], ("a", "b"))

    assert () == report.differences
    assert 1 == len(report.before.unread) + len(report.after.unread)


def test_a_state_that_could_not_be_read_is_no_lost_leader():
    lacking = saved(
        topic("t", "1,2,3", {}, configs={"min.insync.replicas": "2"}),
        faults=(subjects.partition_state(T0),),
    )

    assert [] == found(WHOLE, lacking)


def test_dead_brokers_take_their_configs_away_only_from_their_own_answers():
    before = saved(configs={OWN: {"x": "1"}}, live=brokers("1 2"))
    after = saved(live=brokers("2"), source=Source.BROKERS)
    sections = [Section.BROKERS, Section.CONFIGS]
    report = diff(before, after, ("a", "b"), sections)

    assert [Kind.BROKER_REMOVED] == [each.kind for each in report.differences]


def test_the_worst_comes_first_and_sections_can_be_chosen():
    before = saved(topic("a", "1"), topic("t", "1,2", {0: state(1, "1,2")}))
    after = saved(topic("t", "1,2", {0: state(2, "1,2")}, configs={"x": "1"}))
    report = diff(before, after, ("a", "b"))

    assert [Kind.TOPIC_REMOVED, Kind.CONFIG, Kind.LEADER] == [
        each.kind for each in report.differences
    ]
    assert [Severity.CRITICAL, Severity.WARNING, Severity.NOTE] == [
        each.severity for each in report.differences
    ]
    only = diff(before, after, ("a", "b"), [Section.CONFIGS])
    assert [Kind.CONFIG] == [each.kind for each in only.differences]


def test_kinds_are_in_order_of_severity():
    order = [severity_of(kind) for kind in Kind]

    assert sorted(order, key=list(Severity).index) == order


def test_groups_that_one_side_lacks_are_not_compared():
    report = diff(saved(groups=GROUP), saved(), ("a", "b"))

    assert ("groups: they are not in b (--groups reads them)",) == report.uncompared
