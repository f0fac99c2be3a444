"""The records of a batch against a reader that takes them one by one, byte by byte."""

import random
import sys

import pytest

from cluster.storage.errors import HeavyBatch, InvalidRecord
from cluster.storage.records.columns import EARLIER, alike_run, deltas_from
from cluster.storage.records.record_check import check_records, form_at, plain_end
from tests.cluster.storage.batches import record, varint, varint_of
from tests.support.examples import example_count
from tests.support.seeds import block_id, blocks


class Reader:
    """Reads as Kafka's DefaultRecord.readFrom does; IndexError for what it refuses, and for sizes
    below -1, which it takes for null.
    """

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
        if size < -1 or self.position > len(self.body):
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
        check_records(body, count, 0)
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


def drawn(chance: random.Random) -> list[bytes]:
    """Records of one form in a row, of several, or each of its own."""
    count = chance.choice((1, 2, 5, 70, 200))
    step = chance.choice((0, 1, 100, -3))
    size, varies = chance.choice((0, 20, 60, 300)), chance.choice((0, 0, 1, 40, 400))
    keys = chance.choice(
        ((None,), (b"",), (b"key",), (bytes(70),), (b"a", b"ab"), (None, b"key", bytes(12)))
    )
    nothing_share = chance.choice((0, 0, 0.3))
    header_share = chance.choice((0, 0, 0, 0.01, 0.1, 1))
    return [
        full_record(
            number,
            number * step,
            chance.choice(keys),
            None if chance.random() < nothing_share else bytes(size + chance.randint(0, varies)),
            int(chance.random() < header_share) * chance.choice((1, 2)),
        )
        for number in range(count)
    ]


def spoilt(records: list[bytes], chance: random.Random) -> bytes:
    """The records with a byte or two changed, anywhere or where a length or an offset may stand."""
    wrong = bytearray(b"".join(records))
    for _ in range(chance.choice((1, 1, 2))):
        at = chance.randrange(len(wrong))
        if chance.random() < 0.5:
            start = sum(map(len, records[: chance.randrange(len(records))]))
            at = min(start + chance.randrange(-1, 10), len(wrong) - 1)
        wrong[at] = chance.choice((chance.randrange(256), wrong[at] ^ 1, wrong[at] ^ 2, 0, 1, 0xFF))
    return bytes(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks(example_count(400), 200), ids=block_id)
def test_records_are_judged_as_one_by_one(block: range):
    for seed in block:
        sys.stdout.write(f"seed {seed}\n")
        chance = random.Random(seed)
        records = drawn(chance)
        body, count = b"".join(records), len(records)
        assert passes(body, count)
        for _ in range(12):
            wrong = spoilt(records, chance)
            assert is_whole(wrong, count) == passes(wrong, count)
        other = count + chance.choice((-1, 1, 1000))
        assert not passes(body, other)
        assert not passes(body[: chance.randrange(len(body))], count)
        assert not passes(body + b"\x00" * chance.randrange(1, 9), count)


@pytest.mark.parametrize("count", [63, 64, 65, 8191, 8192, 8193, 20_000])
def test_runs_end_where_offsets_take_another_byte(count: int):
    records = [record(number, 7, b"value") for number in range(count)]

    check_records(b"".join(records), count, 0)
    for wrong in (0, 63, 64, 8191, 8192, count - 1):
        if wrong < count:
            again = records.copy()
            again[wrong] = record(wrong ^ 1, 7, b"value")
            assert not passes(b"".join(again), count)


@pytest.mark.slow
@pytest.mark.parametrize("step", [0, 1, 100])
@pytest.mark.parametrize(
    ("key", "size"), [(None, 200), (b"", 0), (b"some key", 40), (bytes(63), 0)]
)
def test_records_that_differ_in_size_are_looked_at_many_at_a_time(
    step: int, key: bytes | None, size: int
):
    chance = random.Random(size)
    records = [
        full_record(number, number * step, key, bytes(size + chance.randrange(99)), 0)
        for number in range(9000)
    ]

    check_records(b"".join(records), 9000, 0, reads_max=600)


def test_keys_may_differ_in_size_as_well_and_values_be_missing():
    records = [
        full_record(number, 0, b"user-%d" % number, bytes(number % 99) if number % 7 else None, 0)
        for number in range(9000)
    ]

    check_records(b"".join(records), 9000, 0, reads_max=600)


