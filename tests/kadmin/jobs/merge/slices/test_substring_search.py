import pytest
from hypothesis import given
from hypothesis import strategies as st

from kadmin.jobs.merge.slices import substring_search
from kadmin.jobs.merge.slices.substring_search import substring_finder

TEXTS = st.text("ab", max_size=40).map(str.encode)


@given(text=TEXTS, substring=TEXTS.filter(len), begin=st.integers(0, 41), end=st.integers(0, 40))
def test_a_substring_is_found_where_python_finds_it(
    text: bytes, substring: bytes, begin: int, end: int
) -> None:
    end = min(end, len(text))
    buffer = bytearray(text or b"x")

    assert buffer.find(substring, begin, end) == substring_finder(buffer, end, substring)(begin)


def test_a_substring_of_any_bytes_is_found_where_zeros_stand_before_it() -> None:
    buffer = bytearray(b"\0a\0b\xff" * 3)

    assert 2 == substring_finder(buffer, len(buffer), b"\0b\xff")(0)
    assert 7 == substring_finder(buffer, len(buffer), b"\0b\xff")(3)


def test_without_a_search_in_the_c_library_python_finds_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(substring_search, "MEMMEM", None)
    find = substring_finder(bytearray(b"one two one"), 10, b"one")

    assert [0, -1] == [find(0), find(1)]
