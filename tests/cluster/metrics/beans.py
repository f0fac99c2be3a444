"""Beans of each kind, and a registry with some metrics of them, for tests of their forms."""

from random import Random
from typing import Final

from cluster.metrics.beans import Bean, Kind
from cluster.metrics.registry import MetricsRegistry
from tests.cluster.metrics.ticking import Ticking

MS: Final = 1_000_000

LEADERS: Final = Bean(
    domain="kafka.server",
    type="ReplicaManager",
    name="LeaderCount",
    kind=Kind.GAUGE,
    meaning="Partitions that this broker leads.",
)
CLUSTER_ID: Final = Bean(
    domain="kafka.server",
    type="KafkaServer",
    name="ClusterId",
    kind=Kind.GAUGE,
    meaning="The cluster's id.",
)
LOG_SIZE: Final = Bean(
    domain="kafka.log",
    type="Log",
    name="Size",
    tags=("topic", "partition"),
    kind=Kind.GAUGE,
    meaning='Bytes of a log: "all" \\ of them.',
)
BYTES_IN: Final = Bean(
    domain="kafka.server",
    type="BrokerTopicMetrics",
    name="BytesInPerSec",
    kind=Kind.METER,
    meaning="Bytes that producers sent.",
)
BYTES_IN_BY_TOPIC: Final = Bean(
    domain="kafka.server",
    type="BrokerTopicMetrics",
    name="BytesInPerSec",
    tags=("topic",),
    kind=Kind.METER,
    meaning="Bytes that producers sent.",
)
IDLE: Final = Bean(
    domain="kafka.server",
    type="KafkaRequestHandlerPool",
    name="RequestHandlerAvgIdlePercent",
    kind=Kind.METER,
    meaning="The share of time in which there was nothing to do.",
)
NETWORK_IDLE: Final = Bean(
    domain="kafka.network",
    type="SocketServer",
    name="NetworkProcessorAvgIdlePercent",
    kind=Kind.GAUGE,
    meaning="The share of time in which there was nothing to do.",
)
TOTAL_TIME: Final = Bean(
    domain="kafka.network",
    type="RequestMetrics",
    name="TotalTimeMs",
    tags=("request",),
    kind=Kind.HISTOGRAM,
    meaning="How long requests took.",
)
ELECTIONS: Final = Bean(
    domain="kafka.controller",
    type="ControllerStats",
    name="LeaderElectionRateAndTimeMs",
    kind=Kind.TIMER,
    meaning="How long elections took.",
)
CONNECTIONS: Final = Bean(
    domain="kafka.server",
    type="socket-server-metrics",
    name="",
    tags=("listener", "networkProcessor"),
    kind=Kind.ATTRIBUTES,
    meaning="Connections of clients.",
)


def registry_with_all_kinds() -> MetricsRegistry:
    clock = Ticking()
    registry = MetricsRegistry(monotonic_ns=clock, random=Random(7).random)
    registry.gauge(LEADERS, lambda: 3)
    registry.gauge(CLUSTER_ID, lambda: "abc")
    registry.gauges(
        LOG_SIZE,
        lambda: ((("orders", "0"), 1024), (('a"b\\c', "1"), 0)),
    )
    registry.gauge(NETWORK_IDLE, lambda: 0.75)
    registry.gauges(
        CONNECTIONS,
        lambda: (
            (
                ("PLAINTEXT", "0"),
                {"connection-count": 2, "connection-creation-total": 5, "name": "text"},
            ),
        ),
    )
    registry.meters(BYTES_IN).of().mark(300)
    registry.meters(BYTES_IN_BY_TOPIC).of("orders").mark(200)
    registry.meters(IDLE).of().mark(4)
    times = registry.histograms(TOTAL_TIME, unit=MS).of("Produce")
    for milliseconds in range(1, 11):
        times.update(milliseconds * MS)
    registry.timers(ELECTIONS).of().update(5 * MS)
    clock.now_ns += 10_000_000_000
    return registry
