"""Do real brokers of every release move partitions when kadmin asks, and is it told as theirs tell
it?"""

import json
import re
import signal
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop.brokers import RealCluster
from tests.interop.made_topics import create, wait_until_all_tell_controller
from tests.interop.outages import unregister, wait_until_back, wait_until_dead
from tests.interop.reassignments import file_of
from tests.interop.releases import chosen_releases, version_tuple
from tests.interop.tools import Tools
from tests.interop.znodes import document
from tests.support.cli import KadminRun, done, kadmin
from tests.support.interrupted_writes import interrupt_at_write
from tests.support.waiting import wait_until

pytestmark = pytest.mark.interop

of_two_releases = pytest.mark.parametrize("cluster", ["2.8.2", "3.9.1"], indirect=True)

THROTTLES_SINCE = (0, 10, 1)
RECORDS = 500
VALUE = b"v" * 10_000
SLOW = "1000"
"""Bytes per second by which these 5 MB are on their way for as long as a test lasts."""

FAST = "100000000"
THROTTLES = (
    "leader.replication.throttled.rate",
    "follower.replication.throttled.rate",
    "leader.replication.throttled.replicas",
    "follower.replication.throttled.replicas",
)


class Way:
    """How kadmin reaches *cluster*: over ZooKeeper, or by its brokers."""

    def __init__(self, cluster: RealCluster, *, by_brokers: bool) -> None:
        self.cluster = cluster
        self.where = (
            ("--bootstrap-server", cluster.bootstrap)
            if by_brokers
            else ("--zookeeper", cluster.zookeeper_connect)
        )

    def reassign(self, *arguments: str) -> KadminRun:
        return kadmin("reassign", *self.where, *arguments)

    def execute(self, *arguments: str, rollback: Path) -> str:
        """What --execute prints."""
        ran = self.reassign("--execute", *arguments, "--rollback-file", str(rollback))
        assert ran.exit_code == 0, ran
        return ran.stdout

    def until_moved(self, *file: str) -> str:
        """What --verify prints, once all is where it belongs."""
        wait_until(
            lambda: self.reassign("--verify", "--preserve-throttles", *file).exit_code == 0,
            what=f"the end of {file}",
        )
        verified = self.reassign("--verify", *file)
        assert verified.exit_code == 0, verified
        return verified.stdout

    def throttles(self, *entity: str) -> dict[str, str]:
        words = ("configs", *self.where, "--describe", *entity, "--output", "json")
        entities = json.loads(done(*words))["entities"]
        return {
            key: value
            for found in entities
            for key, value in found["configs"].items()
            if key in THROTTLES
        }

    def until_throttled(self, throttles: dict[str, str], *entity: str) -> None:
        """Wait until *entity* has these: a broker receives changes after they are made."""
        wait_until(
            lambda: self.throttles(*entity) == throttles, what=f"{throttles or 'no throttle'}"
        )


def replicas(cluster: RealCluster, topic: str) -> list[list[int]]:
    found = document(cluster, f"/brokers/topics/{topic}")["partitions"]
    return [found[number] for number in sorted(found)]


def in_newest_words(lines: str) -> list[str]:
    """What Kafka's tool prints of each partition, as its last release words it."""
    words = {
        r"\[(\S+),(\d+)\]": r"\1-\2",
        r" completed successfully$": " is completed.",
        r" is complete\.$": " is completed.",
        r" is still in progress$": " is still in progress.",
    }
    found = [line.rstrip() for line in lines.splitlines() if line.startswith("Reassignment of")]
    for pattern, replacement in words.items():
        found = [re.sub(pattern, replacement, line) for line in found]
    return found


def test_replicas_come_and_go_by_zookeeper_on_every_release(
    cluster: RealCluster, tools: Tools, tmp_path: Path
) -> None:
    """Replicas are added under a throttle, and the rollback file takes them away again."""
    create(cluster, "doubled", "0,1")
    way = Way(cluster, by_brokers=False)
    file = file_of(tmp_path, "doubled", [1, 0], [1, 0])
    back = ("--reassignment-json-file", str(tmp_path / "rollback.json"))
    throttle = ("--throttle", "10000000") if tools.version >= THROTTLES_SINCE else ()

    begun = way.execute(*file, *throttle, rollback=tmp_path / "rollback.json")
    slowed = way.throttles("--topic", "doubled")
    moved = way.until_moved(*file)
    theirs = tools.reassign("--verify", *file)
    grown = replicas(cluster, "doubled")
    freed = way.throttles("--topic", "doubled")
    way.execute(*back, rollback=tmp_path / "unused.json")
    shrunk = way.until_moved(*back)

    assert "Successfully started partition reassignments for doubled-0,doubled-1\n" in begun
    assert in_newest_words(theirs.stdout) == in_newest_words(moved) == in_newest_words(shrunk)
    assert 2 == len(in_newest_words(moved))
    assert [[1, 0], [1, 0]] == grown
    assert [[0], [1]] == replicas(cluster, "doubled")
    lists = dict(zip(THROTTLES[2:], ("0:0,1:1", "0:1,1:0"), strict=True))
    assert (lists if throttle else {}) == slowed
    assert {} == freed


