"""The snapshot of a cluster is what was written, by few round trips, whatever is damaged."""

import pytest
from kazoo.security import make_digest_acl

from cluster.model.admin import Reassignment
from cluster.model.ids import BrokerId, ControllerEpoch, TopicPartition
from cluster.zk import paths
from cluster.zk.topics import encode_state
from kadmin.admin.answers import NoClusterHere
from kadmin.admin.zookeeper import snapshot as module
from kadmin.admin.zookeeper.connection import connect
from kadmin.admin.zookeeper.multiread import ReadMode
from kadmin.admin.zookeeper.snapshot import read_snapshot
from kadmin.admin.zookeeper.topic_names import read_topic_names
from kadmin.arguments.topics import TopicSelection
from kadmin.settings.resolve import ZooKeeperSettings
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.support.waiting import OUTER_LIMIT_S
from tests.support.znodes import write_snapshot
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

ALL = TopicSelection()
WRITTEN = cluster(
    brokers("0:a 1 10:b"),
    topic("a", "0,1 1,10", {0: state(0, "0,1")}, configs={"k": "v"}),
    topic("b", "10", marked=True),
    topic("c", "0,1,10", adding="10"),
    moving=Reassignment(targets={TopicPartition("a", 0): (BrokerId(10), BrokerId(1))}),
)


def snapshot_of(address, selection=ALL, *, mode=ReadMode.UNKNOWN, **options):
    with connect(ZooKeeperSettings(connect=address, timeout_s=OUTER_LIMIT_S)) as connection:
        connection.reader.mode = mode
        snapshot = connection.read(read_snapshot(address, selection, **options))
        return snapshot, connection.reader.round_trips


@pytest.mark.parametrize("mode", [ReadMode.UNKNOWN, ReadMode.PIPELINED])
def test_what_was_written_is_read_in_three_round_trips(chroot, mode):
    write_snapshot(chroot, WRITTEN)

    snapshot, round_trips = snapshot_of(chroot, mode=mode)

    assert 3 == round_trips
    assert [0, 1, 10] == list(snapshot.brokers)
    assert ["a", "b", "c"] == list(snapshot.topics)
    assert {"k": "v"} == snapshot.topics["a"].config.values
    assert [0] == list(snapshot.topics["a"].states)
    assert [False, True, False] == [
        item.is_marked_for_deletion for item in snapshot.topics.values()
    ]
    assert snapshot.topics["c"].assignment.is_reassigning
    assert {TopicPartition("a", 0): (10, 1)} == dict(snapshot.moving)
    assert (0, 1) == (snapshot.controller.broker_id, snapshot.controller_epoch.epoch)
    assert () == snapshot.faults


def test_the_controller_epoch_is_read_again_where_a_state_has_a_later_one(chroot, monkeypatch):
    """Who is elected while the cluster is read writes states that are no fault."""
    write_snapshot(chroot, WRITTEN)
    with client_of(chroot) as client:
        later = state(0, "0,1")._replace(controller_epoch=ControllerEpoch(2))
        client.set(paths.state("a", 0), encode_state(later))

        def read_states(*asked):
            client.set(paths.CONTROLLER_EPOCH, b"2")
            return original(*asked)

        original = module.read_states
        monkeypatch.setattr(module, "read_states", read_states)

        snapshot, round_trips = snapshot_of(chroot)

    assert (2, 4) == (snapshot.controller_epoch.epoch, round_trips)


def test_a_cluster_without_the_list_of_deletions_marks_nothing(chroot):
    """Kafka before 0.8.2 has none, and neither has a cluster that no broker has come to yet."""
    write_snapshot(chroot, WRITTEN)
    with client_of(chroot) as client:
        client.delete("/admin/delete_topics", recursive=True)

    snapshot, _ = snapshot_of(chroot)
    with connect(ZooKeeperSettings(connect=chroot, timeout_s=OUTER_LIMIT_S)) as connection:
        listed = connection.read(read_topic_names(chroot))

    assert ["a", "b", "c"] == list(snapshot.topics) == list(listed.names)
    assert not any(item.is_marked_for_deletion for item in snapshot.topics.values())
    assert frozenset() == listed.marked_for_deletion


