"""A world for each test."""

from collections.abc import Iterator

import pytest

from tests.cluster.api.world import World


@pytest.fixture
def world() -> Iterator[World]:
    """A broker of which, whatever was asked, nothing watches partitions in the end.

    A watcher that is left behind is called at every append from then on.
    """
    made = World()
    yield made
    made.end_connections()
    made.end_sessions()
    assert 0 == made.watcher_count
