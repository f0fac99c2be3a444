"""Check of each record of a producer's batch: is it as its lengths and the header claim?

A batch with malformed records would be acknowledged, and then stop every consumer that reads it.
The check covers what Kafka's LogValidator finds by reading each record: its length, the lengths
within it, and that no bytes follow the last one.  Offsets have to increase from 0 as well, where
Kafka repacks a batch (compressed) or accepts it (uncompressed).  And the latest timestamp is
compared with that of the header, which Kafka computes again.

Most records are checked many at a time, at the speed of C (`record_columns`); read here is the
first of each such run, and each that is like none of them: records with headers, or very large
ones.

Source: Kafka's LogValidator.validateRecord and DefaultRecord.readFrom.
"""

from struct import Struct
from typing import Final

from cluster.formats.record_batch import HEADER_SIZE, Buffer
from cluster.formats.record_columns import BEYOND
from cluster.storage.errors import HeavyBatch, InvalidRecord
from cluster.storage.records.columns import (
    DELTAS_MAX,
    EARLIER,
    ONE_BYTE_MAX,
    Body,
    Form,
    alike_run,
    differing_run,
)
from cluster.wire.varint import encode

RECORD_SIZE_MIN: Final = 7
"""Bytes of a record without key, value and headers: each of its seven fields takes one."""
VARINT_SIZE_MAX: Final = 5
VARLONG_SIZE_MAX: Final = 10
VARLONG_SHIFT_MAX: Final = 7 * VARLONG_SIZE_MAX
RUN_MIN: Final = 4
"""Runs that are shorter cost more than they save."""
ALIKE_MIN: Final = 64
"""Behind shorter runs of alike records those that follow are taken as such that differ."""
DIFFERING_MIN: Final = 16
SPAN: Final = 256
SPAN_MAX: Final = 2048
PATIENCE: Final = 64
"""How many records are read one by one where they are none of these."""
UNUSUAL: Final = -1, EARLIER
NOTHING: Final = 1
"""The varint of -1, the size of a key or a value that is not there."""
KEY_STEPS: Final = bytes(
    1 if byte == NOTHING else 0 if byte & 0x81 else 1 + (byte >> 1) for byte in range(256)
)
"""How far it is behind a key, by the first byte of its size; 0 for more bytes and for no size."""
UNLIMITED: Final = 2**31
LONE_SIZE_MAX: Final = 8 * 1024
"""Of a batch whose one record is known by its size: what it begins with is kept for each size."""
BEGINNING: Final = Struct(">Q")
LONE_BEGINNINGS: Final[dict[int, tuple[int, int]]] = {}
"""The results of `lone_beginning`, by the size of the batch."""


KNOWN: Final[dict[int, Form]] = {}
"""The form of the last run, by how many bytes its offsets took: the next batch may be like it."""


