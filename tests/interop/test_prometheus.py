"""Prometheus itself scrapes kadmin's exporter of a real Kafka, and dashboards ask it."""

import subprocess
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest

from tests.clients.confluent import Confluent
from tests.clients.driver import Sent
from tests.interop.brokers import RealCluster
from tests.interop.made_topics import create
from tests.interop.prometheus import Prometheus, program, run, running_prometheus
from tests.kadmin.render.exposition.test_families import OF_KAFKA_EXPORTER
from tests.support.checkout import CHECKOUT
from tests.support.committing import commit
from tests.support.exporting import exporting
from tests.support.waiting import wait_until

pytestmark = pytest.mark.interop

TOPIC: Final = "scraped"
GROUP: Final = 'the "group"\\'

DASHBOARD: Final = (
    'sum(rate(kafka_topic_partition_current_offset{instance=~".+", topic=~".+"}[1m])) by (topic)',
    'sum(kafka_consumergroup_lag{instance=~".+",topic=~".+"}) by (consumergroup, topic)',
    'sum(delta(kafka_topic_partition_current_offset{instance=~".+", topic=~".+"}[5m])/5)'
    " by (topic)",
    'sum(delta(kafka_consumergroup_current_offset{instance=~".+",topic=~".+"}[5m])/5)'
    " by (consumergroup, topic)",
    'sum by(topic) (kafka_topic_partitions{instance=~".+",topic=~".+"})',
)
"""What the panels of kafka_exporter's dashboard (Grafana's 7589) ask for, each variable for all."""


def returns(prometheus: Prometheus, expression: str) -> None:
    wait_until(lambda: bool(prometheus.query(expression)), what=f"samples of {expression}")


@pytest.mark.parametrize("cluster", ["3.9.1"], indirect=True)
def test_prometheus_reads_every_metric_and_dashboards_find_theirs(
    cluster: RealCluster, tmp_path: Path
) -> None:
    create(cluster, TOPIC, "0:1")
    sent = [Sent(b"v") for _ in range(3)]
    Confluent(cluster.bootstrap).produce(TOPIC, sent, acks="all")
    commit(cluster.bootstrap, GROUP, TOPIC, 0, 1)

    with (
        exporting("--bootstrap-server", cluster.bootstrap) as exporter,
        running_prometheus(tmp_path / "prometheus", urlsplit(exporter.url).netloc) as prometheus,
    ):
        for name in OF_KAFKA_EXPORTER:
            returns(prometheus, name)
        for expression in DASHBOARD:
            returns(prometheus, expression)
        (lag,) = prometheus.query(f'kafka_consumergroup_lag{{topic="{TOPIC}"}}')
        assert (GROUP, "2") == (lag["metric"]["consumergroup"], lag["value"][1])
        returns(prometheus, f'kafka_consumergroup_lag_seconds{{topic="{TOPIC}"}} > 0')


def test_rules_for_alerts_are_right() -> None:
    assert "SUCCESS" in run(
        program("promtool"), "check", "rules", f"{CHECKOUT}/docs/export-alerts.yml"
    )


def test_promtool_is_the_judge_of_rules(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text((CHECKOUT / "docs/export-alerts.yml").read_text().replace("== 1", "== =", 1))

    with pytest.raises(subprocess.CalledProcessError):
        run(program("promtool"), "check", "rules", str(wrong))
