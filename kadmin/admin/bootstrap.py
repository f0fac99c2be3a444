"""At which addresses do the brokers of a cluster listen, as ZooKeeper knows it?"""

from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.errors import CorruptZnodeError
from cluster.zk import paths
from cluster.zk.brokers import decode_broker
from kadmin.admin.connection import Connection
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
    brokers = live_brokers(connection)
    if not brokers:
        raise NoBrokerAlive(connection.settings.connect)
    endpoints = [endpoint for broker in brokers for endpoint in broker.endpoints]
    found = [
        address(endpoint)
        for endpoint in endpoints
        if endpoint.security_protocol == protocol and endpoint.host
    ]
    if not found:
        raise NoSuchListener(protocol, {endpoint.security_protocol for endpoint in endpoints})
    return ",".join(found)


def live_brokers(connection: Connection) -> list[BrokerRegistration]:
    """The registrations that can be understood, in the order of their names."""
    names = connection.children([paths.BROKER_IDS])[0] or ()
    brokers = []
    for node in connection.read([f"{paths.BROKER_IDS}/{name}" for name in names], []):
        if node is None:
            continue
        try:
            brokers.append(decode_broker(node))
        except CorruptZnodeError:
            continue  # The others will do.
    return brokers


def address(endpoint: Endpoint) -> str:
    host = f"[{endpoint.host}]" if ":" in endpoint.host else endpoint.host
    return f"{host}:{endpoint.port}"
