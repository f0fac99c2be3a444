import io
from dataclasses import replace

import pytest

from cluster.model.controller_stats import ControllerStats, EventStats, Spread
from kadmin.render.cluster.clusters import (
    BrokerView,
    ClusterView,
    ServerView,
    list_document,
    status_document,
    up_document,
)
from kadmin.render.cluster.partitions import LackingPartition, PartitionsView
from kadmin.render.output import Output
from kadmin.settings.keys import OutputFormat
from tests.kadmin.render.terminal import FakeTerminal

SERVERS = (
    ServerView(id=1, pid=11, port=2181, state="serving", mode="leader"),
    ServerView(id=2, pid=12, port=2182, state="dead", mode=None),
    ServerView(id=3, pid=None, port=2183, state="stopped", mode=None),
)
CLUSTER = ClusterView(
    name="local",
    zookeeper_connect="127.0.0.1:2181,127.0.0.1:2182,127.0.0.1:2183",
    directory="/data/local",
    state="not serving",
    servers=SERVERS,
)
BROKEN = ClusterView(
    name="b",
    zookeeper_connect="",
    directory="/data/b",
    state="broken",
    servers=(),
    problem="only a part of it is there",
)


PARTITIONS = PartitionsView(
    count=20,
    lacking=(
        LackingPartition(
            topic="orders",
            partition=0,
            leader=1,
            replicas=(1, 2, 3),
            isr=(1,),
            is_unavailable=False,
            lag={2: 1200, 3: None},
        ),
        LackingPartition(
            topic="orders",
            partition=1,
            leader=None,
            replicas=(2, 3),
            isr=(2,),
            is_unavailable=True,
            lag={3: None},
        ),
    ),
)


