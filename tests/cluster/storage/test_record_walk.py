"""The records of a batch against a reader that takes them one by one, byte by byte."""

import random
import sys

import pytest

from cluster.storage.errors import HeavyBatch, InvalidRecord
from cluster.storage.record_walk import check_records
from tests.cluster.storage.batches import record, varint


class Reader:
    """Reads as Kafka's DefaultRecord.readFrom does; IndexError for what it refuses."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.position = 0

    def number(self, size_max: int = 5) -> int:
        raw = 0
        for index in range(size_max):
            byte = self.body[self.position]
            self.position += 1
            raw |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                return (raw >> 1) ^ -(raw & 1)
        raise IndexError

    def skip(self, size: int) -> None:
        self.position += max(size, 0)
        if self.position > len(self.body):
            raise IndexError

    def skip_headers(self) -> None:
        count = self.number()
        if count < 0:
            raise IndexError
        for _ in range(count):
            size = self.number()
            if size < 0:
                raise IndexError
            self.skip(size)
            self.skip(self.number())

    def skip_record(self, index: int) -> None:
        length = self.number()
        end = self.position + length
        self.skip(1)
        self.number(10)
        if self.number() != index:
            raise IndexError
        self.skip(self.number())
        self.skip(self.number())
        self.skip_headers()
        if self.position != end:
            raise IndexError


def is_whole(body: bytes, count: int) -> bool:
    """What `check_records` says, found out byte by byte."""
    reader = Reader(body)
    try:
        for index in range(count):
            reader.skip_record(index)
    except IndexError:
        return False
    return reader.position == len(body)


def passes(body: bytes, count: int) -> bool:
    try:
        check_records(body, count)
    except InvalidRecord:
        return False
    return True


def full_record(delta: int, time: int, key: bytes | None, value: bytes | None, headers: int):
    body = b"\x00" + varint(time) + varint(delta)
    for one in (key, value):
        body += varint(-1) if one is None else varint(len(one)) + one
    body += varint(headers)
    for number in range(headers):
        body += varint(1) + b"h" + (varint(-1) if number else varint(2) + b"ab")
    return varint(len(body)) + body


def drawn(chance: random.Random) -> tuple[bytes, int]:
    """Records of one form in a row, of several, or each of its own."""
    count = chance.choice((1, 2, 5, 70, 200, 900))
    step = chance.choice((0, 1, 100, -3))
    size, varies = chance.choice((0, 20, 60, 300)), chance.choice((0, 0, 1, 40))
    key = chance.choice((None, b"", b"key", bytes(70)))
    header_share = chance.choice((0, 0, 0, 0.1, 1))
    records = [
        full_record(
            number,
            number * step,
            key,
            chance.choice((bytes(size + chance.randint(0, varies)), bytes(size), None))
            if varies
            else bytes(size),
            int(chance.random() < header_share) * chance.choice((1, 2)),
        )
        for number in range(count)
    ]
    return b"".join(records), count


@pytest.mark.parametrize("first", range(0, 400, 200))
def test_records_are_judged_as_one_by_one(first: int):
    for seed in range(first, first + 200):
        sys.stdout.write(f"seed {seed}\n")
        chance = random.Random(seed)
        body, count = drawn(chance)
        assert passes(body, count)
        for _ in range(12):
            wrong = bytearray(body)
            for _ in range(chance.choice((1, 1, 2))):
                at = chance.randrange(len(wrong))
                wrong[at] = chance.choice((chance.randrange(256), wrong[at] ^ 1, 0, 0xFF))
            assert is_whole(bytes(wrong), count) == passes(bytes(wrong), count)
        other = count + chance.choice((-1, 1, 1000))
        assert not passes(body, other)
        assert not passes(body[: chance.randrange(len(body))], count)
        assert not passes(body + b"\x00" * chance.randrange(1, 9), count)


@pytest.mark.parametrize("count", [63, 64, 65, 8191, 8192, 8193, 20_000])
def test_runs_end_where_offsets_take_another_byte(count: int):
    body = b"".join(record(number, 7, b"value") for number in range(count))

    check_records(body, count)
    for wrong in (0, 63, 64, 8191, 8192, count - 1):
        if wrong < count:
            again = [record(number, 7, b"value") for number in range(count)]
            again[wrong] = record(wrong ^ 1, 7, b"value")
            assert not passes(b"".join(again), count)


def test_records_that_differ_are_too_many_at_some_time():
    """Those of one form are not: of them only the first of each run is read."""
    alike = b"".join(record(number, 0, bytes(9)) for number in range(9000))
    differing = b"".join(record(number, 0, bytes(number % 7)) for number in range(9000))

    check_records(alike, 9000, reads_max=100)
    check_records(differing, 9000)
    with pytest.raises(HeavyBatch):
        check_records(differing, 9000, reads_max=4000)
