import random
from dataclasses import replace
from pathlib import Path

import pytest

from kadmin.errors import RefusedError
from kadmin.local.addresses import LOOPBACK
from kadmin.local.archive_maker import recording_server
from kadmin.local.ports import LISTENING_PORTS, free_ports
from kadmin.local.provisioning import ClusterRequest, choose_brokers, find_or_create
from kadmin.local.state import STATE_FILE, LocalCluster, read_cluster, write_state


def requested(**given: object) -> ClusterRequest:
    nothing = {"zookeepers": None, "directory": None, "port": None, "bind": None}
    return ClusterRequest(**{**nothing, **given})  # type: ignore[arg-type]


def made(**given: object) -> LocalCluster:
    return find_or_create("local", requested(**given))[0]


def racks_of(cluster: LocalCluster) -> list[str | None]:
    return [member.rack for member in cluster.broker_members]


def test_a_new_cluster_has_no_brokers_unless_they_are_wished() -> None:
    assert () == made().brokers
    assert "" == made().bootstrap_servers


def test_brokers_are_numbered_from_one_with_a_port_and_a_rack_each() -> None:
    cluster = made(brokers=5, racks=("a", "b", "c"), settings={"num.partitions": "3"})

    assert [1, 2, 3, 4, 5] == [broker.id for broker in cluster.brokers]
    assert 5 + 3 == len(cluster.ports)
    assert ["a", "b", "c", "a", "b"] == racks_of(cluster)
    assert cluster == read_cluster("local")
    assert f"127.0.0.1:{cluster.brokers[4].port}" == cluster.bootstrap_servers.split(",")[4]


def test_more_brokers_are_added_to_the_racks_that_have_the_fewest() -> None:
    first = made(brokers=3, racks=("a", "b"))

    more = made(brokers=6)

    assert first.broker_members == more.broker_members[:3]
    assert ["a", "b", "a", "b", "a", "b"] == racks_of(more)
    assert ["c"] == [member.rack for member in choose_brokers(more, 1, ("a", "b", "c"))]


def test_settings_are_added_to_and_replaced_one_by_one() -> None:
    made(settings={"num.partitions": "3", "message.max.bytes": "1000"})

    cluster = made(settings={"num.partitions": "6"})

    assert {"num.partitions": "6", "message.max.bytes": "1000"} == cluster.broker_settings
    assert cluster == read_cluster("local")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("brokers", "settings", "expected"),
    [
        (0, {}, None),
        (1, {}, None),
        (2, {}, "2"),
        (3, {}, "3"),
        (5, {}, "3"),
        (3, {"default.replication.factor": "1"}, "1"),
    ],
)
def test_topics_have_three_replicas_unless_brokers_are_fewer_or_somebody_says_otherwise(
    brokers: int, settings: dict[str, str], expected: str | None
) -> None:
    cluster = made(brokers=brokers, settings=settings)

    assert expected == cluster.broker_settings.get("default.replication.factor")
    assert cluster == made(brokers=brokers)


@pytest.mark.slow
@pytest.mark.parametrize(("brokers", "expected"), [(0, None), (1, "1"), (2, "2"), (3, None)])
def test_groups_are_served_with_fewer_than_three_brokers(
    brokers: int, expected: str | None
) -> None:
    cluster = made(brokers=brokers)

    assert expected == cluster.broker_settings.get("offsets.topic.replication.factor")


def test_a_cluster_goes_on_with_the_replicas_that_it_began_with() -> None:
    """Those that an earlier kadmin has made have nothing written down, which is 1."""
    first = made(brokers=2)
    write_state(replace(first, broker_settings={}))

    assert {} == made(brokers=4).broker_settings
    changed = made(settings={"default.replication.factor": "3"})
    assert {"default.replication.factor": "3"} == changed.broker_settings


def test_a_cluster_that_gets_its_first_brokers_later_is_like_a_new_one() -> None:
    made()

    assert {"default.replication.factor": "3"} == made(brokers=3).broker_settings


def test_the_maker_of_archives_leaves_a_clusters_ports_alone_that_is_down(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ports = sorted(made(zookeepers=3).ports)
    free = [port for port in LISTENING_PORTS if port not in ports]
    monkeypatch.setattr(random, "sample", lambda population, count: ports + free)

    server = recording_server(tmp_path, tmp_path / "classes.jsa")

    assert server.port == free_ports(1, LOOPBACK, avoid=ports)[0]
    assert not {server.port, server.members[0].quorum_port} & set(ports)
    assert server.members[0].election_port not in ports


def test_a_wish_for_less_changes_nothing() -> None:
    cluster = made(brokers=2, racks=("a", "b"))

    with pytest.raises(RefusedError, match="'local' exists with 2 brokers") as raised:
        made(brokers=1)
    assert "destroy" not in str(raised.value.hint)
    with pytest.raises(RefusedError, match="exists with racks a,b"):
        made(brokers=2, racks=("b", "c"))
    assert cluster == made()


def test_brokers_without_racks_are_not_given_some_later() -> None:
    made(brokers=1)

    with pytest.raises(RefusedError, match="exists with brokers without racks"):
        made(brokers=2, racks=("a",))


def test_a_cluster_that_an_earlier_release_wrote_down_has_no_brokers() -> None:
    cluster = made()
    path = cluster.directory / STATE_FILE
    before = path.read_text().replace("cluster/2", "cluster/1")
    path.write_text(before[: before.index(',\n  "brokers"')] + "\n}\n")

    assert cluster == read_cluster("local")
    assert 1 == len(made(brokers=1).brokers)


def test_two_clusters_never_have_a_port_in_common() -> None:
    first = made(brokers=20)

    second = find_or_create("other", requested(brokers=20))[0]

    assert not first.ports & second.ports