def test_a_value_behind_a_long_key_is_not_taken_from_the_next_record():
    """Where the head ends begins that of the next record, whose time may be anything."""
    short = [full_record(number, 0, b"", bytes(9 + number % 3), 0) for number in range(70)]
    for key_size in range(1, 40):
        content = bytes([0, 60]) + varint(70) + varint(key_size) + bytes(key_size)
        lie = content + varint(33) + bytes(30) + varint(0)
        last = [full_record(number, 30, b"", bytes(9), 0) for number in range(71, 99)]
        body = b"".join([*short, varint(len(lie)) + lie, *last])

        assert not passes(body, 99), key_size


def test_offsets_of_two_bytes_are_not_taken_for_one_and_a_key():
    last = record(63, 0, bytes(20))
    content = [b"\0\0" + varint(number) + varint(20) + bytes(21) for number in range(64, 128)]
    lies = b"".join(varint(len(one)) + one for one in content)

    form, _ = form_at(last, 0, 63)

    assert (0, EARLIER) == alike_run(last + lies, len(last), 64, 64, form, 0)
    assert 64 * len(last) == len(lies)


@pytest.mark.parametrize("number", [0, 63, 64, 8191, 8192, 16_383, 2**20 - 1])
def test_columns_of_offsets_are_the_bytes_of_varints(number: int):
    columns = deltas_from(number, 3)

    for index, of_one in enumerate(zip(*columns, strict=True)):
        assert varint(number + index) == bytes(of_one)
    assert 1 <= len(columns[0]) <= 3


def test_offsets_of_more_than_three_bytes_have_no_columns():
    assert deltas_from(2**20, 3) == (b"",)


@pytest.mark.slow
@pytest.mark.parametrize("at", range(-1, 10))
def test_one_wrong_byte_among_records_that_differ_is_found(at: int):
    """All around the beginning of a record: the length, the offset and so on.

    Attributes and the time may be anything that takes as many bytes.
    """
    chance = random.Random(at)
    records = [record(number, 0, bytes(chance.randrange(60, 300))) for number in range(250)]
    sound = b"".join(records)
    start = len(b"".join(records[:200]))
    for byte in {sound[start + at] ^ 1 << bit for bit in range(8)} | {*range(0, 256, 5)}:
        wrong = bytearray(sound)
        wrong[start + at] = byte
        assert is_whole(bytes(wrong), 250) == passes(bytes(wrong), 250), byte


@pytest.mark.slow
def test_records_that_are_read_one_by_one_are_too_many_at_some_time():
    """Those of one form are not: of them only the first of each run is read."""
    alike = b"".join(record(number, 0, bytes(9)) for number in range(9000))
    headers = b"".join(full_record(number, 0, None, b"", 1 + number % 2) for number in range(9000))

    check_records(alike, 9000, 0, reads_max=100)
    check_records(headers, 9000, 0)
    with pytest.raises(HeavyBatch):
        check_records(headers, 9000, 0, reads_max=4000)


