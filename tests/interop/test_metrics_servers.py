"""A real Prometheus scrapes our brokers, and a real Graphite (carbon) gets their metrics.

Installs nothing: Debian has `prometheus`, PyPI `carbon`.  `METRICS_PROGRAMS` may name directories,
separated by colons, in which their programs are beside those of the PATH.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote
from urllib.request import urlopen

import pytest

from cluster.model.metrics_endpoints import FILE_NAME, decode_metrics_endpoints
from kadmin.local.ports import free_ports
from tests.interop.processes import JavaServer
from tests.support.brokers import Broker, running_broker
from tests.support.waiting import OUTER_LIMIT_S, wait_until

pytestmark = pytest.mark.interop

HOST: Final = "127.0.0.1"
CONTROLLERS: Final = "kafka_controller_kafkacontroller_activecontrollercount"

STYLE: Final = (
    "label names should be written in 'snake_case' not 'camelCase'",
    'non-histogram and non-summary metrics should not have "_count" suffix',
    "metric names should not contain abbreviated units",
)
"""Complaints of promtool that the names of Kafka's metrics earn, by the public rules as well."""

SCRAPE: Final = """\
global:
  scrape_interval: 1s
scrape_configs:
  - job_name: kafka
    static_configs:
      - targets: ["{target}"]
"""
CARBON: Final = """\
[cache]
STORAGE_DIR = {place}
LOCAL_DATA_DIR = {place}/whisper
CONF_DIR = {place}
LOG_DIR = {place}
PID_DIR = {place}
LINE_RECEIVER_INTERFACE = 127.0.0.1
LINE_RECEIVER_PORT = {line}
PICKLE_RECEIVER_INTERFACE = 127.0.0.1
PICKLE_RECEIVER_PORT = {pickle}
CACHE_QUERY_INTERFACE = 127.0.0.1
CACHE_QUERY_PORT = {query}
ENABLE_UDP_LISTENER = False
MAX_CREATES_PER_MINUTE = inf
"""
SCHEMAS: Final = "[all]\npattern = .*\nretentions = 1s:1h\n"


def program(name: str) -> str:
    places = f"{os.environ.get('METRICS_PROGRAMS', '')}:{os.environ['PATH']}"
    found = shutil.which(name, path=places)
    if found is None:
        pytest.skip(f"there is no program '{name}' on the PATH or in METRICS_PROGRAMS")
    return found


@contextmanager
def server(command: list[str], directory: Path) -> Iterator[JavaServer]:
    running = JavaServer(command, directory=directory, log=directory / "server.log")
    running.start()
    try:
        yield running
    finally:
        running.kill()


@contextmanager
def broker(chroot: str, directory: Path, **settings: str) -> Iterator[Broker]:
    named = {name.replace("_", "."): value for name, value in settings.items()}
    with running_broker(directory, chroot, settings=named) as running:
        yield running


def url_of(running: Broker) -> str:
    found = decode_metrics_endpoints((running.directory / "logs" / FILE_NAME).read_bytes())
    assert found is not None
    return found.urls["prometheus"]


def get(url: str) -> bytes:
    with urlopen(url, timeout=OUTER_LIMIT_S) as answer:
        content: bytes = answer.read()
    return content


def test_prometheus_scrapes_a_broker_and_promtool_has_no_complaint(
    chroot: str, tmp_path: Path
) -> None:
    prometheus, promtool = program("prometheus"), program("promtool")
    (port,) = free_ports(1, HOST)
    place = tmp_path / "prometheus"
    place.mkdir()
    config = place / "prometheus.yml"

    def controllers() -> Any:
        try:
            answer = json.loads(
                get(f"http://{HOST}:{port}/api/v1/query?query={quote(CONTROLLERS)}")
            )
        except OSError:
            return None
        return [each["value"][1] for each in answer["data"]["result"]]

    with broker(chroot, tmp_path / "broker", kafka_metrics_reporters="prometheus") as running:
        text = get(url_of(running))
        checked = subprocess.run(
            [promtool, "check", "metrics"], input=text, capture_output=True, check=False
        )
        config.write_text(SCRAPE.format(target=url_of(running).split("/")[2]))
        command = [
            prometheus,
            f"--config.file={config}",
            f"--storage.tsdb.path={place / 'data'}",
            f"--web.listen-address={HOST}:{port}",
        ]
        with server(command, place):
            wait_until(lambda: controllers() == ["1"], what="the controller in Prometheus")
            targets = json.loads(get(f"http://{HOST}:{port}/api/v1/targets"))

    complaints = checked.stdout.decode().splitlines() + checked.stderr.decode().splitlines()
    assert [] == [each for each in complaints if not each.endswith(STYLE)]
    (target,) = targets["data"]["activeTargets"]
    assert ("up", "") == (target["health"], target["lastError"])


def test_carbon_gets_the_metrics_of_a_broker(chroot: str, tmp_path: Path) -> None:
    carbon = program("carbon-cache.py")
    line, pickle, query = free_ports(3, HOST)
    place = tmp_path / "carbon"
    place.mkdir()
    (place / "storage-schemas.conf").write_text(SCHEMAS)
    config = place / "carbon.conf"
    config.write_text(CARBON.format(place=place, line=line, pickle=pickle, query=query))
    path = place / "whisper/b1/kafka/controller/KafkaController/ActiveControllerCount/value.wsp"
    settings = {
        "kafka_metrics_reporters": "graphite",
        "kafka_metrics_polling_interval_secs": "1",
        "kafka_graphite_metrics_port": str(line),
        "kafka_graphite_metrics_prefix": "b1",
    }

    with (
        server([carbon, f"--config={config}", "--nodaemon", "start"], place),
        broker(chroot, tmp_path / "broker", **settings),
    ):
        wait_until(path.exists, what="a file of carbon's")
