"""Machines for `kadmin cluster`: one for each test, and one that the tests of a module share."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from kadmin.local.state import BrokenState, cluster_names, read_cluster


@pytest.fixture
def clean_machine(
    home: Path, archive_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """No archive is made in the background, and no server of a cluster stays behind."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(archive_cache))
    yield
    kill_servers(home / "data")


@pytest.fixture(scope="module")
def shared_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """What XDG_DATA_HOME is where tests go on with the cluster of those before them."""
    data = tmp_path_factory.mktemp("machine")
    yield data
    kill_servers(data)


def kill_servers(data: Path) -> None:
    """Kill the servers of all clusters in the user's *data* directory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(data))
        for name in cluster_names():
            with suppress(BrokenState):
                cluster = read_cluster(name)
                if cluster is not None:
                    for server in (*cluster.brokers, *cluster.servers):
                        server.kill()
