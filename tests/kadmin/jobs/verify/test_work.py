"""Who judges which partition, and who reads which piece: is the work dealt out evenly?"""

import os
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.ids import TopicPartition
from kadmin.jobs.places import absolute
from kadmin.jobs.verify.collected import FoundReplica
from kadmin.jobs.verify.pieces import Piece
from kadmin.jobs.verify.request import VerifyRequest
from kadmin.jobs.verify.work import ITEMS_PER_WORKER, Part, Whole, work_items

PIECE_BYTES = 1 << 20


def piece(partition: TopicPartition, begin: int, end: int) -> Piece:
    return Piece(
        partition=partition,
        broker="1",
        place=f"/1/{partition}/00000000000000000000.log",
        base_offset=0,
        begin=begin,
        end=end,
        is_last=True,
        is_deep=False,
    )


def pieces_of(partition: TopicPartition, size: int) -> list[Piece]:
    bounds = [*range(0, size, PIECE_BYTES), size]
    return [piece(partition, *each) for each in pairwise(bounds)]


def found(partition: TopicPartition) -> FoundReplica:
    return FoundReplica(
        partition=partition,
        broker="1",
        label="",
        directory=f"/1/{partition}",
        high_watermark=None,
        log_start_offset=None,
        cleaned_offset=0,
    )


@given(st.lists(st.integers(0, 40 << 20), min_size=1, max_size=30), st.integers(1, 8))
def test_each_partition_is_judged_once_and_none_that_is_too_large_is_one_workers(
    sizes: list[int], workers: int
) -> None:
    pieces = {
        each: pieces_of(each, size)
        for each, size in ((TopicPartition("orders", n), size) for n, size in enumerate(sizes))
    }
    request = VerifyRequest(
        partitions={each: [found(each)] for each in pieces}, piece_bytes=PIECE_BYTES
    )
    items = list(work_items(request, pieces, workers))

    whole = [each for item in items if isinstance(item, Whole) for each, _ in item.partitions]
    read = [each for item in items if isinstance(item, Part) for each in item.pieces]
    assert sum(sizes) == sum(item.size for item in items)
    assert list(pieces) == list(dict.fromkeys([*in_order(items)]))
    assert not set(whole) & {each.partition for each in read}
    assert len(whole) == len(set(whole))
    even_share = sum(sizes) // (ITEMS_PER_WORKER * workers)
    assert max(item.size for item in items) <= max(PIECE_BYTES, even_share)
    for partition in {each.partition for each in read}:
        assert pieces[partition] == [each for each in read if each.partition == partition]


def in_order(items: list[Whole | Part]) -> list[TopicPartition]:
    return [
        partition
        for item in items
        for partition in (
            [each for each, _ in item.partitions]
            if isinstance(item, Whole)
            else [item.pieces[0].partition]
        )
    ]


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
