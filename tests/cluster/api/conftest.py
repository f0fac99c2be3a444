"""A world for each test."""

import pytest

from tests.cluster.api.world import World


@pytest.fixture
def world() -> World:
    return World()
