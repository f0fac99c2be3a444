"""How do real Kafka brokers of one release run over a ZooKeeper, with the release's own tools?

Knows the settings that small brokers on the loopback need, from 0.8.2 to 3.9; knows no kadmin.
"""

import random
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.interop.processes import JavaServer
from tests.interop.releases import version_tuple

STARTED: Final = "started (kafka.server.KafkaServer)"
SESSION_TIMEOUT_MS: Final = 6000
"""A killed broker's node is gone after this time."""

TOOL_TIMEOUT_S: Final = 90.0
BROKER_JVM: Final = ("-Xmx256m", "-Xms64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
TOOL_JVM: Final = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")

# One file for every release: an old broker ignores the keys that it does not know.
BROKER_SETTINGS: Final = {
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "2",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "2",
    "group.initial.rebalance.delay.ms": "0",
    "zookeeper.session.timeout.ms": str(SESSION_TIMEOUT_MS),
    "auto.create.topics.enable": "false",
    "delete.topic.enable": "true",
    "auto.leader.rebalance.enable": "false",
    "log.cleaner.dedupe.buffer.size": "8388608",
}

# The default since 0.11.  Where it is the default it stays unsaid: over the admin API a setting in
# server.properties counts as an override of every topic.
NO_UNCLEAN_ELECTION: Final = {"unclean.leader.election.enable": "false"}

# The line format of Kafka's own log files, which tools that read them rely on.
BROKER_LOG4J: Final = """\
log4j.rootLogger=INFO, server
log4j.appender.server=org.apache.log4j.FileAppender
log4j.appender.server.File=${kafka.logs.dir}/server.log
log4j.appender.server.layout=org.apache.log4j.PatternLayout
log4j.appender.server.layout.ConversionPattern=[%d] %p %m (%c)%n
log4j.logger.state.change.logger=TRACE, changes
log4j.additivity.state.change.logger=false
log4j.appender.changes=org.apache.log4j.FileAppender
log4j.appender.changes.File=${kafka.logs.dir}/state-change.log
log4j.appender.changes.layout=org.apache.log4j.PatternLayout
log4j.appender.changes.layout.ConversionPattern=[%d] %p %m (%c)%n
"""

TOOL_LOG4J: Final = """\
log4j.rootLogger=WARN, stderr
log4j.appender.stderr=org.apache.log4j.ConsoleAppender
log4j.appender.stderr.Target=System.err
log4j.appender.stderr.layout=org.apache.log4j.PatternLayout
log4j.appender.stderr.layout.ConversionPattern=[%d] %p %m (%c)%n
"""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """What a run of one of Kafka's own tools left."""

    exit_code: int
    stdout: str
    stderr: str


class Broker:
    """One broker: its id, its port, its place on the disk, its process."""

    def __init__(
        self,
        broker_id: int,
        directory: Path,
        settings: Mapping[str, str],
        java: str,
        class_path: str,
    ) -> None:
        self.broker_id = broker_id
        self.directory = directory
        self.port = free_port()
        self.state_change_log = directory / "logs" / "state-change.log"
        (directory / "logs").mkdir(parents=True)
        properties = {
            "broker.id": str(broker_id),
            "log.dirs": str(directory / "data"),
            # 0.8.2 knows the first two, later ones the third.
            "host.name": "127.0.0.1",
            "port": str(self.port),
            "listeners": f"PLAINTEXT://127.0.0.1:{self.port}",
            **settings,
        }
        write_properties(directory / "server.properties", properties)
        (directory / "log4j.properties").write_text(BROKER_LOG4J)
        command = [
            java,
            *BROKER_JVM,
            f"-Dkafka.logs.dir={directory / 'logs'}",
            f"-Dlog4j.configuration=file:{directory / 'log4j.properties'}",
            *("-cp", class_path),
            "kafka.Kafka",
            str(directory / "server.properties"),
        ]
        self.server = JavaServer(command, directory=directory, log=directory / "logs/server.log")


class RealCluster:
    """Brokers 0, 1, … of one *release* over *zookeeper_connect*, which has a chroot of their own.

    *racks* has one rack for each broker, or nothing for brokers without racks.
    """

    def __init__(
        self,
        release: str,
        zookeeper_connect: str,
        *,
        java: str,
        class_path: str,
        directory: Path,
        brokers: int = 3,
        racks: Sequence[str] = (),
    ) -> None:
        assert len(racks) in (0, brokers)
        self.release = release
        self.zookeeper_connect = zookeeper_connect
        self.java = java
        self.class_path = class_path
        self.directory = directory
        self.brokers = {
            broker_id: self.make_broker(broker_id, racks[broker_id] if racks else None)
            for broker_id in range(brokers)
        }
        (directory / "tools.log4j.properties").write_text(TOOL_LOG4J)

    def make_broker(self, broker_id: int, rack: str | None) -> Broker:
        settings = {**BROKER_SETTINGS, "zookeeper.connect": self.zookeeper_connect}
        if version_tuple(self.release) < (0, 11):
            settings |= NO_UNCLEAN_ELECTION
        if rack is not None:
            settings["broker.rack"] = rack
        directory = self.directory / f"broker-{broker_id}"
        return Broker(broker_id, directory, settings, self.java, self.class_path)

    @property
    def bootstrap(self) -> str:
        return ",".join(f"127.0.0.1:{broker.port}" for broker in self.brokers.values())

    @property
    def state_change_logs(self) -> list[Path]:
        return [broker.state_change_log for broker in self.brokers.values()]

    def start(self, *broker_ids: int) -> None:
        """Start *broker_ids*, or all, and return when they serve."""
        servers = [self.brokers[broker_id].server for broker_id in broker_ids or self.brokers]
        for server in servers:
            server.start()
        for server in servers:
            server.wait_for(STARTED)

    def kill(self, broker_id: int) -> None:
        """End a broker without a farewell; its node stays for `SESSION_TIMEOUT_MS`."""
        self.brokers[broker_id].server.kill()

    def stop(self, broker_id: int) -> None:
        """End a broker in order: it hands its leaderships over first."""
        self.brokers[broker_id].server.stop()

    def kill_all(self) -> None:
        for broker_id in self.brokers:
            self.kill(broker_id)

    def tool(
        self, main_class: str, *arguments: str, stdin: str = "", timeout_s: float = TOOL_TIMEOUT_S
    ) -> ToolRun:
        """Run one of the release's own tools to its end."""
        log4j = self.directory / "tools.log4j.properties"
        done = subprocess.run(
            [
                self.java,
                *TOOL_JVM,
                f"-Dlog4j.configuration=file:{log4j}",
                *("-cp", self.class_path),
                main_class,
                *arguments,
            ],
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout_s,
        )
        return ToolRun(done.returncode, done.stdout, done.stderr)


def write_properties(path: Path, properties: Mapping[str, str]) -> None:
    path.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))


def free_port() -> int:
    """A port of the loopback that nobody listens on, below those of outgoing connections.

    A broker that is started again finds its port free: no client can have taken it meanwhile.
    Not drawn from the seed that pytest-randomly gives to every test, else two fixtures would meet.
    """
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)
        with socket.socket() as candidate:
            candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                candidate.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
