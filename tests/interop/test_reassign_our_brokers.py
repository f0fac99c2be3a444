"""Do Kafka's own tools move partitions between our brokers, and does kadmin see what they see?"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop.kafka_tools import KafkaTools, fetched_tools
from tests.interop.maven import Maven
from tests.interop.reassignments import file_of
from tests.support.cli import done, kadmin
from tests.support.fleets import Fleet, running_fleet
from tests.support.waiting import wait_until

pytestmark = pytest.mark.interop

RECORDS = 600
VALUE = b"v" * 10_000
SLOW = "1000"
"""Bytes per second by which two megabytes that follow the first one, of each partition, are on
their way for as long as the test lasts."""

ALL_KEYS = (
    "leader.replication.throttled.rate",
    "follower.replication.throttled.rate",
    "leader.replication.throttled.replicas",
    "follower.replication.throttled.replicas",
)


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with running_fleet(tmp_path_factory.mktemp("fleet"), 3) as running:
        yield running


@pytest.fixture(scope="module")
def tools(
    fleet: Fleet, java: str, maven: Maven, tmp_path_factory: pytest.TempPathFactory
) -> KafkaTools:
    directory = tmp_path_factory.mktemp("tools")
    return fetched_tools(
        "3.9.1", java=java, maven=maven, directory=directory, bootstrap=fleet.bootstrap
    )


def theirs(tools: KafkaTools, *arguments: str) -> list[str]:
    return [line for line in tools.done("reassign-partitions", *arguments) if line]


def ours(tools: KafkaTools, *arguments: str) -> list[str]:
    """What kadmin says, without what only kadmin tells."""
    outcome = kadmin("reassign", "--bootstrap-server", tools.bootstrap, *arguments)
    assert outcome.exit_code in (0, 3, 4), outcome
    return [re.sub(r" left: .*\.$", "", line) for line in outcome.stdout.splitlines() if line]


def throttles(tools: KafkaTools, *entity: str) -> dict[str, str]:
    words = ("configs", "--bootstrap-server", tools.bootstrap, "--describe", *entity)
    (found,) = json.loads(done(*words, "--output", "json"))["entities"]
    return {key: value for key, value in found["configs"].items() if key in ALL_KEYS}


def test_partitions_are_moved_slowed_down_given_up_and_found_where_they_belong(
    tools: KafkaTools, tmp_path: Path
) -> None:
    topic = "moved"
    client = Confluent(tools.bootstrap)
    client.create_topic(topic, replicas=[[1, 2], [2, 1]])
    client.produce(topic, [Sent(VALUE, partition=n % 2) for n in range(RECORDS)])
    away = file_of(tmp_path, topic, [3, 1], [3, 2])
    home = file_of(tmp_path, topic, [1, 2], [2, 1])

    begun = theirs(tools, "--execute", *away, "--throttle", SLOW)
    slowed = throttles(tools, "--broker", "3"), throttles(tools, "--topic", topic)
    moving = theirs(tools, "--list"), ours(tools, "--list")
    underway = theirs(tools, "--verify", *away), ours(tools, "--verify", *away)
    refused = tools.run("reassign-partitions", "--execute", *home)
    given_up = theirs(tools, "--cancel", *away)
    wait_until(
        lambda: ours(tools, "--list") == ["No partition reassignments found."],
        what="the end of what was given up",
    )
    missed = theirs(tools, "--verify", *away), ours(tools, "--verify", *away)
    theirs(tools, "--execute", *away)
    wait_until(
        lambda: ours(tools, "--list") == ["No partition reassignments found."],
        what="the moves",
    )
    arrived = theirs(tools, "--verify", *away), ours(tools, "--verify", *away)

    assert f"The inter-broker throttle limit was set to {SLOW} B/s" in begun
    assert f"Successfully started partition reassignments for {topic}-0,{topic}-1" == begun[-1]
    assert dict.fromkeys(ALL_KEYS[:2], SLOW) == slowed[0]
    assert dict(zip(ALL_KEYS[2:], ("0:1,0:2,1:1,1:2", "0:3,1:3"), strict=True)) == slowed[1]
    assert moving[0] == moving[1]
    assert f"{topic}-0: replicas: 3,1,2. adding: 3. removing: 2." in moving[0]
    assert underway[0] == underway[1]
    assert f"Reassignment of partition {topic}-1 is still in progress." in underway[0]
    assert 1 == refused.exit_code
    assert "Cannot execute because there is an existing partition assignment." in refused.stdout
    assert f"{topic}-0,{topic}-1" in given_up[0]
    assert "Successfully cancelled partition reassignments for:" in given_up[0]
    assert (
        f"There is no active reassignment of partition {topic}-0, but replica set is 1,2 rather"
        " than 3,1." in missed[0]
    )
    assert missed[1] == missed[0][: len(missed[1])]
    assert arrived[1] == arrived[0][: len(arrived[1])]
    assert f"Reassignment of partition {topic}-1 is completed." in arrived[0]
    assert {} == throttles(tools, "--broker", "3") == throttles(tools, "--topic", topic)
    assert (0, RECORDS) == tuple(
        sum(ends) for ends in zip(*(client.ends(topic, n) for n in (0, 1)), strict=True)
    )
