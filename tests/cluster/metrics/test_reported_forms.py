"""Rows of CSV files, lines for Graphite, for the console and for the log."""

import math
from collections.abc import Callable

import pytest

from cluster.metrics.beans import Bean, Kind
from cluster.metrics.csv_rows import COLUMNS, NAME_MAX, file_name, header, row
from cluster.metrics.graphite_lines import graphite_lines
from cluster.metrics.registry import Value
from cluster.metrics.text_report import console_lines, log_line
from tests.cluster.metrics.beans import (
    BYTES_IN,
    BYTES_IN_BY_TOPIC,
    CONNECTIONS,
    ELECTIONS,
    LEADERS,
    LOG_SIZE,
    TOTAL_TIME,
    registry_with_all_kinds,
)


def lines_of(bean: Bean, make: Callable[[Bean, tuple[str, ...], Value], object]) -> list[object]:
    return [
        make(each, tags, value)
        for each, tags, value in registry_with_all_kinds().points()
        if each == bean
    ]


@pytest.mark.parametrize(
    ("bean", "tags", "name"),
    [
        (BYTES_IN, (), "BytesInPerSec.csv"),
        (BYTES_IN_BY_TOPIC, ("a.b",), "BytesInPerSec.topic.a_b.csv"),
        (LOG_SIZE, ("orders", "0"), "Size.partition.0.topic.orders.csv"),
        (TOTAL_TIME, ("../../x y",), "TotalTimeMs.request.______x_y.csv"),
    ],
)
def test_each_metric_has_a_file_of_its_own(bean: Bean, tags: tuple[str, ...], name: str) -> None:
    assert name == file_name(bean, tags)


def test_names_too_long_for_a_file_stay_different() -> None:
    names = {file_name(TOTAL_TIME, (end + "x" * 300 + end,)) for end in "ab"}

    assert 2 == len(names)
    assert all(len(name) <= NAME_MAX + len(".csv") for name in names)


@pytest.mark.parametrize(
    ("bean", "expected"),
    [
        (LEADERS, ("# time,value", "10,3")),
        (
            BYTES_IN,
            (
                "# time,count,1 min rate,mean rate,5 min rate,15 min rate",
                "10,300,30.0,30.0,30.0,30.0",
            ),
        ),
        (
            TOTAL_TIME,
            (
                "# time,min,max,mean,median,stddev,95%,99%,99.9%",
                "10,1.0,10.0,5.5,5.5,3.0276503540974917,10.0,10.0,10.0",
            ),
        ),
        (
            ELECTIONS,
            (
                "# time,min,max,mean,median,stddev,95%,99%,99.9%",
                "10,5.0,5.0,5.0,5.0,0.0,5.0,5.0,5.0",
            ),
        ),
    ],
)
def test_rows_have_the_columns_of_kafkas_reporter(bean: Bean, expected: tuple[str, str]) -> None:
    (line,) = lines_of(bean, lambda bean, _, value: row(bean, value, 10))

    assert expected == (header(bean), line)
    assert str(line).count(",") == header(bean).count(",")


def test_all_kinds_of_yammers_metrics_have_columns() -> None:
    assert set(Kind) - {Kind.ATTRIBUTES} == COLUMNS.keys()


def graphite(bean: Bean, prefix: str = "") -> list[str]:
    return [
        line
        for each, tags, value in registry_with_all_kinds().points()
        if each == bean
        for line in graphite_lines(bean, tags, value, prefix, 99)
    ]


def test_lines_for_graphite_have_the_names_and_fields_of_metrics_graphite() -> None:
    sizes = graphite(LOG_SIZE)

    assert "kafka.log.Log.partition.0.topic.orders.Size.value 1024 99\n" == sizes[0]
    assert [
        "b1.kafka.server.BrokerTopicMetrics.BytesInPerSec.count 300 99\n",
        "b1.kafka.server.BrokerTopicMetrics.BytesInPerSec.meanRate 30.00 99\n",
        "b1.kafka.server.BrokerTopicMetrics.BytesInPerSec.1MinuteRate 30.00 99\n",
        "b1.kafka.server.BrokerTopicMetrics.BytesInPerSec.5MinuteRate 30.00 99\n",
        "b1.kafka.server.BrokerTopicMetrics.BytesInPerSec.15MinuteRate 30.00 99\n",
    ] == graphite(BYTES_IN, "b1")
    assert 15 == len(graphite(ELECTIONS))
    assert [] == graphite(CONNECTIONS)


@pytest.mark.parametrize(
    ("value", "text"),
    [(3, "3"), (0.5, "0.5"), (True, "1"), ("abc", None), (float("nan"), None), (math.inf, None)],
)
def test_graphite_gets_numbers_only(value: int | float | str, text: str | None) -> None:
    bean = Bean(domain="d", type="T", name="n", tags=(), kind=Kind.GAUGE, meaning="")
    expected = [] if text is None else [f"d.T.n.value {text} 5\n"]

    assert expected == list(graphite_lines(bean, (), value, "", 5))


def test_a_tag_with_blanks_is_one_word_for_graphite() -> None:
    (line,) = graphite_lines(
        Bean(domain="d", type="T", name="n", tags=("c",), kind=Kind.GAUGE, meaning=""),
        ("a b\n1 2",),
        1,
        "",
        5,
    )

    assert "d.T.c.a-b-1-2.n.value 1 5\n" == line


def test_the_log_has_the_form_of_slf4js_reporter() -> None:
    assert [
        "type=METER, name=kafka.server:type=BrokerTopicMetrics,name=BytesInPerSec,topic=orders,"
        " count=200, mean_rate=20.00, m1=20.00, m5=20.00, m15=20.00, rate_unit=events/second"
    ] == lines_of(BYTES_IN_BY_TOPIC, log_line)
    assert [
        "type=GAUGE, name=kafka.server:type=ReplicaManager,name=LeaderCount, value=3"
    ] == lines_of(LEADERS, log_line)
    assert [
        "type=ATTRIBUTES, name=kafka.server:type=socket-server-metrics,listener=PLAINTEXT,"
        "networkProcessor=0, connection-count=2, connection-creation-total=5, name=text"
    ] == lines_of(CONNECTIONS, log_line)


def test_the_console_has_the_form_of_yammers_reporter() -> None:
    (lines,) = lines_of(TOTAL_TIME, lambda *each: list(console_lines(*each)))

    assert [
        "kafka.network:type=RequestMetrics,name=TotalTimeMs,request=Produce:",
        "               count = 10",
        "                 min = 1.00",
        "                 max = 10.00",
        "                mean = 5.50",
        "              stddev = 3.03",
        "              median = 5.50",
        "              75% <= 8.25",
        "              95% <= 10.00",
        "              98% <= 10.00",
        "              99% <= 10.00",
        "            99.9% <= 10.00",
    ] == lines
