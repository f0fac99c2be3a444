"""Beans of requests and of the sockets on which they arrive."""

from typing import Final

from cluster.metrics.beans import BeanType

REQUEST_METRICS: Final = BeanType("kafka.network", "RequestMetrics")
_REQUEST: Final = ("request",)
_FRACTIONS: Final = "Kafka rounds to whole milliseconds; here they have fractions."

REQUESTS: Final = REQUEST_METRICS.meter(
    "RequestsPerSec",
    "Requests that were answered.  Fetches are counted as Fetch and as FetchConsumer or"
    " FetchFollower.",
    tags=("request", "version"),
)
ERRORS: Final = REQUEST_METRICS.meter(
    "ErrorsPerSec",
    "Error codes of answers, of topics and partitions in them as well; the error NONE is success.",
    tags=("request", "error"),
    differs="What closes the connection instead of an answer does not count.",
)
REQUEST_BYTES: Final = REQUEST_METRICS.histogram(
    "RequestBytes", "Sizes of requests.", tags=_REQUEST
)
QUEUE_TIME: Final = REQUEST_METRICS.histogram(
    "RequestQueueTimeMs",
    "How long requests waited before they were handled.",
    tags=_REQUEST,
    differs="There is no queue between threads: they wait for those that were sent before them on"
    f" the same connection.  {_FRACTIONS}",
)
LOCAL_TIME: Final = REQUEST_METRICS.histogram(
    "LocalTimeMs", "How long requests were handled.", tags=_REQUEST, differs=_FRACTIONS
)
REMOTE_TIME: Final = REQUEST_METRICS.histogram(
    "RemoteTimeMs",
    "How long requests waited for followers, records, disks or ZooKeeper.",
    tags=_REQUEST,
    differs=_FRACTIONS,
)
TOTAL_TIME: Final = REQUEST_METRICS.histogram(
    "TotalTimeMs",
    "How long it took from the arrival of requests to their answers.",
    tags=_REQUEST,
    differs=f"Without the time in which clients receive the answers.  {_FRACTIONS}",
)
SEND_TIME: Final = REQUEST_METRICS.histogram(
    "ResponseSendTimeMs",
    "How long clients took to receive answers.",
    tags=_REQUEST,
    differs="Only of answers that the client's socket did not take at once; all others took no"
    f" time.  {_FRACTIONS}",
)

PROCESSOR: Final = BeanType("kafka.network", "Processor").gauge(
    "IdlePercent",
    "The share of the time, from 0 to 1, in which the event loop had nothing to do, in the last"
    " minute.",
    tags=("networkProcessor",),
    differs="There is one processor, the event loop, which handles requests as well.",
)
SOCKET_SERVER: Final = BeanType("kafka.network", "SocketServer")
PROCESSOR_IDLE: Final = SOCKET_SERVER.gauge(
    "NetworkProcessorAvgIdlePercent",
    "The share of the time, from 0 to 1, in which the event loop had nothing to do, in the last"
    " minute.",
    differs="There is one processor, the event loop, which handles requests as well.",
)
MEMORY_AVAILABLE: Final = SOCKET_SERVER.gauge(
    "MemoryPoolAvailable",
    "How many more bytes requests may have that are being received, by"
    " `queued.max.request.bytes`; 9223372036854775807 without a limit.",
)
MEMORY_USED: Final = SOCKET_SERVER.gauge(
    "MemoryPoolUsed", "The bytes of requests that are being received, or wait for a thread."
)
EXPIRED_CONNECTIONS: Final = SOCKET_SERVER.gauge(
    "ExpiredConnectionsKilledCount",
    "Connections that were closed since nothing moved on them for `connections.max.idle.ms`.",
)
REQUEST_QUEUE_SIZE: Final = BeanType("kafka.network", "RequestChannel").gauge(
    "RequestQueueSize",
    "Requests that are being handled in turns with others.",
    differs="There is no queue between threads; usual requests are handled as they are received.",
)

SOCKET_SERVER_METRICS: Final = BeanType("kafka.server", "socket-server-metrics").attributes(
    "Connections of a listener: `connection-count`, `connection-creation-total`,"
    " `connection-close-total`, and `connection-creation-rate` and `connection-close-rate`, by the"
    " second.",
    tags=("listener", "networkProcessor"),
    differs="Rates are over the last minute (Kafka: 30 s).",
)
