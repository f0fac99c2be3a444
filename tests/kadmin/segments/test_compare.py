"""Every fault, in every message format, is found where it is, and nothing else is.

Three replicas of two segments are equal; then one of them gets the fault.
"""

import struct
from functools import cache
from typing import Final

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from kadmin.segments.compare import Cause, Comparison, Side, Verdict, compare
from kadmin.segments.replica_log import ReplicaLog, read_replica
from kadmin.segments.values import Damage, DamageKind, SegmentFiles
from tests.cluster.formats.messages import message, wrapper
from tests.cluster.storage.batches import CODECS, START_MS, batch, batch_around, sealed
from tests.kadmin.segments.replicas import (
    COUNT,
    FORMATS,
    ROLLED,
    base_offset,
    log_of,
    replica,
    segments_of,
    values_of,
)
from tests.kadmin.segments.sources import Bytes
from tests.support.examples import example_count

NAMES: Final = tuple(FORMATS)
NUMBERS: Final = st.integers(0, COUNT - 1)
SETTINGS: Final = settings(
    max_examples=example_count(30),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)

each_format = pytest.mark.parametrize("name", NAMES)


def among_sound(name: str, segments: dict[int, bytes]) -> tuple[Comparison, list[Damage]]:
    """Replica 3 of *segments* beside the sound ones 1 and 2, and what is wrong with it."""
    one, two = sound(name)
    faulty = replica(segments, high_watermark=base_offset(name, COUNT))
    assert [] == one.damage == two.damage
    return compare({"1": one, "2": two, "3": faulty}), faulty.damage


@cache
def sound(name: str) -> list[ReplicaLog]:
    end = base_offset(name, COUNT)
    return [replica(segments_of(name, log_of(name)), high_watermark=end) for _ in range(2)]


def place(name: str, batches: list[bytes], number: int) -> tuple[str, int]:
    """The file in which a batch of that number is, and where it begins."""
    first = ROLLED if number >= ROLLED else 0
    file = f"{base_offset(name, first):020}.log"
    return file, sum(map(len, batches[first:number]))


@each_format
def test_replicas_with_the_same_bytes_are_equal(name: str) -> None:
    comparison, damage = among_sound(name, segments_of(name, log_of(name)))

    assert [] == damage
    assert Verdict.EQUAL == comparison.verdict
    assert (0, base_offset(name, COUNT)) == (comparison.start_offset, comparison.end_offset)
    assert comparison.divergence is None


@each_format
@SETTINGS
@given(number=NUMBERS, at=st.integers(0, 10**6), bit=st.integers(0, 7))
def test_a_flipped_bit_that_the_checksum_covers(name: str, number: int, at: int, bit: int) -> None:
    batches = log_of(name)
    covered = 16 if name.startswith("magic 2") else 12
    flipped = bytearray(batches[number])
    flipped[covered + at % (len(flipped) - covered)] ^= 1 << bit
    batches[number] = bytes(flipped)

    comparison, damage = among_sound(name, segments_of(name, batches))

    assert [(DamageKind.WRONG_CHECKSUM, *place(name, batches, number))] == [
        one[:3] for one in damage
    ]
    assert (Verdict.DAMAGED, None) == (comparison.verdict, comparison.divergence)


