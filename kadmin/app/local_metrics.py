"""Endpoints of metrics of a cluster of this machine, from files that its brokers write.

No server is asked.
"""

from cluster.model.metrics_endpoints import (
    FILE_NAME,
    MetricsEndpoints,
    decode_metrics_endpoints,
)
from kadmin.admin.metrics.endpoints import Endpoint, Protocol
from kadmin.errors import KadminError
from kadmin.local.clusters import status
from kadmin.local.status import BrokerStatus, is_running


def local_endpoints(name: str) -> list[Endpoint]:
    """Return the endpoints of the cluster *name*, of each running broker one.

    Raises:
        KadminError: no broker has one.
        NoSuchCluster, BrokenState.
    """
    found = [
        endpoint for broker in status(name).brokers if (endpoint := endpoint_of(broker)) is not None
    ]
    if not found:
        raise KadminError(
            f"no broker of '{name}' serves metrics",
            hint="start it with them: kadmin cluster up"
            f" --name {name} --set kafka.metrics.reporters=prometheus"
            " (or give --prometheus-url, --jolokia-url)",
        )
    return found


def serves_metrics(name: str, zookeeper: str) -> bool:
    """Return whether *name* is a cluster of this machine, with the ZooKeeper *zookeeper*, of which
    a broker has an endpoint now."""
    try:
        found = status(name)
    except KadminError:
        return False
    is_meant = zookeeper.startswith(found.zookeeper_connect)
    return is_meant and any(endpoint_of(broker) is not None for broker in found.brokers)


def endpoint_of(broker: BrokerStatus) -> Endpoint | None:
    """Return the endpoint of *broker*: of several the one for Prometheus."""
    urls = metrics_urls(broker)
    for protocol in Protocol:
        if protocol in urls:
            return Endpoint(name=str(broker.id), url=urls[protocol], protocol=protocol)
    return None


def metrics_url(broker: BrokerStatus) -> str | None:
    """Return the URL of the endpoint of *broker*."""
    endpoint = endpoint_of(broker)
    return None if endpoint is None else endpoint.url


def metrics_urls(broker: BrokerStatus) -> dict[str, str]:
    """Return the URLs that the running process of *broker* has written; none otherwise.

    A file of an earlier process stays until the next one writes its own.
    """
    try:
        found = decode_metrics_endpoints((broker.logs_directory / FILE_NAME).read_bytes())
    except OSError:
        found = None
    is_its_own = isinstance(found, MetricsEndpoints) and found.pid == broker.pid
    return dict(found.urls) if found and is_its_own and is_running(broker.state) else {}
