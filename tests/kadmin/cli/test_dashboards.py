"""Public dashboards and alerts: their series are there, with the labels by which they select.

Of a broker of ours with a group, a topic and a compacted one, `__consumer_offsets`.
"""

from typing import Final

import pytest

from cluster.model.metrics_endpoints import FILE_NAME, decode_metrics_endpoints
from kadmin.admin.metrics.endpoints import Protocol as EndpointProtocol
from kadmin.admin.metrics.endpoints import parse_endpoint, read_endpoint
from kadmin.plan.metrics.samples import Scrape
from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.support.committing import commit
from tests.support.one_broker import OneBroker
from tests.support.waiting import OUTER_LIMIT_S

pytestmark = [pytest.mark.zk, pytest.mark.clients, pytest.mark.xdist_group("one-broker")]

TOPIC: Final = "of-dashboards"
OF_TOPIC: Final = ("topic",)
OF_PARTITION: Final = ("partition", "topic")

BROKER_TOPIC: Final = "kafka_server_brokertopicmetrics_"
CONTROLLER: Final = "kafka_controller_kafkacontroller_"
REPLICAS: Final = "kafka_server_replicamanager_"

STRIMZI: Final = (
    # strimzi-kafka.json and prometheus-kafka-rules.yaml.
    (f"{BROKER_TOPIC}bytesin_total", OF_TOPIC),
    (f"{BROKER_TOPIC}bytesout_total", OF_TOPIC),
    (f"{BROKER_TOPIC}messagesin_total", OF_TOPIC),
    (f"{BROKER_TOPIC}totalfetchrequests_total", OF_TOPIC),
    (f"{BROKER_TOPIC}totalproducerequests_total", OF_TOPIC),
    # By topic from the first failure on, as in Kafka.
    (f"{BROKER_TOPIC}failedfetchrequests_total", ()),
    (f"{BROKER_TOPIC}failedproducerequests_total", ()),
    (f"{CONTROLLER}activecontrollercount", ()),
    (f"{CONTROLLER}offlinepartitionscount", ()),
    ("kafka_controller_controllerstats_uncleanleaderelections_total", ()),
    ("kafka_cluster_partition_atminisr", OF_PARTITION),
    ("kafka_cluster_partition_underminisr", OF_PARTITION),
    ("kafka_log_log_size", OF_PARTITION),
    ("kafka_log_logmanager_offlinelogdirectorycount", ()),
    ("kafka_network_socketserver_networkprocessoravgidle_percent", ()),
    ("kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent", ()),
    (f"{REPLICAS}leadercount", ()),
    (f"{REPLICAS}partitioncount", ()),
    (f"{REPLICAS}underminisrpartitioncount", ()),
    (f"{REPLICAS}underreplicatedpartitions", ()),
    ("kafka_server_socket_server_metrics_connection_count", ("listener", "networkProcessor")),
)
JMX_EXPORTER: Final = (
    # What dashboards for kafka-2_0_0.yml have besides.
    (f"{BROKER_TOPIC}bytesin_total", ()),
    (f"{BROKER_TOPIC}messagesin_total", ()),
    (f"{CONTROLLER}preferredreplicaimbalancecount", ()),
    (f"{CONTROLLER}globalpartitioncount", ()),
    (f"{CONTROLLER}globaltopiccount", ()),
    (
        "kafka_controller_controllerstats_leaderelectionrateandtimems",
        ("quantile",),
    ),
    ("kafka_coordinator_group_groupmetadatamanager_numgroups", ()),
    ("kafka_log_logcleaner_max_clean_time_secs", ()),
    ("kafka_log_logcleanermanager_max_dirty_percent", ()),
    ("kafka_log_log_logendoffset", OF_PARTITION),
    ("kafka_network_requestchannel_requestqueuesize", ()),
    ("kafka_network_requestmetrics_requests_total", ("request", "version")),
    ("kafka_network_requestmetrics_totaltimems", ("quantile", "request")),
    ("kafka_network_requestmetrics_requestqueuetimems", ("quantile", "request")),
    ("kafka_network_requestmetrics_totaltimems_count", ("request",)),
    ("kafka_server_delayedoperationpurgatory_purgatorysize", ("delayedOperation",)),
    ("kafka_server_replicafetchermanager_maxlag", ("clientId",)),
    (f"{REPLICAS}isrshrinks_total", ()),
    (f"{REPLICAS}isrexpands_total", ()),
    ("kafka_server_sessionexpirelistener_zookeeperexpires_total", ()),
)


def scrape(one_broker: OneBroker) -> Scrape:
    """Read the metrics after records of `TOPIC` were written, read and committed."""
    broker = one_broker.broker
    client = Confluent(broker.bootstrap)
    client.create_topic(TOPIC, 1)
    client.produce(TOPIC, [Sent(b"value")], acks="all")
    client.consume(TOPIC, 0, 0, 1)
    commit(broker.bootstrap, "group-of-dashboards", TOPIC, 0, 1)
    found = decode_metrics_endpoints((broker.directory / "logs" / FILE_NAME).read_bytes())
    assert found is not None
    endpoint = parse_endpoint(found.urls["prometheus"], EndpointProtocol.PROMETHEUS)
    return read_endpoint(endpoint, OUTER_LIMIT_S, is_usual=True)


def test_each_series_of_dashboards_is_there_with_its_labels(one_broker: OneBroker) -> None:
    samples = scrape(one_broker).samples

    missing = [
        (name, labels)
        for name, labels in (*STRIMZI, *JMX_EXPORTER)
        if not any(
            labels == tuple(key for key, _ in each)
            and dict(each).get("topic", TOPIC) in (TOPIC, "__consumer_offsets")
            for each in samples.get(name, {})
        )
    ]
    assert [] == missing