CONTROLLER = ControllerStats(
    broker_id=0,
    pid=11,
    controller_epoch=7,
    since_ms=1_750_000_000_000,
    events=(
        EventStats(
            event="BrokerChange",
            count=2,
            queue_ms=Spread(mean=0.5, p99=1, max=1),
            processing_ms=Spread(mean=120.25, p99=220, max=220),
        ),
        EventStats(
            event="IsrChange",
            count=40,
            queue_ms=Spread(mean=3, p99=8, max=210),
            processing_ms=Spread(mean=2, p99=4, max=5),
        ),
    ),
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_status_lines_leave_out_what_is_not_known() -> None:
    assert [
        "local: not serving",
        "zookeeper_connect=127.0.0.1:2181,127.0.0.1:2182,127.0.0.1:2183",
        "directory=/data/local",
        "zookeeper 1: serving mode=leader port=2181 pid=11",
        "zookeeper 2: dead port=2182 pid=12",
        "zookeeper 3: stopped port=2183",
    ] == list(status_document(CLUSTER).lines())


def test_a_broker_that_serves_metrics_is_shown_with_their_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    url = "http://127.0.0.1:9404/metrics"
    serving = BrokerView(id=1, pid=7, port=9092, state="serving", rack=None, metrics_url=url)
    stopped = BrokerView(id=2, pid=None, port=9093, state="stopped", rack=None)
    document = status_document(replace(CLUSTER, brokers=(serving, stopped)))
    terminal = Terminal()

    Output(stdout=terminal, color=False).show(document)

    lines = list(document.lines())
    assert f"broker 1: serving port=9092 pid=7 metrics={url}" in lines
    assert "broker 2: stopped port=9093" in lines
    brokers = document.body()["brokers"]
    assert [url, None] == [each["metrics_url"] for each in brokers]  # type: ignore[attr-defined]
    assert url in terminal.getvalue()


def test_the_body_of_a_status_names_every_field_and_no_problem_where_there_is_none() -> None:
    body = status_document(CLUSTER).body()

    assert [
        *("name", "zookeeper_connect", "directory", "state", "servers"),
        *("bootstrap_servers", "brokers", "partitions", "controller"),
    ] == list(body)
    assert {"id": 3, "pid": None, "port": 2183, "state": "stopped", "mode": None} == list(
        status_document(CLUSTER).body()["servers"]  # type: ignore[call-overload]
    )[2]


def test_a_status_tells_which_partitions_lack_something_and_by_how_much() -> None:
    document = status_document(CLUSTER, PARTITIONS)

    assert [
        "partitions: 20 unavailable=1 under_replicated=2",
        "partition orders-0: leader=1 replicas=1,2,3 isr=1 lag=2:1200,3:?",
        "partition orders-1: leader=none replicas=2,3 isr=2 lag=3:?",
    ] == list(document.lines())[-3:]
    assert {
        "count": 20,
        "unavailable": 1,
        "under_replicated": 2,
        "lacking": [
            {
                **{"topic": "orders", "partition": 0, "leader": 1},
                **{"replicas": [1, 2, 3], "isr": [1], "lag": {"2": 1200, "3": None}},
            },
            {
                **{"topic": "orders", "partition": 1, "leader": None},
                **{"replicas": [2, 3], "isr": [2], "lag": {"3": None}},
            },
        ],
    } == document.body()["partitions"]
    assert status_document(CLUSTER, None).body()["partitions"] is None


def test_a_status_of_many_lacking_partitions_shows_some_and_says_how_many_more() -> None:
    first = PARTITIONS.lacking[0]
    lacking = [replace(first, partition=number) for number in range(12)]
    partitions = PartitionsView(count=20, lacking=lacking)
    stream = Terminal()

    lines = list(status_document(CLUSTER, partitions).lines())
    output = Output(form=OutputFormat.TEXT, color=False, stdout=stream)
    output.show(status_document(CLUSTER, partitions))

    more = "and 2 more: kadmin topics --describe --under-replicated-partitions"
    assert (10, more) == (sum("partition orders-" in line for line in lines), lines[-1])
    assert more in stream.getvalue()
    assert "12 under-replicated" in stream.getvalue()
    assert "2:1200,3:?" in stream.getvalue()


def test_a_status_tells_who_the_controller_is_and_how_long_its_events_waited_and_took() -> None:
    document = status_document(CLUSTER, PARTITIONS, CONTROLLER)

    assert list(document.lines())[-1] == (
        "controller: broker 0 epoch=7 events=42 queue_ms_max=210 processing_ms_max=220"
    )
    assert document.body()["controller"] == {
        "broker": 0,
        "epoch": 7,
        "since": "2025-06-15T15:06:40.000+00:00",
        "events": [
            {
                **{"event": "BrokerChange", "count": 2},
                "queue_ms": {"mean": 0.5, "p99": 1, "max": 1},
                "processing_ms": {"mean": 120.25, "p99": 220, "max": 220},
            },
            {
                **{"event": "IsrChange", "count": 40},
                "queue_ms": {"mean": 3, "p99": 8, "max": 210},
                "processing_ms": {"mean": 2, "p99": 4, "max": 5},
            },
        ],
    }
    assert status_document(CLUSTER, PARTITIONS, None).body()["controller"] is None


def test_each_kind_of_event_has_a_line_if_that_is_wanted() -> None:
    stream = Terminal()
    document = status_document(CLUSTER, PARTITIONS, CONTROLLER, with_events=True)

    Output(form=OutputFormat.TEXT, color=False, stdout=stream).show(document)

    assert list(document.lines())[-2:] == [
        "event BrokerChange: count=2 queue_ms=0.5 queue_ms_p99=1 queue_ms_max=1"
        " processing_ms=120.25 processing_ms_p99=220 processing_ms_max=220",
        "event IsrChange: count=40 queue_ms=3 queue_ms_p99=8 queue_ms_max=210"
        " processing_ms=2 processing_ms_p99=4 processing_ms_max=5",
    ]
    shown = [line.split() for line in stream.getvalue().splitlines()]
    assert ["BrokerChange", "2", "0.5", "1", "1", "120.25", "220", "220"] in shown
    assert ["controller", "broker", "0", "epoch", "7", "42", "events"] in [
        words[:7] for words in shown
    ]


def test_a_controller_that_did_nothing_yet_has_no_figures() -> None:
    document = status_document(CLUSTER, None, replace(CONTROLLER, events=()), with_events=True)

    assert list(document.lines())[-1] == (
        "controller: broker 0 epoch=7 events=0 queue_ms_max=0 processing_ms_max=0"
    )


def test_up_tells_which_servers_it_started() -> None:
    document = up_document(CLUSTER, started=[2, 3], started_brokers=[1])

    assert ([2, 3], [1]) == (document.body()["started"], document.body()["started_brokers"])
    assert [f"zookeeper_connect={CLUSTER.zookeeper_connect}"] == list(document.lines())


def test_a_broken_cluster_is_listed_with_its_problem() -> None:
    document = list_document([BROKEN, CLUSTER])

    assert [
        "b      broken       only a part of it is there",
        "local  not serving  127.0.0.1:2181,127.0.0.1:2182,127.0.0.1:2183",
    ] == list(document.lines())
    assert [("b", "broken", 0, "", "/data/b")] == list(document.rows())[:1]


def test_rows_are_as_long_as_the_columns() -> None:
    for document in (
        status_document(CLUSTER),
        list_document([CLUSTER, BROKEN]),
        up_document(CLUSTER, started=[], started_brokers=[]),
    ):
        assert {len(document.columns)} == {len(row) for row in document.rows()}


def test_a_terminal_gets_tables_that_cut_nothing() -> None:
    stdout = Terminal()
    output = Output(form=OutputFormat.TEXT, color=False, stdout=stdout)

    output.show(status_document(CLUSTER))
    output.show(list_document([CLUSTER]))

    text = stdout.getvalue()
    assert "…" not in text
    assert ["local", "not", "serving"] == text.split()[:3]
    assert "leader" in text


def test_a_terminal_of_few_rows_shows_in_its_first_line_how_bad_it_is() -> None:
    terminal = FakeTerminal()

    Output(stdout=terminal, color=False).show(status_document(CLUSTER, PARTITIONS))

    first = terminal.getvalue().splitlines()[0].rstrip()
    assert "local not serving  20 partitions  1 unavailable  2 under-replicated" == first
