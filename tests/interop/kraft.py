"""Real brokers without ZooKeeper: a KRaft controller, and brokers of its quorum."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from kadmin.local.ports import free_ports
from tests.interop.broker_settings import COMMON, LOOPBACK, write_properties
from tests.interop.brokers import BROKER_JVM, BROKER_LOG4J, run_tool
from tests.interop.class_data import class_data_flags
from tests.interop.maven import Maven, needing_maven
from tests.interop.processes import JavaServer
from tests.interop.releases import KRAFT

CONTROLLER_ID: Final = 3000
LISTENER: Final = "CONTROLLER"
STARTED: Final = "Kafka Server started (kafka.server.KafkaRaftServer)"
CLUSTER_ID: Final = "4L6g3nShT-eMCtK--X86sw"

# Kafka 4 logs by log4j2.
LOG4J2: Final = """\
rootLogger.level=INFO
rootLogger.appenderRef.server.ref=server
appender.server.type=File
appender.server.name=server
appender.server.fileName=${sys:kafka.logs.dir}/server.log
appender.server.layout.type=PatternLayout
appender.server.layout.pattern=[%d] %p %m (%c)%n
"""


@dataclass(frozen=True, slots=True)
class Place:
    port: int


class Node:
    """A node of the quorum: its place, its directory, its process."""

    def __init__(
        self,
        port: int,
        properties: Mapping[str, str],
        *,
        java: str,
        class_path: str,
        directory: Path,
    ) -> None:
        self.place = Place(port)
        self.directory = directory
        logs = directory / "logs"
        logs.mkdir(parents=True)
        settings = directory / "server.properties"
        write_properties(settings, {**properties, "log.dirs": str(directory / "data")})
        for name, text in (("log4j", BROKER_LOG4J), ("log4j2", LOG4J2)):
            (directory / f"{name}.properties").write_text(text)
        command = [
            java,
            *BROKER_JVM,
            *class_data_flags(java, class_path),
            f"-Dkafka.logs.dir={logs}",
            f"-Dlog4j.configuration=file:{directory / 'log4j.properties'}",
            f"-Dlog4j2.configurationFile={directory / 'log4j2.properties'}",
            *("-cp", class_path),
            "kafka.Kafka",
            str(settings),
        ]
        self.server = JavaServer(command, directory=directory, log=logs / "server.log")
        run = run_tool(
            *(java, class_path, directory, "kafka.tools.StorageTool"),
            *("format", "--config", str(settings), f"--cluster-id={CLUSTER_ID}"),
        )
        assert run.exit_code == 0, run


class KRaftCluster:
    """Brokers 0 and 1 of one *release*, and a controller that is none."""

    def __init__(self, release: str, *, java: str, class_path: str, directory: Path) -> None:
        self.release, self.java, self.class_path = release, java, class_path
        ports = free_ports(3, LOOPBACK)
        common = {
            **COMMON,
            "controller.quorum.voters": f"{CONTROLLER_ID}@{LOOPBACK}:{ports[2]}",
            "controller.listener.names": LISTENER,
            "listener.security.protocol.map": f"{LISTENER}:PLAINTEXT,PLAINTEXT:PLAINTEXT",
            # So that there can be ACLs.
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": "User:ANONYMOUS",
        }

        def node(number: int, port: int, role: str, listener: str) -> Node:
            own = {
                "process.roles": role,
                "node.id": str(number),
                "listeners": f"{listener}://{LOOPBACK}:{port}",
            }
            return Node(
                port,
                {**common, **own},
                java=java,
                class_path=class_path,
                directory=directory / f"node-{number}",
            )

        self.controller = node(CONTROLLER_ID, ports[2], "controller", LISTENER)
        self.brokers: Mapping[int, Node] = MappingProxyType(
            {number: node(number, ports[number], "broker", "PLAINTEXT") for number in (0, 1)}
        )

    @property
    def bootstrap(self) -> str:
        return ",".join(f"{LOOPBACK}:{each.place.port}" for each in self.brokers.values())

    def start(self) -> None:
        """Start all, and return when they serve."""
        servers = [each.server for each in (self.controller, *self.brokers.values())]
        for server in servers:
            server.start()
        for server in servers:
            server.wait_for(STARTED)

    def kill_all(self) -> None:
        for node in (self.controller, *self.brokers.values()):
            node.server.kill()


@contextmanager
def kraft_cluster(
    release: str, *, java: str, maven: Maven, directory: Path
) -> Iterator[KRaftCluster]:
    """A cluster of *release* that serves."""
    with needing_maven():
        class_path = maven.class_path(KRAFT[release])
    cluster = KRaftCluster(release, java=java, class_path=class_path, directory=directory)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.kill_all()