def test_a_proposal_is_as_good_as_that_of_their_tool(
    cluster: RealCluster, tools: Tools, tmp_path: Path
) -> None:
    """Both begin anywhere: each broker gets as many replicas, and each rack, and as many first."""
    create(cluster, "proposed", ",".join(["0"] * 6))
    create(cluster, "proposed-two", ",".join(["0:1"] * 6))
    topics = [{"topic": name} for name in ("proposed", "proposed-two")]
    file = tmp_path / "topics.json"
    file.write_text(json.dumps({"version": 1, "topics": topics}))
    ids = ",".join(map(str, cluster.brokers))
    words = ("--generate", "--topics-to-move-json-file", str(file), "--broker-list", ids)

    ours = Way(cluster, by_brokers=tools.version >= (3, 0)).reassign(*words)
    theirs = tools.reassign(*words)

    assert (0, 0) == (ours.exit_code, theirs.exit_code), (ours, theirs)
    headings, (current, proposed) = proposal_of(ours.stdout)
    their_headings, (their_current, their_proposed) = proposal_of(theirs.stdout)
    assert their_headings == headings
    assert their_current == current
    assert current.keys() == proposed.keys() == their_proposed.keys()
    assert shares(their_proposed, cluster) == shares(proposed, cluster)


Proposed = dict[tuple[str, int], list[int]]


def proposal_of(stdout: str) -> tuple[list[str], list[Proposed]]:
    """The lines of words, and what those of JSON name; a warning of their tool is none of both."""
    lines = [line for line in stdout.splitlines() if line and not line.startswith("Warning")]
    documents = [json.loads(line) for line in lines if line.startswith("{")]
    assert all({"version", "partitions"} == document.keys() for document in documents)
    return [line for line in lines if not line.startswith("{")], [
        {(entry["topic"], entry["partition"]): entry["replicas"] for entry in one["partitions"]}
        for one in documents
    ]


def shares(proposed: Proposed, cluster: RealCluster) -> list[list[int]]:
    """How many replicas each broker has, each rack, and how many partitions each would lead."""
    brokers = [broker for replicas in proposed.values() for broker in replicas]
    racks = [cluster.brokers[broker].place.rack for broker in brokers]
    first = [replicas[0] for replicas in proposed.values()]
    return [sorted(Counter(things).values()) for things in (brokers, racks, first)]


@pytest.mark.parametrize(
    "cluster",
    [release for release in chosen_releases() if version_tuple(release) >= THROTTLES_SINCE],
    indirect=True,
)
def test_a_move_goes_on_when_the_controller_that_it_goes_to_dies(
    cluster: RealCluster, tools: Tools, tmp_path: Path
) -> None:
    """It has a successor, who moves nothing to a dead broker and remembers the move."""
    there = document(cluster, "/controller")["brokerid"]
    here = next(broker for broker in cluster.brokers if broker != there)
    create(cluster, "survived", str(here))
    Confluent(cluster.bootstrap).produce("survived", [Sent(VALUE)] * RECORDS)
    way = Way(cluster, by_brokers=tools.version >= (2, 6))
    file = file_of(tmp_path, "survived", [there])

    way.execute(*file, "--throttle", SLOW, rollback=tmp_path / "one.json")
    cluster.kill(there)
    try:
        unregister(cluster.zookeeper_connect, there)
        wait_until_dead(cluster, there)
        successor = document(cluster, "/controller")["brokerid"]
        during = way.reassign("--verify", *file)
    finally:
        cluster.start(there)
    wait_until_all_tell_controller(cluster, successor)
    back = way.reassign("--verify", *file)
    faster = ("--additional", "--throttle", FAST)
    way.execute(*file, *faster, rollback=tmp_path / "two.json")
    moved = way.until_moved(*file)
    wait_until_back(cluster, there)

    assert (3, 3) == (during.exit_code, back.exit_code), (during, back)
    assert "partition survived-0 is still in progress." in during.stdout
    assert successor != there
    assert ["Reassignment of partition survived-0 is completed."] == in_newest_words(moved)
    assert {} == way.throttles("--broker", str(here)) == way.throttles("--topic", "survived")
    assert [[there]] == replicas(cluster, "survived")
    got = Confluent(cluster.bootstrap).consume("survived", 0, 0, RECORDS)
    assert [VALUE] * RECORDS == [each.record.value for each in got]


