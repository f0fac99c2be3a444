"""What holds for every codec, whatever stands in the znode."""

import copy
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cluster.model.errors import CorruptZnodeError
from tests.cluster.zk.codecs import CODECS, Codec, codec_for
from tests.cluster.zk.strategies import ZK_VERSION, json_values
from tests.support.examples import example_count

# Timing says nothing on a machine that others use too.
checked = settings(
    deadline=None, max_examples=example_count(50), suppress_health_check=[HealthCheck.too_slow]
)
seldom_checked = settings(checked, max_examples=example_count(10))
each_codec = pytest.mark.parametrize("codec", CODECS, ids=lambda codec: codec.name)

NOT_NUMBERS = st.sampled_from([True, False, 0.5, 1.0, -2, 2**31, 2**63, 2**200, "0x1", "１", "1_0"])
ANYTHING = json_values | NOT_NUMBERS | st.just("\ud800")


def survives(codec: Codec, data: bytes | None) -> bool:
    """Whether *data* is understood; what is understood must be written again without loss.

    Only a corrupt znode may be the reason when it is not, and must name the path and the version.
    """
    result = decoded(codec, data)
    if isinstance(result, CorruptZnodeError):
        assert (result.path, result.zk_version) == (codec.path, ZK_VERSION)
        assert result.reason in str(result)
        return False
    assert result is None or decoded(codec, codec.encode(result)) == result
    return True


def decoded(codec: Codec, data: bytes | None) -> Any:
    try:
        return codec.decode(codec.node(data))
    except CorruptZnodeError as error:
        return error


@pytest.mark.slow
@each_codec
def test_what_is_written_is_read_back(codec: Codec) -> None:
    @checked
    @given(codec.values)
    def check(value: object) -> None:
        node = codec.node(codec.encode(value))
        if codec.name == "broker":
            node = node._replace(path=f"/brokers/ids/{value.broker_id}")  # type: ignore[attr-defined]

        assert codec.decode(node) == value

    check()


@pytest.mark.slow
@each_codec
def test_any_bytes_are_understood_or_named_corrupt(codec: Codec) -> None:
    @checked
    @given(st.binary(max_size=60))
    def check(data: bytes) -> None:
        survives(codec, data)

    check()


@pytest.mark.slow
@each_codec
def test_any_json_is_understood_or_named_corrupt(codec: Codec) -> None:
    @checked
    @given(ANYTHING)
    def check(value: object) -> None:
        survives(codec, json.dumps(value).encode())

    check()


@pytest.mark.slow
@each_codec
def test_a_document_with_one_thing_changed_is_understood_or_named_corrupt(codec: Codec) -> None:
    @checked
    @given(codec.values, st.data())
    def check(value: object, data: st.DataObject) -> None:
        survives(codec, changed_somewhere(codec.encode(value), data))

    check()


def changed_somewhere(content: bytes, data: st.DataObject) -> bytes:
    """*content* with one node of its JSON dropped or replaced, or one byte where it is no JSON."""
    try:
        document = json.loads(content)
    except ValueError:
        document = None
    if not isinstance(document, dict | list) or not document:
        place = data.draw(st.integers(0, len(content)))
        return content[:place] + data.draw(st.binary(max_size=2)) + content[place + 1 :]
    document = copy.deepcopy(document)
    parent, key = data.draw(st.sampled_from(list(places(document))))
    if data.draw(st.booleans()):
        del parent[key]
    else:
        parent[key] = data.draw(ANYTHING)
    return json.dumps(document).encode()


def places(document: Any) -> Any:
    """Every (container, key) of *document*, from the outside in."""
    if isinstance(document, dict | list):
        keys = list(document) if isinstance(document, dict) else range(len(document))
        for key in keys:
            yield document, key
            yield from places(document[key])


@pytest.mark.slow
@each_codec
def test_data_that_ends_too_early_is_understood_or_named_corrupt(codec: Codec) -> None:
    @seldom_checked
    @given(codec.values)
    def check(value: object) -> None:
        content = codec.encode(value)
        for end in range(len(content)):
            survives(codec, content[:end])

    check()


HOSTILE = (
    b"[" * 100_000,
    b'{"version":' * 50_000,
    b"9" * 100_000,
    b'{"version":' + b"9" * 100_000 + b"}",
    b'{"version":1e999}',
    b'{"version":NaN}',
    b'{"version":Infinity}',
    b'{"version":1}{}',
    b'{"version":1',
    b'{"version":"\\ud800"}',
    b'{"version":"\xed\xa0\x80"}',
    b"\xff\xfe{\x00}\x00",
    b"[]",
    b"null",
)


@each_codec
def test_hostile_data_is_named_corrupt(codec: Codec) -> None:
    understood = [data for data in HOSTILE if survives(codec, data)]

    # Any text is the id of a token, and nothing else.
    is_text = codec.name == "delegation token change"
    texts = [data for data in HOSTILE if b"\xed" not in data and b"\xff" not in data]
    assert understood == (texts if is_text else [])


def is_document(content: bytes) -> bool:
    """Is it JSON, and no name that begins as JSON does?"""
    try:
        return isinstance(json.loads(content), dict)
    except ValueError:
        return False


@pytest.mark.slow
@each_codec
def test_a_document_that_could_not_be_written_again_is_named_corrupt(codec: Codec) -> None:
    @seldom_checked
    @given(codec.values)
    def check(value: object) -> None:
        content = codec.encode(value)
        if is_document(content) and content != b"{}":
            for end in (b',"~x":1e999}', b',"~x":-Infinity}', b',"~x":"\\udfff"}', b"}{}"):
                assert not survives(codec, content[:-1] + end)

    check()


@pytest.mark.parametrize("data", [None, b""], ids=["null", "empty"])
def test_no_data_is_understood_only_where_kafka_leaves_it(data: bytes | None) -> None:
    understood = {codec.name for codec in CODECS if survives(codec, data)}

    assert understood == {"config", "acls", "producer id block"}


@pytest.mark.slow
@each_codec
def test_blanks_around_the_data_do_not_matter(codec: Codec) -> None:
    @seldom_checked
    @given(codec.values)
    def check(value: object) -> None:
        content = codec.encode(value)
        if is_document(content):
            plain = codec.decode(codec.node(content))

            assert codec.decode(codec.node(b" \r\n" + content + b"\n")) == plain

    check()


@pytest.mark.parametrize(
    "leader",
    [
        b'"' + b"x" * 100_000 + b'"',
        b"[" * 500 + b"]" * 500,
        b"9" * 4000,
        b"[7" + b",7" * 9999 + b"]",
    ],
)
def test_an_error_shows_little_of_large_data(leader: bytes) -> None:
    codec = codec_for("/brokers/topics/t/partitions/0/state")

    with pytest.raises(CorruptZnodeError) as caught:
        codec.decode(codec.node(b'{"leader":' + leader + b"}"))

    assert len(caught.value.reason) < 200
