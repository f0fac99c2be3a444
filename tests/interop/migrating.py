"""A real cluster that leaves ZooKeeper: its brokers in migration mode, and a KRaft controller."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kadmin.local.ports import free_ports
from tests.interop.broker_settings import LOOPBACK, write_properties
from tests.interop.brokers import BROKER_JVM, BROKER_LOG4J, RealCluster, run_tool
from tests.interop.class_data import class_data_flags
from tests.interop.processes import JavaServer
from tests.support.zookeeper import client_of

CONTROLLER_ID: Final = 3000
LISTENER: Final = "CONTROLLER"

DUAL_WRITE: Final = "transitioning from KRAFT_CONTROLLER_TO_BROKER_COMM to DUAL_WRITE"
COMPLETED: Final = "Completed migration of metadata from ZooKeeper to KRaft"


def quorum_settings(port: int) -> dict[str, str]:
    """Return what brokers and the controller need to find the quorum at *port*."""
    return {
        "zookeeper.metadata.migration.enable": "true",
        "controller.quorum.voters": f"{CONTROLLER_ID}@{LOOPBACK}:{port}",
        "controller.listener.names": LISTENER,
        "listener.security.protocol.map": (
            f"{LISTENER}:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT"
        ),
    }


class MigrationController:
    """The only controller of a quorum, which takes over the cluster of *zookeeper_connect*."""

    def __init__(
        self,
        port: int,
        zookeeper_connect: str,
        *,
        java: str,
        class_path: str,
        directory: Path,
        settings: Mapping[str, str],
    ) -> None:
        logs = directory / "logs"
        logs.mkdir(parents=True)
        self.address = f"{LOOPBACK}:{port}"
        self.java, self.class_path, self.directory = java, class_path, directory
        self.zookeeper_connect = zookeeper_connect
        self.properties = directory / "controller.properties"
        write_properties(
            self.properties,
            {
                **quorum_settings(port),
                "process.roles": "controller",
                "node.id": str(CONTROLLER_ID),
                "listeners": f"{LISTENER}://{LOOPBACK}:{port}",
                "inter.broker.listener.name": "PLAINTEXT",
                "log.dirs": str(directory / "data"),
                "zookeeper.connect": zookeeper_connect,
                "password.encoder.secret": "open sesame",
                **settings,
            },
        )
        # What the migration driver does is only in the log from DEBUG on.
        (directory / "log4j.properties").write_text(
            BROKER_LOG4J + "log4j.logger.org.apache.kafka.metadata.migration=DEBUG\n"
        )
        command = [
            java,
            *BROKER_JVM,
            *class_data_flags(java, class_path),
            f"-Dkafka.logs.dir={logs}",
            f"-Dlog4j.configuration=file:{directory / 'log4j.properties'}",
            *("-cp", class_path),
            "kafka.Kafka",
            str(self.properties),
        ]
        self.server = JavaServer(command, directory=directory, log=logs / "server.log")

    def format(self) -> None:
        """Format its directory with the id of the cluster, which may begin with a hyphen."""
        with client_of(self.zookeeper_connect) as client:
            cluster_id = json.loads(client.get("/cluster/id")[0])["id"]
        run = run_tool(
            self.java,
            self.class_path,
            self.directory,
            "kafka.tools.StorageTool",
            *("format", "--config", str(self.properties), f"--cluster-id={cluster_id}"),
        )
        assert run.exit_code == 0, run

    @property
    def log(self) -> str:
        log = self.server.log
        return log.read_text(errors="replace") if log.exists() else ""

    def migrated(self) -> dict[str, int]:
        """Return how many records of each type its log says that it has written."""
        line = next(line for line in self.log.splitlines() if COMPLETED in line)
        found = re.search(r"record types were \{(.*?)\}", line)
        assert found is not None, line
        pairs = (pair.split("=") for pair in found[1].split(", ") if pair)
        return {name: int(count) for name, count in pairs}


class Migration:
    """Brokers 0, 1, … of Kafka 3.9 over ZooKeeper, ready to migrate, and their controller to be."""

    def __init__(
        self,
        zookeeper_connect: str,
        *,
        java: str,
        class_path: str,
        directory: Path,
        brokers: int = 1,
        settings: Mapping[str, str] | None = None,
        controller_settings: Mapping[str, str] | None = None,
    ) -> None:
        (port,) = free_ports(1, LOOPBACK)
        self.connect = zookeeper_connect
        self.cluster = RealCluster(
            "3.9.1",
            zookeeper_connect,
            java=java,
            class_path=class_path,
            directory=directory,
            brokers=brokers,
            settings={**quorum_settings(port), **(settings or {})},
        )
        self.controller = MigrationController(
            port,
            zookeeper_connect,
            java=java,
            class_path=class_path,
            directory=directory / "controller",
            settings=controller_settings or {},
        )

    def kill(self) -> None:
        self.controller.server.kill()
        self.cluster.kill_all()
