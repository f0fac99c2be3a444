"""`kadmin reassign` on three brokers of ours, which move, slow down and die by themselves."""

import json
import re
import shlex
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NoReturn

import pytest

from kadmin.admin.zookeeper.connection import ZooKeeperUnreachable
from kadmin.admin.zookeeper.throttle_journal import JOURNAL_PATH
from kadmin.cli.session import Session
from kadmin.errors import ExitCode
from kadmin.local.ports import free_ports
from kadmin.plan.reassignment.journal import parse_journal
from tests.support.cli import KadminRun, done, kadmin, running_kadmin
from tests.support.fleets import Fleet, running_fleet
from tests.support.silent_servers import LOOPBACK, deaf_server, mute_server
from tests.support.waiting import wait_until

# kafka-python leaves the socket that a dead broker refuses to the garbage collector.
LEFT_OPEN = "ignore:Exception ignored in. <socket.socket:pytest.PytestUnraisableExceptionWarning"
pytestmark = [
    pytest.mark.zk,
    pytest.mark.faults,
    pytest.mark.clients,
    pytest.mark.filterwarnings(LEFT_OPEN),
    # In one process, which alone starts its brokers.
    pytest.mark.xdist_group("reassign-by-brokers"),
]

RECORDS = 400
SLOW = "10000"
"""Bytes per second by which what follows the first megabyte of 4 is on its way for minutes."""
FAST = "1000000000"
RATES = ("follower.replication.throttled.rate", "leader.replication.throttled.rate")
REPLICAS = ("follower.replication.throttled.replicas", "leader.replication.throttled.replicas")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with running_fleet(tmp_path_factory.mktemp("fleet"), 3) as running:
        yield running


@pytest.fixture
def fleet(shared: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Fleet]:
    """Three brokers that run; what a test stopped runs again afterwards."""
    monkeypatch.chdir(tmp_path)
    yield shared
    shared.start(*(one for one in shared.broker_ids if one not in shared.brokers))
    # The session of one that stood still may have ended.
    wait_until(
        lambda: len(shared.client.get_children("/brokers/ids")) == len(shared.broker_ids),
        what="the registration of all brokers",
    )


def create(fleet: Fleet, topic: str, *placement: str) -> None:
    words = ["--create", "--topic", topic, "--replica-assignment", ",".join(placement)]
    done("topics", "--zookeeper", fleet.connect, *words)
    fleet.wait_for_leaders(topic, len(placement))


def fill(fleet: Fleet, topic: str, partition: int = 0) -> None:
    """Have 4 MB in *partition*."""
    Path("records").write_text(f"{'r' * 10_000}\n" * RECORDS)
    to = ("--topic", topic, "--partition", str(partition), "--file", "records")
    done("produce", "--bootstrap-server", fleet.bootstrap, *to)


def plan_of(topic: str, *targets: list[int]) -> str:
    """A file that lets partition 0, 1, … of *topic* have the replicas of *targets*."""
    entries = [
        {"topic": topic, "partition": number, "replicas": replicas}
        for number, replicas in enumerate(targets)
    ]
    Path(f"{topic}.json").write_text(json.dumps({"version": 1, "partitions": entries}))
    return f"{topic}.json"


def reassign(fleet: Fleet, *arguments: str) -> KadminRun:
    return kadmin("reassign", "--bootstrap-server", fleet.bootstrap, *arguments)


def execute(fleet: Fleet, path: str, *arguments: str) -> KadminRun:
    return reassign(fleet, "--execute", "--reassignment-json-file", path, *arguments)


def verify(fleet: Fleet, path: str, *arguments: str) -> KadminRun:
    return reassign(fleet, "--verify", "--reassignment-json-file", path, *arguments)


def until_moved(fleet: Fleet, path: str) -> KadminRun:
    """What --verify says once all is where it belongs."""
    wait_until(
        lambda: verify(fleet, path, "--preserve-throttles").exit_code == ExitCode.DONE,
        what=f"the moves of {path}",
    )
    return verify(fleet, path)


def configs(fleet: Fleet, *entity: str) -> dict[str, str]:
    words = ("configs", "--bootstrap-server", fleet.bootstrap, "--describe", *entity)
    (found,) = json.loads(done(*words, "--output", "json"))["entities"]
    values: dict[str, str] = found["configs"]
    return values


def wait_for_configs(fleet: Fleet, expected: dict[str, str], *entity: str) -> None:
    """Brokers tell what they have heard of, a moment after it was written."""
    wait_until(lambda: configs(fleet, *entity) == expected, what=f"{entity}: {expected}")


