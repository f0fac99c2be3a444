"""Do Kafka's own tools move replicas between the log directories of our brokers?"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop.kafka_tools import KafkaTools, fetched_tools
from tests.interop.maven import Maven
from tests.support.brokers import running_broker
from tests.support.waiting import wait_until

pytestmark = pytest.mark.interop

RATE = "--replica-alter-log-dirs-throttle"


def places(tools: KafkaTools, topic: str) -> dict[str, bool]:
    """The directories with a log of the topic's partition, and whether it is a copy."""
    lines = tools.done("log-dirs", "--describe", "--topic-list", topic)
    (broker,) = json.loads(lines[-1])["brokers"]
    return {
        directory["logDir"]: replica["isFuture"]
        for directory in broker["logDirs"]
        for replica in directory["partitions"]
    }


def test_kafkas_tools_move_a_replica_and_see_it_arrive(
    chroot: str, java: str, maven: Maven, tmp_path: Path
) -> None:
    paths = [str(tmp_path / name) for name in ("one", "two")]
    plan = tmp_path / "plan.json"
    with running_broker(tmp_path, chroot, 1, {"log.dirs": ",".join(paths)}) as broker:
        tools = fetched_tools(
            "3.9.1", java=java, maven=maven, directory=tmp_path, bootstrap=broker.bootstrap
        )
        driver = Confluent(broker.bootstrap)
        driver.create_topic("moved", 1)
        records = [Sent(b"%05d" % number * 1000) for number in range(400)]
        driver.produce("moved", records, batch_num_messages=10)
        ((here, _),) = places(tools, "moved").items()
        (there,) = (path for path in paths if path != here)
        wanted: dict[str, Any] = {"topic": "moved", "partition": 0, "replicas": [1]}
        wanted["log_dirs"] = [there]
        plan.write_text(json.dumps({"version": 1, "partitions": [wanted]}))
        words = ("reassign-partitions", "--reassignment-json-file", str(plan))

        begun = tools.done(*words, "--execute", RATE, "1000")
        moving = places(tools, "moved"), tools.done(*words, "--verify")
        driver.produce("moved", records, batch_num_messages=10)
        tools.done(*words, "--execute", "--additional", RATE, "100000000")
        wait_until(
            lambda: (Path(there) / "moved-0").is_dir(),
            what="the replica in its new directory",
        )
        arrived = places(tools, "moved"), tools.done(*words, "--verify")
        got = [one.record.value for one in driver.consume("moved", 0, 0, 800)]

    moved = (
        f"Successfully started moving log directory to {there} for replica moved-0 with broker 1"
    )
    assert moved in "\n".join(begun)
    assert {here: False, there: True} == moving[0]
    assert "Reassignment of replica moved-0-1 is still in progress." in moving[1]
    assert {there: False} == arrived[0]
    assert "Reassignment of replica moved-0-1 completed successfully." in arrived[1]
    assert [one.value for one in records] * 2 == got
