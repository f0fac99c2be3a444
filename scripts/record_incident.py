"""Records the state-change logs of a real cluster's brokers during an incident.

    python -m scripts.record_incident DIRECTORY

Starts Kafka on the loopback as the interop tests do (Maven fetches it once), lets two of three
brokers die, and leaves one directory of logs for each broker, as an operator would collect them.
"""

import re
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Final

from kadmin.jvm.java import find_java
from tests.interop.brokers import RealCluster
from tests.interop.maven import Maven
from tests.interop.outages import wait_until_back, wait_until_dead, wait_until_led
from tests.interop.releases import KAFKA
from tests.interop.tools import Tools
from tests.support.zookeeper import running_server

RELEASE: Final = "3.9.1"

CONTROLLER, VICTIM, SURVIVOR = 1, 2, 3
"""The broker that starts first is elected; broker 0 is never started."""

TOPICS: Final = {"orders": "2:1:3,3:2:1,1:3:2", "payments": "3:1,1:2"}
PARTITIONS: Final = [("orders", 0), ("orders", 1), ("orders", 2), ("payments", 0), ("payments", 1)]

OPERATOR_S: Final = 20.0
"""How long it takes until an operator restarts the brokers."""

QUIET_AT: Final = datetime(2026, 11, 20, 2, 41, 7)
INCIDENT_AT: Final = datetime(2026, 11, 20, 3, 12, 4)
"""Where the recorded times are moved to: start and topics, then the night's first event."""

DATE: Final = re.compile(r"^\[([0-9-]{10} [0-9:]{8},[0-9]{3})\]", re.MULTILINE)
DATE_FORMAT: Final = "%Y-%m-%d %H:%M:%S,%f"


@dataclass(frozen=True)
class Night:
    """When the cluster was started, and when its first broker died."""

    began: datetime
    incident_began: datetime


def main(directory: str) -> None:
    with tempfile.TemporaryDirectory() as scratch, running_server(Path(scratch) / "zk") as server:
        cluster = RealCluster(
            RELEASE,
            f"{server.connect}/kafka",
            java=str(find_java().path),
            class_path=Maven().class_path(KAFKA[RELEASE]),
            directory=Path(scratch),
            brokers=4,
        )
        log_as_kafka_does_by_default(cluster)
        try:
            night = live_through(cluster)
        finally:
            cluster.kill_all()
        for broker_id in (CONTROLLER, VICTIM, SURVIVOR):
            log = cluster.brokers[broker_id].state_change_log.read_text()
            keep(Path(directory) / f"broker-{broker_id}", without_ports(log, cluster), night)


def log_as_kafka_does_by_default(cluster: RealCluster) -> None:
    """State changes at INFO instead of the tests' TRACE."""
    for broker in cluster.brokers.values():
        log4j = broker.directory / "log4j.properties"
        settings = log4j.read_text()
        assert "TRACE, changes" in settings, settings
        log4j.write_text(settings.replace("TRACE, changes", "INFO, changes"))


def live_through(cluster: RealCluster) -> Night:
    """Start the cluster and produce the incident."""
    began = datetime.now()
    cluster.start(CONTROLLER)
    cluster.start(VICTIM, SURVIVOR)
    tools = Tools(cluster)
    keys = count(1)
    for topic, assignment in TOPICS.items():
        tools.topics("--create", "--topic", topic, "--replica-assignment", assignment)
    wait_until_led(cluster)
    sell(tools, keys)
    incident_began = datetime.now()
    cluster.kill(VICTIM)
    wait_until_dead(cluster, VICTIM)
    sell(tools, keys)
    cluster.kill(CONTROLLER)
    wait_until_dead(cluster, CONTROLLER)
    sell(tools, keys)
    time.sleep(OPERATOR_S)
    for broker_id in (CONTROLLER, VICTIM):
        cluster.start(broker_id)
        wait_until_back(cluster, broker_id)
    sell(tools, keys)
    elected = tools.elect_preferred(PARTITIONS)
    assert elected.exit_code == 0, elected
    sell(tools, keys)
    return Night(began, incident_began)


def sell(tools: Tools, keys: "count[int]") -> None:
    """Append some records to all partitions of `orders`, so that their offsets are not all 0."""
    tools.produce_with_keys("orders", *(f"{next(keys)}:sold" for _ in range(40)))


def without_ports(log: str, cluster: RealCluster) -> str:
    """*log* with a broker's name in place of its loopback address."""
    for broker_id, broker in cluster.brokers.items():
        log = log.replace(f"127.0.0.1:{broker.place.port}", f"kafka-{broker_id}:9092")
    return log


def keep(directory: Path, log: str, night: Night) -> None:
    """Write *log* into *directory*, rolled hourly as by log4j."""
    directory.mkdir(parents=True, exist_ok=True)
    later = (head for head in DATE.finditer(log) if written_at(head) >= night.incident_began)
    boundary = next((head.start() for head in later), len(log))
    quiet, incident = log[:boundary], log[boundary:]
    rolled = directory / f"state-change.log.{QUIET_AT:%Y-%m-%d-%H}"
    rolled.write_text(shifted(quiet, QUIET_AT - night.began))
    (directory / "state-change.log").write_text(
        shifted(incident, INCIDENT_AT - night.incident_began)
    )


def written_at(head: re.Match[str]) -> datetime:
    return datetime.strptime(head[1], DATE_FORMAT)


def shifted(log: str, by: timedelta) -> str:
    def moved(head: re.Match[str]) -> str:
        return f"[{(written_at(head) + by).strftime(DATE_FORMAT)[:-3]}]"

    return DATE.sub(moved, log)


if __name__ == "__main__":
    main(*sys.argv[1:])
