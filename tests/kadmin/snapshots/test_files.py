"""Saved clusters as JSON: what is written is read again, and what is no snapshot is refused."""

import json
from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster.model import fault as subjects
from cluster.model.acl import AclEntry, PatternType, ResourcePattern, ResourceType
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.controller import MigrationState
from cluster.model.extra import NOTHING
from cluster.model.fault import Fault, Subject, Thing
from cluster.model.ids import (
    NEVER_READ,
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    TopicPartition,
    ZkVersion,
)
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment
from kadmin.plan.log_dirs import LogDir, ReplicaLog
from kadmin.snapshots.reading import BadSnapshot, saved_in
from kadmin.snapshots.saved import SavedCluster, SavedGroup, Source
from kadmin.snapshots.writing import lines_of
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.snapshots.builders import saved
from tests.support.examples import example_count

Brokers = tuple[BrokerId, ...]


def text_of(value: SavedCluster) -> str:
    return "".join(lines_of(value))


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
COUNTS = st.integers(0, 2**31 - 1)
BROKERS = st.integers(0, 9).map(BrokerId)
LISTS = st.lists(BROKERS, max_size=3, unique=True).map(tuple)
PARTITIONS = st.builds(TopicPartition, NAMES, st.integers(0, 9))
VALUES = st.dictionaries(NAMES, NAMES, max_size=2)
VERSIONS = st.one_of(st.just(NEVER_READ), COUNTS.map(ZkVersion))


def assignment_of(replicas: Brokers, some: Brokers, others: Brokers) -> PartitionAssignment:
    """Of *some* and *others*, those of the replicas are being added and removed."""
    parts = (tuple(each for each in part if each in replicas) for part in (some, others))
    return PartitionAssignment(replicas, *parts)


ASSIGNMENTS = st.builds(assignment_of, LISTS, LISTS, LISTS)
STATES = st.builds(
    PartitionState,
    st.integers(-1, 9).map(BrokerId),
    LISTS,
    COUNTS.map(LeaderEpoch),
    st.integers(-1, 9).map(ControllerEpoch),
    st.sampled_from([0, 1]),
    st.just(1),
    VERSIONS,
    st.just(NOTHING),
)
FAULTS = st.builds(
    Fault,
    subject=st.builds(Subject, st.sampled_from(list(Thing)), NAMES),
    where=NAMES,
    version=st.none() | COUNTS,
    reason=NAMES,
    text=NAMES,
)
ENTITIES = st.one_of(
    st.builds(
        ConfigEntity,
        st.builds(Entity, st.sampled_from(list(EntityKind)), st.none() | NAMES, st.booleans()),
    ),
    st.builds(
        ConfigEntity,
        st.builds(Entity, st.just(EntityKind.USERS), st.none() | NAMES),
        st.builds(Entity, st.just(EntityKind.CLIENTS), st.none() | NAMES),
    ),
)
ACLS = st.dictionaries(
    st.builds(
        ResourcePattern,
        st.sampled_from(list(ResourceType)),
        NAMES,
        st.sampled_from(list(PatternType)),
    ),
    st.lists(
        st.builds(AclEntry, principal=NAMES, permission_type=NAMES, operation=NAMES, host=NAMES),
        min_size=1,
        max_size=2,
    ).map(tuple),
    max_size=2,
)
LOG_DIRS = st.dictionaries(
    BROKERS,
    st.lists(
        st.builds(
            LogDir,
            path=NAMES,
            replicas=st.lists(
                st.builds(
                    ReplicaLog,
                    partition=PARTITIONS,
                    size_bytes=COUNTS,
                    lag_records=st.integers(-5, 5),
                    is_future=st.booleans(),
                ),
                max_size=2,
            ).map(tuple),
            error_code=st.sampled_from([0, 56]),
            total_bytes=st.none() | COUNTS,
            usable_bytes=st.none() | COUNTS,
        ),
        min_size=1,
        max_size=2,
    ).map(tuple),
    max_size=2,
)
GROUPS = st.none() | st.dictionaries(
    NAMES,
    st.builds(
        SavedGroup,
        state=st.none() | NAMES,
        offsets=st.dictionaries(PARTITIONS, COUNTS, max_size=2),
    ),
    max_size=2,
)