def replicas_of(fleet: Fleet, topic: str) -> list[list[int]]:
    words = ("topics", "--zookeeper", fleet.connect, "--describe", "--topic", topic)
    (found,) = json.loads(done(*words, "--output", "json"))["topics"]
    return [part["replicas"] for part in found["partitions"]]


@pytest.fixture
def own_throttle(fleet: Fleet) -> Iterator[dict[str, str]]:
    """What the operator has set on broker 2, for one test."""
    alter = ("configs", "--bootstrap-server", fleet.bootstrap, "--alter", "--broker", "2", "--yes")
    done(*alter, "--add-config", f"{RATES[1]}=777")
    wait_for_configs(fleet, {RATES[1]: "777"}, "--broker", "2")
    yield {RATES[1]: "777"}
    done(*alter, "--delete-config", RATES[1])
    wait_for_configs(fleet, {}, "--broker", "2")


def test_a_slow_move_is_seen_hastened_and_ended_with_the_operator_s_throttle_back(
    fleet: Fleet, home: Path, own_throttle: dict[str, str]
) -> None:
    create(fleet, "slow", "1:2", "2:1")
    fill(fleet, "slow")
    path = plan_of("slow", [3, 2], [3, 2])

    planned = execute(fleet, path, "--throttle", SLOW, "--dry-run")
    begun = execute(fleet, path, "--throttle", SLOW)
    slowed = [configs(fleet, "--broker", broker) for broker in "123"]
    listed = reassign(fleet, "--list")
    by_zookeeper = kadmin("reassign", "--list", "--zookeeper", fleet.connect)
    moving = json.loads(reassign(fleet, "--list", "--output", "json").stdout)
    underway = verify(fleet, path)
    again = execute(fleet, path)
    hastened = execute(fleet, path, "--throttle", FAST, "--additional")
    ended = until_moved(fleet, path)

    assert "2 partitions get other replicas, 1 of them with another leader, 3.8 MiB to copy" in (
        planned.stdout
    )
    assert begun.exit_code == ExitCode.DONE, begun
    assert begun.stdout.endswith(
        f"The inter-broker throttle limit was set to {SLOW} B/s\n"
        "Successfully started partition reassignments for slow-0,slow-1\n"
    )
    assert [dict.fromkeys(RATES, SLOW)] * 3 == slowed
    line = (
        r"slow-0: replicas: 3,2,1\. adding: 3\. removing: 1\. left: [23]\.\d MiB\. lag: \d+ records"
    )
    assert re.search(line, listed.stdout)
    assert re.search(line, by_zookeeper.stdout)
    (of_slow,) = (each for each in moving["partitions"] if each["partition"] == 0)
    assert 0 < of_slow["lag_records"] <= RECORDS
    assert [{"broker": 3, "lag_records": of_slow["lag_records"]}] == of_slow["lags"]
    assert ExitCode.IN_PROGRESS == underway.exit_code
    assert "Reassignment of partition slow-0 is still in progress.\n" in underway.stdout
    assert ExitCode.REFUSED == again.exit_code
    assert "there is an existing partition assignment" in again.stderr
    assert hastened.exit_code == ExitCode.DONE, hastened
    assert ended.exit_code == ExitCode.DONE, ended
    assert "Clearing topic-level throttles on topic slow\n" in ended.stdout
    assert [[3, 2], [3, 2]] == replicas_of(fleet, "slow")
    for broker, rate in zip("123", ({}, own_throttle, {}), strict=True):
        wait_for_configs(fleet, rate, "--broker", broker)
    wait_for_configs(fleet, {}, "--topic", "slow")
    assert [] == list((home / "state" / "kadmin" / "throttles").glob("*.json"))


def test_a_dead_broker_is_emptied_and_only_the_living_are_slowed_down(fleet: Fleet) -> None:
    first, dead = sorted(set(fleet.broker_ids) - {fleet.controller_id()})
    other = fleet.controller_id()
    create(fleet, "orphan", f"{first}:{dead}")
    fleet.lose(dead)
    path = plan_of("orphan", [first, other])

    begun = execute(fleet, path, "--throttle", FAST)
    rates = [configs(fleet, "--broker", str(broker)) for broker in (first, other)]
    ended = until_moved(fleet, path)

    assert begun.exit_code == ExitCode.DONE, begun
    assert [FAST, FAST] == [rate[RATES[0]] for rate in rates]
    assert ended.exit_code == ExitCode.DONE, ended
    assert RATES[0] not in configs(fleet, "--broker", str(other))
    assert [[first, other]] == replicas_of(fleet, "orphan")