@pytest.mark.parametrize(
    "cluster",
    [release for release in chosen_releases() if version_tuple(release) >= THROTTLES_SINCE],
    indirect=True,
)
def test_a_move_stands_still_while_the_broker_that_it_goes_to_is_dead_and_ends_when_it_is_back(
    cluster: RealCluster, tools: Tools, tmp_path: Path
) -> None:
    """No controller: that stays, and has the move go on by itself when the broker is back."""
    here = document(cluster, "/controller")["brokerid"]
    there = next(broker for broker in cluster.brokers if broker != here)
    create(cluster, "awaited", str(here))
    Confluent(cluster.bootstrap).produce("awaited", [Sent(VALUE)] * RECORDS)
    by_brokers = tools.version >= (2, 6)
    way = Way(cluster, by_brokers=by_brokers)
    file = file_of(tmp_path, "awaited", [there])

    way.execute(*file, "--throttle", SLOW, rollback=tmp_path / "one.json")
    weighed = Way(cluster, by_brokers=False).reassign("--list")
    cluster.kill(there)
    try:
        unregister(cluster.zookeeper_connect, there)
        wait_until_dead(cluster, there)
        during = way.reassign("--verify", *file)
        theirs = tools.reassign("--verify", *file, by_brokers=by_brokers)
        listed = way.reassign("--list")
        refused = way.reassign("--execute", *file, "--additional", "--dry-run")
        slowed = way.throttles("--broker", str(here))
    finally:
        cluster.start(there)
    wait_until_all_tell_controller(cluster, here)
    back = way.reassign("--verify", *file)
    faster = ("--additional", "--throttle", FAST)
    way.execute(*file, *faster, rollback=tmp_path / "two.json")
    moved = way.until_moved(*file)
    wait_until_back(cluster, there)

    assert (3, 3) == (during.exit_code, back.exit_code), (during, back)
    assert in_newest_words(theirs.stdout) == in_newest_words(during.stdout), theirs
    # Brokers are asked from ZooKeeper as well; the first megabyte or so has no throttle.
    assert re.search(r"awaited-0: .* left: [345]\.\d MiB\. lag: \d+ records\.", weighed.stdout)
    # Before 2.4 ZooKeeper does not tell which of the replicas have just been added.
    adding = f" adding: {there}." if by_brokers else ""
    assert f"awaited-0: replicas: {there},{here}.{adding} removing: {here}." in listed.stdout
    assert f"non-existent brokerIDs: {there} (of awaited-0)" in refused.stderr
    assert dict.fromkeys(THROTTLES[:2], SLOW) == slowed
    assert here == document(cluster, "/controller")["brokerid"]
    assert ["Reassignment of partition awaited-0 is completed."] == in_newest_words(moved)
    assert {} == way.throttles("--broker", str(here)) == way.throttles("--topic", "awaited")
    assert [[there]] == replicas(cluster, "awaited")
    got = Confluent(cluster.bootstrap).consume("awaited", 0, 0, RECORDS)
    assert [VALUE] * RECORDS == [each.record.value for each in got]


