"""Supervised runs on four brokers of ours under load, broken at random moments, each by a seed.

SEEDS=200 in the environment plays more of them.  Afterwards each partition has the replicas of the
plan or those of before, no throttle is left but the operator's own, and all that was acknowledged
is there.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from cluster.zk import paths
from kadmin.admin.zookeeper.run_store import PLAN, SUPERVISORS
from kadmin.admin.zookeeper.transaction import RUNS_PATH
from tests.kadmin.cli.reassign.runs.plans import plan_file
from tests.support.acked_producer import acked_producer
from tests.support.checkout import CHECKOUT
from tests.support.cli import done, kadmin
from tests.support.fleets import Fleet, running_fleet
from tests.support.seeds import seeds
from tests.support.waiting import wait_until

SEEDS: Final = int(os.environ.get("SEEDS", "2"))
PARTITIONS: Final = 3
FAULTS: Final = 3
OWN: Final = ("leader.replication.throttled.rate", "123456789")
SLOW, FAST = "1", "1000000000"
IN_BATCHES: Final = {"linger.ms": 50}
"""A request for each record would cost more than all the rest of a run."""

pytestmark = [
    pytest.mark.zk,
    pytest.mark.faults,
    pytest.mark.clients,
    pytest.mark.long,
    # kafka-python leaves the socket that a dead broker refuses to the garbage collector.
    pytest.mark.filterwarnings(
        "ignore:Exception ignored in. <socket.socket:pytest.PytestUnraisableExceptionWarning"
    ),
    pytest.mark.xdist_group("reassign-random-runs"),
]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with running_fleet(tmp_path_factory.mktemp("fleet"), 4) as running:
        yield running


class Story:
    """One run and its supervisors, which faults end; *way* is how they reach the cluster."""

    def __init__(self, fleet: Fleet, draw: Random, topic: str) -> None:
        self.fleet, self.draw, self.topic = fleet, draw, topic
        zookeeper = ["--zookeeper", fleet.connect]
        brokers = ["--bootstrap-server", fleet.bootstrap]
        self.way = draw.choice([zookeeper, brokers, zookeeper + brokers])
        factor = draw.choice((2, 3))
        self.before = [self.drawn(factor) for _ in range(PARTITIONS)]
        self.after = [self.drawn(draw.choice((2, 3))) for _ in range(PARTITIONS)]
        self.supervisors: list[subprocess.Popen[bytes]] = []

    def drawn(self, count: int) -> list[int]:
        return self.draw.sample(list(self.fleet.broker_ids), count)

    def begin(self) -> None:
        moves = {
            f"{self.topic}-{number}": f"{text(before)} -> {text(after)}"
            for number, (before, after) in enumerate(zip(self.before, self.after, strict=True))
            if before != after
        }
        self.supervise("run", plan_file(moves), "--throttle", SLOW, "--override", "min-isr")

    def supervise(self, *words: str) -> None:
        command = [sys.executable, "-m", "kadmin", "reassign", *words, "--yes", "--standby"]
        with Path("supervisors.log").open("ab") as log:
            process = subprocess.Popen(
                [*command, *self.way],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=CHECKOUT,
            )
        self.supervisors.append(process)

    def has_begun(self, before: set[str]) -> bool:
        """Whether its journal is there.  `status` would not do: it fails while the topic of the
        story before is being deleted, or under load, and that looks like another run."""
        assert self.supervisors[0].poll() in (None, 0), Path("supervisors.log").read_text()
        # Of more than 20 that have ended the oldest is removed.
        return not journals_of(self.fleet) <= before

    def break_something(self) -> str:
        faults = (
            *(self.kill_supervisor, self.stop_supervisor),
            *(self.kill_broker, self.kill_controller, self.kill_zookeeper),
        )
        fault = self.draw.choice(faults)
        fault()
        return fault.__name__

    def kill_supervisor(self) -> None:
        self.draw.choice(self.supervisors).kill()
        self.supervise("resume")

    def stop_supervisor(self) -> None:
        self.draw.choice(self.supervisors).send_signal(signal.SIGSTOP)
        self.supervise("resume")

    def kill_broker(self) -> None:
        self.bounce(self.draw.choice(list(self.fleet.brokers)))

    def kill_controller(self) -> None:
        self.bounce(self.fleet.controller_id())

    def kill_zookeeper(self) -> None:
        self.fleet.server.kill()
        self.fleet.restart_zookeeper()

    def bounce(self, broker: int) -> None:
        self.fleet.lose(broker)
        self.fleet.start(broker)

    def end(self) -> None:
        for each in self.supervisors:
            each.kill()
            each.wait()


def text(replicas: list[int]) -> str:
    return ",".join(map(str, replicas))


def throttles_of(fleet: Fleet, topic: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    names = [f"brokers/{broker}" for broker in fleet.broker_ids]
    for name in [*names, f"topics/{topic}"]:
        path = f"{paths.CONFIG}/{name}"
        config = json.loads(fleet.get(path)[0])["config"] if fleet.client.exists(path) else {}
        values = {key: value for key, value in config.items() if "throttled" in key}
        if values:
            found[name] = values
    return found


def journals_of(fleet: Fleet) -> set[str]:
    """The runs that are kept in ZooKeeper."""
    if not fleet.client.exists(RUNS_PATH):
        return set()
    names = fleet.client.retry(fleet.client.get_children, RUNS_PATH)
    return {name for name in names if name != SUPERVISORS and not name.startswith(PLAN)}


def status(way: list[str]) -> dict[str, Any]:
    outcome = kadmin("reassign", "status", "--output", "json", *way)
    found: dict[str, Any] = json.loads(outcome.stdout) if outcome.stdout else {"state": "?"}
    return found


@pytest.mark.parametrize("seed", seeds(SEEDS))
def test_whatever_breaks_a_run_ends_as_planned_or_as_before(
    fleet: Fleet, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    draw = Random(seed)
    topic = f"random-{seed}"
    story = Story(fleet, draw, topic)
    layout = ",".join(":".join(map(str, each)) for each in story.before)
    words = ["topics", "--create", "--topic", topic, "--replica-assignment", layout]
    done(*words, "--zookeeper", fleet.connect)
    fleet.wait_for_leaders(topic, PARTITIONS)
    alter = ["--alter", "--entity-type", "brokers", "--entity-name", "1", "--yes"]
    by = ["--zookeeper", fleet.connect]
    done("configs", *alter, "--add-config", "=".join(OWN), *by)
    ending = draw.choice(("resume", "resume", "rollback", "cancel"))
    try:
        with acked_producer(fleet.bootstrap, topic, PARTITIONS, IN_BATCHES) as producer:
            producer.make_progress()
            before_it = journals_of(fleet)
            story.begin()
            wait_until(lambda: story.has_begun(before_it), what="the run")
            broken = [story.break_something() for _ in range(FAULTS)]
            pace = [] if ending == "cancel" else ["--throttle", FAST]
            story.end()
            wait_until(
                lambda: kadmin("reassign", ending, "--yes", *pace, *story.way).exit_code in (0, 1),
                what=f"the end of {ending} after {broken}",
            )
            producer.make_progress()
            producer.finish()
        found = status(by)
        partitions = json.loads(fleet.get(paths.topic(topic))[0])["partitions"]
        replicas = [partitions[number] for number in sorted(partitions)]
    finally:
        story.end()

    states = {"resume": "done", "rollback": "rolled-back", "cancel": "failed"}
    assert found["state"] in (states[ending], "done"), (broken, found)
    wanted = {"resume": story.after, "rollback": story.before}.get(ending)
    if wanted is not None and found["state"] == states[ending]:
        assert wanted == replicas, broken
    for place, (before, after) in enumerate(zip(story.before, story.after, strict=True)):
        assert replicas[place] in (before, after), (broken, ending)
    assert {"brokers/1": dict([OWN])} == throttles_of(fleet, topic), broken
    assert [] == producer.problems(fleet.bootstrap)
    done("configs", *alter, "--delete-config", OWN[0], *by)
    with suppress(AssertionError):
        done("topics", "--delete", "--topic", topic, "--yes", *by)
