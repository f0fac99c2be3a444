"""Moves by the page, end to end over three brokers of ours: planned, run, given up, moved back."""

import json
from collections.abc import Iterator
from html import unescape

import pytest

from kadmin.web.clusters import WatchedCluster
from tests.support.cli import done
from tests.support.fleets import Fleet, running_fleet
from tests.support.page import Browser, Page, running_page, serving_of
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = [
    pytest.mark.zk,
    pytest.mark.clients,
    pytest.mark.long,
    pytest.mark.xdist_group("moves-by-the-page"),
    # kafka-python leaves the socket that a dead broker refuses to the garbage collector.
    pytest.mark.filterwarnings(
        "ignore:Exception ignored in. <socket.socket:pytest.PytestUnraisableExceptionWarning"
    ),
]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with running_fleet(tmp_path_factory.mktemp("fleet"), 3) as running:
        yield running


@pytest.fixture(scope="module")
def page(fleet: Fleet, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    flags = {"zookeeper": fleet.connect, "bootstrap_server": fleet.bootstrap}
    cluster = WatchedCluster("one", dict(flags), interval_s=3600)
    with running_page(serving_of(cluster, tmp_path_factory.mktemp("page"))) as running:
        cluster.looks.wait_beyond(0, OUTER_LIMIT_S)
        yield running


@pytest.fixture
def oscar(page: Page) -> Browser:
    return page.browser("oscar")


def made(fleet: Fleet, name: str, *placement: str) -> str:
    words = ["--create", "--topic", name, "--replica-assignment", ",".join(placement)]
    done("topics", "--zookeeper", fleet.connect, *words)
    fleet.wait_for_leaders(name, len(placement))
    return name


def replicas(fleet: Fleet, name: str) -> list[list[int]]:
    words = ("--describe", "--topic", name, "--output", "json")
    described = json.loads(done("topics", "--zookeeper", fleet.connect, *words))
    return [each["replicas"] for each in described["topics"][0]["partitions"]]


def state(fleet: Fleet) -> str:
    listed = done("reassign", "list", "--zookeeper", fleet.connect, "--output", "json")
    return str(json.loads(listed)["runs"][-1]["state"])


def test_replicas_are_moved_off_a_broker_and_back(fleet: Fleet, oscar: Browser) -> None:
    name = made(fleet, "drained", "1:2", "2:1", "1:3")
    shown = oscar.plan("plan-moves", goal="drain", brokers="1", topics=name, max_moves="2")

    assert 200 == shown.status_code, shown.text
    assert "Move 3 replicas off broker 1" in shown.text
    assert "--goal drain --brokers 1 --topic drained" in unescape(shown.text)
    assert [[1, 2], [2, 1], [1, 3]] == replicas(fleet, name)

    begun = oscar.confirm(shown)
    assert "Done." in begun.text
    wait_until(lambda: state(fleet) == "done", what="the end of the run")
    assert not any(1 in each for each in replicas(fleet, name))

    moves = fresh(oscar)
    assert ">done<" in moves
    run_id = moves.partition('<th scope="row">2')[2].partition("<")[0]
    back = oscar.do("redirect-run", run=f"2{run_id}", goal="rollback")
    assert "Roll back run" in back
    wait_until(lambda: state(fleet) == "rolled-back", what="the rollback")
    assert [[1, 2], [2, 1], [1, 3]] == replicas(fleet, name)
    nothing = oscar.plan("redirect-run", run=f"2{run_id}", goal="rollback")
    assert "Nothing to do." in nothing.text


def fresh(browser: Browser) -> str:
    """Return the page of moves, with runs that were read just now."""
    runs = browser.page.serving.clusters["one"].runs
    runs.wait_beyond(runs.hurry(), OUTER_LIMIT_S)
    return browser.get("/clusters/one/moves").text


def test_a_preferred_leader_is_elected(fleet: Fleet, oscar: Browser) -> None:
    name = made(fleet, "elected", "1:2")
    words = ("--topic", name, "--partitions", "0", "--replicas", "2,1", "--wait", "--yes")
    done("reassign", "--zookeeper", fleet.connect, "--execute", *words)
    text = oscar.do("elect-leaders", kind="preferred", topic=name)

    assert f"Give {name}-0 their preferred leaders" in text
    described = done("topics", "--zookeeper", fleet.connect, "--describe", "--topic", name)
    assert "Leader: 2" in " ".join(described.split())


def test_a_plan_that_the_cluster_has_left_behind_is_not_run(fleet: Fleet, oscar: Browser) -> None:
    name = made(fleet, "drifting", "1:2")
    shown = oscar.plan("plan-moves", goal="drain", brokers="1", topics=name)
    done("topics", "--zookeeper", fleet.connect, "--delete", "--topic", name, "--yes", "--wait")
    ended = oscar.confirm(shown)

    assert "Done." not in ended.text
    assert "nothing was written" in ended.text


def test_a_goal_that_is_reached_moves_nothing(fleet: Fleet, oscar: Browser) -> None:
    name = made(fleet, "settled", "1:2")
    shown = oscar.plan("plan-moves", goal="replication-factor", replication_factor="2", topics=name)

    assert 409 == shown.status_code
    assert "nothing to move" in shown.text


def test_throttles_left_behind_are_released(fleet: Fleet, oscar: Browser) -> None:
    name = made(fleet, "throttled", "1:2")
    key = "leader.replication.throttled.replicas"
    words = ("configs", "--zookeeper", fleet.connect, "--topic", name)
    done(*words, "--alter", "--add-config", f"{key}=*", "--yes")
    text = oscar.do("release-throttles", topics=name)

    assert "rollback file" in text
    assert key not in done(*words, "--describe")