def check_records(body: Body, count: int, claimed_span_ms: int, reads_max: int = UNLIMITED) -> bool:
    """Raise InvalidRecord unless *body* holds exactly *count* records with offsets from 0 on.

    Return whether the latest of them is for certain *claimed_span_ms* later than the base
    timestamp: False means that it is not, or that each has to be read to know.

    Raises:
        HeavyBatch: more than *reads_max* of them have to be read, each by itself.
    """
    if count * RECORD_SIZE_MIN > len(body):
        raise InvalidRecord(f"{count} records do not fit into {len(body)} bytes")
    claim = 2 * claimed_span_ms
    latest = EARLIER
    position = number = wait = reads = 0
    span = SPAN
    while number < count:
        left = count - number
        if wait == 0 and left >= RUN_MIN:
            run, size, time = run_of_known(body, position, number, left, claim)
            if run > 0:
                latest = max(latest, time)
                position += run * size
                number += run
                continue
        reads += 1
        if reads > reads_max:
            raise HeavyBatch
        if wait > 0 or left < RUN_MIN:
            end, time = plain_end(body, position, number)
            if end > 0:
                latest = time if time > latest else latest
                wait = max(0, wait - 1)
                position = end
                number += 1
                continue
        form, delta_ms = form_at(body, position, number)
        latest = max(latest, 2 * delta_ms)
        position += form.size
        number += 1
        if wait > 0 or form.header_count > 0:
            wait = max(0, wait - 1)
            continue
        KNOWN[form.key_at - form.offset_at] = form
        run, time = alike_run(body, position, number, count - number, form, claim)
        latest = max(latest, time)
        position += run * form.size
        number += run
        left = count - number
        if run >= ALIKE_MIN:
            continue
        if left < DIFFERING_MIN:
            wait = left
            continue
        run, position, time = differing_run(body, position, number, min(left, span), form, claim)
        latest = max(latest, time)
        number += run
        # Where that fails, trying it again and again would cost more than reading.
        span = min(2 * span, SPAN_MAX) if run > 0 else max(span // 4, DIFFERING_MIN)
        wait = 0 if run > 0 else PATIENCE
    if position != len(body):
        raise InvalidRecord(f"{len(body) - position} bytes are left behind the last record")
    # What is higher does not fit into the 64 bits of a timestamp delta.
    return latest == claim < 2**64


def run_of_known(
    body: Body, position: int, number: int, count: int, claim: int
) -> tuple[int, int, int]:
    """Return how many records from *position* on have the form of others before, and the size of
    each.

    Then how late they are: see `latest_of`.
    """
    form = KNOWN.get(1 if number < ONE_BYTE_MAX else 2 if number < DELTAS_MAX else 3)
    if form is None:
        return 0, 0, EARLIER
    run, time = alike_run(body, position, number, count, form, claim)
    return run, form.size, time


def plain_end(body: Buffer, position: int, number: int) -> tuple[int, int]:
    """Return where the record at *position* ends, if it is a plain one; UNUSUAL for `form_at` to
    read.

    Without headers, up to 8 KiB long, an offset below 8192, a key of up to 63 bytes: most are.
    Then its timestamp as it stands there, EARLIER where it is before the base timestamp.
    """
    try:
        return plain_end_within(body, position, number)
    except IndexError:
        return UNUSUAL


def plain_end_within(body: Buffer, position: int, number: int) -> tuple[int, int]:
    byte = body[position]
    if byte < 0x80:
        length = byte
        position += 1
    else:
        length = byte & 0x7F | body[position + 1] << 7
        position += 2
    end = position + (length >> 1)
    position += 1
    if end > len(body):
        return UNUSUAL
    time = body[position]
    shift = 7
    while body[position] >= 0x80:
        if shift == VARLONG_SHIFT_MAX:
            return UNUSUAL
        position += 1
        # Adds the byte, and takes away the bit by which the one before said that it follows.
        time += body[position] - 1 << shift
        shift += 7
    byte = body[position + 1]
    if byte < 0x80:
        delta = byte
        position += 2
    else:
        delta = byte & 0x7F | body[position + 2] << 7
        position += 3
    if delta != 2 * number or length & 1 or length >= 16384:
        return UNUSUAL
    step = KEY_STEPS[body[position]]
    if step == 0:
        return UNUSUAL
    position += step
    if position + 1 >= end:
        return UNUSUAL
    byte = body[position]
    if byte < 0x80:
        size = byte
        position += 1
    else:
        size = byte & 0x7F | body[position + 1] << 7
        position += 2
    if size != NOTHING:
        # Below -1 it is odd, and seems to end beyond every record.
        position += BEYOND if size & 1 else size >> 1
    if position + 1 != end or size >= 16384 or body[position] != 0:
        return UNUSUAL
    return end, EARLIER if time & 1 else time


def form_at(body: Body, position: int, number: int) -> tuple[Form, int]:
    """Read the record at *position*, the *number*th from 0 on, and its timestamp delta in ms."""
    try:
        length, start = varint(body, position, VARINT_SIZE_MAX)
        end = start + length
        if length < RECORD_SIZE_MIN - 1 or end > len(body):
            raise InvalidRecord(f"record {number} says that it has {length} bytes")
        delta_ms, offset_at = varint(body, start + 1, VARLONG_SIZE_MAX)
        delta, key_at = varint(body, offset_at, VARINT_SIZE_MAX)
        if delta != number:
            raise InvalidRecord(f"record {number} says that its offset is {delta}")
        key_size, key_end = varint(body, key_at, VARINT_SIZE_MAX)
        value_at = after(key_end, key_size, end, number)
        value_size, value_end = varint(body, value_at, VARINT_SIZE_MAX)
        headers_at = after(value_end, value_size, end, number)
        header_count, behind = varint(body, headers_at, VARINT_SIZE_MAX)
        if header_count < 0:
            raise InvalidRecord(f"record {number} has {header_count} headers")
        for _ in range(header_count):
            behind = end_of_header(body, behind, end, number)
    except IndexError:
        raise InvalidRecord(f"record {number} ends too early") from None
    if behind != end:
        raise InvalidRecord(f"record {number} has {length} bytes, but its fields do not")
    # The first ones show soonest where another form begins.  Attributes have no meaning.
    fixed = (
        *range(position, start),
        *range(key_at, key_end),
        *range(value_at, value_end),
        headers_at,
    )
    form = Form(
        end - position,
        start + 1 - position,
        offset_at - position,
        key_at - position,
        key_end - position,
        value_at - position,
        value_end - position,
        headers_at - position,
        header_count,
        tuple((at - position, body[at]) for at in fixed),
    )
    return form, delta_ms


def after(position: int, size: int, end: int, number: int) -> int:
    """Return where the next field begins; a size of -1 is that of nothing.

    Kafka takes all that are below 0 for that, and librdkafka's consumers stop at them for good.
    """
    behind = position + max(size, 0)
    if size < -1 or behind >= end:
        raise InvalidRecord(f"record {number} has a field of {size} bytes")
    return behind


def end_of_header(body: Body, position: int, end: int, number: int) -> int:
    size, position = varint(body, position, VARINT_SIZE_MAX)
    if size < 0:
        raise InvalidRecord(f"record {number} has a header without a key")
    size, position = varint(body, after(position, size, end, number), VARINT_SIZE_MAX)
    position += max(size, 0)
    if size < -1 or position > end:
        raise InvalidRecord(f"record {number} has a header of {size} bytes")
    return position


def varint(body: Body, position: int, size_max: int) -> tuple[int, int]:
    """Return a zigzag number of at most *size_max* bytes, and the position behind it."""
    byte = body[position]
    if byte < 0x80:
        return (byte >> 1) ^ -(byte & 1), position + 1
    raw = byte & 0x7F
    for index in range(1, size_max):
        byte = body[position + index]
        raw |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return (raw >> 1) ^ -(raw & 1), position + index + 1
    raise InvalidRecord(f"a number at byte {position} has more than {size_max} bytes")


def is_plain_lone_record(buffer: Buffer, size: int) -> bool:
    """Return whether an uncompressed batch of *size* bytes holds one plain record with the batch's
    time.

    False also for what `check_records` has to look at.
    """
    if HEADER_SIZE + BEGINNING.size <= size < LONE_SIZE_MAX:
        try:
            mask, beginning = LONE_BEGINNINGS[size]
        except KeyError:
            mask, beginning = LONE_BEGINNINGS[size] = lone_beginning(size - HEADER_SIZE)
        (found,) = BEGINNING.unpack_from(buffer, HEADER_SIZE)
        if found & mask == beginning and buffer[size - 1] == 0:
            return True
    return plain_end(buffer, HEADER_SIZE, 0) == (size, 0)


def lone_beginning(size: int) -> tuple[int, int]:
    """Return how a record of *size* bytes begins that has the time of its batch, no key and no
    headers.

    Up to its value, of the first 8 bytes: those that count, as a mask, and what they are.
    """
    for length_size, value_size in ((1, 1), (2, 1), (2, 2)):
        length = size - length_size
        value = length - 5 - value_size
        beginning = encode(2 * length) + b"\0\0\0\1" + encode(2 * value)
        if len(beginning) == length_size + 4 + value_size:
            unknown_bits = 64 - 8 * len(beginning)
            mask = (1 << 64) - (1 << unknown_bits)
            return mask, int.from_bytes(beginning) << unknown_bits
    return 0, -1
