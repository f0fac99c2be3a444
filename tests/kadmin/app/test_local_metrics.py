"""Endpoints of metrics of this machine's brokers, from the files that they write."""

from dataclasses import replace
from pathlib import Path

import pytest

from cluster.model.metrics_endpoints import (
    FILE_NAME,
    MetricsEndpoints,
    decode_metrics_endpoints,
    encode_metrics_endpoints,
)
from kadmin.app.local_metrics import endpoint_of, local_endpoints, metrics_url
from kadmin.errors import KadminError
from kadmin.local.server import ServerState
from kadmin.local.state import LocalCluster, location, write_state
from kadmin.local.status import BrokerStatus
from kadmin.local.zookeeper_config import Member

PROMETHEUS = "http://127.0.0.1:1/metrics"
JOLOKIA = "http://127.0.0.1:2/jolokia/"


def broker(directory: Path, **urls: str) -> BrokerStatus:
    """A broker that serves, whose process has the pid 7 and has written *urls*."""
    content = encode_metrics_endpoints(MetricsEndpoints(pid=7, urls=urls))
    (directory / FILE_NAME).write_bytes(content)
    return BrokerStatus(
        id=3,
        pid=7,
        port=9092,
        state=ServerState.SERVING,
        rack=None,
        logs_directory=directory,
    )


@pytest.mark.parametrize(
    ("urls", "url"),
    [
        ({"prometheus": PROMETHEUS}, PROMETHEUS),
        ({"jolokia": JOLOKIA}, JOLOKIA),
        ({"jolokia": JOLOKIA, "prometheus": PROMETHEUS}, PROMETHEUS),
        ({}, None),
    ],
)
def test_of_several_endpoints_the_one_for_prometheus_is_read(
    tmp_path: Path, urls: dict[str, str], url: str | None
) -> None:
    status = broker(tmp_path, **urls)

    endpoint = endpoint_of(status)

    assert url == metrics_url(status)
    assert (None if endpoint is None else (endpoint.name, endpoint.url)) == (
        None if url is None else ("3", url)
    )


@pytest.mark.parametrize(
    "changed",
    [{"pid": 8}, {"state": ServerState.STOPPED}, {"state": ServerState.DEAD}],
)
def test_what_another_process_wrote_is_no_endpoint(
    tmp_path: Path, changed: dict[str, object]
) -> None:
    status = broker(tmp_path, prometheus=PROMETHEUS)

    assert metrics_url(replace(status, **changed)) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff", b"[]", b'{"version": 2, "pid": 7, "urls": {}}', b'{"version": 1, "pid": 7}'],
)
def test_a_file_that_is_damaged_or_newer_is_no_endpoint(tmp_path: Path, content: bytes) -> None:
    status = broker(tmp_path, prometheus=PROMETHEUS)
    (tmp_path / FILE_NAME).write_bytes(content)

    assert decode_metrics_endpoints(content) is None
    assert metrics_url(status) is None


def test_a_cluster_without_endpoints_gets_the_setting_that_makes_them(home: Path) -> None:
    directory = location("quiet")
    directory.mkdir(parents=True)
    member = Member(id=1, port=1, quorum_port=2, election_port=3)
    write_state(
        LocalCluster(name="quiet", directory=directory, address="127.0.0.1", members=(member,))
    )

    with pytest.raises(KadminError) as error:
        local_endpoints("quiet")

    assert "no broker of 'quiet' serves metrics" == error.value.message
    assert "--set kafka.metrics.reporters=prometheus" in str(error.value.hint)
