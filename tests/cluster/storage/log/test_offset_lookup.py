"""Offsets by time, in batches of every compression."""

import ctypes
import random
import struct
from itertools import islice

import pytest

from cluster.formats.record_batch import CorruptBatchError, parse_header
from cluster.formats.records import record_times, records_of
from cluster.model.ids import LeaderEpoch
from cluster.storage.log.offset_lookup import FoundOffset, earliest, first_at, latest, latest_time
from cluster.storage.log_config import LogConfig
from tests.cluster.formats.messages import message, wrapper
from tests.cluster.storage.batches import (
    BASE_TIMESTAMP_AT,
    CODECS,
    START_MS,
    batch,
    batch_around,
    record,
    sealed,
    varint,
    varint_of,
)
from tests.cluster.storage.logs import EPOCH, fresh_log

CONFIG = LogConfig(segment_size_max=1200, index_interval_size=150, index_size_max=4096)


@pytest.mark.parametrize("codec", CODECS)
def test_the_times_of_records_are_read_through_every_compression(codec: str):
    times = [START_MS + delta for delta in (5, 0, 70_000_000_000, 3)]
    content = batch([bytes(50_000)] * 4, times=times, codec=codec, base_offset=40)

    found = list(record_times(content, parse_header(content)))

    assert [(record.offset, record.timestamp) for record in found] == [
        (40 + number, time) for number, time in enumerate(times)
    ]


@pytest.mark.parametrize("codec", CODECS)
def test_damaged_records_are_refused_and_nothing_else_happens(codec: str):
    content = batch([bytes([number]) * 40 for number in range(20)], codec=codec)
    chance = random.Random(codec)
    refused = 0
    for _ in range(300):
        damaged = bytearray(content[: chance.randrange(62, len(content) + 1)])
        for _ in range(chance.randrange(3)):
            damaged[chance.randrange(61, len(damaged))] = chance.randrange(256)
        try:
            assert len(list(record_times(damaged, parse_header(content)))) == 20
        except CorruptBatchError:
            refused += 1

    assert refused > 50


@pytest.mark.parametrize("delta", [1, -1, 2**63 - 1, -(2**63)])
@pytest.mark.parametrize("base", [2**63 - 1, -(2**63), 0, -1])
def test_timestamps_that_do_not_fit_are_those_of_kafka(base: int, delta: int):
    """Java's numbers of 64 bits, of which what is too high is dropped."""
    content = batch_around(record(0, delta, b""), 1)
    struct.pack_into(">q", content, BASE_TIMESTAMP_AT, base)

    (found,) = record_times(content, parse_header(content))
    (whole,) = records_of(bytes(content), parse_header(content))

    assert ctypes.c_int64(base + delta).value == found.timestamp == whole.timestamp


@pytest.mark.parametrize(("high", "delta"), [(1, 2**62), (2, 0), (3, 2**62), (0x7E, 0)])
def test_of_a_timestamp_of_ten_bytes_the_lowest_64_bits_count(high: int, delta: int):
    body = b"\x00" + bytes([0x80] * 9 + [high]) + b"\x00\x01\x01\x00"
    content = batch_around(varint(len(body)) + body, 1)
    struct.pack_into(">q", content, BASE_TIMESTAMP_AT, 7)

    (found,) = record_times(content, parse_header(content))

    assert 7 + delta == found.timestamp


def test_a_number_of_more_than_ten_bytes_is_refused():
    body = b"\x00" + varint_of(10, 0) + b"\x00\x01\x01\x00"
    sound = batch_around(varint(len(body)) + body, 1)
    body = b"\x00" + varint_of(11, 0) + b"\x00\x01\x01\x00"
    endless = batch_around(varint(len(body)) + body, 1)

    assert len(list(record_times(sound, parse_header(sound)))) == 1
    with pytest.raises(CorruptBatchError):
        list(record_times(endless, parse_header(endless)))


