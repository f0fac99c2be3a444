"""A compaction in a process of its own does what one in this process does."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from cluster.formats.record_batch import CorruptBatchError
from cluster.runtime.disk.compaction_process import (
    CompactionProcesses,
    ProcessCompaction,
    send,
    started,
)
from cluster.storage.cleaner.compaction import (
    Cleaned,
    Compaction,
    CompactionLost,
    CompactionRules,
    Compactor,
)
from tests.cluster.storage.cleaner.keyed import Keyed, keyed_batch

RULES = CompactionRules(0, 24 * 4000, 10_000, 0.9, 0, 1000, (), ())


def batch_of(base_offset: int) -> bytes:
    records = [Keyed(b"k%d" % number, bytes(300)) for number in range(2000)]
    return bytes(keyed_batch(records, base_offset))


def results(compaction: Compactor) -> Iterator[object]:
    """What each step returns, over batches that get larger."""
    for base_offset in (0, 2000, 4000):
        yield compaction.index(batch_of(base_offset)), compaction.end_offset
    compaction.skip_to(7000)
    yield compaction.end_offset
    compaction.begin_cleaning()
    for base_offset in (0, 4000, 2000):
        yield compaction.clean(batch_of(base_offset), keeps_legacy_tombstones=True)
    yield compaction.end_segment(), compaction.end_offset


@contextmanager
def process_compaction(processes: CompactionProcesses) -> Iterator[ProcessCompaction]:
    compaction = processes.begin(RULES)
    assert isinstance(compaction, ProcessCompaction)
    try:
        yield compaction
    finally:
        compaction.close()


@pytest.mark.parametrize("has_memfd", [True, False], ids=["memfd", "without memfd"])
def test_it_does_what_a_compaction_in_this_process_does(
    has_memfd: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_memfd:
        # As on macOS.
        monkeypatch.delattr(os, "memfd_create")
    here = Compaction(RULES)
    damaged = bytearray(batch_of(0))
    damaged[-1] ^= 1
    with process_compaction(CompactionProcesses()) as compaction:
        with pytest.raises(CorruptBatchError, match="its checksum is wrong") as raised:
            compaction.index(bytes(damaged))
        found = list(results(compaction))

    assert list(results(here)) == found
    assert raised.value.position == 0
    assert [one.content == b"" for one in found if isinstance(one, Cleaned)] == [True, False, True]
    here.close()


def test_after_a_process_is_lost_compactions_are_done_in_this_one() -> None:
    processes = CompactionProcesses()
    with process_compaction(processes) as compaction:
        compaction.index(batch_of(0))
        assert compaction._started is not None
        compaction._started.process.kill()

        with pytest.raises(CompactionLost, match="compacts by itself from now on"):
            compaction.index(batch_of(2000))

    assert isinstance(processes.begin(RULES), Compaction)


def test_the_process_ends_with_the_broker() -> None:
    process, requests, replies, memory = started()
    send(requests, RULES)
    requests.close()

    assert process.wait() == 0
    replies.close()
    memory.close()
