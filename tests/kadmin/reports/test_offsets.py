"""Offsets that were asked for: which are counted, and in which order do they come?"""

from cluster.model.ids import TopicPartition
from kadmin.plan.offsets import (
    EARLIEST,
    LATEST,
    FoundOffset,
)
from kadmin.reports.offsets import (
    Order,
    PartitionOffset,
    ranked,
    report_of,
)

NOW_MS = 1_700_000_000_000
T0, T1, T2 = (TopicPartition("t", number) for number in range(3))


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
    assert {T1: "gone"} == report.unanswered


def test_nothing_is_counted_unless_asked_for() -> None:
    report = report_of(LATEST, {T0: FoundOffset(4, None)}, {}, None)

    assert (PartitionOffset(T0, FoundOffset(4, None)),) == report.offsets
    assert (None, None) == (report.offsets[0].count, report.total)


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
