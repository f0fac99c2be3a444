"""The server.properties of a broker on this machine.

Kafka's own keys and defaults, but for waits, which are short since all peers are near.  Writes no
file, and leaves it to the broker to judge values.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kadmin.errors import UsageError
from kadmin.local.addresses import host_and_port

CONNECTION_TIMEOUT_MS: Final = 30_000
"""Brokers are started beside the ZooKeepers that they then wait for."""

COMMON_CONFIG: Final = {
    # A broker that was killed is noticed in a third of Kafka's time.
    "zookeeper.session.timeout.ms": "6000",
    "zookeeper.connection.timeout.ms": str(CONNECTION_TIMEOUT_MS),
    # When all brokers stop at the same time, no other broker takes the leaderships of the last one,
    # which tries as often as Kafka does; by Kafka's pauses that takes 15 s.
    "controlled.shutdown.retry.backoff.ms": "500",
}

OWN_KEYS: Final = {
    "broker.id": "the brokers of a cluster are numbered from 1",
    "broker.rack": "give --racks",
    "listeners": "give --bind for the address; each broker keeps a port of its own",
    "advertised.listeners": "it would be the same for all brokers",
    "zookeeper.connect": "it is that of the cluster's own ZooKeepers",
    "log.dir": "the data is in the cluster's directory, see --dir",
    "log.dirs": "the data is in the cluster's directory, see --dir",
    "kafka.logs.dir": "the logs are in the cluster's directory, see --dir",
}
"""What the cluster decides itself, each with the reason or the way to have it otherwise."""

KEYS_NOT_BY_HAND: Final = {
    "broker.id": "the cluster knows its brokers by their ids",
    "listeners": "the cluster looks for its broker on the port that it chose",
    "zookeeper.connect": "it is that of the cluster's own ZooKeepers",
    "log.dir": "the data is in the cluster's directory",
    "log.dirs": "the data is in the cluster's directory",
    "kafka.logs.dir": "the logs are in the cluster's directory",
}
"""What one broker's file cannot say otherwise, and why."""

LOGS_DIRECTORY: Final = "logs"
DATA_DIRECTORY: Final = "data"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerMember:
    """One broker of a cluster.

    One that *is_joining* was begun to be added by a command that has not seen it serve yet.
    """

    id: int
    port: int
    rack: str | None = None
    is_joining: bool = False


def parse_settings(words: Iterable[str]) -> dict[str, str]:
    """Return the keys and values of *words*, each `key=value`; of a key given twice the last
    counts.

    Raises:
        UsageError: one has another form, or a key whose value the cluster decides.
    """
    settings = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or re.fullmatch(r"[A-Za-z0-9._-]+", key) is None:
            raise UsageError(
                f"--set {word}: it is not KEY=VALUE", hint="for example --set num.partitions=6"
            )
        if key in OWN_KEYS:
            raise UsageError(f"--set {key}: this key cannot be set", hint=OWN_KEYS[key])
        settings[key] = value
    return settings


def parse_racks(text: str) -> tuple[str, ...]:
    """Return the racks of `a,b,c`.

    Raises:
        UsageError: one is empty, or has blanks around it.
    """
    racks = tuple(text.split(","))
    if any(not rack or rack != rack.strip() for rack in racks):
        raise UsageError(f"--racks {text}: it is not RACK[,RACK…]", hint="for example --racks a,b")
    return racks


def properties_text(
    member: BrokerMember, address: str, zookeeper_connect: str, settings: Mapping[str, str]
) -> str:
    """Return the text of server.properties; *settings* add keys or replace those of
    `COMMON_CONFIG`.

    Paths are relative, since the broker runs in its own directory: a comma in one would be two.
    """
    import javaproperties

    config = {
        "broker.id": str(member.id),
        **({"broker.rack": member.rack} if member.rack is not None else {}),
        "listeners": f"PLAINTEXT://{host_and_port(address, member.port)}",
        "zookeeper.connect": zookeeper_connect,
        "log.dirs": DATA_DIRECTORY,
        "kafka.logs.dir": LOGS_DIRECTORY,
        **COMMON_CONFIG,
        **settings,
    }
    return "".join(
        javaproperties.join_key_value(key, value) + "\n" for key, value in config.items()
    )
