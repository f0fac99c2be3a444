"""`kadmin elect` on three brokers of ours, which elect, follow and lag behind by themselves."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.zk import paths
from kadmin.errors import ExitCode
from tests.support.asking import AskingKadmin
from tests.support.cli import KadminRun, done, kadmin
from tests.support.fleets import Fleet, running_fleet
from tests.support.waiting import wait_until

pytestmark = [
    pytest.mark.zk,
    pytest.mark.faults,
    pytest.mark.clients,
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("elect-by-brokers"),
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with running_fleet(tmp_path_factory.mktemp("fleet"), 3) as running:
        yield running


@pytest.fixture
def fleet(shared: Fleet) -> Iterator[Fleet]:
    """Three brokers that run; what a test stopped runs again afterwards."""
    yield shared
    shared.start(*(one for one in shared.broker_ids if one not in shared.brokers))


def create(fleet: Fleet, topic: str, *placement: str) -> None:
    words = ["--create", "--topic", topic, "--replica-assignment", ",".join(placement)]
    done("topics", "--zookeeper", fleet.connect, *words)


def followers_of(fleet: Fleet) -> tuple[int, int]:
    """The two brokers that do not control the cluster."""
    first, second = (one for one in fleet.broker_ids if one != fleet.controller_id())
    return first, second


def lead_from_elsewhere(fleet: Fleet, topic: str) -> tuple[int, int]:
    """Make a topic whose preferred leader was away and has caught up; and who leads instead."""
    preferred, other = followers_of(fleet)
    create(fleet, topic, f"{preferred}:{other}", f"{preferred}:{other}", f"{other}:{preferred}")
    fleet.wait_for_leaders(topic, 3)
    fleet.stop(preferred)
    fleet.wait_for_leaders(topic, 3, [other])
    fleet.start(preferred)
    # With the topics of other tests, too: some of the elections here are of all partitions.
    lacking = (
        "topics",
        "--zookeeper",
        fleet.connect,
        "--describe",
        "--under-replicated-partitions",
    )
    wait_until(
        lambda: done(*lacking) == "",
        what="the preferred leader to catch up",
    )
    fleet.wait_for_leaders(topic, 3, [other])
    return preferred, other


def leaders_of(fleet: Fleet, topic: str) -> list[int]:
    return [int(state.leader) for _, state in sorted(fleet.states(topic).items())]


def produce(fleet: Fleet, topic: str, count: int, directory: Path) -> None:
    path = directory / "records"
    path.write_text("record\n" * count)
    # One batch for each record: a follower that is stopped has as many as it was sent.
    done("produce", "--bootstrap-server", fleet.bootstrap, "--topic", topic, "--file", str(path))


def test_leaders_come_home_by_zookeeper(fleet: Fleet) -> None:
    preferred, other = lead_from_elsewhere(fleet, "home")

    named = done("elect", "--zookeeper", fleet.connect, "--topic", "home", "--partition", "0")
    after_one = leaders_of(fleet, "home")
    of_all = kadmin("elect", "--zookeeper", fleet.connect, "--all-topic-partitions")

    assert "Successfully completed leader election (PREFERRED) for partitions home-0\n" == named
    assert [preferred, other, other] == after_one
    assert ExitCode.DONE == of_all.exit_code, of_all
    assert "home-1" in of_all.stdout
    assert "home-0" not in of_all.stdout
    assert [preferred, preferred, other] == leaders_of(fleet, "home")
    assert not fleet.client.exists(paths.PREFERRED_ELECTION)
    fleet.wait_for_leaders("home", 3)


def test_leaders_come_home_by_brokers(fleet: Fleet, tmp_path: Path) -> None:
    preferred, other = lead_from_elsewhere(fleet, "wired")
    wire = ("elect", "--bootstrap-server", fleet.bootstrap)
    path = tmp_path / "some.json"
    path.write_text(
        json.dumps({"partitions": [{"topic": "wired", "partition": n} for n in (0, 2, 7)]})
    )

    planned = kadmin(*wire, "--path-to-json-file", str(path), "--dry-run")
    before = leaders_of(fleet, "wired")
    some = kadmin(*wire, "--path-to-json-file", str(path))
    again = done(*wire, "--topic", "wired", "--partition", "0")
    rest = json.loads(done(*wire, "--all-topic-partitions", "--output", "json"))

    assert f"  wired-0: leader {other} -> {preferred}\n" in planned.stdout
    assert [other, other, other] == before
    assert ExitCode.FOUND == some.exit_code
    assert (
        "Successfully completed leader election (PREFERRED) for partitions wired-0\n"
        "Valid replica already elected for partitions wired-2\n"
        "Error completing leader election (PREFERRED) for partition: wired-7: there is no such"
        " partition\n" == some.stdout
    )
    assert "Valid replica already elected for partitions wired-0\n" == again
    assert [("wired", 1, "elected", other, preferred)] == [
        tuple(
            found[field] for field in ("topic", "partition", "outcome", "leader_before", "leader")
        )
        for found in rest["partitions"]
        if found["topic"] == "wired"
    ]
    assert [preferred, preferred, other] == leaders_of(fleet, "wired")


def test_a_leader_that_lacks_records_is_elected_by_who_has_heard_what_it_costs(
    fleet: Fleet, tmp_path: Path
) -> None:
    last, first_away, second_away = fleet.broker_ids
    create(fleet, "costly", f"{last}:{first_away}:{second_away}")
    fleet.wait_for_leaders("costly", 1, [last])
    produce(fleet, "costly", 10, tmp_path)
    fleet.stop(first_away)
    produce(fleet, "costly", 5, tmp_path)
    fleet.stop(second_away)
    produce(fleet, "costly", 5, tmp_path)
    fleet.stop(last)
    fleet.start(first_away, second_away)
    fleet.wait_for_leaders("costly", 0)
    named = ("--topic", "costly", "--partition", "0")
    wire = ("elect", "--bootstrap-server", fleet.bootstrap, *named)
    unclean = (*wire, "--election-type", "unclean")

    preferred = kadmin(*wire)
    in_pipe = kadmin(*unclean)
    planned = kadmin(*unclean, "--dry-run")
    with AskingKadmin(*unclean) as asking:
        asking.read_until("[y/N]: ")
        asking.answer("n")
        declined = asking.exit_code()
    nobody = leaders_of(fleet, "costly")
    # ZooKeeper may be named as well: brokers are asked for what it does not take.
    chosen = kadmin(*unclean, "--zookeeper", fleet.connect, "--yes")
    again = done(*unclean)

    assert ExitCode.FOUND == preferred.exit_code
    assert f"costly-0: broker {last}, its preferred leader, is not alive\n" in preferred.stdout
    loss = (
        f"warning: costly-0: broker {first_away} is not in the ISR; what it has not copied is"
        f" lost, and its log ends at offset 10; that of broker {second_away} ends at 15, 5 records"
        f" further; broker {last}, which has all of it, is dead, so how much more is not known\n"
    )
    assert (ExitCode.REFUSED, "") == (in_pipe.exit_code, in_pipe.stdout)
    assert loss in in_pipe.stderr
    assert "hint: add --yes" in in_pipe.stderr
    assert (ExitCode.DONE, True) == (planned.exit_code, loss in planned.stderr)
    assert ExitCode.REFUSED == declined
    assert "Elect this leader at the cost of records? [y/N]: " in asking.said
    assert [-1] == nobody
    done_line = "Successfully completed leader election (UNCLEAN) for partitions costly-0\n"
    assert (ExitCode.DONE, done_line) == (chosen.exit_code, chosen.stdout)
    assert [first_away] == leaders_of(fleet, "costly")
    assert "Valid replica already elected for partitions costly-0\n" == again
    read = ("consume", "--bootstrap-server", fleet.bootstrap, "--topic", "costly")
    assert 10 == len(done(*read, "--from-beginning", "--until-end").splitlines())


def test_nobody_can_lead_where_no_replica_is_alive(fleet: Fleet) -> None:
    away, _ = followers_of(fleet)
    create(fleet, "alone", f"{away}")
    fleet.wait_for_leaders("alone", 1, [away])
    fleet.stop(away)
    fleet.wait_for_leaders("alone", 0)

    outcome: KadminRun = kadmin(
        *("elect", "--bootstrap-server", fleet.bootstrap, "--topic", "alone", "--partition", "0"),
        *("--election-type", "unclean", "--yes"),
    )

    assert ExitCode.FOUND == outcome.exit_code
    assert (
        "Error completing leader election (UNCLEAN) for partition: alone-0: none of its replicas is"
        " alive\n" == outcome.stdout
    )
