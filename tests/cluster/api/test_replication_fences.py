"""What a follower takes: without these checks its log becomes another one than its leader's.

Stories of two brokers in memory, which the simulator has no faults for.
"""

from random import Random
from typing import Any

import pytest

from cluster.broker.control.role_changes import RoleChanges
from cluster.broker.replica_manager.hosting import Hosting
from cluster.model.error_codes import ErrorCode
from cluster.model.topic_id import NO_TOPIC_ID
from cluster.storage.records import validation
from cluster.wire.api_keys import ApiKey
from tests.cluster.api.orders import OTHER_ID, outcome, stop
from tests.cluster.api.test_replication import BACKOFF_MS, WAIT_MS, Cluster, settled

SEEDS = 10
CRC_COVERS_FROM = 21
"""Where a batch's attributes begin: its checksum covers all from there on."""


def ends_equal(seed: int) -> bool:
    """Whether replicas are equal after a link between them has damaged some of what it carried."""
    lots = Random(seed)
    cluster = Cluster(0, 1)
    cluster.lead(1)

    def damage(data: Any) -> Any:
        records = bytearray(data.records or b"")
        if records and lots.random() < 0.5:
            first_size = 12 + int.from_bytes(records[8:12], "big")
            records[lots.randrange(CRC_COVERS_FROM, first_size)] ^= 1 << lots.randrange(8)
        return data._replace(records=records)

    def change(key: ApiKey, body: Any) -> Any:
        return body._replace(
            responses=[
                topic._replace(partitions=[damage(data) for data in topic.partitions])
                for topic in body.responses
            ]
        )

    cluster.change = change
    for _ in range(3):
        cluster.write(1, lots.randint(1, 3))
        cluster.advance(WAIT_MS)
    cluster.change = lambda key, body: body
    cluster.advance(2 * BACKOFF_MS)
    return cluster.content(0) == cluster.content(1)


def test_what_a_link_damages_is_in_no_replica() -> None:
    assert all(map(ends_equal, range(SEEDS)))


def test_without_the_checksum_some_story_ends_badly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validation, "checksum_matches", lambda *args: True)

    assert not all(map(ends_equal, range(SEEDS)))


def namesake(fetch_version: int) -> tuple[Cluster, ErrorCode]:
    """A follower that has missed that its topic was deleted, and made anew; what it says to that.

    Both topics have as many records, of the same epochs.
    """
    cluster = Cluster(0, 1)
    cluster.newest = {ApiKey.FETCH: fetch_version}
    cluster.lead(1)
    cluster.write(1, 3)
    settled(cluster, 1, 0)
    leader, follower = cluster.worlds[1], cluster.worlds[0]
    stop(leader)
    of_both = {"orders": {0: (0, 1)}}
    for world in (leader, follower):
        world.tell_all(of_both, leaders={("orders", 0): 1}, ids={"orders": OTHER_ID})
    said = {"leader": 1, "replicas": (0, 1), "topic_id": OTHER_ID}
    leader.order("orders", **said)  # type: ignore[arg-type]
    for _ in range(3):
        cluster.write(1)
    leader.order("orders", leader_epoch=1, **said)  # type: ignore[arg-type]
    error = outcome(follower.order("orders", leader_epoch=1, **said))  # type: ignore[arg-type]
    cluster.advance(2 * BACKOFF_MS)
    return cluster, error


def is_mixed(cluster: Cluster) -> bool:
    """Whether the follower counts for an equal replica, and has what the former topic had."""
    leader = cluster.worlds[1].broker.partitions.find_index("orders", 0)
    assert leader is not None
    (follower,) = leader.replica.followers
    return follower.log_end_offset == 3 and cluster.content(0) != cluster.content(1)


@pytest.mark.parametrize("fetch_version", [12, 17])
def test_a_deleted_topics_log_is_not_its_namesakes(fetch_version: int) -> None:
    cluster, error = namesake(fetch_version)

    assert ErrorCode.INCONSISTENT_TOPIC_ID == error
    assert not is_mixed(cluster)


def test_without_the_topic_id_of_an_order_that_ends_badly_where_fetches_name_no_ids(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Hosting, "topic_id", lambda self, partition: NO_TOPIC_ID)
    monkeypatch.setattr(RoleChanges, "_take_topic_id", lambda *args: ErrorCode.NONE)

    by_names, error = namesake(12)
    by_ids, _ = namesake(17)

    assert ErrorCode.NONE == error
    assert is_mixed(by_names)
    assert not is_mixed(by_ids)