def test_a_move_goes_on_when_its_controller_dies(fleet: Fleet) -> None:
    controller = fleet.controller_id()
    here, there = (one for one in fleet.broker_ids if one != controller)
    create(fleet, "handed", f"{here}")
    fill(fleet, "handed")
    path = plan_of("handed", [there])
    begun = execute(fleet, path, "--throttle", SLOW)
    fleet.kill(controller)

    # The others still name the dead one for a while.
    with ThreadPoolExecutor() as threads:
        expired = threads.submit(fleet.expire, controller)
        underway = verify(fleet, path)
    expired.result()
    hastened = execute(fleet, path, "--throttle", FAST, "--additional")
    ended = until_moved(fleet, path)

    assert begun.exit_code == ExitCode.DONE, begun
    assert ExitCode.IN_PROGRESS == underway.exit_code, underway
    assert hastened.exit_code == ExitCode.DONE, hastened
    assert ended.exit_code == ExitCode.DONE, ended
    assert controller != fleet.controller_id()
    assert [[there]] == replicas_of(fleet, "handed")


def test_what_is_on_its_way_is_given_up_and_nothing_else(fleet: Fleet, home: Path) -> None:
    create(fleet, "given", "1:2", "2:1", "1:2")
    fill(fleet, "given")
    fill(fleet, "given", 1)
    path = plan_of("given", [3, 2], [3, 2])
    begun = execute(fleet, path, "--throttle", SLOW)
    path = plan_of("given", [3, 2])
    cancel = ("--cancel", "--reassignment-json-file", path)

    planned = reassign(fleet, *cancel, "--dry-run")
    still = reassign(fleet, "--list")
    given_up = reassign(fleet, *cancel)
    left = reassign(fleet, "--list")
    rest = reassign(fleet, "--cancel", "--reassignment-json-file", plan_of("given", [3], [3], [3]))
    again = reassign(fleet, *cancel)
    as_json = json.loads(reassign(fleet, *cancel, "--output", "json").stdout)

    assert begun.exit_code == ExitCode.DONE, begun
    assert (
        "plan: 1 move is cancelled; its partition keeps the previous replicas, in this order\n"
        "  given-0: 3,2,1 -> 2,1, perhaps in another order than before\n" == planned.stdout
    )
    assert "given-0" in still.stdout
    assert given_up.exit_code == ExitCode.DONE, given_up
    assert "Successfully cancelled partition reassignment for: given-0\n" == given_up.stdout
    assert "given-0" not in left.stdout
    assert "given-1: replicas: 3,2,1. adding: 3. removing: 1." in left.stdout
    assert (
        "Successfully cancelled partition reassignment for: given-1\n"
        "Clearing broker-level throttles on brokers 1,2,3\n"
        "Clearing topic-level throttles on topic given\n" == rest.stdout
    )
    assert [[2, 1], [2, 1], [1, 2]] == replicas_of(fleet, "given")
    assert "reassign --execute --reassignment-json-file ROLLBACK-FILE" in given_up.stderr
    assert "None of the specified partition reassignments are active.\n" == again.stdout
    assert (ExitCode.DONE, []) == (again.exit_code, as_json["partitions"])
    wait_for_configs(fleet, {}, "--topic", "given")
    assert [] == list((home / "state" / "kadmin" / "throttles").glob("*.json"))


def test_who_waits_by_zookeeper_hears_of_bytes_rate_and_time_left(
    fleet: Fleet, tmp_path: Path
) -> None:
    """Brokers are found there, and tell."""
    create(fleet, "weighed", "1")
    fill(fleet, "weighed")
    file = ("--reassignment-json-file", str(Path(plan_of("weighed", [2])).absolute()))
    by_zookeeper = ("reassign", "--zookeeper", fleet.connect, "--execute", *file)
    rollback = ("--rollback-file", str(tmp_path / "rollback.json"))
    told = rb"0 of 1 partitions done, 1 moving; [\d.]+ .?i?B left, [\d.]+ .?i?B/s, about \d+ s"

    planned = kadmin(*by_zookeeper, "--dry-run")
    # A quota allows at once what it would have allowed in 11 s: less than there is.
    with running_kadmin(*by_zookeeper, "--wait", "--throttle", "200000", *rollback) as moving:
        assert moving.stderr is not None
        said = moving.stderr.read()

    assert "1 of them with another leader, 3.8 MiB to copy" in planned.stdout
    assert re.search(told, said), said
    assert said.endswith(b"1 of 1 partitions done\n"), said
    assert moving.returncode == ExitCode.DONE
    assert [[2]] == replicas_of(fleet, "weighed")


