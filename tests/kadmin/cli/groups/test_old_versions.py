"""Requests about groups in the versions of old releases, to which a broker of ours answers, too."""

import json
from pathlib import Path

import pytest
from kafka.admin import KafkaAdminClient
from kafka.protocol.broker_version_data import BrokerVersionData

from kadmin.admin.wire.connection import WireConnection
from tests.kadmin.cli.groups.conftest import FIRST_MS, Cluster
from tests.support.committing import commit, joined

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("one-broker"),
]

RELEASES = [(0, 10, 1), (0, 10, 2), (1, 1), (2, 4), (2, 6), (3, 0)]
"""Each is the first with another version of a request that matters here."""


@pytest.fixture(params=RELEASES, ids=lambda release: ".".join(map(str, release)))
def old(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> tuple[int, ...]:
    """A release of which all brokers seem to be."""
    release: tuple[int, ...] = request.param
    connect = WireConnection.__init__

    def pretend(self: WireConnection, client: KafkaAdminClient, *args: object) -> None:
        connect(self, client, *args)  # type: ignore[arg-type]
        manager = self.client._manager
        manager.broker_version_data = BrokerVersionData(release)
        for connection in manager._conns.values():
            connection.broker_version_data = manager.broker_version_data

    monkeypatch.setattr(WireConnection, "__init__", pretend)
    return release


def test_old_releases_are_asked_as_they_can_be(
    cluster: Cluster, topic: str, old: tuple[int, ...], tmp_path: Path
) -> None:
    name, live = f"old-{topic}", f"live-{topic}"
    commit(cluster.bootstrap, name, topic, 0, 2)
    reset = ("--reset-offsets", "--group", name, "--topic", f"{topic}:0")

    with joined(cluster.bootstrap, live, topic, client_id="reader"):
        listed = cluster.done("--list", "--state", "stable,empty", "--topic", topic)
        members = cluster.done("--describe", "--group", live, "--members")
    described = cluster.done("--describe", "--group", name, "--output", "json")
    planned = cluster.done(*reset, "--to-datetime", "2023-11-14T22:13:21", "--output", "json")
    cluster.done(
        *reset, "--to-offset", "1", "--execute", "--rollback-file", str(tmp_path / "back.csv")
    )
    after = cluster.done("--describe", "--group", name)

    assert [[live, "Stable"], [name, "Empty"]] == [line.split() for line in listed.splitlines()[1:]]
    assert "reader" in members
    (group,) = json.loads(described)["groups"]
    (row,) = group["partitions"]
    assert 3 == row["lag"]
    # Fetches of 0.10 are not answered by each broker, and a lag is shown without a time then.
    if old >= (0, 11) or row["unread_since_ms"] is not None:
        assert FIRST_MS + 2000 == row["unread_since_ms"]
    assert [1] == [each["new_offset"] for each in json.loads(planned)["partitions"]]
    assert ["0", "1", "5", "4"] == after.splitlines()[2].split()[2:6]
