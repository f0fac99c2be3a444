"""Who judges which partition, and who reads which piece: is the work dealt out evenly?"""

from hypothesis import given
from hypothesis import strategies as st

from cluster.model.ids import TopicPartition
from kadmin.jobs.verify.on_spark import (
    TASK_BYTES_MAX,
    TASK_BYTES_MIN,
    TASKS_PER_CORE,
    as_workers_read,
    dealt,
)
from kadmin.jobs.verify.pieces import Piece


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
