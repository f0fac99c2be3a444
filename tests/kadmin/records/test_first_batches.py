"""Does the first batch of each partition go alone, and wait for nothing else?"""

import random
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kadmin.records.first_batches import (
    ANYWHERE,
    PARTITIONERS,
    STICKY_S,
    FirstBatches,
    Place,
    murmur2,
)
from tests.support.examples import example_count

KEYS = st.one_of(st.none(), st.binary(max_size=3))


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_second_record_waits_until_the_first_one_is_taken() -> None:
    batches = FirstBatches(3, range(3))

    first = batches.place_of(2, None)
    other = batches.place_of(1, b"key")

    assert first == Place(2, 2)
    assert other == Place(1, 1)
    assert batches.place_of(2, None) is None
    batches.settle(2, 2)
    assert batches.place_of(2, None) == Place(2)
    assert batches.place_of(1, None) is None


def test_after_a_first_record_that_failed_the_next_one_is_the_first() -> None:
    batches = FirstBatches(2, range(2))
    first = batches.place_of(0, None)
    assert first is not None

    batches.settle(0, None)

    assert batches.place_of(0, None) == Place(0, 0)
    assert batches.place_of(0, None) is None


def test_records_with_a_key_go_where_the_library_sends_them_and_wait_where_that_will_be() -> None:
    batches = FirstBatches(5, range(5))
    first = batches.place_of(None, b"key")
    assert first is not None
    assert first.partition == ANYWHERE
    assert first.first is not None

    assert batches.place_of(None, b"key") is None
    assert batches.place_of(first.first, None) is None
    batches.settle(first.first, first.first)
    assert batches.place_of(None, b"key") == Place(ANYWHERE)


def test_records_without_a_key_stay_in_one_partition_while_another_is_tried() -> None:
    clock = Clock()
    batches = FirstBatches(3, [0, 2], clock=clock)
    first = batches.place_of(None, None)
    assert first is not None
    assert first.partition in (0, 2)
    assert first.first == first.partition
    assert batches.place_of(None, None) is None
    batches.settle(first.partition, first.partition)
    assert batches.place_of(None, None) == Place(first.partition)

    clock.now += STICKY_S
    second = batches.place_of(None, None)

    assert second is not None
    assert {first.partition, second.partition} == {0, 2}, "partition 1 has no leader"
    assert batches.place_of(None, None) == Place(first.partition)
    batches.settle(second.partition, second.partition)
    assert batches.place_of(1, None) == Place(1, 1)
    for _ in range(20):
        clock.now += STICKY_S
        place = batches.place_of(None, None)
        assert place is not None
        assert place.partition in (0, 2)
        assert place.first is None
    batches.settle(1, 1)
    assert batches.are_over
    assert batches.place_of(None, None) == Place(ANYWHERE)


def test_where_no_partition_has_a_leader_one_record_waits_for_one() -> None:
    batches = FirstBatches(2, [])

    place = batches.place_of(None, None)

    assert place is not None
    assert place.first == place.partition
    assert batches.place_of(None, None) is None


def test_with_a_partitioner_that_is_not_known_nothing_waits() -> None:
    batches = FirstBatches(2, range(2), "fnv1a")

    assert [Place(ANYWHERE)] * 2 == [batches.place_of(None, b"key") for _ in range(2)]
    assert batches.place_of(1, b"key") == Place(1, 1)
    assert batches.place_of(1, b"key") is None


@pytest.mark.parametrize(
    ("data", "expected"),
    # Source: the values of Kafka's UtilsTest.testMurmur2, without a sign.
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_the_hash_is_that_of_java_clients(data: bytes, expected: int) -> None:
    assert expected % 2**32 == murmur2(data)


@pytest.mark.slow
@settings(max_examples=example_count(300), deadline=None)
@given(
    seed=st.integers(0, 2**32),
    count=st.integers(1, 6),
    partitioner=st.sampled_from([*PARTITIONERS, "fnv1a"]),
    records=st.lists(st.tuples(st.one_of(st.none(), st.integers(0, 5)), KEYS), max_size=60),
)
def test_whatever_is_sent_nothing_is_behind_a_first_batch_and_all_arrives_in_order(
    seed: int, count: int, partitioner: str, records: list[tuple[int | None, bytes | None]]
) -> None:
    lots = random.Random(seed)
    clock = Clock()
    guess = PARTITIONERS.get(partitioner, lambda key, count: None)
    batches = FirstBatches(count, range(count), partitioner, clock)
    under_way: dict[int, list[tuple[int, Place]]] = defaultdict(list)
    arrived: dict[int, list[int]] = defaultdict(list)
    refusals = 10

    def settle_one() -> None:
        nonlocal refusals
        partition = lots.choice([one for one in under_way if under_way[one]])
        number, place = under_way[partition].pop(0)
        is_refused = refusals > 0 and not arrived[partition]
        refusals -= is_refused
        if not is_refused:
            arrived[partition].append(number)
        if place.first is not None:
            batches.settle(place.first, None if is_refused else partition)

    for number, (given_partition, key) in enumerate(records):
        wanted = None if given_partition is None else given_partition % count
        clock.now += lots.choice([0.0, STICKY_S])
        while (place := batches.place_of(wanted, key)) is None:
            settle_one()
        partition = place.partition
        if partition == ANYWHERE:
            found = guess(key, count)
            partition = lots.randrange(count) if found is None else found
        if partitioner in PARTITIONERS and not arrived[partition]:
            assert not under_way[partition], "two are under way, and nothing was taken"
        under_way[partition].append((number, place))
        if lots.random() < 0.3:
            settle_one()
    while any(under_way.values()):
        settle_one()

    for numbers in arrived.values():
        assert numbers == sorted(numbers)
    if partitioner in PARTITIONERS:
        assert batches.are_over == all(arrived[partition] for partition in range(count))
