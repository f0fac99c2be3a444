"""Views: values of `kadmin.local` as `kadmin.render` shows them.

The two do not know each other.
"""

from typing import TYPE_CHECKING

from kadmin.app.local_metrics import metrics_url
from kadmin.render.cluster.clusters import BrokerView, ClusterView, ServerView

if TYPE_CHECKING:
    from kadmin.local.status import ClusterStatus


def view(found: "ClusterStatus") -> ClusterView:
    return ClusterView(
        name=found.name,
        zookeeper_connect=found.zookeeper_connect,
        directory=str(found.directory),
        state=found.state.value,
        servers=tuple(
            ServerView(
                id=server.id,
                pid=server.pid,
                port=server.port,
                state=server.state.value,
                mode=server.mode,
            )
            for server in found.servers
        ),
        bootstrap_servers=found.bootstrap_servers,
        brokers=tuple(
            BrokerView(
                id=broker.id,
                pid=broker.pid,
                port=broker.port,
                state=broker.state.value,
                rack=broker.rack,
                metrics_url=metrics_url(broker),
            )
            for broker in found.brokers
        ),
        problem=found.problem,
    )
