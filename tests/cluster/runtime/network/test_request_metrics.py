"""Metrics of requests: by API and version, by who fetches, and the lines that sum them up."""

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.runtime.network.request_metrics import (
    FETCH_CONSUMER,
    FETCH_FOLLOWER,
    NOTED_MAX,
    RequestMetrics,
    kind_of_fetch,
    name_of,
)
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import FetchRequest, ReplicaState
from tests.support.metrics import all_of, new_registry

MS = 1_000_000
NAME = "kafka.network:type=RequestMetrics,name={},request={}"


def test_the_beans_of_an_api_have_its_times_and_sizes() -> None:
    registry = new_registry()
    metrics = RequestMetrics(registry)
    for version in (9, 9, 8):
        metrics.answered(ApiKey.PRODUCE, (8 * MS, 5 * MS, 1 * MS, 2 * MS, 100, version))

    found = all_of(registry)
    maxima = {
        name: found[NAME.format(name, "Produce")]["Max"]
        for name in ("TotalTimeMs", "LocalTimeMs", "RequestQueueTimeMs", "RemoteTimeMs")
    }
    assert maxima == {
        "TotalTimeMs": 8,
        "LocalTimeMs": 5,
        "RequestQueueTimeMs": 1,
        "RemoteTimeMs": 2,
    }
    assert found[NAME.format("RequestBytes", "Produce")]["Mean"] == 100
    by_version = NAME.format("RequestsPerSec", "Produce,version={}")
    assert found[by_version.format(9)]["Count"] == 2
    assert found[by_version.format(8)]["Count"] == 1


def test_requests_that_did_not_wait_count_as_their_rows_would() -> None:
    registries = new_registry(lambda: 0), new_registry(lambda: 0)
    rows, lists = (RequestMetrics(registry) for registry in registries)
    for number in range(700):
        version, time_ns, size = 8 + number % 2, 1000 + number * 37 % 501, 80 + number % 3
        rows.answered(ApiKey.PRODUCE, (time_ns, time_ns, 0, 0, size, version))
        immediate = lists.immediate(ApiKey.PRODUCE, version)
        immediate.noted += (time_ns, size)
        if len(immediate.noted) >= NOTED_MAX:
            immediate.settle()

    by_rows, by_lists = (all_of(registry) for registry in registries)
    assert by_rows == by_lists


@pytest.mark.parametrize(
    ("request_body", "kind"),
    [
        (FetchRequest(), FETCH_CONSUMER),
        (FetchRequest(replica_id=0), FETCH_FOLLOWER),
        (FetchRequest(replica_state=ReplicaState(2, 7)), FETCH_FOLLOWER),
    ],
)
def test_fetches_of_consumers_and_of_followers_are_told_apart(
    request_body: FetchRequest, kind: str
) -> None:
    assert kind_of_fetch(request_body) == kind


@pytest.mark.parametrize(
    ("api_key", "name"),
    [
        (ApiKey.PRODUCE, "Produce"),
        (ApiKey.LEADER_AND_ISR, "LeaderAndIsr"),
        (ApiKey.OFFSET_FOR_LEADER_EPOCH, "OffsetForLeaderEpoch"),
        (ApiKey.API_VERSIONS, "ApiVersions"),
    ],
)
def test_an_api_has_the_name_of_kafka(api_key: ApiKey, name: str) -> None:
    assert name_of(api_key) == name


def test_each_api_has_a_line() -> None:
    metrics = RequestMetrics(new_registry())
    for _ in range(99):
        metrics.answered(ApiKey.PRODUCE, (3 * MS, 2 * MS, 1 * MS, 0, 80, 9))
    metrics.answered(ApiKey.PRODUCE, (500 * MS, 399 * MS, 1 * MS, 100 * MS, 80, 9))
    metrics.answered(ApiKey.METADATA, (0, 0, 0, 0, 80, 9))
    metrics.answered("FetchConsumer", (0, 0, 0, 0, 80, 9))
    metrics.response_delayed(ApiKey.METADATA, 7 * MS)

    assert list(metrics.summary()) == [
        "api=PRODUCE count=100 mean_ms=7.970 p99_ms=495.030 max_ms=500.000"
        " queue_ms=1.000 remote_ms=1.000",
        "api=METADATA count=1 mean_ms=0.000 p99_ms=0.000 max_ms=0.000"
        " queue_ms=0.000 remote_ms=0.000 delayed=1 delay_ms_max=7.000",
    ]


def test_errors_are_counted_by_request() -> None:
    registry = new_registry()
    metrics = RequestMetrics(registry)
    done = (0, 0, 0, 0, 80, 9)
    # Without a look at the answer: there is nothing but success.
    metrics.answered(ApiKey.PRODUCE, done)
    metrics.answered(ApiKey.PRODUCE, done)
    metrics.count_errors(ApiKey.PRODUCE, (ErrorCode.MESSAGE_TOO_LARGE,))
    # With acks=0 there is no answer.
    metrics.answered(ApiKey.PRODUCE, done)
    metrics.count_errors(ApiKey.PRODUCE, ())
    metrics.answered(ApiKey.METADATA, done)
    metrics.count_errors(ApiKey.METADATA, (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 0, 0))
    metrics.kind(ApiKey.API_VERSIONS).version_refused()
    metrics.answered("FetchConsumer", done)

    start = "kafka.network:type=RequestMetrics,name=ErrorsPerSec,request="
    found = {
        name.removeprefix(start): of_one["Count"]
        for name, of_one in all_of(registry).items()
        if name.startswith(start)
    }
    assert found == {
        "Produce,error=NONE": 1,
        "Produce,error=MESSAGE_TOO_LARGE": 1,
        "Metadata,error=NONE": 2,
        "Metadata,error=UNKNOWN_TOPIC_OR_PARTITION": 1,
        "ApiVersions,error=UNSUPPORTED_VERSION": 1,
    }
