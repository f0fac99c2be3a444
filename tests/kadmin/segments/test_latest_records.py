"""Replicas whose cleaners came differently far: is it seen which of them lacks a record?"""

import random
from collections.abc import Sequence

import pytest

from cluster.formats.record_batch import whole_batches
from kadmin.segments.compare import Verdict, compare
from kadmin.segments.latest_records import note_missing
from kadmin.segments.replica_log import ReplicaLog, cleaned_end, read_replica
from kadmin.segments.values import DamageKind, SegmentFiles
from tests.cluster.storage.batches import marker
from tests.cluster.storage.cleaner.keyed import Keyed, keyed_batch
from tests.cluster.storage.cleaner.test_model import Model
from tests.kadmin.segments.sources import Bytes
from tests.support.examples import example_count
from tests.support.seeds import seeds

MISSING = DamageKind.LATEST_RECORD_MISSING


def replica_of(*segments: tuple[int, bytes], high_watermark: int, cleaned: int) -> ReplicaLog:
    return read_replica(files_of(segments), high_watermark=high_watermark, cleaned_offset=cleaned)


def files_of(segments: Sequence[tuple[int, bytes]]) -> list[SegmentFiles]:
    return [
        SegmentFiles(base_offset=offset, name=f"{offset:020}.log", log=Bytes(content))
        for offset, content in segments
    ]


def snapshot(model: Model) -> tuple[list[tuple[int, bytes]], int, int]:
    """The replica's segments as they are now, its end, and how far its cleaner came."""
    log = model.log
    segments = [(each.base_offset, each.file.read(0, each.size)) for each in log.segments]
    return segments, log.log_end_offset, cleaned_end(files_of(segments), log.cleaned_offset or 0)


@pytest.mark.parametrize("seed", seeds(example_count(12)))
def test_replicas_of_any_state_of_cleaning_are_equal_until_one_loses_a_record(seed: int) -> None:
    chance = random.Random(seed)
    model = Model(chance, has_legacy=False)
    steps = [model.append, model.append, model.transact, model.wait, model.clean]
    states = []
    for _ in range(40):
        chance.choice(steps)()
        states.append(snapshot(model))
    for _ in range(10):
        pair = chance.choice(states), chance.choice([*states, states[-1]])
        cleaned = max(each[2] for each in pair)
        logs = {
            str(number): replica_of(*segments, high_watermark=end, cleaned=cleaned)
            for number, (segments, end, _) in enumerate(pair)
        }
        found = compare(logs, cleaned_offset=cleaned, is_deep=True)
        assert found.divergence is None
        assert [] == [each for log in logs.values() for each in log.damage]

    segments, end, cleaned = states[-1]
    records = {}
    for offset, one in model.records.items():
        if one.key is not None and offset < cleaned:
            records[one.key] = offset, one.value
    latest = {offset for offset, value in records.values() if value is not None}
    later = {one.key for offset, one in model.records.items() if offset >= cleaned}
    latest -= {offset for key, (offset, _) in records.items() if key in later}
    if not latest:
        return
    lost = chance.choice(sorted(latest))
    whole = replica_of(*segments, high_watermark=end, cleaned=cleaned)
    broken = replica_of(
        *((base, without(content, lost)) for base, content in segments),
        high_watermark=end,
        cleaned=cleaned,
    )
    logs = {"1": whole, "2": broken}
    assert Verdict.DAMAGED == compare(logs, cleaned_offset=cleaned, is_deep=True).verdict
    assert [] == whole.damage
    assert [(MISSING, "which replica 1 has" in broken.damage[0].reason)] == [
        (each.kind, True) for each in broken.damage
    ]
    noted = list(broken.damage)
    del broken.damage[:]
    note_missing(logs, 0, end, cleaned, keys_max=3)
    assert noted == broken.damage, "in many passes, the same"


@pytest.mark.parametrize(("cleaned", "end"), [(0, 0), (1, 2), (2, 2), (3, 5), (6, 6)])
def test_a_cleaner_that_stops_amid_a_segment_takes_from_all_of_it(cleaned: int, end: int) -> None:
    """As with seed 10575301: aborted records behind the cleaned offset were taken."""
    assert end == cleaned_end(files_of([(base, b"") for base in (0, 2, 5)]), cleaned)


def without(content: bytes, offset: int) -> bytes:
    """The batches but that which has *offset*."""
    return b"".join(
        content[position : position + header.size]
        for position, header in whole_batches(content)
        if not header.base_offset <= offset < header.next_offset
    )


KEY_AT_0 = bytes(keyed_batch([Keyed(b"k", b"old")], 0))
TOMBSTONE_AT_1 = bytes(keyed_batch([Keyed(b"k", None)], 1))
OTHER_AT_2 = bytes(keyed_batch([Keyed(b"o", b"x")], 2))
OPEN_AT_1 = bytes(keyed_batch([Keyed(b"k", b"new")], 1, producer_id=7, is_transactional=True))
ABORT_AT_2 = bytes(marker(7, 2, is_abort=True))
COMMIT_AT_2 = bytes(marker(7, 2, is_abort=False))


@pytest.mark.parametrize(
    ("one", "other", "lacking"),
    [
        ((KEY_AT_0, TOMBSTONE_AT_1, OTHER_AT_2), (OTHER_AT_2,), None),
        ((KEY_AT_0, TOMBSTONE_AT_1, OTHER_AT_2), (KEY_AT_0, OTHER_AT_2), 1),
        ((KEY_AT_0, OTHER_AT_2), (OTHER_AT_2,), 0),
        ((KEY_AT_0, OPEN_AT_1, ABORT_AT_2), (KEY_AT_0, ABORT_AT_2), None),
        ((KEY_AT_0, OPEN_AT_1, ABORT_AT_2), (OPEN_AT_1, ABORT_AT_2), 0),
        ((KEY_AT_0, OPEN_AT_1, COMMIT_AT_2), (OPEN_AT_1, COMMIT_AT_2), None),
        ((KEY_AT_0, OPEN_AT_1, COMMIT_AT_2), (KEY_AT_0, COMMIT_AT_2), 1),
        # That one ends before what the cleaner of the other has read, perhaps a tombstone.
        ((KEY_AT_0,), (OTHER_AT_2,), None),
    ],
    ids=[
        *("tombstone and all before", "tombstone alone", "value"),
        *("aborted", "before what was aborted", "before what was committed", "committed"),
        "behind the end",
    ],
)
def test_what_a_cleaner_may_take(
    one: tuple[bytes, ...], other: tuple[bytes, ...], lacking: int | None
) -> None:
    logs = {
        name: replica_of((0, b"".join(batches)), high_watermark=3, cleaned=3)
        for name, batches in (("1", one), ("2", other))
    }

    note_missing(logs, 0, 3, cleaned_offset=3)

    assert [] == [each for each in logs["1"].damage if each.kind is MISSING]
    assert ([] if lacking is None else [lacking]) == [
        each.offset for each in logs["2"].damage if each.kind is MISSING
    ]
