"""What ends goes at once, without a collection of garbage, which brokers have seldom."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from cluster.broker.replica_manager.fetch_sessions import Want
from cluster.replication.fetch_session_handler import PartKey
from tests.cluster.api.fetching import fetch, part
from tests.cluster.api.test_replication import Cluster
from tests.cluster.api.world import World

PARTITIONS = 3
ENDS = -1


@contextmanager
def without_collections() -> Iterator[None]:
    gc.disable()
    # What other tests left is neither counted nor looked through.
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.enable()


def count_of(kind: type) -> int:
    return sum(type(one) is kind for one in gc.get_objects())


def test_the_partitions_of_a_session_go_with_it(world: World) -> None:
    world.lead(partitions=PARTITIONS)
    with without_collections():
        before = count_of(Want)
        parts = [part(0, index) for index in range(PARTITIONS)]
        session_id = fetch(world, *parts, session=(0, 0)).body.session_id
        assert before + PARTITIONS == count_of(Want)

        fetch(world, session=(session_id, ENDS))

        assert before == count_of(Want)


def test_what_was_fetched_from_a_leader_goes_with_its_fetcher() -> None:
    cluster = Cluster(1, 2)
    with without_collections():
        before = count_of(PartKey)
        for leader in (1, 2):
            cluster.lead(leader, partitions=PARTITIONS)
            cluster.advance(20)

            assert before + PARTITIONS == count_of(PartKey)
