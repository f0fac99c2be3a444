"""Offsets: what do operators mean, and how many lie between two?"""

import pytest

from cluster.model.ids import TopicPartition
from kadmin.arguments.moments import moment_text, parse_moment, parse_numbers
from kadmin.errors import UsageError
from kadmin.plan.offsets import (
    EARLIEST,
    LATEST,
    MAX_TIMESTAMP,
    FoundOffset,
    NoSuchPartition,
    UntoldOffsets,
    partitions_of,
)
from kadmin.reports.offsets import (
    Order,
    PartitionOffset,
    ranked,
    report_of,
)
from tests.kadmin.builders import brokers, cluster, topic

NOW_MS = 1_700_000_000_000
T0, T1, T2 = (TopicPartition("t", number) for number in range(3))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("latest", LATEST),
        ("earliest", EARLIEST),
        ("max-timestamp", MAX_TIMESTAMP),
        ("-1", LATEST),
        ("-2", EARLIEST),
        ("-3", MAX_TIMESTAMP),
        ("0", 0),
        ("1700000000123", 1_700_000_000_123),
        ("-2h", NOW_MS - 7_200_000),
        ("2023-11-14T22:13:20", NOW_MS),
        ("1960-01-01", 0),
    ],
)
def test_a_moment_is_a_place_a_number_or_a_time(text: str, expected: int) -> None:
    assert expected == parse_moment(text, NOW_MS)


@pytest.mark.parametrize("text", ["", "soon", "-4", "-5", "1e3", str(2**63)])
def test_what_is_no_moment_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no time, and no place in a log"):
        parse_moment(text, NOW_MS)


def test_a_moment_is_written_as_it_may_be_given() -> None:
    assert ["latest", "earliest", "max-timestamp", "0"] == [
        moment_text(moment) for moment in (LATEST, EARLIEST, MAX_TIMESTAMP, 0)
    ]


def test_numbers_of_partitions() -> None:
    assert frozenset({0, 7}) == parse_numbers("7, 0,7")
    for text in ("", "1,", "-1", "a", "1-3"):
        with pytest.raises(UsageError, match="are no numbers of partitions"):
            parse_numbers(text)


def test_partitions_are_those_of_the_topics_and_numbers_that_are_meant() -> None:
    snapshot = cluster(brokers("0"), topic("t", "0 0 0"), topic("u", "0"))

    assert [T0, T1, T2] == partitions_of(snapshot, ["t"], None)
    assert [T0, TopicPartition("u", 0)] == partitions_of(snapshot, ["t", "u"], frozenset({0}))
    assert [T2] == partitions_of(snapshot, ["t", "u"], frozenset({2}))
    assert [] == partitions_of(snapshot, [], frozenset({2}))


def test_a_partition_that_no_topic_has_is_named() -> None:
    snapshot = cluster(brokers("0"), topic("t", "0 0"), topic("u", "0"))

    with pytest.raises(NoSuchPartition, match=r"^topic 't' has no partitions 2, 7$"):
        partitions_of(snapshot, ["t"], frozenset({1, 2, 7}))
    with pytest.raises(NoSuchPartition, match=r"^none of these topics has partition 2$"):
        partitions_of(snapshot, ["t", "u"], frozenset({1, 2}))


def test_offsets_are_counted_up_to_the_end() -> None:
    found = {T1: FoundOffset(3, 17), T0: FoundOffset(None, None), T2: FoundOffset(9, None)}
    ends = {T0: FoundOffset(5, None), T1: FoundOffset(5, None), T2: FoundOffset(8, None)}

    report = report_of(NOW_MS, found, {}, ends)

    assert (T0, T1, T2) == tuple(each.partition for each in report.offsets)
    # Of T2, retention has taken what there was between the two questions.
    assert [0, 2, 0] == [each.count for each in report.offsets]
    assert 2 == report.total


def test_a_partition_whose_end_nobody_told_is_not_counted() -> None:
    found = {T0: FoundOffset(1, None), T1: FoundOffset(1, None)}

    report = report_of(EARLIEST, found, {T1: "gone"}, {T0: FoundOffset(4, None)})

    assert ((T0, 3),) == tuple((each.partition, each.count) for each in report.offsets)
    assert {T1: "gone"} == report.untold


def test_nothing_is_counted_unless_asked_for() -> None:
    report = report_of(LATEST, {T0: FoundOffset(4, None)}, {}, None)

    assert (PartitionOffset(T0, FoundOffset(4, None)),) == report.offsets
    assert (None, None) == (report.offsets[0].count, report.total)


def test_an_error_names_some_of_the_untold() -> None:
    many = {TopicPartition("t", number): "" for number in range(7)}

    assert "of 7 partitions: t-0, t-1, t-2, t-3, t-4, …" in UntoldOffsets(many).message
    assert UntoldOffsets({T0: ""}).message.endswith("of 1 partition: t-0")


def test_the_first_of_an_order_are_kept_and_all_are_summed_up() -> None:
    found = {each: FoundOffset(offset, None) for each, offset in ((T0, 5), (T1, None), (T2, 7))}
    ends = {each: FoundOffset(10, None) for each in found}
    report = report_of(LATEST, found, {}, ends)

    by_offset, by_count = (
        ranked(report, order, limit) for order, limit in ((Order.OFFSET, 2), (Order.COUNT, None))
    )

    assert [T2, T0] == [each.partition for each in by_offset.offsets]
    assert ([T1], 8) == ([each.partition for each in by_offset.hidden], by_offset.total)
    assert [T0, T2, T1] == [each.partition for each in by_count.offsets]
    assert () == by_count.hidden
    assert report == ranked(report, Order.NAME, None)