@st.composite
def topics(draw: st.DrawFn) -> TopicSnapshot:
    partitions = draw(st.dictionaries(st.integers(0, 5), ASSIGNMENTS, max_size=3))
    return TopicSnapshot(
        name=draw(NAMES),
        assignment=TopicAssignment(
            partitions=partitions,
            version=draw(st.sampled_from([1, 2, 3])),
            topic_id=draw(st.none() | NAMES),
            zk_version=draw(VERSIONS),
        ),
        config=ConfigOverrides(values=draw(VALUES)),
        states={number: draw(STATES) for number in partitions if draw(st.booleans())},
        is_marked_for_deletion=draw(st.booleans()),
        leaderless_since_ms={number: 7 for number in partitions if draw(st.booleans())},
    )


@st.composite
def clusters(draw: st.DrawFn) -> ClusterSnapshot:
    made = cluster(brokers("1:a 2"), *draw(st.lists(topics(), max_size=3)))
    assert made.controller is not None
    moves = st.dictionaries(PARTITIONS, LISTS, max_size=2)
    migration = MigrationState(
        kraft_controller_id=BrokerId(-1),
        kraft_controller_epoch=3,
        kraft_metadata_offset=-1,
        kraft_metadata_epoch=2,
    )
    return replace(
        made,
        controller=draw(st.sampled_from([None, replace(made.controller, zk_version=NEVER_READ)])),
        controller_epoch=draw(st.sampled_from([None, made.controller_epoch])),
        migration=draw(st.sampled_from([None, migration])),
        moving=draw(moves),
        stale_moves=draw(moves),
        broker_defaults=ConfigOverrides(values=draw(VALUES)),
        faults=tuple(draw(st.lists(FAULTS, max_size=2))),
    )


@st.composite
def anything(draw: st.DrawFn) -> SavedCluster:
    return SavedCluster(
        tool_version=draw(NAMES),
        taken_at_ms=draw(COUNTS),
        source=draw(st.sampled_from(list(Source))),
        cluster_id=draw(st.none() | NAMES),
        cluster=draw(clusters()),
        configs=draw(st.dictionaries(ENTITIES, VALUES, max_size=3)),
        secrets=tuple(draw(st.lists(NAMES, max_size=2))),
        acls=draw(ACLS),
        log_dirs=draw(LOG_DIRS),
        groups=draw(GROUPS),
    )


@pytest.mark.slow
@settings(max_examples=example_count(30))
@given(anything())
def test_what_is_saved_is_read_again(value: SavedCluster) -> None:
    text = text_of(value)

    assert value == saved_in(text, "x.json")
    assert text == text_of(saved_in(text, "x.json"))


def test_half_of_a_surrogate_pair_is_kept() -> None:
    written = text_of(saved(cluster_id="\ud800é")).encode()

    assert "\ud800é" == saved_in(written.decode(), "x.json").cluster_id


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("adding", [9]),
        ("removing", [9]),
        ("leader_epoch", 2**31),
        ("controller_epoch", 2**31),
        ("leader_recovery_state", 2),
        ("leader_recovery_state", -1),
    ],
)
def test_what_no_znode_of_a_partition_can_hold_is_refused(field: str, value: object) -> None:
    document = json.loads(GOOD)
    document["topics"][0]["partitions"][0][field] = value

    with pytest.raises(BadSnapshot, match=rf"topics\[0\].partitions\[0\].{field}"):
        saved_in(json.dumps(document), "x.json")


def test_each_partition_has_a_line_of_its_own() -> None:
    lines = text_of(saved(topic("t", "1,2 2,3"))).splitlines()

    assert 2 == sum('{"partition": ' in line for line in lines)


