"""How does a ZooKeeper server of any release run beside the tests, as its clusters have it?"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kadmin.local.ports import free_ports
from tests.interop.broker_settings import LOOPBACK, write_properties
from tests.interop.processes import JavaServer

LOG4J: Final = """\
log4j.rootLogger=INFO, server
log4j.appender.server=org.apache.log4j.FileAppender
log4j.appender.server.File=${kadmin.logs.dir}/server.log
log4j.appender.server.layout=org.apache.log4j.PatternLayout
log4j.appender.server.layout.ConversionPattern=[%d] %p %m (%c)%n
"""


class OldZooKeeper:
    """One standalone server in *directory*; *connect* is where it listens once started.

    *settings* of its zoo.cfg win over those that it has here.
    """

    def __init__(
        self,
        *,
        java: str,
        class_path: str,
        directory: Path,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        (port,) = free_ports(1, LOOPBACK)
        self.connect = f"{LOOPBACK}:{port}"
        configured = {
            "tickTime": "2000",
            "dataDir": str(directory / "data"),
            "clientPort": str(port),
            "clientPortAddress": LOOPBACK,
            "maxClientCnxns": "0",
            "admin.enableServer": "false",
            **(settings or {}),
        }
        write_properties(directory / "zoo.cfg", configured)
        (directory / "log4j.properties").write_text(LOG4J)
        command = [
            java,
            "-Xmx256m",
            "-XX:+UseSerialGC",
            f"-Dkadmin.logs.dir={directory}",
            f"-Dlog4j.configuration=file:{directory / 'log4j.properties'}",
            "-Dzookeeper.jmx.log4j.disable=true",
            *("-cp", class_path),
            "org.apache.zookeeper.server.ZooKeeperServerMain",
            str(directory / "zoo.cfg"),
        ]
        self.server = JavaServer(command, directory=directory, log=directory / "server.log")

    def start(self) -> None:
        self.server.start()
        self.server.wait_for("binding to port")

    def kill(self) -> None:
        self.server.kill()
