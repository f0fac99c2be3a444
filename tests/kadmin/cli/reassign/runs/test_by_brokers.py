"""Supervised runs on three brokers of ours: killed, resumed, given up, taken back."""

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NoReturn

import pytest

from cluster.zk import paths
from kadmin.admin.wire.run_store import FileRuns
from kadmin.admin.zookeeper.connection import ZooKeeperUnreachable
from kadmin.admin.zookeeper.run_store import SUPERVISORS_PATH
from kadmin.app import moves
from kadmin.cli.session import Session
from kadmin.errors import ExitCode
from tests.kadmin.cli.reassign.runs.plans import plan_file
from tests.support.cli import KadminRun, done, kadmin, running_kadmin
from tests.support.expiry import expire_owner
from tests.support.fleets import Fleet, running_fleet
from tests.support.waiting import TIMEOUTS_S, patiently, wait_until

# kafka-python leaves the socket that a dead broker refuses to the garbage collector.
LEFT_OPEN = "ignore:Exception ignored in. <socket.socket:pytest.PytestUnraisableExceptionWarning"
pytestmark = [
    pytest.mark.zk,
    pytest.mark.faults,
    pytest.mark.clients,
    pytest.mark.filterwarnings(LEFT_OPEN),
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("reassign-runs-by-brokers"),
]

RECORDS = 400
SLOW = "10000"
"""Bytes per second by which what follows the first megabyte of 4 is under way for minutes."""
FAST = "1000000000"
OWN = ("leader.replication.throttled.rate", "123456789")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with running_fleet(tmp_path_factory.mktemp("fleet"), 3) as running:
        yield running


