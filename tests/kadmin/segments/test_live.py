"""Replicas that are given piece by piece: is every difference found, wherever the pieces end?"""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kadmin.segments.compare import Verdict
from kadmin.segments.fetched import Fetched
from kadmin.segments.live import LivePartition
from tests.cluster.storage.batches import batch
from tests.kadmin.segments.replicas import FORMATS, log_of

COUNT = 12


def give(log: Mapping[int, bytes], ends: Mapping[int, int], offset: int, size: int) -> Fetched:
    """What a broker with *log* gives: batches by base offset, and the offset behind each."""
    content = b"".join(log[base] for base in sorted(log) if ends[base] > offset)
    return Fetched(content[:size], COUNT)


def log_in(
    borders: set[int], values: Mapping[int, bytes]
) -> tuple[dict[int, bytes], dict[int, int]]:
    """A log of COUNT records whose batches begin at 0 and at *borders*."""
    starts = sorted({0, *borders})
    ends = dict(zip(starts, [*starts[1:], COUNT], strict=True))
    batches = {
        start: bytes(
            batch(
                [values.get(at, b"%d" % at) for at in range(start, end)],
                times=list(range(start, end)),
                base_offset=start,
            )
        )
        for start, end in ends.items()
    }
    return batches, ends


@given(
    borders=st.lists(st.sets(st.integers(1, COUNT - 1)), min_size=2, max_size=3),
    sizes=st.lists(st.integers(1, 400), min_size=3, max_size=3),
    changed=st.none() | st.integers(0, COUNT - 1),
)
def test_equal_records_are_equal_and_the_first_that_differs_is_found(
    borders: list[set[int]], sizes: list[int], changed: int | None
) -> None:
    """Whatever the borders of batches, and however much each replica gives at once."""
    logs = [log_in(each, {}) for each in borders]
    if changed is not None:
        logs[0] = log_in(borders[0], {changed: b"another"})
    live = LivePartition(map(str, range(len(logs))), 0, is_compacted=False)
    is_alone = False
    for _ in range(10 * COUNT):
        fetched = {}
        for number, (log, ends) in enumerate(logs):
            # Whoever is asked alone gives a whole batch.
            size = max(sizes[number], 1000 if is_alone else 0)
            fetched[str(number)] = give(log, ends, live.position, size)
        is_alone = live.compare(fetched, is_alone=is_alone).is_short
        if live.has_caught_up:
            break

    found = live.comparison(has_unreadable=False)

    assert live.has_caught_up
    assert (Verdict.EQUAL if changed is None else Verdict.DIFFER) == found.verdict
    assert changed == (None if found.divergence is None else found.divergence.offset)
    assert not any(replica.damage for replica in live.replicas.values())


@pytest.mark.parametrize("name", list(FORMATS))
@pytest.mark.parametrize("is_whole", [True, False])
def test_every_message_format_is_read(name: str, is_whole: bool) -> None:
    content = b"".join(log_of(name))
    cut = content if is_whole else content[:-1]
    live = LivePartition("12", 0, is_compacted=False)

    step = live.compare({"1": Fetched(content, 100), "2": Fetched(cut, 100)}, is_alone=False)

    assert step.has_moved
    assert step.divergence is None
    assert [] == live.replicas["2"].damage
    assert 0 < live.position <= 100


def test_a_wrong_checksum_is_told_once_however_often_it_is_read() -> None:
    log, _ = log_in({4, 8}, {})
    broken = bytearray(b"".join(log.values()))
    broken[len(log[0]) + len(log[4]) - 1] ^= 1
    live = LivePartition("12", 0, is_compacted=False)

    for mark in (5, 6, COUNT):
        live.compare(
            {"1": Fetched(bytes(broken), COUNT), "2": Fetched(b"".join(log.values()), mark)},
            is_alone=False,
        )

    (damage,) = live.replicas["1"].damage
    assert ("wrong_checksum", 4) == (damage.kind, damage.offset)
    assert COUNT == live.position
    assert Verdict.DAMAGED == live.comparison(has_unreadable=False).verdict


def test_what_is_compacted_may_be_missing_and_what_is_not_may_not() -> None:
    log, _ = log_in({4, 8}, {})
    whole, part = b"".join(log.values()), log[0] + log[8]
    verdicts = {}
    for is_compacted in (True, False):
        live = LivePartition("12", 0, is_compacted=is_compacted)
        live.compare({"1": Fetched(whole, COUNT), "2": Fetched(part, COUNT)}, is_alone=False)
        verdicts[is_compacted] = live.comparison(has_unreadable=False).verdict

    assert {True: Verdict.EQUAL, False: Verdict.DAMAGED} == verdicts


def test_a_replica_that_has_nothing_below_its_high_watermark_is_asked_alone() -> None:
    log, _ = log_in(set(), {})
    live = LivePartition("12", 0, is_compacted=False)
    nothing = {"1": Fetched(log[0], COUNT), "2": Fetched(b"", COUNT)}

    first = live.compare(nothing, is_alone=False)
    second = live.compare(nothing, is_alone=True)

    assert (False, True, True) == (first.has_moved, first.is_short, second.has_moved)
    (damage,) = live.replicas["2"].damage
    assert ("offset_gap", f"offsets 0 to {COUNT - 1} are missing") == (damage.kind, damage.reason)
