"""Counts of things, sizes and lists of partitions in words."""

import pytest

from cluster.model.ids import TopicPartition
from kadmin.plan.wording import amount, counted, counted_partitions, span


def test_things_are_counted_in_their_number() -> None:
    assert ["0 rows", "1 row", "2 rows", "1,234 rows"] == [
        counted(count, "row") for count in (0, 1, 2, 1234)
    ]


def test_many_partitions_are_counted_and_the_first_of_them_named() -> None:
    parts = [TopicPartition("t", number) for number in range(6)]

    assert "1 partition: t-0" == counted_partitions(parts[:1])
    assert "5 partitions: t-0, t-1, t-2, t-3, t-4" == counted_partitions(parts[:5])
    assert "6 partitions: t-0, t-1, t-2, t-3, t-4, …" == counted_partitions(parts)
    assert counted_partitions(parts * 200).startswith("1,200 partitions: t-0, ")


@pytest.mark.parametrize(
    ("size", "shown"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 << 40, "5.0 TiB")]
)
def test_an_amount_has_its_shortest_unit(size: int, shown: str) -> None:
    assert shown == amount(size)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(8, "8 s"), (99, "99 s"), (720, "12 min"), (12_000, "3 h 20 min"), (187_200, "2 d 4 h")],
)
def test_spans_are_said_in_hours_and_minutes(seconds: float, said: str) -> None:
    assert said == span(seconds)
