from collections.abc import Iterator

import pytest

from tests.support.spark import standalone_master


@pytest.fixture(scope="session")
def standalone_spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A standalone master with two workers of a core each; its address.

    For all tests of one process: those that use it belong into one group of xdist.
    """
    with standalone_master(tmp_path_factory.mktemp("standalone"), workers=2) as master:
        yield master
