"""By which names do followers fetch, and what do they say of themselves?

By topic ids (KIP-516) and with their broker epoch (KIP-903), where the leader knows of it.
"""

from typing import Any

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import LEADER_DURING_DELETION, BrokerEpoch
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import FetchRequest, FetchResponse, ReplicaState
from tests.cluster.api.network import Connection
from tests.cluster.api.orders import OTHER_ID, stop
from tests.cluster.api.test_replication import BACKOFF_MS, WAIT_MS, Cluster, fetches, settled
from tests.cluster.api.world import EPOCH, TOPIC_ID

STAYING_ID = bytes(15) + b"\x07"


def fetch_versions(connection: Connection) -> set[int]:
    return {version for key, version, _ in connection.asked if key is ApiKey.FETCH}


def fetching(partitions: int = 1) -> Cluster:
    """A follower in a session with its leader."""
    cluster = Cluster(0, 1)
    cluster.lead(1, partitions=partitions)
    cluster.advance(2 * WAIT_MS)
    return cluster


def named(body: FetchRequest) -> list[tuple[bytes, int]]:
    return [(topic.topic_id, part.partition) for topic in body.topics for part in topic.partitions]


def forgotten(body: FetchRequest) -> list[tuple[bytes, int]]:
    return [
        (topic.topic_id, index)
        for topic in body.forgotten_topics_data
        for index in topic.partitions
    ]


@pytest.mark.parametrize(("newest", "version"), [(17, 17), (15, 15), (13, 13), (12, 12), (11, 11)])
def test_followers_speak_the_leaders_version_and_say_in_which_life_they_are(
    newest: int, version: int
) -> None:
    cluster = Cluster(0, 1)
    cluster.newest = {ApiKey.FETCH: newest}
    cluster.lead(1)
    cluster.write(1, 2)
    settled(cluster, 1, 0)

    assert {version} == fetch_versions(cluster.connection())
    first, *others = fetches(cluster.connection())
    assert [(TOPIC_ID, 0)] == named(first)
    assert {(0, ReplicaState(0, EPOCH))} == {
        (body.replica_id, body.replica_state) for body in (first, *others)
    }
    leader = cluster.worlds[1].broker.partitions.find_index("orders", 0)
    assert leader is not None
    (follower,) = leader.replica.followers
    assert (EPOCH if version >= 15 else -1) == follower.broker_epoch


def test_a_topic_without_an_id_has_all_called_by_names_until_its_id_is_known() -> None:
    cluster = Cluster(0, 1)
    replicas = (0, 1)
    cluster.lead(1)
    for world in cluster.worlds.values():
        world.tell_all({"old": {0: replicas}}, leaders={("old", 0): 1}, ids={"old": NO_TOPIC_ID})
        world.order("old", leader=1, replicas=replicas, topic_id=NO_TOPIC_ID)
    cluster.write(1, 2)
    settled(cluster, 1, 0)
    assert 12 == max(fetch_versions(cluster.connection()))
    count = len(cluster.connection().asked)

    for world in cluster.worlds.values():
        world.tell_all({"old": {0: replicas}}, leaders={("old", 0): 1}, ids={"old": OTHER_ID})
        world.order("old", leader=1, replicas=replicas, topic_id=OTHER_ID)
    cluster.write(1, 3)
    settled(cluster, 1, 0)

    later = [body for key, version, body in cluster.connection().asked[count:] if version == 17]
    # A session goes on by the names by which it has begun.
    assert 0 == later[0].session_epoch
    assert {(TOPIC_ID, 0), (OTHER_ID, 0)} == set(named(later[0]))
    assert [1, 2] == [body.session_epoch for body in later[1:3]]
    assert [] == cluster.worlds[0].journal.warnings


