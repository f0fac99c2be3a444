"""Addresses of the brokers of a cluster, as ZooKeeper knows them."""

from kadmin.admin.zookeeper.connection import Connection
from kadmin.admin.zookeeper.snapshot import read_brokers
from kadmin.errors import KadminError, UnreachableError


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
            f"no broker listens for {protocol}, only for {', '.join(sorted(offered))}",
            hint="--broker-tls and --broker-sasl choose the protocol; --bootstrap-server the"
            " brokers themselves",
        )
        self.protocol = protocol


def read_bootstrap(connection: Connection, protocol: str) -> str:
    """The addresses `host:port,…` of all live brokers that listen for *protocol*.

    Raises:
        NoBrokerAlive: none is registered.
        NoSuchListener: none listens for that.
    """
    # A registration that cannot be understood, or not be read, costs nothing: the others will do.
    brokers = connection.read(read_brokers())
    if not brokers:
        raise NoBrokerAlive(connection.settings.connect)
    endpoints = [endpoint for broker in brokers.values() for endpoint in broker.endpoints]
    found = [
        endpoint.address
        for endpoint in endpoints
        if endpoint.security_protocol == protocol and endpoint.host
    ]
    if not found:
        raise NoSuchListener(protocol, {endpoint.security_protocol for endpoint in endpoints})
    return ",".join(found)