@pytest.fixture
def fleet(shared: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fleet]:
    """Three brokers that run; what a test stopped runs again afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield shared
    shared.start(*(one for one in shared.broker_ids if one not in shared.brokers))
    wait_until(
        lambda: len(shared.client.get_children("/brokers/ids")) == len(shared.broker_ids),
        what="the registration of all brokers",
    )


def filled(fleet: Fleet, topic: str, *placement: str) -> None:
    """Make *topic*, with 4 MB in each partition."""
    words = ["--create", "--topic", topic, "--replica-assignment", ",".join(placement)]
    done("topics", "--zookeeper", fleet.connect, *words)
    fleet.wait_for_leaders(topic, len(placement))
    Path("records").write_text(f"{'r' * 10_000}\n" * RECORDS)
    for number in range(len(placement)):
        to = ("--topic", topic, "--partition", str(number), "--file", "records")
        done("produce", "--bootstrap-server", fleet.bootstrap, *to)


def ways(fleet: Fleet) -> dict[str, list[str]]:
    return {
        "zookeeper": ["--zookeeper", fleet.connect],
        "brokers": ["--bootstrap-server", fleet.bootstrap],
    }


def status(way: list[str]) -> dict[str, Any]:
    outcome = kadmin("reassign", "status", "--output", "json", *way)
    found: dict[str, Any] = json.loads(outcome.stdout)
    return {"exit_code": outcome.exit_code, **found}


def replicas_of(fleet: Fleet, topic: str) -> list[list[int]]:
    partitions = json.loads(fleet.get(paths.topic(topic))[0])["partitions"]
    return [partitions[number] for number in sorted(partitions)]


def throttles_of(fleet: Fleet, path: str) -> dict[str, str]:
    if not fleet.client.exists(path):
        return {}
    config: dict[str, str] = json.loads(fleet.get(path)[0])["config"]
    return config


def all_throttles(fleet: Fleet, topic: str) -> dict[str, str]:
    found = throttles_of(fleet, f"{paths.CONFIG}/topics/{topic}")
    for broker_id in fleet.broker_ids:
        found |= throttles_of(fleet, f"{paths.CONFIG}/brokers/{broker_id}")
    return {key: value for key, value in found.items() if "throttled" in key}


def is_moving(fleet: Fleet, topic: str) -> bool:
    return bool(moving(fleet, topic))


def moving(fleet: Fleet, topic: str) -> set[str]:
    adding = json.loads(fleet.get(paths.topic(topic))[0]).get("adding_replicas", {})
    return {f"{topic}-{number}" for number, replicas in adding.items() if replicas}


def killed_in_the_middle(fleet: Fleet, way: list[str], path: str, topic: str) -> None:
    """Begin a run that takes minutes, and kill its supervisor when partitions move."""
    words = ["reassign", "run", path, "--yes", "--throttle", SLOW, "--max-moves", "1", *way]
    with running_kadmin(*words) as process:
        wait_until(
            lambda: is_moving(fleet, topic) or process.poll() is not None, what="the first move"
        )
        assert process.poll() is None, "it has not ended by itself"
        process.send_signal(signal.SIGKILL)
        process.wait()
    # Its session would go on for a while.
    for node in fleet.client.get_children(SUPERVISORS_PATH):
        expire_owner(fleet.client, fleet.connect, f"{SUPERVISORS_PATH}/{node}")


@pytest.mark.parametrize("by", ["zookeeper", "brokers"])
def test_a_run_whose_supervisor_is_killed_goes_on_when_it_is_resumed(fleet: Fleet, by: str) -> None:
    way, topic = ways(fleet)[by], f"resumed-{by}"
    filled(fleet, topic, "1", "2")
    path = plan_file({f"{topic}-0": "1 -> 2", f"{topic}-1": "2 -> 3"})

    killed_in_the_middle(fleet, way, path, topic)
    between = status(way)
    again = kadmin("reassign", "run", path, "--yes", *way)
    alter = ["configs", "--alter", "--entity-type", "topics", "--entity-name", topic, "--yes", *way]
    done(*alter, "--add-config", "min.insync.replicas=2")
    held = status(way)["stalls"]
    done(*alter, "--delete-config", "min.insync.replicas")
    done("reassign", "resume", "--yes", "--throttle", FAST, *way)

    few = "fewer replicas in sync than min.insync.replicas"
    assert 1 == sum(few in each["reason"] for each in held)
    assert ("interrupted", ExitCode.IN_PROGRESS) == (between["state"], between["exit_code"])
    assert between["bytes_done"] < between["bytes_total"]
    assert ExitCode.REFUSED == again.exit_code
    assert "has not ended; nothing was written" in again.stderr
    assert [[2], [3]] == replicas_of(fleet, topic)
    assert "done" == status(way)["state"]
    assert {} == all_throttles(fleet, topic)


@pytest.mark.parametrize("by", ["zookeeper", "brokers"])
def test_a_run_whose_supervisor_is_killed_is_rolled_back(fleet: Fleet, by: str) -> None:
    way, topic = ways(fleet)[by], f"rolled-{by}"
    filled(fleet, topic, "1:2", "2:1")
    wait_until(lambda: {1, 2} == set(fleet.states(topic)[0].isr), what="the second replica")
    own = {"1": dict([OWN])}
    words = ["--alter", "--entity-type", "brokers", "--entity-name", "1", "--add-config"]
    done("configs", "--zookeeper", fleet.connect, *words, "=".join(OWN), "--yes")
    path = plan_file({f"{topic}-0": "1,2 -> 3,2", f"{topic}-1": "2,1 -> 3,1"})

    killed_in_the_middle(fleet, way, path, topic)
    done("reassign", "rollback", "--yes", *way)

    assert [[1, 2], [2, 1]] == replicas_of(fleet, topic)
    assert "rolled-back" == status(way)["state"]
    assert own["1"] == all_throttles(fleet, topic)
    words[4:] = ["1", "--delete-config"]
    done("configs", "--zookeeper", fleet.connect, *words, OWN[0], "--yes")


@pytest.mark.parametrize("by", ["brokers", "zookeeper"])
def test_throttles_are_held_while_a_run_lives_and_orphans_when_nothing_moves(
    fleet: Fleet, by: str
) -> None:
    """Its supervisor is killed in the middle, and the move given up without it."""
    way, topic = ways(fleet)[by], f"held-{by}"
    filled(fleet, topic, "1", "2")
    path = plan_file({f"{topic}-0": "1 -> 2", f"{topic}-1": "2 -> 3"})

    killed_in_the_middle(fleet, way, path, topic)
    moving = kadmin("throttle", "release", "--yes", *way)
    held = all_throttles(fleet, topic)
    back = json.dumps({"version": 1, "partitions": [
        {"topic": topic, "partition": number, "replicas": [number + 1]} for number in (0, 1)
    ]})  # fmt: skip
    Path("back.json").write_text(back)
    words = ["--reassignment-json-file", "back.json", "--preserve-throttles"]
    kadmin("reassign", "--cancel", *words, "--yes", "--bootstrap-server", fleet.bootstrap)
    judged = kadmin("throttle", "doctor", *way)
    done("throttle", "release", "--yes", *way)

    assert "throttles of reassignments stay for now: 1 partition: " in moving.stderr
    assert held
    assert ExitCode.FOUND == judged.exit_code, judged
    assert " is interrupted: 'kadmin " in judged.stderr
    assert "set by a reassignment that is over; run 2" in judged.stdout
    assert {} == all_throttles(fleet, topic)
    done("reassign", "rollback", "--yes", *way)
    assert [[1], [2]] == replicas_of(fleet, topic)


def test_a_cancelled_run_leaves_what_has_arrived(fleet: Fleet) -> None:
    way, topic = ways(fleet)["brokers"], "cancelled"
    filled(fleet, topic, "1", "2")
    path = plan_file({f"{topic}-0": "1 -> 2", f"{topic}-1": "2 -> 3"})

    killed_in_the_middle(fleet, way, path, topic)
    done("reassign", "cancel", "--yes", *way)
    found = status(way)

    assert [[1], [2]] == replicas_of(fleet, topic)
    assert ("failed", "cancelled") == (found["state"], found["reason"])
    assert {} == all_throttles(fleet, topic)


def test_the_throttle_of_a_broker_that_is_dead_at_the_end_is_put_back_in_zookeeper(
    fleet: Fleet,
) -> None:
    """Brokers alone are named; no other broker than the dead one could do it."""
    way, topic = ways(fleet)["brokers"], "dead-at-the-end"
    filled(fleet, topic, "1")
    path = plan_file({f"{topic}-0": "1 -> 3"})

    killed_in_the_middle(fleet, way, path, topic)
    slowed = throttles_of(fleet, f"{paths.CONFIG}/brokers/3")
    fleet.lose(3)
    done("reassign", "cancel", "--yes", *way)

    assert slowed
    assert {} == all_throttles(fleet, topic)


@pytest.fixture
def firewall(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bool], None]]:
    """Whether what brokers call their ZooKeeper is out of reach of the commands of this process."""

    def unreachable(_session: Session, connect: str) -> NoReturn:
        raise ZooKeeperUnreachable(connect, "a firewall")

    with monkeypatch.context() as patched:

        def switch(is_up: bool) -> None:
            patched.undo()
            if is_up:
                patched.setattr(moves, "connect_beside", unreachable)
                patched.setattr(Session, "connect_zookeeper_beside", unreachable)

        yield switch


def test_runs_in_a_zookeeper_that_cannot_be_reached_are_said_to_be_unseen(
    fleet: Fleet, firewall: Callable[[bool], None]
) -> None:
    way, topic = ways(fleet)["brokers"], "unseen"
    filled(fleet, topic, "1", "2")
    moves_of_it = {f"{topic}-0": "1 -> 2", f"{topic}-1": "2 -> 3"}
    killed_in_the_middle(fleet, way, plan_file(moves_of_it), topic)
    under_way = moving(fleet, topic)
    rest = plan_file({name: move for name, move in moves_of_it.items() if name not in under_way})
    words = (
        *(("reassign", "status"), ("reassign", "resume", "--yes"), ("reassign", "list")),
        *(("throttle", "list"), ("reassign", "run", rest, "--yes")),
    )

    firewall(True)
    answers = [kadmin(*each, *way) for each in words]
    firewall(False)
    done("reassign", "rollback", "--yes", *way)

    # A second run could be begun, and each would put back what the other has throttled.
    codes = [ExitCode.UNREACHABLE] * 2 + [ExitCode.DONE] * 2 + [ExitCode.REFUSED]
    assert codes == [each.exit_code for each in answers], answers
    for each in answers:
        assert "that are kept in ZooKeeper cannot be read: cannot reach" in each.stderr
    assert {} == all_throttles(fleet, topic)


def test_a_run_that_began_without_zookeeper_goes_on_when_that_can_be_reached(
    fleet: Fleet, firewall: Callable[[bool], None]
) -> None:
    way, topic = ways(fleet)["brokers"], "in-a-file"
    filled(fleet, topic, "1")
    path = plan_file({f"{topic}-0": "1 -> 2"})
    words = ("reassign", "run", path, "--yes", *way)

    firewall(True)
    refused = kadmin(*words)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(FileRuns, "claim", lambda *_: "somebody else")
        patched.setattr("kadmin.cli.reassign.runs.following.LEASE_TIMEOUT_S", 0)
        begun = kadmin(*words, "--override", "unseen-runs", "--throttle", FAST)
    firewall(False)
    second = kadmin(*words)
    by_zookeeper = kadmin("reassign", "list", "--zookeeper", fleet.connect)
    between = status(way)
    # As if its lease of throttles were on another machine.
    alter = ["configs", "--alter", "--entity-type", "topics", "--entity-name", topic, "--yes", *way]
    done(*alter, "--add-config", "leader.replication.throttled.replicas=0:1")
    resumed = kadmin("reassign", "resume", "--yes", *way)
    done(*alter, "--delete-config", "leader.replication.throttled.replicas")

    assert f"throttles of {topic} are in no lease that is known here" in resumed.stderr
    assert ExitCode.REFUSED == refused.exit_code
    assert "gate closed: unseen-runs: runs and leases of throttles" in refused.stderr
    assert "leave the gate open with --override unseen-runs\n" in refused.stderr
    assert ExitCode.IN_PROGRESS == begun.exit_code, begun
    assert "has not ended; nothing was written" in second.stderr
    assert "since ZooKeeper could not be reached, has not ended" in by_zookeeper.stderr
    assert "interrupted" == between["state"]
    assert [[2]] == replicas_of(fleet, topic)


def test_a_broker_that_dies_in_the_middle_is_named_and_the_run_ends_when_it_is_back(
    fleet: Fleet,
) -> None:
    way, topic = ["--zookeeper", fleet.connect], "dying"
    filled(fleet, topic, "1", "1")
    path = plan_file({f"{topic}-0": "1 -> 3", f"{topic}-1": "1 -> 2"})
    words = ["reassign", "run", path, "--yes", "--throttle", SLOW, "--max-moves", "1", *way]

    with running_kadmin(*words) as process:
        assert process.stdout is not None
        wait_for_event(process.stdout, "begun")
        fleet.lose(3)
        wait_until(
            lambda: any("broker 3 is not alive" in str(one) for one in status(way)["stalls"]),
            what="the reason of the stall",
        )
        fleet.start(3)
        done("reassign", "resume", "--yes", "--throttle", FAST, *way)
        rest = process.stdout.read().decode().splitlines()
        process.wait()

    assert 0 == process.returncode
    assert "done" == json.loads(rest[-1])["state"]
    assert [[3], [2]] == replicas_of(fleet, topic)


@pytest.mark.parametrize(
    ("by", "number", "ending", "throttle"),
    [
        ("zookeeper", signal.SIGSTOP, "cancel", ["--throttle", FAST]),
        ("brokers", signal.SIGSTOP, "rollback", ["--throttle", FAST]),
        pytest.param("brokers", signal.SIGKILL, "cancel", [], marks=pytest.mark.long),
    ],
    ids=["by ZooKeeper, stopped", "by brokers, stopped", "by brokers, cut off"],
)
def test_a_registered_broker_that_does_not_answer_holds_up_its_own_moves_only(
    fleet: Fleet, by: str, number: signal.Signals, ending: str, throttle: list[str]
) -> None:
    """Its session lasts longer than the run, also that of one that was killed; where the machine
    is so slow that it ends before, the broker is named as one that is not alive."""
    topic = f"silent-{by}-{number.name.lower()}"
    silent = next(each for each in fleet.broker_ids if each != fleet.controller_id())
    first, second = (each for each in fleet.broker_ids if each != silent)
    filled(fleet, topic, str(first), str(first))
    path = plan_file({f"{topic}-0": f"{first} -> {silent}", f"{topic}-1": f"{first} -> {second}"})
    broker = fleet.brokers[silent]
    broker.process.send_signal(number)
    try:
        with ExitStack() as stack:
            # Half of it is for the silent broker; the rest may be too short for the others.
            for timeout_s in TIMEOUTS_S:
                way = [*ways(fleet)[by], "--timeout", f"{2 * timeout_s}s"]
                process = stack.enter_context(
                    running_kadmin("reassign", "run", path, "--yes", *throttle, *way)
                )
                assert process.stdout is not None
                events = process.stdout
                if has_event(events, "arrived"):
                    break
            line = next(
                each
                for each in iter(events.readline, b"")
                if f"broker {silent} does not answer" in each.decode()
                or f"broker {silent} is not alive" in each.decode()
            )
            shown = str(status(way))
            command = ("reassign", ending, "--yes", *ways(fleet)[by], "--timeout")
            ended = patiently(
                lambda timeout_s: kadmin(*command, f"{2 * timeout_s}s"),
                lambda run: ExitCode.DONE == run.exit_code,
            )
            assert ExitCode.DONE == ended.exit_code, ended
            events.read()
            process.wait()
        found = status(way)
        replicas = replicas_of(fleet, topic)
    finally:
        broker.process.send_signal(signal.SIGCONT)
        if broker.process.poll() is not None:
            fleet.kill(silent)
            fleet.expire(silent)

    assert f"{topic}-0" in line.decode()
    # Whoever waits for the plan must not take this for its end.
    assert 1 == process.returncode
    assert throttle or f"broker {silent} " in shown
    assert ("failed" if ending == "cancel" else "rolled-back") == found["state"]
    assert [[first], [second if ending == "cancel" else first]] == replicas
    assert {} == all_throttles(fleet, topic)


def wait_for_event(stream: Any, name: str) -> None:
    """Read events until one is called *name*; the end of the stream fails."""
    assert has_event(stream, name), f"no event {name}"


def has_event(stream: Any, name: str) -> bool:
    """Read events until one is called *name*, or to the end."""
    return any(json.loads(line)["event"] == name for line in iter(stream.readline, b""))


def test_a_second_supervisor_does_not_begin(fleet: Fleet) -> None:
    way, topic = ways(fleet)["brokers"], "second"
    filled(fleet, topic, "1")
    path = plan_file({f"{topic}-0": "1 -> 2"})
    words = ["reassign", "run", path, "--yes", "--throttle", SLOW, *way]

    with running_kadmin(*words) as process:
        assert process.stdout is not None
        wait_for_event(process.stdout, "begun")
        state = status(way)["state"]
        faster: KadminRun = kadmin("reassign", "resume", "--yes", "--throttle", FAST, *way)
        rest = process.stdout.read().decode().splitlines()
        process.wait()

    assert "running" == state
    # It waits for the lease of the first one, or finds that the run has ended meanwhile.
    assert 0 == faster.exit_code
    assert (0, "done") == (process.returncode, json.loads(rest[-1])["state"])
    assert {} == all_throttles(fleet, topic)