def test_what_zookeeper_was_asked_for_is_given_up_there_on_every_release(
    cluster: RealCluster, tools: Tools, tmp_path: Path
) -> None:
    """The broker that it goes to hangs and dies, so that no controller could complete it."""
    here = document(cluster, "/controller")["brokerid"]
    there = next(broker for broker in cluster.brokers if broker != here)
    create(cluster, "withdrawn", f"{here},{here}")
    is_spoken_to = tools.version >= THROTTLES_SINCE
    if is_spoken_to:
        Confluent(cluster.bootstrap).produce("withdrawn", [Sent(VALUE)] * RECORDS)
    way = Way(cluster, by_brokers=False)
    file = file_of(tmp_path, "withdrawn", [there], [there, here])
    cancel = ("--cancel", "--reassignment-json-file", str(tmp_path / "back.json"))

    hang(cluster, there)
    way.execute(*file, rollback=tmp_path / "back.json")
    wait_until(
        lambda: [2, 2] == [len(brokers) for brokers in replicas(cluster, "withdrawn")],
        what="the beginning of both moves",
    )
    cluster.kill(there)
    try:
        unregister(cluster.zookeeper_connect, there)
        wait_until_dead(cluster, there)
        planned = way.reassign(*cancel, "--dry-run")
        unasked = way.reassign(*cancel)
        wrong = way.reassign("--cancel", *file, "--dry-run")
        epoch = document(cluster, "/controller_epoch")
        given_up = way.reassign(*cancel, "--yes")
        left = replicas(cluster, "withdrawn")
        successor_epoch = document(cluster, "/controller_epoch")
        listed = way.reassign("--list")
        verified = way.reassign("--verify", *cancel[1:])
        theirs = tools.reassign("--verify", *cancel[1:])
    finally:
        cluster.start(there)
    wait_until_back(cluster, there)
    again = way.execute(*file, rollback=tmp_path / "again.json")
    moved = way.until_moved(*file)

    assert f"broker {here} resigns as the controller" in planned.stdout
    assert 6 == unasked.exit_code, unasked
    assert (tools.version < (2, 4)) == (wrong.exit_code == 1), wrong
    assert 0 == given_up.exit_code, given_up
    assert "cancelled partition reassignments for: withdrawn-0,withdrawn-1\n" in given_up.stdout
    assert [[here], [here]] == left
    assert successor_epoch > epoch
    assert "No partition reassignments found.\n" == listed.stdout
    assert 0 == verified.exit_code, verified
    assert in_newest_words(theirs.stdout) == in_newest_words(verified.stdout)
    assert "Successfully started partition reassignments for withdrawn-0,withdrawn-1\n" in again
    assert 2 == len(in_newest_words(moved))
    assert [[there], [there, here]] == replicas(cluster, "withdrawn")
    if is_spoken_to:
        got = Confluent(cluster.bootstrap).consume("withdrawn", 0, 0, RECORDS)
        assert {VALUE} == {each.record.value for each in got}


def hang(cluster: RealCluster, broker: int) -> None:
    """Let *broker* copy nothing more, until it is killed."""
    process = cluster.brokers[broker].server.process
    assert process is not None
    process.send_signal(signal.SIGSTOP)


