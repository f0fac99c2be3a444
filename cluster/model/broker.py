"""Broker registrations and endpoints."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from cluster.model.address import host_and_port
from cluster.model.ids import (
    NEVER_READ,
    UNKNOWN_BROKER_EPOCH,
    BrokerEpoch,
    BrokerId,
    TopicPartition,
    ZkVersion,
)

UNKNOWN_FORMAT: Final = -1

SECURITY_PROTOCOLS: Final = {0: "PLAINTEXT", 1: "SSL", 2: "SASL_PLAINTEXT", 3: "SASL_SSL"}
"""Kafka's numbers of security protocols in its messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """The address of a listener; *security_protocol* is Kafka's name, for example `SASL_SSL`.

    *host* is empty when the broker binds every interface and advertises none.
    """

    listener: str
    security_protocol: str
    host: str
    port: int

    @property
    def address(self) -> str:
        """Host and port, in the form for clients."""
        return host_and_port(self.host, self.port)

    def __str__(self) -> str:
        return f"{self.listener}://{self.address}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerRegistration:
    """The content of `/brokers/ids/<id>`.

    *version* is the registration's format, 1 (0.8) to 5 (2.7 and later), or `UNKNOWN_FORMAT` for a
    broker that was read over the wire.  *host* and *port* are those of the PLAINTEXT endpoint, None
    and -1 without one.  *broker_epoch* is `UNKNOWN_BROKER_EPOCH` when the registration was not read
    from a znode.

    *intact_since* is our own: the broker epoch of the earliest registration since which this broker
    has lost nothing, because it shut down cleanly each time, or was killed and its machine went on;
    `UNKNOWN_BROKER_EPOCH` for a broker that may have lost records before this registration, and
    None for one that does not register it, as Kafka's.  A loss stays in the registration until a
    controller has taken it into account, whatever registrations follow: see `has_open_loss`.
    *flushed_since* is the same of what was flushed, which a machine that stops does not lose.  So
    are *cleanup_policies*, those that the broker supports, empty for one that supports all, as
    Kafka's; and *refused*, the partitions that it should serve and does not, each with its reason.
    """

    broker_id: BrokerId
    endpoints: tuple[Endpoint, ...]
    version: int
    host: str | None = None
    port: int = -1
    rack: str | None = None
    jmx_port: int = -1
    timestamp_ms: int | None = None
    features: Mapping[str, object] = field(default_factory=dict)
    broker_epoch: BrokerEpoch = UNKNOWN_BROKER_EPOCH
    zk_version: ZkVersion = NEVER_READ
    intact_since: BrokerEpoch | None = None
    flushed_since: BrokerEpoch | None = None
    cleanup_policies: tuple[str, ...] = ()
    refused: Mapping[TopicPartition, str] = field(default_factory=dict)
    extra: Mapping[str, object] = field(default_factory=dict)

    @property
    def is_reachable(self) -> bool:
        """Whether the registration has the address of any listener."""
        return any(endpoint.host and endpoint.port > 0 for endpoint in self.endpoints)

    def is_intact_since(self, zxid: int) -> bool:
        """Whether the broker still has everything that it had at the transaction *zxid*."""
        return _is_since(self.intact_since, zxid)

    def has_flushed_since(self, zxid: int) -> bool:
        """Whether the broker still has everything that it had flushed at the transaction *zxid*, as
        far as it registers anything of that.
        """
        return self.intact_since is None or _is_since(self.flushed_since, zxid)

    def has_lost_since(self, zxid: int) -> bool:
        """Whether the broker registers that it may have lost records that it had at *zxid*."""
        return self.intact_since is not None and not self.is_intact_since(zxid)

    @property
    def has_open_loss(self) -> bool:
        """Whether the broker may have lost records, and no controller has shown yet that it knows:
        the broker may be in ISRs for what it no longer has, whenever their states were written.
        """
        since = self.intact_since
        # Another ZooKeeper, which the logs come from, may have counted further.
        return since is not None and not UNKNOWN_BROKER_EPOCH < since <= self.broker_epoch

    def serves_policy(self, policies: Iterable[str]) -> bool:
        """Whether the broker serves topics with these cleanup *policies*."""
        return not self.cleanup_policies or set(policies) <= set(self.cleanup_policies)


def _is_since(since: BrokerEpoch | None, zxid: int) -> bool:
    return since is not None and UNKNOWN_BROKER_EPOCH < since <= zxid