def test_only_what_is_asked_for_is_read(chroot):
    write_snapshot(chroot, WRITTEN)

    chosen, _ = snapshot_of(chroot, TopicSelection(wanted=("b",)), with_states=False)
    none, _ = snapshot_of(chroot, with_topics=False)

    assert ["b"] == list(chosen.topics)
    assert {} == chosen.topics["b"].states
    assert {} == none.topics
    assert 3 == len(none.brokers)


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("/brokers/ids/1", b"{"),
        ("/brokers/topics/a", b'{"partitions":[]}'),
        ("/brokers/topics/a/partitions/0/state", b""),
        ("/config/topics/a", b"[]"),
        ("/controller", b"?"),
        ("/controller_epoch", b"-1"),
        ("/admin/reassign_partitions", b'{"partitions":[{}]}'),
    ],
)
def test_a_damaged_znode_is_a_fault_beside_the_rest(chroot, path, data):
    write_snapshot(chroot, WRITTEN)
    with client_of(chroot) as client:
        client.set(path, data)

    snapshot, _ = snapshot_of(chroot)

    assert [path] == [fault.where for fault in snapshot.faults]
    assert 1 == snapshot.faults[0].version
    assert "b" in snapshot.topics
    assert 0 in snapshot.brokers


def test_a_znode_that_may_not_be_read_is_a_fault_beside_the_rest(chroot):
    write_snapshot(chroot, WRITTEN)
    with client_of(chroot) as client:
        client.set_acls("/config/topics/a", [make_digest_acl("u", "p", all=True)])

    snapshot, _ = snapshot_of(chroot)

    assert ["/config/topics/a: may not be read by this user"] == list(map(str, snapshot.faults))
    assert ["a", "b", "c"] == list(snapshot.topics)


def test_nodes_that_vanish_while_they_are_read_were_not_there(chroot, monkeypatch):
    """A topic is deleted after its name was read, and another loses its states."""
    write_snapshot(chroot, WRITTEN)
    with (
        client_of(chroot) as client,
        connect(ZooKeeperSettings(connect=chroot, timeout_s=OUTER_LIMIT_S)) as connection,
    ):
        serve, reads = connection.reader.replies_to, []

        def delete_before(requests):
            reads.append(requests)
            if len(reads) == 2:
                client.delete("/brokers/topics/b", recursive=True)
                client.delete("/brokers/ids/10")
            if len(reads) == 3:
                client.delete("/brokers/topics/a/partitions", recursive=True)
            return serve(requests)

        monkeypatch.setattr(connection.reader, "replies_to", delete_before)
        snapshot = connection.read(read_snapshot(chroot, ALL))

    assert ["a", "c"] == list(snapshot.topics)
    assert [0, 1] == list(snapshot.brokers)
    assert {} == snapshot.topics["a"].states
    assert () == snapshot.faults


def test_what_a_young_cluster_does_not_have_yet_is_empty(chroot):
    """Old brokers make `/admin/delete_topics` and their like when they need them."""
    with client_of(chroot) as client:
        client.create("/brokers/topics/a", b'{"version":1,"partitions":{"0":[1]}}', makepath=True)

    snapshot, _ = snapshot_of(chroot)

    assert {} == snapshot.brokers
    assert (None, None, {}) == (snapshot.controller, snapshot.controller_epoch, snapshot.moving)
    assert {} == snapshot.broker_defaults.values
    (only,) = snapshot.topics.values()
    assert ("a", False, {}, {}) == (
        only.name,
        only.is_marked_for_deletion,
        only.states,
        only.config.values,
    )
    assert () == snapshot.faults


def test_a_place_without_topics_is_no_cluster(chroot):
    with connect(ZooKeeperSettings(connect=chroot, timeout_s=OUTER_LIMIT_S)) as connection:
        with pytest.raises(NoClusterHere, match="/brokers/topics does not exist"):
            connection.read(read_snapshot(chroot, ALL))
        with pytest.raises(NoClusterHere):
            connection.read(read_topic_names(chroot))


def test_a_partition_without_a_leader_tells_since_when(chroot):
    states = {0: state(-1, "0"), 1: state(0, "0")}
    write_snapshot(chroot, cluster(brokers("0"), topic("t", "0 0", states)))
    with client_of(chroot) as client:
        _, stat = client.get("/brokers/topics/t/partitions/0/state")

    found, _ = snapshot_of(chroot)

    assert {0: stat.mtime} == found.topics["t"].leaderless_since_ms
