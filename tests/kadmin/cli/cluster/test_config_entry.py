from functools import partial
from pathlib import Path

import pytest

from kadmin.cli.cluster.config_entry import enter, forget, update_bootstrap
from kadmin.cli.session import Session
from kadmin.errors import RefusedError
from kadmin.local.server_properties import BrokerMember
from kadmin.local.state import LocalCluster
from kadmin.local.zookeeper_config import Member
from tests.support.cli import done

ONE = "127.0.0.1:9091"
TWO = "127.0.0.1:9091,127.0.0.1:9092"
PROXY = "proxy.example:9092"


def cluster(broker_count: int) -> LocalCluster:
    return LocalCluster(
        name="local",
        directory=Path("/nowhere"),
        address="127.0.0.1",
        members=(Member(id=1, port=2181, quorum_port=1, election_port=2),),
        broker_members=tuple(
            BrokerMember(id=number, port=9090 + number) for number in range(1, broker_count + 1)
        ),
    )


def entry() -> dict[str, object]:
    return dict(Session({}).settings.file.clusters["local"])


def add(*options: str) -> None:
    done("config", "add", "local", *options)


def test_a_new_entry_names_the_brokers_that_there_are() -> None:
    enter(Session({}), cluster(0), makes_current=False)
    without = entry()
    enter(Session({}), cluster(1), makes_current=True)

    assert {"zookeeper": "127.0.0.1:2181"} == without
    assert {"zookeeper": "127.0.0.1:2181", "bootstrap_server": ONE} == entry()
    assert "local" == Session({}).settings.file.current


@pytest.mark.parametrize("update", [partial(enter, makes_current=True), update_bootstrap])
def test_more_brokers_are_added_to_the_entry_and_all_else_in_it_is_kept(update) -> None:
    add("--zookeeper", "127.0.0.1:2181/kafka", "--bootstrap-server", ONE, "--broker-user", "me")

    update(Session({}), cluster(2))

    assert {
        "zookeeper": "127.0.0.1:2181/kafka",
        "bootstrap_server": TWO,
        "broker_user": "me",
    } == entry()


@pytest.mark.parametrize(
    ("zookeeper", "bootstrap"),
    [("127.0.0.1:2181", PROXY), ("127.0.0.1:2181", f"{ONE},{PROXY}"), ("zk.example:2181", ONE)],
)
def test_an_entry_of_other_servers_is_left_as_somebody_wrote_it(
    zookeeper: str, bootstrap: str
) -> None:
    add("--zookeeper", zookeeper, "--bootstrap-server", bootstrap)

    update_bootstrap(Session({}), cluster(2))

    assert {"zookeeper": zookeeper, "bootstrap_server": bootstrap} == entry()


def test_a_foreign_entry_of_that_name_is_not_replaced() -> None:
    add("--zookeeper", "zk.example:2181")

    with pytest.raises(RefusedError, match=r"another cluster 'local' .zk.example:2181"):
        enter(Session({}), cluster(1), makes_current=True)

    assert {"zookeeper": "zk.example:2181"} == entry()


def test_without_an_entry_none_is_made_by_the_way() -> None:
    update_bootstrap(Session({}), cluster(1))

    assert {} == dict(Session({}).settings.file.clusters)


def test_who_works_on_another_cluster_is_told_that_it_is_not_the_current_one_any_more(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done("config", "add", "prod", "--zookeeper", "zk.example:2181", "--use")

    enter(Session({}), cluster(1), makes_current=True)
    told = capsys.readouterr().err
    enter(Session({}), cluster(1), makes_current=True)

    assert "'local' is the current cluster now; 'kadmin config use prod' goes back\n" == told
    assert "" == capsys.readouterr().err


def test_who_works_on_another_cluster_goes_on_to(capsys: pytest.CaptureFixture[str]) -> None:
    done("config", "add", "prod", "--zookeeper", "zk.example:2181", "--use")

    is_current = enter(Session({}), cluster(1), makes_current=False)

    assert not is_current
    assert "prod" == Session({}).settings.file.current
    assert {"zookeeper": "127.0.0.1:2181", "bootstrap_server": ONE} == entry()
    assert "the current cluster is still 'prod'" in capsys.readouterr().err


def test_when_the_current_one_is_gone_the_one_before_is_current_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    done("config", "add", "prod", "--zookeeper", "zk.example:2181", "--use")
    enter(Session({}), cluster(1), makes_current=True)

    forget(Session({}), "local", "127.0.0.1:2181")

    file = Session({}).settings.file
    assert ("prod", None) == (file.current, file.previous)
    assert ["prod"] == list(file.clusters)
    assert "the current cluster is 'prod' again" in capsys.readouterr().err


def test_none_is_current_when_the_one_before_is_gone_too() -> None:
    done("config", "add", "prod", "--zookeeper", "zk.example:2181", "--use")
    enter(Session({}), cluster(1), makes_current=True)
    done("config", "remove", "prod")

    forget(Session({}), "local", "127.0.0.1:2181")

    assert Session({}).settings.file.current is None
