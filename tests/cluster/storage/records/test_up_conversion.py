"""Messages of magic 0 and 1 become the batch that a newer producer would have sent."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.formats.compression import Codec
from cluster.formats.message_building import build_message_set
from cluster.formats.record_batch import CorruptBatchError, checksum_matches, parse_header
from cluster.formats.records import Record, records_of
from cluster.model.errors import ClusterError
from cluster.storage.errors import (
    InvalidRecord,
    InvalidTimestamp,
    MessageTooLarge,
    RecordsWithoutKey,
)
from cluster.storage.log_config import LogConfig
from cluster.storage.records.up_conversion import up_converted
from cluster.storage.records.validation import check_heavy_batch
from tests.cluster.formats.messages import message, wrapper
from tests.cluster.storage.batches import START_MS, batch

CONFIG = LogConfig(message_size_max=2000, timestamp_before_max_ms=5000)
LOG_APPEND_TIME = 0x08
GZIP, ZSTD = 1, 4

texts = st.none() | st.binary(max_size=300)
timestamps = st.just(-1) | st.integers(0, 2**63 - 1)
messages = st.lists(st.tuples(timestamps, texts, texts), min_size=1, max_size=8)


@given(
    messages,
    st.sampled_from([Codec.NONE, Codec.GZIP, Codec.SNAPPY, Codec.LZ4]),
    st.sampled_from([0, 1]),
)
def test_a_batch_holds_what_the_messages_held(
    content: list[tuple[int, bytes | None, bytes | None]], codec: Codec, magic: int
) -> None:
    config = LogConfig()
    # As librdkafka sends them, and others: what their offsets are means nothing.
    sent = build_message_set([Record(0, *one) for one in content], magic, codec)

    made = up_converted(sent, config, START_MS)

    header = parse_header(made)
    check_heavy_batch(made, config, START_MS)
    assert checksum_matches(made, header)
    assert (0, 2, codec, len(content)) == (
        header.base_offset,
        header.magic,
        header.codec,
        header.record_count,
    )
    assert [
        (number, timestamp if magic == 1 else -1, key, value)
        for number, (timestamp, key, value) in enumerate(content)
    ] == [record[:4] for record in records_of(bytes(made), header)]
    assert header.max_timestamp == (max(one[0] for one in content) if magic == 1 else -1)


def test_a_message_that_is_cut_off_at_the_end_is_left_out() -> None:
    made = up_converted(message(b"whole") + message(b"cut")[:-1], CONFIG, START_MS)

    (record,) = records_of(bytes(made), parse_header(made))
    assert b"whole" == record.value


def test_lz4_of_kafka_0_8_is_read() -> None:
    made = up_converted(
        wrapper([b"v"], magic=0, codec="lz4", has_old_checksum=True), CONFIG, START_MS
    )

    assert [b"v"] == [one.value for one in records_of(bytes(made), parse_header(made))]


def flipped(content: bytes, at: int = -1) -> bytes:
    damaged = bytearray(content)
    damaged[at] ^= 1
    return bytes(damaged)


def around(inner: bytes, codec: int = GZIP, magic: int = 1) -> bytes:
    """A message that wraps *inner*, whatever that is; not packed any more."""
    return message(inner, magic=magic, attributes=codec)


def gzipped(*inner: bytes) -> bytes:
    return gzip.compress(b"".join(inner))


REFUSALS: dict[str, tuple[bytes, type[ClusterError]]] = {
    "damaged": (message(b"a") + flipped(message(b"b")), CorruptBatchError),
    "damaged within": (around(gzipped(flipped(message(b"a")))), CorruptBatchError),
    "cut": (message(b"a")[:-1], CorruptBatchError),
    "two formats": (message(b"a") + message(b"b", magic=0), InvalidRecord),
    "a batch behind": (message(b"a") + bytes(batch(1)), InvalidRecord),
    "two wrappers": (wrapper([b"a"]) + wrapper([b"b"]), InvalidRecord),
    "a wrapper behind": (message(b"a") + wrapper([b"b"]), InvalidRecord),
    "nothing wrapped": (around(gzipped()), InvalidRecord),
    "wrapped twice": (around(gzipped(wrapper([b"a"]))), InvalidRecord),
    "a null value": (message(None, attributes=GZIP), InvalidRecord),
    "no gzip": (around(b"value"), InvalidRecord),
    "zstd": (around(b"value", ZSTD), InvalidRecord),
    "an unknown codec": (around(b"value", 5), InvalidRecord),
    "too large": (message(bytes(2000)), MessageTooLarge),
    "too old": (message(b"a", timestamp=START_MS - 5001), InvalidTimestamp),
    "too old within": (
        around(gzipped(message(b"a", timestamp=0), message(b"b"))),
        InvalidTimestamp,
    ),
    "a time before 1970": (message(b"a", timestamp=-2), InvalidTimestamp),
    "a broker's": (message(b"a", timestamp=-1, attributes=LOG_APPEND_TIME), InvalidTimestamp),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_what_a_producer_may_not_send_is_refused(name: str) -> None:
    content, error = REFUSALS[name]

    with pytest.raises(error):
        up_converted(content, CONFIG, START_MS)


def test_records_do_not_unpack_to_more_than_a_batch_may() -> None:
    bomb = around(gzipped(message(bytes(20 * 1024**2))))
    assert len(bomb) < 30_000

    with pytest.raises(MessageTooLarge):
        up_converted(bomb, LogConfig(message_size_max=30_000), START_MS)


def test_a_compacted_log_takes_no_message_without_a_key() -> None:
    config = LogConfig(compacts=True)

    assert up_converted(message(b"a", key=b"k"), config, START_MS)
    with pytest.raises(RecordsWithoutKey) as raised:
        up_converted(message(b"a", key=b"k") + message(b"b", key=None), config, START_MS)
    assert (1,) == raised.value.places


def test_no_time_is_too_old_where_the_broker_says_when() -> None:
    config = LogConfig(timestamp_before_max_ms=5000, uses_log_append_time=True)

    assert up_converted(message(b"a", timestamp=0), config, START_MS)
    with pytest.raises(InvalidTimestamp):
        up_converted(message(b"a", attributes=LOG_APPEND_TIME), config, START_MS)
