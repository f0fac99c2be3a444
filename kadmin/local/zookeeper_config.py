"""The configuration of a ZooKeeper on this machine, and the flags of its JVM.

Durable as the default is (every write is synced); waits are short, since all peers are near.
Writes no file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kadmin.local.addresses import LOOPBACK, host_and_port

MAIN_CLASS: Final = "org.apache.zookeeper.server.quorum.QuorumPeerMain"

JVM_FLAGS: Final = (
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xmx512m",
    "-Xss512k",
    "-XX:-UsePerfData",
    # A server without memory answers some requests and not others; a dead one is noticed.
    "-XX:+ExitOnOutOfMemoryError",
    # Doubts about a class-data archive are no news: the JVM then does without it.
    "-Xlog:disable",
    "-Xlog:all=error:stderr",
    "-Dlog4j2.loggerContextFactory=org.apache.logging.log4j.simple.SimpleLoggerContextFactory",
    "-Dorg.apache.logging.log4j.simplelog.level=INFO",
    "-Dorg.apache.logging.log4j.simplelog.showdatetime=true",
    # It notes every four-letter word, and we ask one until the server serves.
    "-Dorg.apache.logging.log4j.simplelog.org.apache.zookeeper.server.NIOServerCnxn.level=WARN",
    "-Dzookeeper.jmx.log4j.disable=true",
    # A member of an ensemble asks for the JVM's TLS defaults even when it uses no TLS, and the
    # JVM then reads the certificates of all the world's authorities: 10 % of the start.
    "-Djavax.net.ssl.trustStore=NONE",
    # The members of an ensemble start within a second; each tries again to reach the others after
    # such a pause, doubled each time.  ZooKeeper's own pauses are from 0.2 s to 60 s.
    "-Dzookeeper.fastleader.minNotificationInterval=50",
    "-Dzookeeper.fastleader.maxNotificationInterval=2000",
)

COMMON_CONFIG: Final = {
    "dataDir": "./data",
    "tickTime": "1000",
    "initLimit": "10",
    "syncLimit": "5",
    # Sessions as short and as long as anybody's test or broker asks for.
    "minSessionTimeout": "1000",
    "maxSessionTimeout": "60000",
    "maxClientCnxns": "0",
    "admin.enableServer": "false",
    "4lw.commands.whitelist": "srvr,ruok,mntr,conf,dump,cons,wchc",
    "autopurge.snapRetainCount": "3",
    "autopurge.purgeInterval": "1",
}

KEYS_NOT_BY_HAND: Final = {
    "dataDir": "the data is in the cluster's directory",
    "dataLogDir": "the data is in the cluster's directory",
    "clientPort": "the cluster looks for its ZooKeeper on the port that it chose",
    "clientPortAddress": "give --bind to a new cluster",
    "server.": "the members of the ensemble are the cluster's",
    "dynamicConfigFile": "the members of the ensemble are the cluster's",
}
"""What one ZooKeeper's file cannot say otherwise, and why; one that ends in a dot stands for all
that begin so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One server of an ensemble and the three ports it listens on."""

    id: int
    port: int
    quorum_port: int
    election_port: int


def config_text(
    address: str, port: int, members: Sequence[Member], extra: Mapping[str, str]
) -> str:
    """Return the text of zoo.cfg; *extra* adds keys or replaces what would stand there.

    Paths are relative, since the server runs in its own directory: so none needs escaping.
    """
    config = dict(COMMON_CONFIG)
    if not members:
        config |= {"clientPortAddress": address, "clientPort": str(port)}
    for member in members:
        peers = f"{LOOPBACK}:{member.quorum_port}:{member.election_port}"
        config[f"server.{member.id}"] = f"{peers};{host_and_port(address, member.port)}"
    config.update(extra)
    return "".join(f"{key}={value}\n" for key, value in config.items())
