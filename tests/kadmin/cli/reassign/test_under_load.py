"""`kadmin reassign` on brokers of ours under load: all moves, and nothing acknowledged is lost.

Brokers and the controller are killed in the middle of it.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cluster.zk import paths
from cluster.zk.configs import decode_config
from cluster.zk.topics import decode_assignment
from cluster.zkclient.kazoo_requests import znode_of
from kadmin.admin.zookeeper.throttle_journal import JOURNAL_PATH
from kadmin.errors import ExitCode
from tests.support.acked_producer import acked_producer
from tests.support.cli import done, kadmin
from tests.support.fleets import Fleet, running_fleet
from tests.support.waiting import wait_until

pytestmark = [
    pytest.mark.zk,
    pytest.mark.faults,
    pytest.mark.clients,
    pytest.mark.xdist_group("reassign_under_load"),
]

PARTITIONS = 3


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with running_fleet(tmp_path_factory.mktemp("fleet"), 4) as fleet:
        yield fleet


@pytest.fixture
def here(fleet: Fleet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A directory of one's own, in which kadmin means the fleet; all brokers are up."""
    missing = [broker for broker in fleet.broker_ids if broker not in fleet.brokers]
    if missing:
        fleet.start(*missing)
    monkeypatch.setenv("KADMIN_ZOOKEEPER", fleet.connect)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def create(topic: str, layout: str) -> None:
    done(
        "topics", "--create", "--topic", topic, "--replica-assignment", layout,
        "--config", "min.insync.replicas=2",
    )  # fmt: skip


def write_plan(topic: str, *replicas: list[int]) -> None:
    entries = [
        {"topic": topic, "partition": number, "replicas": each}
        for number, each in enumerate(replicas)
    ]
    Path("plan.json").write_text(json.dumps({"version": 1, "partitions": entries}))


def replicas_of(fleet: Fleet, topic: str) -> list[list[int]]:
    path = paths.topic(topic)
    found = decode_assignment(znode_of(path, fleet.get(path)))
    return [list(part.replicas) for part in found.partitions.values()]


def throttles_of(fleet: Fleet, broker: int) -> dict[str, str]:
    path = f"/config/brokers/{broker}"
    if not fleet.client.exists(path):
        return {}
    return dict(decode_config(znode_of(path, fleet.get(path))).values)


def wait_until_moved(path: str) -> None:
    def is_done() -> bool:
        outcome = kadmin("reassign", "--verify", "--reassignment-json-file", path)
        assert outcome.exit_code in (ExitCode.DONE, ExitCode.IN_PROGRESS), outcome
        return outcome.exit_code == ExitCode.DONE

    wait_until(is_done, what=f"the moves of {path}")


def test_partitions_go_to_other_brokers_and_back_with_a_throttle(fleet: Fleet, here: Path) -> None:
    create("there", "1:2:3,2:3:1,3:1:2")
    with acked_producer(fleet.bootstrap, "there", PARTITIONS, {}) as producer:
        producer.make_progress()
        Path("topics.json").write_text('{"topics":[{"topic":"there"}],"version":1}')
        proposal = done(
            "reassign", "--generate", "--topics-to-move-json-file", "topics.json",
            "--broker-list", "2,3,4",
        )  # fmt: skip
        Path("plan.json").write_text(proposal.splitlines()[4])
        done(
            "reassign", "--execute", "--reassignment-json-file", "plan.json",
            "--rollback-file", "back.json", "--throttle", "2000000",
        )  # fmt: skip
        wait_until_moved("plan.json")
        moved = replicas_of(fleet, "there")
        producer.make_progress()
        done("reassign", "--execute", "--reassignment-json-file", "back.json")
        wait_until_moved("back.json")
        producer.make_progress()
        producer.finish()

    assert {2, 3, 4} == {broker for replicas in moved for broker in replicas}
    assert [[1, 2, 3], [2, 3, 1], [3, 1, 2]] == replicas_of(fleet, "there")
    assert [] == producer.problems(fleet.bootstrap)
    assert [{}] * 4 == [throttles_of(fleet, broker) for broker in fleet.broker_ids]
    assert not fleet.client.exists(JOURNAL_PATH)


def test_more_and_fewer_replicas(fleet: Fleet, here: Path) -> None:
    create("count", "1:2,2:3,3:1")
    with acked_producer(fleet.bootstrap, "count", PARTITIONS, {}) as producer:
        for plan in (
            ([1, 2, 3, 4], [2, 3, 4, 1], [3, 4, 1, 2]),
            ([4, 2], [4, 3], [4, 1]),
        ):
            producer.make_progress()
            write_plan("count", *plan)
            done("reassign", "--execute", "--reassignment-json-file", "plan.json")
            wait_until_moved("plan.json")
            assert list(plan) == replicas_of(fleet, "count")
        producer.make_progress()
        producer.finish()

    assert [] == producer.problems(fleet.bootstrap)


def test_a_broker_is_emptied_by_one_command(fleet: Fleet, here: Path) -> None:
    create("emptied", "4:1:2,1:4:3,2:3:1")
    with acked_producer(fleet.bootstrap, "emptied", PARTITIONS, {}) as producer:
        producer.make_progress()
        done(
            "reassign", "--execute", "--from-broker", "4", "--to-brokers", "1,2,3",
            "--throttle", "50000000", "--wait",
        )  # fmt: skip
        producer.make_progress()
        producer.finish()

    assert [[3, 1, 2], [1, 2, 3], [2, 3, 1]] == replicas_of(fleet, "emptied")
    assert [] == producer.problems(fleet.bootstrap)
    assert [{}] * 4 == [throttles_of(fleet, broker) for broker in fleet.broker_ids]


@pytest.mark.parametrize("dies", ["a target", "the controller"])
def test_a_broker_dies_in_the_middle_and_comes_back(fleet: Fleet, here: Path, dies: str) -> None:
    topic = dies.replace(" ", "-")
    create(topic, "1:2:3,2:3:1,3:1:2")
    with acked_producer(fleet.bootstrap, topic, PARTITIONS, {}) as producer:
        producer.make_progress()
        write_plan(topic, [4, 2, 3], [4, 3, 1], [4, 1, 2])
        victim = 4 if dies == "a target" else fleet.controller_id()
        # So slow that it cannot be done before the broker is gone.
        done(
            "reassign", "--execute", "--reassignment-json-file", "plan.json", "--throttle", "1",
        )  # fmt: skip
        fleet.lose(victim)
        during = kadmin("reassign", "--list")
        fleet.start(victim)
        done(
            "reassign", "--execute", "--reassignment-json-file", "plan.json",
            "--additional", "--throttle", "100000000",
        )  # fmt: skip
        wait_until_moved("plan.json")
        producer.make_progress()
        producer.finish()

    assert f"{topic}-0: replicas: " in during.stdout
    assert [[4, 2, 3], [4, 3, 1], [4, 1, 2]] == replicas_of(fleet, topic)
    assert [] == producer.problems(fleet.bootstrap)
    assert [{}] * 4 == [throttles_of(fleet, broker) for broker in fleet.broker_ids]
