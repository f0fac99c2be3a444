"""Do the vectorised looks at a block of text find what a loop over its characters finds?"""

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kadmin.statechange.scan import BEFORE, Block, Ints, Words, no_number, one_of

ASCII = st.text(st.characters(max_codepoint=127), max_size=40)


def block_of(texts: list[str]) -> tuple[Block, Ints, Ints]:
    """The texts one behind the other, and where each begins and ends."""
    data = np.frombuffer("".join(texts).encode("ascii"), np.uint8)
    lengths = np.array([len(text) for text in texts], np.int64)
    ends = BEFORE + np.cumsum(lengths)
    return Block(data), ends - lengths, ends


@pytest.mark.slow
@given(st.lists(st.one_of(st.from_regex(r"\A-?[0-9]{1,22}x?\Z"), ASCII), min_size=1))
@example(["1", "2"])
@example(["12345678", "x"])
@example(["123456789012345678", " 5"])
@example(["1234567890123456789", "-"])
@example(["--1", "-0", "007"])
def test_integers_are_those_that_a_pattern_finds(texts: list[str]) -> None:
    texts = [f"{text} " for text in texts]  # So that no number runs into the next text.
    block, starts, _ = block_of(texts)

    values, behind, found = block.integers(starts)

    patterns = [re.match(r"-?[0-9]{1,18}(?![0-9])", text) for text in texts]
    assert [one is not None for one in patterns] == found.tolist()
    assert [int(one[0]) for one in patterns if one] == values[found].tolist()
    assert [one.end() for one in patterns if one] == (behind - starts)[found].tolist()


@given(st.lists(ASCII, min_size=1), st.binary(min_size=1, max_size=70))
@example(["abcdefgh", "abcdefg"], b"abcdefgh")
@example(["abcdefghi"], b"abcdefghi")
@example(["\0\0"], b"\0\0\0")
def test_a_text_is_found_where_it_stands(texts: list[str], wanted: bytes) -> None:
    block, starts, _ = block_of(texts)
    everything = block.bytes.tobytes()

    expected = [everything.startswith(wanted, int(start)) for start in starts]
    assert expected == block.has(starts, wanted).tolist()


@given(st.lists(ASCII, min_size=1), st.binary(min_size=1, max_size=4))
def test_an_end_is_that_of_the_text_itself(texts: list[str], wanted: bytes) -> None:
    block, starts, ends = block_of(texts)

    expected = [text.encode().endswith(wanted) for text in texts]
    assert expected == block.ends_with(starts, ends, wanted).tolist()


@pytest.mark.parametrize("count", [1, 4])
@given(texts=st.lists(ASCII, min_size=1), stops=st.binary(min_size=1, max_size=3))
@example(texts=["x" * 31 + ",", "x" * 32 + ",", "x" * 33, "x" * 100 + ","], stops=b",")
def test_the_first_of_several_bytes_is_found_or_the_end(
    count: int, texts: list[str], stops: bytes
) -> None:
    block, starts, ends = block_of(texts)
    stops = bytes(byte % 128 for byte in stops)

    found = block.find(starts, ends, one_of(stops), count)

    expected = [
        next((i for i, byte in enumerate(text.encode()) if byte in stops), len(text))
        for text in texts
    ]
    assert expected == (found - starts).tolist()


def test_the_end_of_a_text_of_megabytes_is_found_in_strides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    block, starts, ends = block_of(["x" * 1_000_000 + "|" + "x" * 9, "y|", "", "z" * 70_000])
    looks: list[int] = []
    words = Block.words

    def counted(self: Block, at: Ints, count: int) -> Words:
        looks.append(count)
        return words(self, at, count)

    monkeypatch.setattr(Block, "words", counted)
    found = block.find(starts, ends, one_of(b"|"))

    assert [1_000_000, 1, 0, 70_000] == (found - starts).tolist()
    assert len(looks) < 300


@given(st.lists(st.one_of(ASCII, st.text("0123456789, -x", max_size=40)), min_size=1))
def test_a_list_of_numbers_ends_before_anything_else(texts: list[str]) -> None:
    block, starts, ends = block_of(texts)

    found = block.find(starts, ends, no_number, 1)

    expected = [len(text) - len(text.lstrip("0123456789, -")) for text in texts]
    assert expected == (found - starts).tolist()


@given(st.lists(st.one_of(ASCII, st.from_regex(r"\A[a-z]?[0-9]{0,9}\Z"))))
@example(["9", "x9", "99999999", "x0000007"])
def test_numbers_are_read_backwards_up_to_eight_digits(texts: list[str]) -> None:
    texts = [f" {text}" for text in texts]
    block, _, ends = block_of(texts)

    values, counts = block.numbers_before(ends)

    digits = [re.search(r"[0-9]{0,8}\Z", text) for text in texts]
    assert [len(one[0]) for one in digits if one] == counts.tolist()
    assert [int(one[0] or "0") for one in digits if one] == values.tolist()


def test_nothing_is_found_in_no_places() -> None:
    block, _, _ = block_of(["abc"])
    none = np.empty(0, np.int64)

    assert [0, 0, 0] == [len(part) for part in block.integers(none)]
    assert len(block.has(none, b"abc")) == 0
    assert len(block.find(none, none, one_of(b" "))) == 0