def findings(way: Sequence[str]) -> list[Any]:
    found: list[Any] = json.loads(kadmin("check", *way, "--output", "json").stdout)["findings"]
    return found


def throttles(way: Sequence[str]) -> list[Any]:
    return [each for each in findings(way) if each["kind"] == "throttle"]


def follow(found: list[Any], way: Sequence[str]) -> None:
    """Run what `check` proposes, as it stands there."""
    for finding in found:
        if finding["command"] is not None:
            program, *words = shlex.split(finding["command"])
            assert program == "kadmin"
            outcome = kadmin(*words)
            if words[-1] == "doctor":
                # It names what takes the throttles away.
                assert outcome.exit_code in (ExitCode.DONE, ExitCode.FOUND), outcome
                outcome = kadmin(*words[:-1], "release", "--yes")
            assert outcome.exit_code == ExitCode.DONE, outcome
            assert all(word in words for word in way)


def test_what_check_proposes_amid_a_move_and_behind_it_harms_nothing(fleet: Fleet) -> None:
    ways = (("--zookeeper", fleet.connect), ("--bootstrap-server", fleet.bootstrap))
    create(fleet, "checked", "1:2", "1:2", "1:2", "1:2")
    fill(fleet, "checked")
    alter = ("configs", *ways[1], "--alter", "--broker", "2")
    done(*alter, "--add-config", f"{RATES[1]}=888", "--yes")
    wait_for_configs(fleet, {RATES[1]: "888"}, "--broker", "2")
    path = plan_of("checked", *([[3, 2]] * 4))
    endless = execute(fleet, path, "--throttle", "1")
    assert ExitCode.REFUSED == endless.exit_code, endless
    assert "warning: the throttle of 1 B/s at broker " in endless.stderr
    begun = execute(fleet, path, "--throttle", SLOW)
    assert begun.exit_code == ExitCode.DONE, begun

    for way in ways:
        found = findings(way)
        assert "reassignment" in [each["kind"] for each in found]
        assert "throttle" not in [each["kind"] for each in found]
        follow(found, way)
        assert dict.fromkeys(RATES, SLOW) == configs(fleet, "--broker", "2")
        assert configs(fleet, "--topic", "checked").keys() == set(REPLICAS)
    hastened = execute(fleet, path, "--throttle", FAST, "--additional")
    assert hastened.exit_code == ExitCode.DONE, hastened
    # ZooKeeper and brokers may hear of the end one after the other.
    wait_until(lambda: all(map(throttles, ways)), what="the end of all moves")
    # Both read the lease, and propose the same; what one of them puts back is put back.
    lefts = [left for way in ways for left in throttles(way)]
    follow([lefts[-1]], ways[1])

    assert 2 == len(lefts)
    for left in lefts:
        assert (["checked"], [1, 2, 3]) == (left["topics"], left["brokers"])
    for broker, rate in zip("123", ({}, {RATES[1]: "888"}, {}), strict=True):
        wait_for_configs(fleet, rate, "--broker", broker)
    wait_for_configs(fleet, {}, "--topic", "checked")
    (own,) = throttles(ways[1])
    follow([own], ways[1])
    wait_for_configs(fleet, {RATES[1]: "888"}, "--broker", "2")
    done(*alter, "--delete-config", RATES[1], "--yes")
    wait_for_configs(fleet, {}, "--broker", "2")


def test_throttles_that_were_set_by_zookeeper_are_put_back_by_a_cancellation(fleet: Fleet) -> None:
    create(fleet, "both", "1:2")
    fill(fleet, "both")
    path = plan_of("both", [3, 2])
    ways = ("--zookeeper", fleet.connect, "--bootstrap-server", fleet.bootstrap)
    file = ("--reassignment-json-file", path)

    begun = kadmin("reassign", *ways, "--execute", *file, "--throttle", SLOW)
    given_up = kadmin("reassign", *ways, "--cancel", *file)

    assert begun.exit_code == ExitCode.DONE, begun
    assert given_up.exit_code == ExitCode.DONE, given_up
    assert "cancelled partition reassignment for: both-0\n" in given_up.stdout
    wait_for_configs(fleet, {}, "--topic", "both")
    wait_for_configs(fleet, {}, "--broker", "3")


