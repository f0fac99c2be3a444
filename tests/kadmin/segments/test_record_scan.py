"""Records looked at in columns: never is one held for right that reading one by one refuses."""

from collections.abc import Iterator, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster.formats.record_batch import CorruptBatchError, parse_header
from cluster.formats.records import records_of
from kadmin.segments import record_scan
from kadmin.segments.record_scan import are_sound
from tests.cluster.storage.batches import HEADER, START_MS, batch, batch_around, varint
from tests.support.examples import example_count

PREFIX = HEADER.size


@pytest.fixture(autouse=True, scope="module", params=[0, 10**9])
def lengths_are_read(request: pytest.FixtureRequest) -> Iterator[None]:
    """Those of all batches beside each other, or of each batch on its own."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(record_scan, "BESIDE_MIN", request.param)
        yield


def body_of(
    number: int,
    *,
    value: bytes | None = b"v",
    key: bytes | None = None,
    headers: Sequence[tuple[bytes, bytes | None]] = (),
    time: int = 0,
) -> bytes:
    """A record with its length in front."""
    body = b"\0" + varint(time) + varint(number) + sized(key) + sized(value)
    body += varint(len(headers)) + b"".join(sized(name) + sized(text) for name, text in headers)
    return varint(len(body)) + body


def sized(content: bytes | None) -> bytes:
    return varint(-1) if content is None else varint(len(content)) + content


def sound(*batches: bytes | bytearray) -> list[bool]:
    whole = [bytes(each) for each in batches]
    return are_sound(
        [memoryview(each)[PREFIX:] for each in whole], [parse_header(each) for each in whole]
    )


def is_read_one_by_one(whole: bytes) -> bool:
    """Whether reading each record finds nothing wrong."""
    header = parse_header(whole)
    try:
        offsets = [record.offset for record in records_of(whole, header)]
    except CorruptBatchError:
        return False
    within = all(header.base_offset <= each <= header.last_offset for each in offsets)
    return within and sorted(set(offsets)) == offsets


texts = st.none() | st.binary(max_size=40) | st.sampled_from([b"x" * 63, b"x" * 9000])
records = st.builds(
    lambda number, key, value, headers, time: body_of(
        number, key=key, value=value, headers=headers, time=time
    ),
    st.just(0),
    texts,
    texts,
    st.lists(st.tuples(st.sampled_from([b"", b"trace", b"a" * 70]), texts), max_size=3),
    st.integers(-(2**40), 2**40),
)


@pytest.mark.slow
@given(st.lists(records, max_size=4), st.integers(0, 3))
def test_what_producers_write_is_right(bodies: list[bytes], alone: int) -> None:
    whole = [batch_around(each, 1) for each in bodies]

    assert [True] * (len(whole) + 1) == sound(*whole, batch(alone + 1, base_offset=2**40))


def test_a_compacted_batch_may_have_lost_records_anywhere() -> None:
    batches = [batch_around(body_of(1) + body_of(3), 2), batch_around(b"", 0)]
    for each in batches:
        # It keeps the last offset that it had, which its header tells.
        each[23:27] = (5).to_bytes(4, "big")

    assert [True, True] == sound(*batches)


@pytest.mark.slow
@settings(max_examples=example_count(400))
@given(st.data())
def test_nothing_is_right_that_reading_one_by_one_refuses(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 4))
    records = [
        body_of(number, key=b"k%d" % number, value=data.draw(texts), headers=[(b"h", b"1")])
        for number in range(count)
    ]
    body = bytearray(b"".join(records))
    for _ in range(data.draw(st.integers(1, 2))):
        # Where the lengths are, an error tells most.
        at = data.draw(st.integers(0, min(len(body) - 1, 20)) | st.integers(0, len(body) - 1))
        body[at] = data.draw(st.integers(0, 255))
    body = body[: data.draw(st.sampled_from([len(body), len(body) - 1, len(body) // 2]))]
    broken = bytes(batch_around(bytes(body), count))
    good = bytes(batch(3, times=[START_MS] * 3))

    first, found, last = sound(good, broken, good)

    assert (True, True) == (first, last)
    if found:
        assert is_read_one_by_one(broken)


def test_batches_of_many_lengths_are_each_told_from_their_neighbours() -> None:
    good = [bytes(batch(count, times=[START_MS] * count)) for count in (1, 9, 7, 3, 200, 2)]
    broken = [
        bytes(batch_around(body_of(0) + body_of(1), 3)),
        bytes(batch_around(b"", 2**31 - 1)),
    ]
    order = [good[0], broken[0], good[4], good[1], broken[1], good[2], good[3], broken[0], good[5]]

    told = sound(*order)

    assert [each in good for each in order] == told


def test_keys_of_headers_are_any_bytes() -> None:
    content = bytes(batch_around(body_of(0, headers=[(b"\xb6", b"1")]), 1))

    assert [True] == sound(content)
    assert is_read_one_by_one(content)


def test_what_it_cannot_tell_is_not_right() -> None:
    many = [(b"h", b"")] * 17
    wrong = [
        batch_around(body_of(0), 2),
        batch_around(body_of(0) + b"\0", 1),
        batch_around(body_of(1) + body_of(0), 2),
        batch_around(body_of(0) + body_of(0), 2),
        batch_around(body_of(7), 1),
        batch_around(body_of(0, headers=many), 1),
        batch_around(varint(-3) + body_of(0), 1),
        batch_around(b"\xff" * 12, 1),
        batch_around(b"", 1),
    ]

    assert [False] * len(wrong) == sound(*wrong)
