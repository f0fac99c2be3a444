"""Measures of brokers' metrics: numbers of each broker and of the cluster, rates and ages."""

import pytest

from kadmin.plan.metrics.measures import (
    OF_CLUSTER,
    Combine,
    Measure,
    Unit,
    of_pattern,
    of_topic,
)
from kadmin.plan.metrics.report import EndpointLooks, report_of
from kadmin.plan.metrics.samples import SampleCollection, Scrape

BYTES = "kafka_server_brokertopicmetrics_bytesin_total"


def scrape(at_s: float, *samples: tuple[str, dict[str, str], float]) -> Scrape:
    found = SampleCollection()
    for sample in samples:
        found.add(*sample)
    return found.scrape(at_s)


def looks(name: str, now: Scrape | None, before: Scrape | None = None) -> EndpointLooks:
    return EndpointLooks(name=name, url=f"http://{name}", now=now, before=before)


@pytest.mark.parametrize(
    ("combine", "value"), [(Combine.SUM, 6.0), (Combine.MAX, 3.0), (Combine.MIN, 1.0)]
)
def test_the_number_of_the_cluster_combines_those_of_brokers(
    combine: Combine, value: float
) -> None:
    measure = Measure(title="m", names=("kafka_a",), labels={"x": "y*"}, combine=combine)
    endpoints = [
        looks("1", scrape(0, ("kafka_a", {"x": "y"}, 1), ("kafka_a", {"x": "n"}, 100))),
        looks("2", scrape(0, ("kafka_a", {"x": "y"}, 2))),
        looks("3", scrape(0, ("kafka_a", {"x": "yes"}, 3))),
        looks("4", None),
    ]

    (row,) = report_of(endpoints, [measure], 5).rows

    assert value == row.value
    assert {"1": 1, "2": 2, "3": 3, "4": None} == row.by_broker


def test_nan_and_infinity_are_not_known_and_hide_no_number_of_another() -> None:
    measure = Measure(title="m", names=("kafka_a",), combine=Combine.MAX)
    endpoints = [
        looks("1", scrape(0, ("kafka_a", {}, float("nan")))),
        looks("2", scrape(0, ("kafka_a", {"x": "y"}, float("inf")), ("kafka_a", {}, 2))),
        looks("3", scrape(0, ("kafka_a", {}, 7))),
    ]

    (row,) = report_of(endpoints, [measure], 5).rows

    assert 7 == row.value
    assert {"1": None, "2": 2, "3": 7} == row.by_broker


def test_a_glob_of_topics_does_not_match_the_series_of_all_topics() -> None:
    now = scrape(14, (BYTES, {}, 500), (BYTES, {"topic": "t"}, 500))
    before = scrape(10, (BYTES, {}, 100), (BYTES, {"topic": "t"}, 100))

    rows = report_of([looks("1", now, before)], of_topic("*"), 20).rows

    assert {100} == {row.value for row in rows if row.title == "bytes in"}
    assert [f'{BYTES}{{topic="t"}}'] == [each.title for each in of_pattern("*", "*", [now])]


def test_a_rate_is_the_growth_between_two_looks_and_unknown_after_a_restart() -> None:
    (measure,) = (each for each in OF_CLUSTER if each.title == "bytes in")
    topic = (BYTES, {"topic": "t"}, 9999.0)
    endpoints = [
        looks("1", scrape(14, (BYTES, {}, 500), topic), scrape(10, (BYTES, {}, 100))),
        looks("2", scrape(14, (BYTES, {}, 5)), scrape(10, (BYTES, {}, 100))),
        looks("3", scrape(14, (BYTES, {}, 5))),
    ]

    (row,) = report_of(endpoints, [measure], 20).rows

    assert {"1": 100.0, "2": None, "3": None} == row.by_broker
    assert (100.0, 6.0) == (row.value, row.age_s)


def test_of_several_names_the_first_that_is_reported_counts() -> None:
    (measure,) = (each for each in OF_CLUSTER if each.title == "request handlers idle")
    one = looks("1", scrape(0, *((name, {}, 0.5) for name in measure.names)))
    other = looks("2", scrape(0, (measure.names[1], {}, 0.25)))

    (row,) = report_of([one, other], [measure], 0).rows

    assert ({"1": 0.5, "2": 0.25}, 0.25) == (row.by_broker, row.value)


@pytest.mark.parametrize(("controllers", "is_wanted"), [(0, False), (1, True), (2, False)])
def test_a_number_that_a_healthy_cluster_does_not_have_is_marked(
    controllers: int, is_wanted: bool
) -> None:
    name = "kafka_controller_kafkacontroller_activecontrollercount"
    endpoints = [looks(str(each), scrape(0, (name, {}, each < controllers))) for each in range(3)]

    (row,) = report_of(endpoints, [OF_CLUSTER[0]], 0).rows

    assert is_wanted == row.is_wanted


def test_a_row_is_as_old_as_its_oldest_number() -> None:
    measure = Measure(title="m", names=("kafka_a",))
    endpoints = [
        looks("1", scrape(10, ("kafka_a", {}, 1))),
        looks("2", scrape(4, ("kafka_a", {}, 1))),
        looks("3", scrape(1)),
    ]

    report = report_of(endpoints, [measure], 12)

    assert 8 == report.rows[0].age_s
    assert [2, 8, 11] == [each.age_s for each in report.endpoints]


def test_a_pattern_selects_series_by_name_and_topic() -> None:
    found = scrape(
        0,
        ("kafka_log_log_size", {"topic": "orders", "partition": "0"}, 7),
        ("kafka_log_log_size", {"topic": "users", "partition": "0"}, 8),
        ("kafka_other", {}, 9),
    )

    assert [
        'kafka_log_log_size{partition="0",topic="orders"}',
    ] == [each.title for each in of_pattern("KAFKA_LOG_*", "ord*", [found])]
    (row,) = report_of([looks("1", found)], of_pattern("*other", None, [found]), 0).rows
    assert ({"1": 9}, None, False) == (row.by_broker, row.value, row.is_combined)


def test_measures_of_a_topic_leave_out_other_topics() -> None:
    found = scrape(
        0,
        ("kafka_log_log_size", {"topic": "orders", "partition": "0"}, 7),
        ("kafka_log_log_size", {"topic": "orders", "partition": "1"}, 5),
        ("kafka_log_log_size", {"topic": "users", "partition": "0"}, 8),
    )

    rows = {row.title: row for row in report_of([looks("1", found)], of_topic("orders"), 0).rows}

    assert (12, Unit.BYTES) == (rows["size of logs"].value, rows["size of logs"].unit)


def test_the_title_of_a_series_is_one_line_in_prometheus_form() -> None:
    now = scrape(0, ("kafka_a", {"client": 'a"b\\c\nd'}, 1))

    assert ['kafka_a{client="a\\"b\\\\c\\nd"}'] == [
        each.title for each in of_pattern("*", None, [now])
    ]