def scattered(chance: random.Random, count: int) -> list[int]:
    """Timestamp deltas: in order, backwards, of any size, all the same, or one far away."""
    span = chance.choice((0, 1, 63, 64, 5000, 8191, 8192, 2_000_000, 2**40))
    kind = chance.choice(("in order", "backwards", "any", "later", "one away"))
    step = span // count + 1
    if kind == "in order":
        return [number * step for number in range(count)]
    if kind == "backwards":
        return [-number * step for number in range(count)]
    if kind == "one away":
        deltas = [0] * count
        deltas[chance.randrange(count)] = chance.choice((span, -span))
        return deltas
    return [chance.randint(0 if kind == "later" else -span, span) for _ in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize("block", blocks(example_count(400), 200), ids=block_id)
def test_the_latest_timestamp_is_known_for_certain(block: range):
    """Neither an earlier nor a later claim passes, and the right one always does."""
    for seed in block:
        sys.stdout.write(f"seed {seed}\n")
        chance = random.Random(seed)
        count = chance.choice((1, 2, 5, 70, 200, 700))
        deltas = scattered(chance, count)
        size, varies = chance.choice((0, 20, 300)), chance.choice((0, 0, 40))
        body = b"".join(
            record(number, delta, bytes(size + chance.randint(0, varies)))
            for number, delta in enumerate(deltas)
        )

        latest = max(deltas)
        assert (latest >= 0) == check_records(body, count, latest)
        claims = {latest - 1, latest + 1, latest ^ 0x80, latest + 2**14, 0, -1, 2**63 - 1, *deltas}
        for claim in chance.sample(sorted(claims - {latest}), min(8, len(claims) - 1)):
            assert not check_records(body, count, claim)


def test_a_number_of_ten_bytes_is_no_timestamp_that_can_be_claimed():
    """Kafka drops what is above 64 bits: so only reading it tells which it is."""
    high = bytes([0x80] * 9 + [0x02])
    body = b"\x00" + high + varint(0) + varint(-1) + varint(-1) + varint(0)
    whole = varint(len(body)) + body

    assert not check_records(whole, 1, 2**63)
    assert not check_records(whole, 1, 0)


SIZES_MAX = {"length": 5, "timestamp": 10, "offset": 5, "key": 5, "value": 5, "headers": 5}
"""In how many bytes Kafka reads each of a record's numbers."""


def record_with(field: str, size: int, index: int = 0) -> bytes:
    """A record of which the number *field* takes *size* bytes."""

    def number(of: str, value: int) -> bytes:
        return varint_of(size, value) if of == field else varint(value)

    body = b"\0" + number("timestamp", 0) + number("offset", index) + number("key", 1) + b"k"
    body += number("value", 1) + b"v" + number("headers", 0)
    return number("length", len(body)) + body


@pytest.mark.parametrize("field", SIZES_MAX)
def test_a_number_may_take_as_many_bytes_as_kafka_reads_and_no_more(field: str):
    """One more, and a consumer would be stuck behind the batch."""
    largest = SIZES_MAX[field]
    behind = b"".join(record(number, 0, b"v") for number in range(1, 9))

    for size in range(2, largest + 1):
        check_records(record_with(field, size) + behind, 9, 0)
    for size in range(largest + 1, 14):
        with pytest.raises(InvalidRecord):
            check_records(record_with(field, size) + behind, 9, 0)


@pytest.mark.parametrize("field", SIZES_MAX)
def test_a_number_of_too_many_bytes_is_found_behind_others_as_well(field: str):
    """Where records are not read by `form_at`, but as plain ones or many at a time."""
    before = b"".join(record(number, 0, b"v") for number in range(8))

    check_records(before + record_with(field, SIZES_MAX[field], 8), 9, 0)
    with pytest.raises(InvalidRecord):
        check_records(before + record_with(field, SIZES_MAX[field] + 1, 8), 9, 0)


@pytest.mark.parametrize("size", [-2, -64, -65, -(2**31)])
@pytest.mark.parametrize("field", ["key", "value", "value of a header"])
@pytest.mark.parametrize(("before", "behind"), [(0, 0), (1, 0), (5, 200), (200, 1)])
def test_a_size_below_that_of_nothing_is_refused_wherever_it_stands(
    size: int, field: str, before: int, behind: int
):
    """Consumers on librdkafka stop for good at a key that has -2 bytes."""
    sizes = {"key": -1, "value": -1, "value of a header": -1, field: size}
    body = b"\x00" + varint(0) + varint(before) + varint(sizes["key"]) + varint(sizes["value"])
    has_header = field == "value of a header"
    body += varint(1) + varint(1) + b"h" + varint(size) if has_header else varint(0)
    numbers = [*range(before), None, *range(before + 1, before + 1 + behind)]
    records = [
        varint(len(body)) + body if number is None else full_record(number, 0, None, None, 0)
        for number in numbers
    ]

    assert not passes(b"".join(records), len(records))


@pytest.mark.parametrize("key_size", [-64, -40, -3, -2, -1, 0, 1, 2, 63])
def test_a_record_that_is_alone_is_plain_only_with_sizes_that_there_are(key_size: int):
    for value_size in (-8192, -70, -64, -3, -2, -1, 0, 1, 63, 64, 100):
        alone = alone_record(key_size, value_size)

        is_sound = key_size >= -1 and value_size >= -1
        assert passes(alone, 1) is is_sound
        assert (plain_end(alone, 0, 0)[0] == len(alone)) is is_sound


def alone_record(key_size: int, value_size: int) -> bytes:
    body = b"\x00" + varint(0) + varint(0) + varint(key_size) + bytes(max(key_size, 0))
    body += varint(value_size) + bytes(max(value_size, 0)) + varint(0)
    return varint(len(body)) + body