@pytest.mark.parametrize("version", [12, 17])
def test_a_topic_that_is_made_anew_is_fetched_in_the_same_session(version: int) -> None:
    cluster = Cluster(0, 1)
    cluster.newest = {ApiKey.FETCH: version}
    for world in cluster.worlds.values():
        world.tell_all({"other": {0: (0, 1)}}, leaders={("other", 0): 1}, ids={"other": STAYING_ID})
        world.order("other", leader=1, replicas=(0, 1), topic_id=STAYING_ID)
    cluster.lead(1)
    cluster.write(1, 3)
    settled(cluster, 1, 0)
    for world in cluster.worlds.values():
        stop(world)
    assert cluster.worlds[0].broker.partitions.find_index("orders", 0) is None

    for broker_id in (1, 0):
        world = cluster.worlds[broker_id]
        world.tell_all(
            {"orders": {0: (0, 1)}}, leaders={("orders", 0): 1}, ids={"orders": OTHER_ID}
        )
        world.order("orders", leader=1, replicas=(0, 1), topic_id=OTHER_ID)
    cluster.write(1, 2)
    settled(cluster, 1, 0)

    assert 2 == cluster.log(0).log_end_offset
    bodies = fetches(cluster.connection())
    assert 1 == [body.session_epoch for body in bodies].count(0)
    assert {0, bodies[-1].session_id} == {body.session_id for body in bodies}
    replacing = next(body for body in bodies if (OTHER_ID, 0) in named(body))
    # By its name the leader would forget what has just been added.
    assert ([] if version == 12 else [(TOPIC_ID, 0)]) == forgotten(replacing)


@pytest.mark.parametrize("error", [ErrorCode.UNKNOWN_TOPIC_ID, ErrorCode.INCONSISTENT_TOPIC_ID])
def test_an_id_that_the_leader_does_not_go_by_delays_its_partition_alone(error: ErrorCode) -> None:
    """It has not heard of the topic, or not that the former one of this name is gone."""
    cluster = fetching(partitions=2)

    def object_to_first(key: ApiKey, body: Any) -> Any:
        if key is not ApiKey.FETCH:
            return body
        return body._replace(
            responses=[
                topic._replace(
                    partitions=[
                        data._replace(error_code=error, records=b"")
                        if data.partition_index == 0
                        else data
                        for data in topic.partitions
                    ]
                )
                for topic in body.responses
            ]
        )

    cluster.change = object_to_first
    for index in (0, 1):
        cluster.write(1, 2, index)
    cluster.advance(BACKOFF_MS // 2)
    assert (0, 2) == (cluster.log(0, 0).log_end_offset, cluster.log(0, 1).log_end_offset)
    assert [(TOPIC_ID, 0)] in [forgotten(body) for body in fetches(cluster.connection())]
    assert [] == cluster.worlds[0].journal.warnings

    cluster.change = lambda key, body: body
    cluster.advance(BACKOFF_MS)
    settled(cluster, 1, 0)


def test_a_leader_that_knows_the_session_by_other_names_gets_a_new_one() -> None:
    cluster = fetching()
    said = [FetchResponse(error_code=ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR)]
    cluster.instead = lambda key, body: said.pop() if key is ApiKey.FETCH and said else None
    cluster.write(1, 2)
    cluster.advance(2 * WAIT_MS)
    bodies = fetches(cluster.connection())

    settled(cluster, 1, 0)

    assert 2 == [body.session_epoch for body in bodies].count(0)
    assert [] == cluster.worlds[0].journal.warnings


def test_a_leader_knows_a_topics_id_from_the_order_to_lead_it() -> None:
    """The follower may fetch before the update comes that tells of the topic."""
    cluster = Cluster(0, 1)
    for world in cluster.worlds.values():
        world.tell_all({}, brokers=(0, 1))
    for broker_id in (1, 0):
        cluster.worlds[broker_id].order("orders", leader=1, replicas=(0, 1))

    cluster.write(1, 2)
    cluster.advance(20)

    assert 2 == cluster.log(0).log_end_offset
    assert 17 == max(fetch_versions(cluster.connection()))


def test_a_topic_that_shall_be_deleted_is_fetched_while_it_is_there() -> None:
    """Updates tell of it no more; but a reassignment that needs its followers has to end before."""
    cluster = fetching()
    leaders = {("orders", 0): LEADER_DURING_DELETION}
    cluster.worlds[1].tell_all({"orders": {0: (0, 1)}}, leaders=leaders, brokers=(0, 1))

    cluster.write(1, 2)
    settled(cluster, 1, 0)


def test_a_follower_in_another_life_is_known_to_be_so_in_all_partitions() -> None:
    """Also in those that its session does not name, since it has everything."""
    cluster = fetching(partitions=3)
    for index in range(3):
        cluster.write(1, 1, index)
    settled(cluster, 1, 0)
    later = BrokerEpoch(EPOCH + 1)

    cluster.worlds[0].registration.broker_epoch = later
    cluster.advance(2 * WAIT_MS)

    for index in range(3):
        hosted = cluster.worlds[1].broker.partitions.find_index("orders", index)
        assert hosted is not None
        assert [later] == [one.broker_epoch for one in hosted.replica.followers]
    assert 1 == [body.session_epoch for body in fetches(cluster.connection())].count(0)