@pytest.mark.parametrize(
    "cluster", [release for release in chosen_releases() if release == "1.1.1"], indirect=True
)
def test_whoever_is_killed_at_any_write_to_zookeeper_runs_the_command_again(
    cluster: RealCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of journal, configs of one topic and two brokers, the journal again, and the request, which a
    controller of theirs takes at once."""
    create(cluster, "cut", "0")
    way = Way(cluster, by_brokers=False)
    own = ("configs", *way.where, "--alter", "--broker", "0", "--yes")
    done(*own, "--add-config", f"{THROTTLES[0]}=777")
    codes = []
    for survived, is_made in product(range(7), (False, True)):
        target = 1 - replicas(cluster, "cut")[0][0]
        file = file_of(tmp_path, "cut", [target])
        execute = ("--execute", *file, "--throttle", FAST, "--rollback-file")
        with monkeypatch.context() as patch:
            interrupt_at_write(patch, survived, is_made=is_made)
            killed = way.reassign(*execute, str(tmp_path / f"{survived}-{is_made}.json"))
        again = way.reassign(*execute, str(tmp_path / f"{survived}-{is_made}-again.json"))
        with monkeypatch.context() as patch:
            interrupt_at_write(patch, survived, is_made=is_made)
            verify_killed = way.reassign("--verify", *file)
        way.until_moved(*file)

        # One that asked before it was killed may have moved all, or still be at it.
        assert again.exit_code in (0, 6), again
        assert verify_killed.exit_code in (0, 3, 130), verify_killed
        assert [[target]] == replicas(cluster, "cut")
        assert {THROTTLES[0]: "777"} == way.throttles("--broker", "0")
        assert {} == way.throttles("--broker", "1") == way.throttles("--topic", "cut")
        codes.append(killed.exit_code)

    assert [130] * 12 + [0] * 2 == codes
    done(*own, "--delete-config", THROTTLES[0])


@of_two_releases
def test_brokers_move_partitions_in_the_words_of_their_tool(
    cluster: RealCluster, tmp_path: Path
) -> None:
    """Slowly, so that it is seen on the way; then given up, begun anew by their tool, and ended."""
    tools = Tools(cluster)
    way = Way(cluster, by_brokers=True)
    create(cluster, "sent", "0")
    Confluent(cluster.bootstrap).produce("sent", [Sent(VALUE)] * RECORDS)
    file = file_of(tmp_path, "sent", [1])

    def theirs(*arguments: str) -> list[str]:
        ran = tools.reassign(*arguments, by_brokers=True)
        assert ran.exit_code == 0, ran
        return words_of(ran.stdout)

    begun = way.execute(*file, "--throttle", SLOW, rollback=tmp_path / "one.json")
    slowed = [way.throttles("--broker", "0"), way.throttles("--topic", "sent")]
    moving = theirs("--list"), way.reassign("--list").stdout
    underway = theirs("--verify", *file), way.reassign("--verify", *file)
    second = way.reassign("--execute", *file, "--rollback-file", str(tmp_path / "unused.json"))
    given_up = way.reassign("--cancel", *file)
    missed = way.reassign("--verify", *file)
    begun_by_them = theirs("--execute", *file, "--throttle", SLOW)
    faster = ("--additional", "--throttle", FAST)
    hastened = way.execute(*file, *faster, rollback=tmp_path / "two.json")
    moved = way.until_moved(*file)
    # What their tool had set was somebody's own to kadmin, which put it back.
    way.until_throttled(dict.fromkeys(THROTTLES[:2], SLOW), "--broker", "0")
    verified_by_them = theirs("--verify", *file)
    way.until_throttled({}, "--broker", "0")
    way.until_throttled({}, "--topic", "sent")

    assert begun_by_them == words_of(begun)
    assert [
        dict.fromkeys(THROTTLES[:2], SLOW),
        dict(zip(THROTTLES[2:], ("0:0", "0:1"), strict=True)),
    ] == slowed
    assert moving[0] == words_of(moving[1])
    assert "sent-0: replicas: 1,0. adding: 1. removing: 0." in moving[0]
    assert underway[0] == words_of(underway[1].stdout)
    assert 3 == underway[1].exit_code
    assert 6 == second.exit_code
    assert (
        "Successfully cancelled partition reassignment for: sent-0\n"
        "Clearing broker-level throttles on brokers 0,1\n"
        "Clearing topic-level throttles on topic sent\n" == given_up.stdout
    )
    assert 4 == missed.exit_code
    assert "but replica set is 0 rather than 1." in missed.stdout
    assert "The inter-broker throttle limit was set to 100000000 B/s\n" in hastened
    assert in_newest_words(moved) == in_newest_words("\n".join(verified_by_them))
    assert [[1]] == replicas(cluster, "sent")


@of_two_releases
def test_what_brokers_were_asked_for_is_given_up_through_zookeeper_under_the_same_controller(
    cluster: RealCluster, tmp_path: Path
) -> None:
    create(cluster, "recalled", "0")
    Confluent(cluster.bootstrap).produce("recalled", [Sent(VALUE)] * RECORDS)
    file = file_of(tmp_path, "recalled", [1])
    by_brokers = Way(cluster, by_brokers=True)
    by_brokers.execute(*file, "--throttle", SLOW, rollback=tmp_path / "back.json")
    epoch = document(cluster, "/controller_epoch")

    given_up = Way(cluster, by_brokers=False).reassign("--cancel", *file)
    verified = by_brokers.reassign(
        "--verify", "--reassignment-json-file", str(tmp_path / "back.json")
    )

    assert 0 == given_up.exit_code, given_up
    assert "Successfully cancelled partition reassignment for: recalled-0\n" in given_up.stdout
    assert "Clearing topic-level throttles on topic recalled\n" in given_up.stdout
    assert 0 == verified.exit_code, verified
    assert epoch == document(cluster, "/controller_epoch")
    assert {} == by_brokers.throttles("--topic", "recalled")
    assert [[0]] == replicas(cluster, "recalled")


def words_of(stdout: str) -> list[str]:
    """The lines with something on them, without what only kadmin tells, in the newest words."""
    lines = (re.sub(r" left: .*\.$", "", line).rstrip() for line in stdout.splitlines() if line)
    return [line.replace("is complete.", "is completed.") for line in lines]
