"""`kadmin simulate`: on a snapshot, over ZooKeeper, and beside what real brokers then do."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from cluster.model.ids import NO_LEADER
from kadmin.app.snapshot_files import write_snapshot_file
from kadmin.errors import ExitCode
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.kadmin.snapshots.builders import saved
from tests.support.cli import done, kadmin
from tests.support.fleets import Fleet, running_fleet
from tests.support.waiting import wait_until
from tests.support.znodes import all_znodes, write_snapshot

MADE = topic("t", "1,2 2,1 1", configs={"min.insync.replicas": "2"})


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = str(tmp_path / "a.json.gz")
    write_snapshot_file(path, saved(MADE))
    return path


def test_a_snapshot_takes_the_place_of_a_cluster(file: str) -> None:
    outcome = kadmin("simulate", "--snapshot", file, "--kill", "1")

    assert ExitCode.FOUND == outcome.exit_code
    assert [
        "simulated: broker 1 fails",
        "1 partition would go offline:",
        "  t-2: leader 1 -> none, ISR 1 -> 1, min ISR 2",
        "2 partitions would come under min ISR, and refuse acks=all:",
        "  t-0: leader 1 -> 2, ISR 1,2 -> 2, min ISR 2",
        "  t-1: leader 2 -> 2, ISR 2,1 -> 2, min ISR 2",
        "1 leader would move; 2 ISRs would shrink",
        "broker 1, rack a, lost: replicas 3, leaders 2 -> 0",
        "broker 2, rack b: replicas 2, leaders 1 -> 2",
        "broker 3, rack c: replicas 0, leaders 0",
    ] == outcome.stdout.splitlines()
    found = json.loads(
        kadmin("simulate", "--snapshot", file, "--kill", "1", "--output", "json").stdout
    )
    assert [2] == [each["partition"] for each in found["offline"]]
    assert {"before": 2, "peak": 2, "after": 0} == found["brokers"][0]["leaders"]


def test_nothing_that_goes_offline_is_no_finding(file: str, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text(
        '{"partitions":[{"topic":"t","partition":2,"replicas":[3]}],"version":1}'
    )

    assert "nothing would go offline" in done("simulate", "--snapshot", file, "--lose-rack", "c")
    text = done("simulate", "--snapshot", file, "--plan", str(tmp_path / "p.json"))
    assert "1 replica would be copied" in text
    assert "broker 1, rack a: replicas 3 -> 2, leaders 2 -> 1" in text


@pytest.mark.parametrize(
    ("words", "code", "reason"),
    [
        ([], ExitCode.USAGE, "what happens? give at least one of --kill, --lose-rack, --add"),
        (["--kill", "x"], ExitCode.USAGE, "'x' is no id of a broker"),
        (["--kill", "9"], ExitCode.FAILED, "there is no broker 9"),
        (["--lose-rack", "z"], ExitCode.FAILED, "no live broker is in rack 'z'"),
        (["--add", "1"], ExitCode.FAILED, "broker 1 cannot be added: alive already"),
        (["--add", "9", "--add", "9:a"], ExitCode.USAGE, "--add names broker 9 twice"),
        (["--add", "9", "--kill", "1"], ExitCode.USAGE, "--kill does not go with --add"),
        (["--plan", "/nowhere"], ExitCode.USAGE, "cannot read /nowhere"),
        (["--plan", "/dev/null"], ExitCode.USAGE, "cannot use /dev/null: it is empty"),
    ],
)
def test_wrong_words_are_refused(file: str, words: list[str], code: ExitCode, reason: str) -> None:
    outcome = kadmin("simulate", "--snapshot", file, *words)

    assert code == outcome.exit_code
    assert reason in outcome.stderr
    assert "" == outcome.stdout


@pytest.mark.zk
def test_a_live_cluster_is_only_read(chroot: str) -> None:
    write_snapshot(chroot, cluster(brokers("1 2"), topic("t", "1,2", {0: state(1, "1")})))
    before = all_znodes(chroot)

    outcome = kadmin("simulate", "--zookeeper", chroot, "--kill", "1")
    assert ExitCode.FOUND == outcome.exit_code
    assert "t-0: leader 1 -> none, ISR 1 -> 1" in outcome.stdout
    assert before == all_znodes(chroot)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with running_fleet(tmp_path_factory.mktemp("fleet"), 3) as running:
        yield running


PLACES = {"three": "1:2:3,2:3:1,3:1:2", "two": "1:2,2:3,3:1", "one": "1,2,3"}
States = Mapping[str, tuple[int, tuple[int, ...]]]


def real_states(fleet: Fleet) -> States:
    """The leader of each partition, and its ISR in order, as they stand in ZooKeeper."""
    return {
        f"{name}-{number}": (found.leader, tuple(sorted(found.isr)))
        for name in PLACES
        for number, found in fleet.states(name).items()
    }


def plan_text(targets: Mapping[tuple[str, int], list[int]]) -> str:
    partitions = [
        {"topic": topic, "partition": number, "replicas": replicas}
        for (topic, number), replicas in targets.items()
    ]
    return json.dumps({"version": 1, "partitions": partitions})


def predicted(fleet: Fleet, *words: str) -> States:
    outcome = kadmin("simulate", "--zookeeper", fleet.connect, *words, "--output", "json")
    found = json.loads(outcome.stdout)
    states = dict(real_states(fleet))
    for kind in ("offline", "unclean", "leaders_moved", "online", "shrunk_isrs"):
        for each in found[kind]:
            leader = NO_LEADER if each["leader_after"] is None else each["leader_after"]
            name = f"{each['topic']}-{each['partition']}"
            states[name] = (leader, tuple(sorted(each["isr_after"])))
    return states


@pytest.mark.zk
@pytest.mark.faults
@pytest.mark.clients
@pytest.mark.xdist_group("simulated-fleet")
def test_brokers_do_what_was_simulated_and_the_snapshot_shows_it(
    fleet: Fleet, tmp_path: Path
) -> None:
    by_zookeeper = ("--zookeeper", fleet.connect)
    for name, places in PLACES.items():
        words = ("--create", "--topic", name, "--replica-assignment", places)
        done("topics", *by_zookeeper, *words)
        fleet.wait_for_leaders(name, 3)
    before, wired = str(tmp_path / "before.json"), str(tmp_path / "wired.json.gz")
    done("snapshot", "save", before, *by_zookeeper, "--groups")
    done("snapshot", "save", wired, "--bootstrap-server", fleet.bootstrap, "--groups")

    assert [] == json.loads(Path(before).read_text())["faults"]
    assert "no differences" in done("snapshot", "diff", before, wired)
    assert "no differences" in done("snapshot", "diff", before, *by_zookeeper)

    healthy = real_states(fleet)
    for killed in (1, 2):
        expected = predicted(fleet, "--kill", str(killed))
        fleet.lose(killed)
        wait_until(lambda: real_states(fleet) == expected, what=f"{expected}")  # noqa: B023

    outcome = kadmin("snapshot", "diff", before, *by_zookeeper, "--output", "json")
    kinds = {each["kind"] for each in json.loads(outcome.stdout)["differences"]}
    assert ExitCode.FOUND == outcome.exit_code
    assert {"offline", "broker-removed", "isr-shrunk"} <= kinds

    expected = predicted(fleet, "--add", "1")
    fleet.start(1)
    leaders = {name: leader for name, (leader, _) in expected.items()}
    wait_until(
        lambda: {name: leader for name, (leader, _) in real_states(fleet).items()} == leaders,
        what=f"the leaders {leaders}",
    )
    fleet.start(2)
    wait_until(
        lambda: (
            {name: isr for name, (_, isr) in real_states(fleet).items()}
            == {name: isr for name, (_, isr) in healthy.items()}
        ),
        what="ISRs that are whole again",
    )
    mended = kadmin("snapshot", "diff", before, *by_zookeeper, "--output", "json")
    severities = {each["severity"] for each in json.loads(mended.stdout)["differences"]}
    assert {"note"} == severities

    targets = {("one", 0): [3], ("two", 0): [3, 2], ("three", 0): [3, 2, 1]}
    plan = tmp_path / "plan.json"
    plan.write_text(plan_text(targets))
    expected = predicted(fleet, "--plan", str(plan))
    words = ("--execute", "--reassignment-json-file", str(plan), "--wait", "--yes")
    done("reassign", *by_zookeeper, *words, "--rollback-file", str(tmp_path / "back.json"))
    leaders = {name: leader for name, (leader, _) in expected.items()}
    assert leaders == {name: leader for name, (leader, _) in real_states(fleet).items()}
