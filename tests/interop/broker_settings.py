"""What stands in the server.properties of a small broker on the loopback, from 0.8.2 to 3.9?"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.interop.releases import version_tuple

LOOPBACK: Final = "127.0.0.1"

# One set for every release: an old broker ignores the keys that it does not know.
COMMON: Final = {
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "2",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "2",
    "group.initial.rebalance.delay.ms": "0",
    # So long that no live broker loses its session on a busy machine; no test waits for its end.
    "zookeeper.session.timeout.ms": "18000",
    "auto.create.topics.enable": "false",
    "delete.topic.enable": "true",
    "auto.leader.rebalance.enable": "false",
    "log.cleaner.dedupe.buffer.size": "8388608",
    # What passwords among dynamic configs are encrypted with.
    "password.encoder.secret": "open sesame",
}

# The default since 0.11.  Where it is the default it stays unsaid: over the admin API a setting in
# server.properties counts as an override of every topic.
NO_UNCLEAN_ELECTION: Final = {"unclean.leader.election.enable": "false"}

SCRAM_LOGIN: Final = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
OAUTH_LOGIN: Final = "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;"
SASL: Final = {
    "sasl.enabled.mechanisms": "SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER",
    # Without a handler, brokers take tokens that nobody has signed.
    "listener.name.sasl_plaintext.oauthbearer.sasl.jaas.config": OAUTH_LOGIN,
    "listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config": SCRAM_LOGIN,
    "listener.name.sasl_plaintext.scram-sha-512.sasl.jaas.config": SCRAM_LOGIN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerPlace:
    """Which broker it is, and where it keeps its files, listens and stands."""

    release: str
    broker_id: int
    directory: Path
    zookeeper_connect: str
    port: int
    sasl_port: int
    rack: str | None
    settings: Mapping[str, str]
    """What it is told beyond what all are told."""


def server_properties(place: BrokerPlace) -> dict[str, str]:
    version = version_tuple(place.release)
    properties = {
        **COMMON,
        "broker.id": str(place.broker_id),
        "log.dirs": str(place.directory / "data"),
        "zookeeper.connect": place.zookeeper_connect,
        # 0.8.2 knows the first two, later ones the third.
        "host.name": LOOPBACK,
        "port": str(place.port),
        "listeners": f"PLAINTEXT://{LOOPBACK}:{place.port}",
    }
    if place.rack is not None:
        properties["broker.rack"] = place.rack
    if version < (0, 11):
        properties |= NO_UNCLEAN_ELECTION
    if version >= (2, 0):
        properties |= SASL
        properties["listeners"] += f",SASL_PLAINTEXT://{LOOPBACK}:{place.sasl_port}"
    return {**properties, **place.settings}


def write_properties(path: Path, properties: Mapping[str, str]) -> None:
    path.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