def test_a_mapping_that_is_no_dict_is_written_as_one() -> None:
    entity = ConfigEntity(Entity(EntityKind.IPS, None))
    value = saved(configs={entity: MappingProxyType({"k": "v"})})

    assert {entity: {"k": "v"}} == saved_in(text_of(value), "x.json").configs


GOOD = text_of(saved(topic("t", "1,2 2,3"), faults=(subjects.topic("u"),)))


def without(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("hello", "it is not JSON (line 1, column 1: Expecting value)"),
        ("[1]", "it is no JSON object"),
        ("[" * 100_000, "it is nested too deeply"),
        ('{"schema":"a","schema":"b"}', "'schema' more than once in {"),
        ('{"version": 1}', "it is no snapshot: its 'schema' is not 'kadmin.snapshot/1'"),
        ('{"schema": 7}', "it is no snapshot: its 'schema' is not 'kadmin.snapshot/1'"),
        (
            without("kadmin.snapshot/1", "kadmin.snapshot/2"),
            "it was saved by a newer kadmin, as kadmin.snapshot/2; this one reads"
            " kadmin.snapshot/1",
        ),
        (GOOD[: len(GOOD) // 2], "it is cut off or damaged at line "),
        (without('"replicas": [1, 2]', '"replicas": 7'), "'topics[0].partitions[0].replicas' is "),
        (
            without('"replicas": [1, 2]', '"replicas": [1, -2]'),
            "'topics[0].partitions[0].replicas' is not a list of broker ids: [1, -2]",
        ),
        (without('"leader": 1', '"leader": true'), "'topics[0].partitions[0].leader' is not a "),
        (without('"partition": 1', '"partition": 0'), "'topics[0].partitions[1]' has partition 0"),
        (without('"rack": "a"', '"rack": 7'), "'brokers[0].rack' is not text: 7"),
        (without('"configs": {}', '"configs": {"a": 1}'), "'topics[0].configs' is not an object"),
        (without('"source": "zookeeper"', '"source": "x"'), "'source' is not one of zookeeper, "),
        (without('"thing": "topic"', '"thing": "car"'), "'faults[0].thing' is not a thing that "),
        (without('"moving"', '"moved"'), "it has no 'moving', a list"),
        (without('"partition_count": 2', '"partition_count": 3'), "it has 2 partitions, and "),
    ],
    ids=str.split(
        "empty blank words list deep key-twice old-file no-text newer half replicas ids leader"
        " twice rack configs source thing list-gone count"
    ),
)
def test_what_is_no_snapshot_is_refused_by_its_place(text: str, problem: str) -> None:
    with pytest.raises(BadSnapshot) as caught:
        saved_in(text, "x.json")

    assert caught.value.message.startswith(f"cannot use x.json: {problem}")
    assert caught.value.hint is not None


def test_a_file_that_is_cut_off_anywhere_is_refused() -> None:
    for end in range(0, len(GOOD.rstrip()), 7):
        with pytest.raises(BadSnapshot):
            saved_in(GOOD[:end], "x.json")


@pytest.mark.slow
def test_a_field_with_another_value_is_read_or_refused() -> None:
    """Whatever stands in a file, no other error comes of it."""

    def each_field(value: object) -> "list[tuple[dict[str, object], str]]":
        found: list[tuple[dict[str, object], str]] = []
        children = value if isinstance(value, list) else []
        if isinstance(value, dict):
            found += [(value, key) for key in value]
            children = list(value.values())
        for child in children:
            found += each_field(child)
        return found

    document = json.loads(GOOD)
    for owner, key in each_field(document):
        kept = owner[key]
        values: list[object] = [None, 7, -7, 2**70, "x", [], [[]], {}, [None], {"x": 1}, 1.5, True]
        for value in values:
            owner[key] = value
            try:
                saved_in(json.dumps(document), "x.json")
            except BadSnapshot:
                continue
        owner[key] = kept

    assert json.loads(GOOD) == document
