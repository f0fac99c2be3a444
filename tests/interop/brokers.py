"""How do real Kafka brokers of one release run over a ZooKeeper, with the release's own tools?

Knows nothing of what the tools are asked.
"""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kadmin.local.ports import free_ports
from tests.interop.broker_settings import (
    LOOPBACK,
    BrokerPlace,
    server_properties,
    write_properties,
)
from tests.interop.class_data import class_data_flags, find_archive, keep
from tests.interop.processes import JavaServer
from tests.support.waiting import OUTER_LIMIT_S

CLASSES: Final = "classes.jsa"
STARTED: Final = "started (kafka.server.KafkaServer)"
BROKER_JVM: Final = ("-Xmx256m", "-Xms64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
TOOL_JVM: Final = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")

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


def tool_command(java: str, class_path: str, directory: Path, main_class: str) -> list[str]:
    """How one of Kafka's tools is run; how it logs is written into *directory*."""
    log4j = directory / "tools.log4j.properties"
    if not log4j.exists():
        log4j.write_text(TOOL_LOG4J)
    return [
        java,
        *TOOL_JVM,
        *class_data_flags(java, class_path),
        f"-Dlog4j.configuration=file:{log4j}",
        *("-cp", class_path),
        main_class,
    ]


def run_tool(
    java: str,
    class_path: str,
    directory: Path,
    main_class: str,
    *arguments: str,
    stdin: str = "",
    timeout_s: float = OUTER_LIMIT_S,
) -> ToolRun:
    """Run one of Kafka's tools to its end."""
    done = subprocess.run(
        [*tool_command(java, class_path, directory, main_class), *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )
    return ToolRun(done.returncode, done.stdout, done.stderr)


class Broker:
    """One broker: its id, its listeners, its place on the disk, its process.

    It writes the class-data archive of its release when it ends in order, if there is none.
    """

    def __init__(self, place: BrokerPlace, *, java: str, class_path: str) -> None:
        self.place = place
        self.java = java
        self.class_path = class_path
        self.directory = place.directory
        logs = place.directory / "logs"
        logs.mkdir(parents=True)
        self.state_change_log = logs / "state-change.log"
        write_properties(place.directory / "server.properties", server_properties(place))
        (place.directory / "log4j.properties").write_text(BROKER_LOG4J)
        command = [
            java,
            *BROKER_JVM,
            *class_data_flags(java, class_path, place.directory / CLASSES),
            f"-Dkafka.logs.dir={logs}",
            f"-Dlog4j.configuration=file:{place.directory / 'log4j.properties'}",
            *("-cp", class_path),
            "kafka.Kafka",
            str(place.directory / "server.properties"),
        ]
        self.server = JavaServer(command, directory=place.directory, log=logs / "server.log")

    def stop(self) -> None:
        """End it in order."""
        self.server.stop()
        keep(self.directory / CLASSES, self.java, self.class_path)


class RealCluster:
    """Brokers 0, 1, … of one *release* over *zookeeper_connect*, which has a chroot of their own.

    *racks* has one rack for each broker, or nothing for brokers without racks; *settings* are added
    to what small brokers need.
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
        settings: Mapping[str, str] | None = None,
    ) -> None:
        assert len(racks) in (0, brokers)
        self.release = release
        self.zookeeper_connect = zookeeper_connect
        self.java = java
        self.class_path = class_path
        self.directory = directory
        self.brokers: dict[int, Broker] = {}
        ports = free_ports(2 * brokers, LOOPBACK)
        for broker_id in range(brokers):
            place = BrokerPlace(
                release=release,
                broker_id=broker_id,
                directory=directory / f"broker-{broker_id}",
                zookeeper_connect=zookeeper_connect,
                port=ports[2 * broker_id],
                sasl_port=ports[2 * broker_id + 1],
                rack=racks[broker_id] if racks else None,
                settings=settings or {},
            )
            self.brokers[broker_id] = Broker(place, java=java, class_path=class_path)

    @property
    def bootstrap(self) -> str:
        return ",".join(map(self.bootstrap_of, self.brokers))

    def bootstrap_of(self, broker_id: int) -> str:
        return f"{LOOPBACK}:{self.brokers[broker_id].place.port}"

    @property
    def sasl_bootstrap(self) -> str:
        """The listeners that want a SCRAM password; since 2.0."""
        return ",".join(f"{LOOPBACK}:{broker.place.sasl_port}" for broker in self.brokers.values())

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
        """End a broker without a farewell; its node stays until the session times out."""
        self.brokers[broker_id].server.kill()

    def stop(self, broker_id: int) -> None:
        """End a broker in order: it hands its leaderships over first."""
        self.brokers[broker_id].stop()

    def leave_class_data(self) -> None:
        """Let a broker write the release's class-data archive if there is none; it ends for it."""
        if find_archive(self.java, self.class_path) is None:
            running = [one for one in self.brokers.values() if one.server.is_running]
            for broker in running[:1]:
                broker.stop()

    def kill_all(self) -> None:
        for broker_id in self.brokers:
            self.kill(broker_id)

    def tool(
        self, main_class: str, *arguments: str, stdin: str = "", timeout_s: float = OUTER_LIMIT_S
    ) -> ToolRun:
        """Run one of the release's own tools to its end."""
        return run_tool(
            self.java,
            self.class_path,
            self.directory,
            main_class,
            *arguments,
            stdin=stdin,
            timeout_s=timeout_s,
        )