@pytest.mark.parametrize("length", [-(2**31), -100, -8, -2, -1, 0, 5])
def test_a_record_behind_which_no_other_begins_is_refused(length: int):
    """It would be read again and again, as often as the batch says that it has records."""
    whole = varint(length) + record(0, 0, b"v" * 200)[2:]
    content = batch_around(whole, 2**31 - 1)

    with pytest.raises(CorruptBatchError):
        list(islice(record_times(content, parse_header(content)), 1000))


@pytest.mark.parametrize("codec", [name for name in CODECS if name != "none"])
def test_a_batch_that_would_fill_the_memory_is_refused(codec: str):
    content = batch([bytes(1_000_000)], codec=codec)
    header = parse_header(content)

    with pytest.raises(CorruptBatchError):
        list(record_times(content, header, size_max=999_999))
    assert len(list(record_times(content, header, size_max=1_000_100))) == 1


@pytest.mark.parametrize("codec", [5, 6, 7])
def test_an_unknown_compression_is_refused(codec: int):
    content = sealed(batch(1, attributes=codec))

    with pytest.raises(CorruptBatchError):
        list(record_times(content, parse_header(content)))


def test_the_first_record_that_is_no_earlier_is_found():
    chance = random.Random(3)
    log = fresh_log(CONFIG)
    times: list[int] = []
    for _ in range(120):
        some = [START_MS + len(times) * 4 + chance.randrange(-40, 40) for _ in range(3)]
        times += some
        log.append(
            batch(3, times=some, codec=chance.choice(["none", "zstd"])), EPOCH, START_MS, START_MS
        )
    assert len(log.segments) > 5
    log.delete_records_before(31, 360)

    for target in range(min(times) - 2, max(times) + 3, 3):
        wanted = next(
            (offset for offset, time in enumerate(times) if offset >= 31 and time >= target), None
        )
        found = first_at(log, target, 360)
        assert (found and found.offset) == wanted, target
        if found is not None:
            assert found == FoundOffset(found.offset, times[found.offset], 0)
    newest = max(times)
    assert latest_time(log, 360) == FoundOffset(times.index(newest), newest, 0)


def test_what_is_beyond_the_high_watermark_is_not_found():
    log = fresh_log(CONFIG)
    log.append(batch(3), EPOCH, START_MS, START_MS)

    assert first_at(log, START_MS + 1, 2) == FoundOffset(1, START_MS + 1, 0)
    assert first_at(log, START_MS + 2, 2) is None
    assert latest_time(log, 2) is None


def test_a_brokers_time_is_that_of_all_records_of_the_batch():
    log = fresh_log(LogConfig(uses_log_append_time=True))
    log.append(batch(3), EPOCH, START_MS + 90, START_MS + 90)

    assert first_at(log, START_MS + 1, 3) == FoundOffset(0, START_MS + 90, 0)
    assert latest_time(log, 3) == FoundOffset(0, START_MS + 90, 0)


def test_the_record_is_found_within_what_an_old_broker_wrapped():
    log = fresh_log(CONFIG)
    log.append_as_follower(message(b"without a time", magic=0), 0)
    log.append_as_follower(wrapper([b"a", b"b", b"c"], base_offset=1), 0)

    found = [first_at(log, START_MS + late, 4) for late in range(3)]
    latest_one = latest_time(log, 4)

    assert [(1, START_MS), (2, START_MS + 1), (3, START_MS + 2)] == [
        one and one[:2] for one in found
    ]
    assert latest_one is not None
    assert (3, START_MS + 2) == latest_one[:2]


def test_a_log_without_times_has_no_latest_one():
    log = fresh_log()
    assert latest_time(log, 0) is None
    log.append(batch(1, times=[-1]), EPOCH, START_MS, START_MS)

    assert latest_time(log, 1) is None
    assert first_at(log, 0, 1) is None


def test_start_and_end_are_places_with_an_epoch():
    log = fresh_log()
    log.append(batch(3), LeaderEpoch(2), START_MS, START_MS)
    log.append(batch(3), LeaderEpoch(5), START_MS, START_MS)
    log.delete_records_before(1, 6)

    assert earliest(log) == FoundOffset(1, -1, 2)
    assert latest(log, 6) == FoundOffset(6, -1, 5)