@pytest.mark.parametrize(
    ("ways", "verifications"),
    [
        (("zookeeper", "zookeeper"), "AB"),
        (("brokers", "brokers"), "AB"),
        (("zookeeper", "brokers"), "AB"),
        # Whoever set a throttle under another one's is the last to verify.
        (("file", "file"), "ABA"),
    ],
)
def test_two_operators_end_with_what_was_before_both(
    fleet: Fleet,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    own_throttle: dict[str, str],
    ways: tuple[str, str],
    verifications: str,
) -> None:
    """A moves slowly, B adds moves with another rate, both end, A verifies, B verifies."""
    by_way = dict(zip("AB", ways, strict=True))
    topics = {who: f"{'-'.join(ways)}-{who}" for who in "AB"}
    for topic in topics.values():
        create(fleet, topic, "1:2")
        fill(fleet, topic)
    if "file" in ways:

        def unreachable(_session: Session, connect: str) -> NoReturn:
            raise ZooKeeperUnreachable(connect, "a firewall")

        monkeypatch.setattr(Session, "connect_zookeeper_beside", unreachable)

    def run(who: str, *arguments: str) -> KadminRun:
        """Each is a user with a home of his own."""
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / who))
        where = ("--bootstrap-server", fleet.bootstrap)
        if by_way[who] == "zookeeper":
            where = ("--zookeeper", fleet.connect)
        file = ("--reassignment-json-file", plan_of(topics[who], [3, 2]))
        return kadmin("reassign", *where, *arguments, *file)

    def until_nothing_moves() -> None:
        wait_until(lambda: reassign(fleet, "--list").stdout.startswith("No "), what="all moves")

    # A znode has room for one request at a time.
    is_alone = ways == ("zookeeper", "zookeeper")
    begun = run("A", "--execute", "--throttle", FAST if is_alone else SLOW)
    if is_alone:
        until_nothing_moves()
    added = run("B", "--execute", "--throttle", "900000000", "--additional")
    until_nothing_moves()
    lease = fleet.client.exists(JOURNAL_PATH) and parse_journal(fleet.get(JOURNAL_PATH)[0].decode())
    verified = [run(who, "--verify") for who in verifications]

    assert [ExitCode.DONE] * 2 == [begun.exit_code, added.exit_code], (begun, added)
    assert (lease is None) is ("file" in ways)
    assert lease is None or [{topic: (0,)} for topic in topics.values()] == [
        owner.partitions for owner in lease.owners
    ]
    assert {ExitCode.DONE} == {each.exit_code for each in verified}, verified
    for broker, rate in zip("123", ({}, own_throttle, {}), strict=True):
        wait_for_configs(fleet, rate, "--broker", broker)
    for topic in topics.values():
        wait_for_configs(fleet, {}, "--topic", topic)
    assert fleet.client.exists(JOURNAL_PATH) is None


def test_whoever_of_those_named_answers_is_asked_and_the_silent_are_named(fleet: Fleet) -> None:
    (port,) = free_ports(1, LOOPBACK)
    working = fleet.bootstrap.split(",")[-1]
    with deaf_server() as deaf, mute_server() as mute:
        named = ",".join((deaf, mute, f"{LOOPBACK}:{port}", working))
        listed = kadmin("reassign", "--list", "--bootstrap-server", named, "--timeout", "1000")

    assert (ExitCode.DONE, "No partition reassignments found.\n") == (
        listed.exit_code, listed.stdout,
    )  # fmt: skip
    assert (
        f"warning: no broker answers at {deaf} (no answer), {mute} (no answer),"
        f" {LOOPBACK}:{port} (connection refused)\n" == listed.stderr
    )


def test_a_broker_that_stands_still_is_not_asked_where_any_will_do(fleet: Fleet) -> None:
    """Alive to the others for as long as its session lasts, it may be chosen."""
    still = next(one for one in fleet.broker_ids if one != fleet.controller_id())
    fleet.brokers[still].process.send_signal(signal.SIGSTOP)
    try:
        ran = [
            kadmin("topics", "--list", "--bootstrap-server", fleet.bootstrap, "--timeout", "1000")
            for _ in range(4)
        ]
    finally:
        fleet.brokers[still].process.send_signal(signal.SIGCONT)

    assert [ExitCode.DONE] * 4 == [each.exit_code for each in ran], ran
    assert all("(no answer)\n" in each.stderr for each in ran)


