"""Servers that hang, and ZooKeepers without a majority: what does a command do about them?"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from kadmin.app import session
from kadmin.errors import ExitCode
from tests.support.cli import KadminRun, done, kadmin
from tests.support.one_broker import OneBroker
from tests.support.silent_servers import IDLE, counting_server, mute_server, saying_server
from tests.support.waiting import patiently, wait_until


def with_broker(test: Callable[..., None]) -> Callable[..., None]:
    """In one process, which alone starts its brokers."""
    for mark in (pytest.mark.zk, pytest.mark.clients, pytest.mark.xdist_group("one-broker")):
        test = mark(test)
    return test


@pytest.fixture
def idle_zookeepers() -> Iterator[str]:
    """Two of three ZooKeepers without a majority; the third hangs."""
    with ExitStack() as stack:
        idle = [stack.enter_context(saying_server(IDLE)) for _ in range(2)]
        yield ",".join([*idle, stack.enter_context(mute_server())])


@pytest.fixture
def bootstrap(one_broker: OneBroker) -> tuple[str, str]:
    """A broker that other tests use as well, with a topic of these."""
    named = ("--bootstrap-server", one_broker.broker.bootstrap)
    counts = ("--partitions", "1", "--replication-factor", "1")
    done("topics", *named, "--create", "--topic", "served", *counts, "--if-not-exists", "--yes")
    return named


LOST = "no majority: 2 of 3 answer, and none serves ("
TOO_EARLY = re.compile(r"no majority: [01] of 3 answer")


def kadmin_without_majority(*words: str) -> KadminRun:
    """Run kadmin, and let it wait until both that are idle have said so."""

    def ask(timeout_s: int) -> KadminRun:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(session, "ELECTION_S", 0.3 * timeout_s)
            return kadmin(*words, "--timeout", str(4 * timeout_s))

    return patiently(ask, lambda run: TOO_EARLY.search(run.stdout + run.stderr) is None)


@pytest.mark.parametrize(
    "words",
    [
        "topics --list",
        "topics --describe",
        "brokers --list",
        "brokers --describe",
        "controller",
        "configs --describe --broker 1",
        "reassign --list",
        "elect --all-topic-partitions --dry-run",
        "log-dirs --broker-list 1",
        "api-versions --broker 1",
        "offsets --topic served",
    ],
)
@pytest.mark.parametrize("is_in_file", [False, True])
@with_broker
def test_what_brokers_know_is_shown_while_zookeeper_has_no_majority(
    words: str, is_in_file: bool, idle_zookeepers: str, bootstrap: tuple[str, str]
) -> None:
    if is_in_file:
        done("config", "add", "c", "--zookeeper", idle_zookeepers, *bootstrap)

    named = () if is_in_file else bootstrap
    outcome = kadmin_without_majority(*words.split(), "--zookeeper", idle_zookeepers, *named)

    # An election is a change, of which a plan is none as long as nothing can be changed.
    is_change = words.startswith("elect")
    assert (ExitCode.UNREACHABLE if is_change else ExitCode.DONE) == outcome.exit_code, outcome
    asks_zookeeper = is_in_file or words.split()[0] not in ("log-dirs", "api-versions", "offsets")
    assert (LOST in outcome.stderr) == asks_zookeeper
    assert ("zookeeper' shows each server" in outcome.stderr) == asks_zookeeper


@pytest.mark.parametrize("silent", [0, 2])
@with_broker
def test_a_zookeeper_that_opens_no_session_is_as_good_as_none(
    silent: int, bootstrap: tuple[str, str]
) -> None:
    """It says that it serves for some seconds after it has lost the others."""
    with (
        saying_server(b"Mode: follower\n", to=b"srvr") as lonely,
        mute_server() as one,
        mute_server() as other,
    ):
        zookeepers = ",".join((lonely, one, other)[: 1 + silent])
        why = "no majority: 1 of 3 answers" if silent else "no answer (waited "
        way = ("--zookeeper", zookeepers, *bootstrap, "--timeout")
        outcome = patiently(
            lambda timeout_s: kadmin("topics", "--list", *way, str(4 * timeout_s)),
            lambda run: why in run.stderr,
        )

    assert ExitCode.DONE == outcome.exit_code, outcome
    assert "served" in outcome.stdout.splitlines()
    assert f"cannot reach ZooKeeper at {zookeepers}: {why}" in outcome.stderr


@pytest.mark.parametrize(
    "words",
    [
        "topics --create --topic never --partitions 1 --replication-factor 1 --yes",
        "configs --alter --broker 1 --add-config log.cleaner.threads=2 --yes",
    ],
)
@with_broker
def test_nothing_is_changed_while_zookeeper_has_no_majority(
    words: str, idle_zookeepers: str, bootstrap: tuple[str, str]
) -> None:
    ways = ("--zookeeper", idle_zookeepers, *bootstrap)

    outcome = kadmin_without_majority(*words.split(), *ways)

    assert (ExitCode.UNREACHABLE, "") == (outcome.exit_code, outcome.stdout)
    assert f"kadmin: cannot reach ZooKeeper at {idle_zookeepers}: {LOST}" in outcome.stderr
    assert outcome.stderr.endswith(" zookeeper' shows each server\n"), "they are named already"


@with_broker
def test_check_is_critical_of_it_and_tells_the_rest(
    idle_zookeepers: str, bootstrap: tuple[str, str]
) -> None:
    ways = ("--zookeeper", idle_zookeepers, *bootstrap)

    outcome = kadmin_without_majority("check", *ways, "--output", "json")
    report = json.loads(outcome.stdout)

    assert ExitCode.FOUND == outcome.exit_code
    assert ("critical", "ZooKeeper: no majority: 2 of 3 answer, and none serves") in [
        (finding["severity"], finding["text"]) for finding in report["findings"]
    ]
    assert 1 == report["brokers"]


def test_without_brokers_the_majority_is_all_that_is_told(idle_zookeepers: str) -> None:
    way = ("--zookeeper", idle_zookeepers, "--timeout")
    outcome = patiently(
        lambda timeout_s: kadmin("topics", "--list", *way, str(timeout_s)),
        lambda run: TOO_EARLY.search(run.stderr) is None,
    )

    assert (ExitCode.UNREACHABLE, "") == (outcome.exit_code, outcome.stdout)
    assert f"kadmin: cannot reach ZooKeeper at {idle_zookeepers}: {LOST}" in outcome.stderr
    assert " zookeeper' shows each server; name brokers, too" in outcome.stderr


@pytest.mark.parametrize(
    "words",
    [
        "topics --list --bootstrap-server {0}",
        "topics --list --bootstrap-server {0},{1}",
        "consume --topic t --bootstrap-server {0},{1}",
        "produce --topic t --bootstrap-server {0}",
        "topics --list --zookeeper {0}",
        "topics --list --zookeeper {0},{1}",
        "zookeeper --zookeeper {0},{1}",
        "check --zookeeper {0},{1}",
        "check --zookeeper {0} --bootstrap-server {1}",
        "check --bootstrap-server {0},{1}",
    ],
)
@pytest.mark.clients
def test_a_command_closes_all_that_it_has_opened(words: str) -> None:
    with counting_server() as (one, at_one), counting_server() as (other, at_other):
        outcome = kadmin(*words.format(one, other).split(), "--timeout", "0.5")
        wait_until(lambda: not at_one and not at_other, what="the end of all connections")

    assert ExitCode.UNREACHABLE == outcome.exit_code, outcome