@pytest.mark.slow
@each_format
@SETTINGS
@given(number=NUMBERS, bit=st.integers(0, 31))
def test_a_flipped_bit_in_a_length(name: str, number: int, bit: int) -> None:
    """Where the next batch begins is lost with it: the damage begins there, and is not twice."""
    batches = log_of(name)
    (length,) = struct.unpack_from(">i", batches[number], 8)
    flipped = bytearray(batches[number])
    flipped[8 + bit // 8] ^= 0x80 >> bit % 8
    batches[number] = bytes(flipped)

    comparison, damage = among_sound(name, segments_of(name, batches))

    file, position = place(name, batches, number)
    assert {file} == {one.file for one in damage}
    assert position <= min(one.position for one in damage) <= position + length + 12
    assert {one.kind for one in damage} <= {
        *(DamageKind.WRONG_CHECKSUM, DamageKind.NO_BATCH, DamageKind.TORN_TAIL),
        DamageKind.ENDS_BEFORE_HIGH_WATERMARK,
    }
    assert (Verdict.DAMAGED, None) == (comparison.verdict, comparison.divergence)


@pytest.mark.slow
@each_format
@SETTINGS
@given(number=NUMBERS, bit=st.integers(0, 63))
@example(number=COUNT - 1, bit=62)
def test_a_flipped_bit_in_an_offset(name: str, number: int, bit: int) -> None:
    batches = log_of(name)
    flipped = bytearray(batches[number])
    flipped[bit // 8] ^= 0x80 >> bit % 8
    batches[number] = bytes(flipped)

    comparison, damage = among_sound(name, segments_of(name, batches))

    ((kind, file, position, *_),) = damage
    assert kind in (
        *(DamageKind.OUT_OF_ORDER, DamageKind.OFFSET_GAP),
        DamageKind.UNREADABLE_RECORDS,
    )
    assert place(name, batches, number) == (file, position)
    if (name, number, bit) == ("magic 1 in snappy", COUNT - 1, 62):
        # The first of three records moves to the last offset, where others have the third one.
        assert Verdict.DIFFER == comparison.verdict
        assert comparison.divergence is not None
        assert base_offset(name, COUNT) - 1 == comparison.divergence.offset
        return
    assert (Verdict.DAMAGED, None) == (comparison.verdict, comparison.divergence)


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("magic 2")])
@SETTINGS
@given(number=NUMBERS, bit=st.integers(0, 31))
def test_a_flipped_bit_in_a_leader_epoch(name: str, number: int, bit: int) -> None:
    batches = log_of(name)
    flipped = bytearray(batches[number])
    flipped[12 + bit // 8] ^= 0x80 >> bit % 8
    batches[number] = bytes(flipped)

    comparison, damage = among_sound(name, segments_of(name, batches))

    divergence = comparison.divergence
    assert [] == damage
    assert divergence is not None
    assert (Verdict.DIFFER, Cause.LEADER_EPOCHS) == (comparison.verdict, divergence.cause)
    assert base_offset(name, number) == divergence.offset
    assert (("3",), True) == (divergence.suspects, divergence.has_majority)


@pytest.mark.slow
@each_format
@SETTINGS
@given(at=st.integers(0, 10**6), in_last=st.booleans())
def test_a_segment_that_is_cut_off(name: str, at: int, in_last: bool) -> None:
    batches = log_of(name)
    first = ROLLED if in_last else 0
    mine = batches[first:] if in_last else batches[:ROLLED]
    size = at % sum(map(len, mine))
    ends = [sum(map(len, mine[: number + 1])) for number in range(len(mine))]
    whole = sum(end <= size for end in ends)
    is_at_border = size == 0 or size in ends
    segments = segments_of(name, batches)
    start = base_offset(name, first)
    segments[start] = segments[start][:size]

    comparison, damage = among_sound(name, segments)

    file, next_file = f"{start:020}.log", f"{base_offset(name, ROLLED):020}.log"
    position = ends[whole - 1] if whole else 0
    left_from = base_offset(name, first + whole)
    if in_last:
        expected = [(DamageKind.ENDS_BEFORE_HIGH_WATERMARK, file, size, left_from)]
        if not is_at_border:
            expected.insert(0, (DamageKind.TORN_TAIL, file, position, left_from))
    elif is_at_border:
        expected = [(DamageKind.OFFSET_GAP, next_file, 0, base_offset(name, ROLLED))]
    else:
        expected = [(DamageKind.NO_BATCH, file, position, left_from)]
    assert expected == [one[:4] for one in damage]
    assert (Verdict.DAMAGED, None) == (comparison.verdict, comparison.divergence)


@each_format
@SETTINGS
@given(number=NUMBERS)
def test_a_batch_that_was_dropped(name: str, number: int) -> None:
    batches = log_of(name)
    file, position = place(name, batches, number)
    if number == ROLLED - 1:
        file, position = f"{base_offset(name, ROLLED):020}.log", 0
    kept = batches[:number] + batches[number + 1 :]

    comparison, damage = among_sound(
        name, segments_of(name, kept, ROLLED if number >= ROLLED else ROLLED - 1)
    )

    is_last = number == COUNT - 1
    kind = DamageKind.ENDS_BEFORE_HIGH_WATERMARK if is_last else DamageKind.OFFSET_GAP
    offset = base_offset(name, number if is_last else number + 1)
    assert [(kind, file, position, offset)] == [one[:4] for one in damage]
    assert (Verdict.DAMAGED, None) == (comparison.verdict, comparison.divergence)


@each_format
@SETTINGS
@given(number=NUMBERS)
def test_a_batch_that_is_there_twice(name: str, number: int) -> None:
    batches = log_of(name)
    file, position = place(name, batches, number)
    twice = [*batches[: number + 1], *batches[number:]]

    comparison, damage = among_sound(
        name, segments_of(name, twice, ROLLED if number >= ROLLED else ROLLED + 1)
    )

    ((kind, found_file, found_position, offset, _),) = damage
    assert (DamageKind.OUT_OF_ORDER, file) == (kind, found_file)
    assert found_position in (position, position + len(batches[number]))
    assert base_offset(name, number) == offset
    assert (Verdict.DAMAGED, None) == (comparison.verdict, comparison.divergence)


@each_format
@SETTINGS
@given(number=st.sampled_from([n for n in range(COUNT - 1) if n != ROLLED - 1]))
def test_two_batches_that_are_swapped(name: str, number: int) -> None:
    batches = log_of(name)
    file, position = place(name, batches, number)
    batches[number : number + 2] = reversed(batches[number : number + 2])

    comparison, damage = among_sound(name, segments_of(name, batches))

    ((kind, found_file, found_position, *_),) = damage
    assert (DamageKind.OUT_OF_ORDER, file) == (kind, found_file)
    assert position <= found_position <= position + len(batches[number])
    assert (Verdict.DAMAGED, None) == (comparison.verdict, comparison.divergence)


@pytest.mark.slow
@each_format
@SETTINGS
@given(number=NUMBERS, at=st.integers(0, 2))
def test_another_record_under_the_same_leader_epoch_is_corruption_if_there_are_epochs(
    name: str, number: int, at: int
) -> None:
    batches, values = log_of(name), values_of(name, number)
    at %= len(values)
    values[at] = b"something else"
    start, leader_epoch = base_offset(name, number), 3 if number < 6 else 5
    batches[number] = FORMATS[name](values, start, leader_epoch)

    comparison, damage = among_sound(name, segments_of(name, batches))

    divergence = comparison.divergence
    assert [] == damage
    assert divergence is not None
    has_epochs = name.startswith("magic 2")
    cause = Cause.CORRUPTION if has_epochs else Cause.UNKNOWN
    assert (Verdict.DIFFER, cause) == (comparison.verdict, divergence.cause)
    assert start + at == divergence.offset
    epoch = leader_epoch if has_epochs else -1
    assert (Side(("1", "2"), epoch), Side(("3",), epoch)) == divergence.sides
    assert (("3",) if has_epochs else (), True) == (divergence.suspects, divergence.has_majority)


@each_format
@SETTINGS
@given(number=st.integers(ROLLED, COUNT - 1), size=st.integers(62, 5000))
def test_zeros_up_to_the_end_are_what_a_loss_of_power_leaves(
    name: str, number: int, size: int
) -> None:
    batches = log_of(name)
    file, position = place(name, batches, number)
    segments = segments_of(name, batches[:number])
    segments[base_offset(name, ROLLED)] += bytes(size)

    comparison, damage = among_sound(name, segments)

    start = base_offset(name, number)
    torn, ends = damage
    assert (DamageKind.TORN_TAIL, file, position, start) == torn[:4]
    assert f"{size} zeros up to its end, as after a loss of power" == torn.reason
    assert DamageKind.ENDS_BEFORE_HIGH_WATERMARK == ends.kind
    assert (Verdict.DAMAGED, ("3",)) == (comparison.verdict, comparison.lagging)


@each_format
@SETTINGS
@given(shift=st.integers(-4, 4).filter(lambda shift: shift != 0))
def test_a_segment_that_was_renamed_does_not_fit_its_name(name: str, shift: int) -> None:
    first = base_offset(name, ROLLED)
    before, behind = segments_of(name, log_of(name)).values()
    assume(first + shift > 0)

    comparison, damage = among_sound(name, {0: before, first + shift: behind})

    (found,) = damage
    assert (DamageKind.OUT_OF_ORDER, f"{first + shift:020}.log", 0) == found[:3]
    assert (Verdict.DAMAGED, None) == (comparison.verdict, comparison.divergence)


@each_format
def test_a_mark_beyond_its_own_log_makes_no_other_replica_lag(name: str) -> None:
    end, segments = base_offset(name, COUNT), segments_of(name, log_of(name))
    replicas = {
        "1": replica(segments, high_watermark=end),
        "2": replica(segments, high_watermark=10**6),
    }

    comparison = compare(replicas)

    assert (Verdict.DAMAGED, ()) == (comparison.verdict, comparison.lagging)
    assert [DamageKind.ENDS_BEFORE_HIGH_WATERMARK] == [one.kind for one in replicas["2"].damage]


@pytest.mark.parametrize(
    ("layout", "kind"), [("index", "index_lies"), ("time_index", "time_index_lies")]
)
def test_half_an_entry_at_the_end_of_an_index_is_told(layout: str, kind: str) -> None:
    log = Bytes(b"".join(log_of("magic 2")))
    segment = SegmentFiles(
        base_offset=0, name=f"{0:020}.log", log=log, **{layout: Bytes(bytes(24) + b"abc")}
    )

    (found,) = read_replica([segment]).damage

    assert (kind, f"{0:020}.{layout.replace('_', '')}", 24, 0) == tuple(found[:4])


@pytest.mark.parametrize("magic", [0, 1])
def test_a_wrong_checksum_within_a_message_that_wraps_others_is_told(magic: int) -> None:
    inner = bytearray(message(b"first", offset=0, magic=magic))
    inner[-1] ^= 1
    number, pack = CODECS["gzip"]
    made = message(pack(bytes(inner)), magic=magic, attributes=number)

    (found,) = replica({0: made}, high_watermark=1).damage

    assert (DamageKind.UNREADABLE_RECORDS, 0) == (found.kind, found.position)
    assert "the checksum of the record at 0 is wrong" == found.reason


def tail_of_epoch(leader_epoch: int) -> ReplicaLog:
    """A log whose last batch was written in that epoch, with what its leader was given."""
    first = batch(4, base_offset=0, leader_epoch=1)
    last = batch([b"of %d" % leader_epoch], base_offset=4, leader_epoch=leader_epoch)
    return replica({0: bytes(first + last)}, high_watermark=5)


def test_who_kept_what_an_older_leader_wrote_has_not_truncated_even_as_the_majority() -> None:
    comparison = compare({"1": tail_of_epoch(1), "2": tail_of_epoch(1), "3": tail_of_epoch(2)})

    divergence = comparison.divergence
    assert divergence is not None
    assert (4, Cause.NOT_TRUNCATED, ("1", "2")) == (
        *(divergence.offset, divergence.cause),
        divergence.suspects,
    )
    assert (Side(("1", "2"), 1), Side(("3",), 2)) == divergence.sides


def test_of_two_replicas_that_differ_neither_is_the_majority() -> None:
    one = replica({0: bytes(batch([b"a"], leader_epoch=1))}, high_watermark=1)
    other = replica({0: bytes(batch([b"b"], leader_epoch=1))}, high_watermark=1)

    divergence = compare({"1": one, "2": other}).divergence

    assert divergence is not None
    assert ((), False) == (divergence.suspects, divergence.has_majority)


def test_other_borders_of_batches_make_no_difference() -> None:
    values = [b"a", b"b", b"c", b"d"]
    make = FORMATS["magic 2 in lz4"]
    together = make(values, 0, 1)
    apart = make(values[:1], 0, 1) + make(values[1:], 1, 1)

    comparison = two(
        replica({0: together}, high_watermark=4), replica({0: apart}, high_watermark=4)
    )

    assert Verdict.EQUAL == comparison.verdict


@pytest.mark.parametrize("magic", [0, 1])
def test_messages_that_are_wrapped_are_equal_to_those_that_are_not(magic: int) -> None:
    apart = b"".join(
        message(value, offset=at, key=b"%d" % at, magic=magic, timestamp=START_MS + at)
        for at, value in enumerate((b"a", b"b"))
    )

    comparison = two(
        replica({0: wrapper([b"a", b"b"], magic=magic)}, high_watermark=2),
        replica({0: apart}, high_watermark=2),
    )

    assert Verdict.EQUAL == comparison.verdict


def test_another_codec_makes_no_difference() -> None:
    logs = {
        codec: replica({0: bytes(batch(5, leader_epoch=1, codec=codec))}, high_watermark=5)
        for codec in ("none", "gzip", "xerial", "lz4", "zstd")
    }

    assert Verdict.EQUAL == compare(logs).verdict


def two(one: ReplicaLog, other: ReplicaLog) -> Comparison:
    return compare({"1": one, "2": other})


SAME: Final = bytes(batch(3, base_offset=0, leader_epoch=1))
MINE: Final = bytes(batch([b"mine"], base_offset=3, leader_epoch=1))
YOURS: Final = bytes(batch([b"yours"], base_offset=3, leader_epoch=2))


def test_what_is_not_committed_on_all_is_not_compared() -> None:
    comparison = two(
        replica({0: SAME + MINE}, high_watermark=3), replica({0: SAME + YOURS}, high_watermark=4)
    )

    assert (Verdict.EQUAL, 3) == (comparison.verdict, comparison.end_offset)


def test_a_replica_that_is_behind_lags() -> None:
    comparison = two(
        replica({0: SAME + MINE}, high_watermark=4), replica({0: SAME}, high_watermark=3)
    )

    assert (Verdict.LAGGING, ("2",)) == (comparison.verdict, comparison.lagging)


def test_what_is_before_any_log_start_is_not_compared() -> None:
    begun_later = replica({3: MINE}, high_watermark=4)
    other = bytes(batch([b"x", b"y", b"z"], leader_epoch=1))

    comparison = two(replica({0: other + MINE}, high_watermark=4), begun_later)

    assert (Verdict.EQUAL, 3) == (comparison.verdict, comparison.start_offset)


def test_without_checkpoints_all_that_both_have_is_compared() -> None:
    comparison = two(
        replica({0: SAME + MINE}, high_watermark=None),
        replica({0: SAME + YOURS}, high_watermark=None),
    )

    assert (Verdict.DIFFER, 4) == (comparison.verdict, comparison.end_offset)


def test_a_replica_without_records_is_behind_or_equal() -> None:
    empty = replica({0: b""}, high_watermark=0)

    assert Verdict.LAGGING == two(empty, replica({0: SAME}, high_watermark=3)).verdict
    assert Verdict.EQUAL == two(empty, empty).verdict


def test_of_records_none_of_which_is_compared_nothing_is_proven() -> None:
    of_another_time = replica({0: SAME + YOURS}, high_watermark=0)
    begun_later = replica({3: YOURS}, high_watermark=4)

    stale = two(replica({0: SAME + MINE}, high_watermark=4), of_another_time)
    apart = two(replica({0: SAME}, high_watermark=3), begun_later)
    assert (Verdict.UNCOMPARED, 0, 0) == (stale.verdict, stale.start_offset, stale.end_offset)
    assert (Verdict.LAGGING, ("1",)) == (apart.verdict, apart.lagging)


def test_a_batch_without_records_has_one_leader_epoch() -> None:
    emptied = batch_around(b"", 0)
    emptied[23:27] = bytes(4)  # It keeps the last offset that it had.
    sealed(emptied)
    flipped = bytearray(emptied)
    flipped[15] ^= 4
    first = replica({0: bytes(emptied) + bytes(batch(2, base_offset=1))}, high_watermark=3)
    other = replica({0: bytes(flipped) + bytes(batch(2, base_offset=1))}, high_watermark=3)

    comparison = compare({"1": first, "2": other, "3": first})

    assert Verdict.DIFFER == comparison.verdict
    assert comparison.divergence is not None
    assert (0, Cause.LEADER_EPOCHS, ("2",)) == (
        comparison.divergence.offset,
        comparison.divergence.cause,
        comparison.divergence.suspects,
    )


def test_records_that_cannot_be_read_are_damage_where_batches_differ() -> None:
    garbage = batch_around(b"no records", 3)

    comparison = two(
        replica({0: bytes(garbage)}, high_watermark=3), replica({0: SAME}, high_watermark=3)
    )

    assert Verdict.DAMAGED == comparison.verdict
