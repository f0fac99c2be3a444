"""Who judges which partition, and who reads which piece: is the work dealt out evenly?"""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.ids import TopicPartition
from kadmin.jobs.places import absolute
from kadmin.jobs.spark.engine import SparkEngine
from kadmin.jobs.verify.on_spark import (
    MESSAGE_BYTES,
    MESSAGE_ITEMS,
    TASK_BYTES_MAX,
    TASK_BYTES_MIN,
    TASKS_PER_CORE,
    as_workers_read,
    dealt,
    rows_at_once,
)
from kadmin.jobs.verify.pieces import Piece
from kadmin.segments.values import ROW


def piece(number: int, size: int) -> Piece:
    return Piece(
        partition=TopicPartition("orders", number),
        broker="1",
        place=f"/1/orders-{number}/00000000000000000000.log",
        base_offset=0,
        begin=0,
        end=size,
        is_last=True,
        is_deep=False,
    )


EFFORTS = st.lists(st.integers(1, 1 << 40), min_size=1, max_size=40)


@given(EFFORTS, st.integers(1, 50))
def test_no_task_judges_more_than_its_share_and_one_partition(
    efforts: list[int], count: int
) -> None:
    of = {TopicPartition("orders", n): effort for n, effort in enumerate(efforts)}
    task_of = dealt(of, count)

    assert set(of) == set(task_of)
    assert set(range(min(count, len(of)))) == set(task_of.values())
    for task in set(task_of.values()):
        own = [of[each] for each in of if task_of[each] == task]
        assert sum(own) - min(own) <= sum(efforts) / min(count, len(of))


@given(st.lists(st.integers(1, 128 << 20), min_size=1, max_size=100), st.integers(1, 8))
def test_each_piece_is_read_once_by_few_tasks_for_little_and_many_for_much(
    sizes: list[int], cores: int
) -> None:
    pieces = [piece(number, size) for number, size in enumerate(sizes)]
    work = as_workers_read(pieces, cores)

    assert pieces == [each for share in work for each in share]
    effort = sum(each.effort for each in pieces)
    assert len(work) <= 2 * max(TASKS_PER_CORE * cores, effort // TASK_BYTES_MAX) + 1
    if effort <= TASK_BYTES_MIN:
        assert len(work) == 1


@given(st.integers(0, 64))
def test_however_many_tasks_share_a_jvm_it_gets_few_rows_at_once(tasks: int) -> None:
    rows = rows_at_once(tasks)
    message = rows * ROW.itemsize * MESSAGE_ITEMS

    assert 1 <= rows
    assert message <= MESSAGE_BYTES
    assert message * tasks <= 2 * MESSAGE_BYTES or rows == 1


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
def test_pyspark_hands_on_no_more_items_at_once_than_are_reckoned_with(
    spark_engine: SparkEngine,
) -> None:
    """It would gather more and more of them as long as they are small."""
    from pyspark import RDD
    from pyspark.serializers import NoOpSerializer

    context = spark_engine.driver.context
    items = context.parallelize([0], 1).flatMap(
        lambda _: ((0, bytes(1 if number < 30_000 else 5_000)) for number in range(34_000))
    )
    messages: RDD[bytes] = RDD(items.partitionBy(1)._jrdd, context, NoOpSerializer())
    sizes = messages.map(len).collect()

    assert 4_000 * 5_000 < sum(sizes)
    assert max(sizes) < (MESSAGE_ITEMS + 1) * 5_100


def test_a_path_behind_a_link_is_the_same_for_other_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere" / "b1").mkdir(parents=True)
    (tmp_path / "elsewhere" / "inner").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "inner")
    monkeypatch.chdir(tmp_path)

    place = absolute("link/../b1")

    assert os.path.isabs(place)
    assert os.path.samefile(place, tmp_path / "elsewhere" / "b1")