def test_what_nobody_has_is_refused_with_all_partitions_before_anything_is_asked(
    fleet: Fleet,
) -> None:
    create(fleet, "known", "1", "2")
    path = plan_of("known", [9], [2], [1])

    refused = execute(fleet, path)
    Path("dirs.json").write_text(
        '{"version":1,"partitions":[{"topic":"known","partition":0,"replicas":[1],'
        '"log_dirs":["/d"]}]}'
    )
    nowhere = execute(fleet, "dirs.json")

    assert ExitCode.FAILED == refused.exit_code == nowhere.exit_code
    assert "log directory /d of broker 1 is none of its (" in nowhere.stderr
    assert "non-existent partitions: known-2" in refused.stderr
    assert "non-existent brokerIDs: 9 (of known-0)" in refused.stderr
    assert [] == list(Path().glob("reassign-rollback-*"))


def test_replicas_in_another_order_after_a_cancellation_are_told_and_put_right(
    fleet: Fleet,
) -> None:
    create(fleet, "ordered", "2:1")
    fill(fleet, "ordered")
    begun = execute(
        fleet, plan_of("ordered", [3, 1]), "--throttle", SLOW, "--rollback-file", "back.json"
    )
    cancel = ("--cancel", "--reassignment-json-file", "back.json")

    planned = reassign(fleet, *cancel, "--dry-run")
    given_up = reassign(fleet, *cancel)
    left = replicas_of(fleet, "ordered")
    (line,) = [each for each in given_up.stderr.splitlines() if "previous order" in each]
    righted = kadmin(*shlex.split(line.partition("kadmin ")[2]))

    assert begun.exit_code == ExitCode.DONE, begun
    assert (
        "plan: 1 move is cancelled; its partition keeps the previous replicas, in this order\n"
        "  ordered-0: 3,1,2 -> 1,2, where the file has 2,1: the preferred leader is 1, no longer"
        " 2\n" == planned.stdout
    )
    assert line in planned.stderr
    assert [[1, 2]] == left
    assert righted.exit_code == ExitCode.DONE, righted
    ended = until_moved(fleet, "back.json")
    assert ended.exit_code == ExitCode.DONE, ended
    assert [[2, 1]] == replicas_of(fleet, "ordered")


@pytest.mark.parametrize("by_zookeeper", [True, False])
def test_what_is_on_its_way_is_given_up_through_zookeeper(
    fleet: Fleet, *, by_zookeeper: bool
) -> None:
    """However it was asked for; in the order of before, and nothing else is given up."""
    name = "withdrawn-a" if by_zookeeper else "withdrawn-b"
    create(fleet, name, "2:1", "1:2", "2:1")
    fill(fleet, name)
    fill(fleet, name, 1)
    controller = fleet.controller_id()
    where = ("--zookeeper", fleet.connect)
    begun = kadmin(
        "reassign", *(where if by_zookeeper else ("--bootstrap-server", fleet.bootstrap)),
        "--execute", "--reassignment-json-file", plan_of(name, [3, 1], [3, 2]),
        "--throttle", SLOW, "--rollback-file", "back.json",
    )  # fmt: skip
    file = ("--reassignment-json-file", plan_of(name, [2, 1]))

    planned = kadmin("reassign", *where, "--cancel", *file, "--dry-run")
    given_up = kadmin("reassign", *where, "--cancel", *file, "--yes")
    left = kadmin("reassign", *where, "--list")
    rest = kadmin("reassign", *where, "--cancel", "--reassignment-json-file", "back.json", "--yes")
    verified = reassign(fleet, "--verify", "--reassignment-json-file", "back.json")

    assert begun.exit_code == ExitCode.DONE, begun
    assert by_zookeeper == (f"broker {controller} resigns as" in planned.stdout)
    assert f"  {name}-0: 3,2,1 -> 2,1\n" in planned.stdout or f"  {name}-0: 3,1,2 -> 2,1\n" in (
        planned.stdout
    )
    assert given_up.exit_code == ExitCode.DONE, given_up
    assert f"Successfully cancelled partition reassignment for: {name}-0\n" in given_up.stdout
    assert f"{name}-0:" not in left.stdout
    assert f"{name}-1: replicas: 3,2,1. adding: 3. removing: 1." in left.stdout
    assert rest.exit_code == ExitCode.DONE, rest
    assert [[2, 1], [1, 2], [2, 1]] == replicas_of(fleet, name)
    assert verified.exit_code == ExitCode.DONE, verified
    wait_for_configs(fleet, {}, "--topic", name)
