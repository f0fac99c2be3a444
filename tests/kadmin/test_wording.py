"""Counts of things, sizes and lists of partitions in words."""

from collections.abc import Callable

import pytest

from cluster.model.ids import TopicPartition
from kadmin.arguments.documents import BadFile
from kadmin.errors import KadminError
from kadmin.plan.offsets import NoSuchPartition
from kadmin.plan.reassignment.targets import UnfitTargets
from kadmin.plan.record_deletion import UnfitOffsets
from kadmin.plan.topic_refusals import NoSuchTopic
from kadmin.wording import (
    amount,
    counted,
    counted_partitions,
    listed,
    span,
    with_reasons,
)


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


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (1, "t-0"),
        (10, "t-0, t-1, t-2, t-3, t-4, t-5, t-6, t-7, t-8, t-9"),
        (11, "t-0, t-1, t-2, t-3, t-4, t-5, t-6, t-7, t-8, t-9, and 1 more"),
        (250_000, "t-0, t-1, t-2, t-3, t-4, t-5, t-6, t-7, t-8, t-9, and 249,990 more"),
    ],
)
def test_a_long_list_is_its_first_ten_and_a_count(count: int, shown: str) -> None:
    assert listed(f"t-{number}" for number in range(count)) == shown


def test_reasons_of_many_are_those_of_the_first_ten() -> None:
    told = with_reasons((f"t-{number}", "refused") for number in range(1000))
    assert told.startswith("t-0: refused; t-1: refused; ")
    assert told.endswith("t-9: refused; and 990 more")


@pytest.mark.slow
@pytest.mark.parametrize(
    "error",
    [
        lambda names: NoSuchTopic(names),
        lambda names: UnfitTargets([f"{name} has no replicas" for name in names], "look"),
        lambda names: BadFile("a.json", [f"{name} has no number" for name in names], "look"),
        lambda names: UnfitOffsets([f"{name} has no offset 5" for name in names], "look"),
        lambda names: NoSuchPartition(list(range(len(names))), ["t"]),
    ],
)
def test_errors_about_very_many_things_stay_readable(
    error: Callable[[list[str]], KadminError],
) -> None:
    message = error([f"topic-{number:06}" for number in range(250_000)]).message
    assert len(message) < 1000
    assert "and 249,990 more" in message
