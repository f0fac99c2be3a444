"""Addresses of the brokers of a cluster, as ZooKeeper knows them."""

from kadmin.admin.zookeeper.cluster_id import read_cluster_id
from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.snapshot import read_brokers
from kadmin.errors import KadminError, RefusedError, UnreachableError


class NoBrokerAlive(UnreachableError):
    """ZooKeeper answers, and no broker is registered there."""

    def __init__(self, connect: str) -> None:
        super().__init__(
            f"no broker is alive: none is registered in ZooKeeper at {connect}",
            hint="check the chroot, and the brokers' own logs",
        )
        self.connect = connect


class NoSuchListener(KadminError):
    """Brokers are alive, and none listens as it is asked for."""

    def __init__(self, protocol: str, offered: set[str]) -> None:
        super().__init__(
            f"no broker listens for {protocol}"
            + (f", only for {', '.join(sorted(offered))}" if offered else ": none has an address"),
            hint="--broker-tls and --broker-sasl choose the protocol; --bootstrap-server the"
            " brokers themselves",
        )
        self.protocol = protocol


class OtherCluster(RefusedError):
    """The brokers that are named are of another cluster than the ZooKeeper."""

    def __init__(self, connect: str, bootstrap: str) -> None:
        super().__init__(
            f"the brokers at {bootstrap} are of another cluster than ZooKeeper at {connect};"
            " nothing was written",
            hint="without --bootstrap-server the brokers are asked that are registered there",
        )


def require_same_cluster(connection: Connection, cluster_id: str | None, bootstrap: str) -> None:
    """Raise OtherCluster if *cluster_id*, which the brokers at *bootstrap* return, is not that of
    ZooKeeper; clusters before 0.10.1 have none."""
    found = connection.read(read_cluster_id())
    if None not in (found, cluster_id) and found != cluster_id:
        raise OtherCluster(connection.settings.connect, bootstrap)


def read_bootstrap(connection: Connection, protocol: str) -> tuple[tuple[str, ...], ...]:
    """Return the addresses `host:port` where live brokers listen for *protocol*, broker by broker.

    Raises:
        NoBrokerAlive: none is registered.
        NoSuchListener: none listens for that.
    """
    # A registration that cannot be understood, or not be read, costs nothing: the others will do.
    brokers = connection.read(read_brokers())
    if not brokers:
        raise NoBrokerAlive(connection.settings.connect)
    found = tuple(
        addresses
        for broker in brokers.values()
        if (
            addresses := tuple(
                endpoint.address
                for endpoint in broker.endpoints
                if endpoint.security_protocol == protocol and endpoint.host and endpoint.port > 0
            )
        )
    )
    if not found:
        offered = {each.security_protocol for one in brokers.values() for each in one.endpoints}
        raise NoSuchListener(protocol, offered)
    return found
