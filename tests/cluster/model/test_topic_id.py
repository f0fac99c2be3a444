"""Topic ids: real ones, both forms, and texts that are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.topic_id import NO_TOPIC_ID, topic_id_bytes, topic_id_text


@given(st.binary(min_size=16, max_size=16))
def test_both_forms_say_the_same(topic_id: bytes) -> None:
    assert topic_id_bytes(topic_id_text(topic_id)) == topic_id
    assert len(topic_id_text(topic_id)) == 22


def test_no_id_is_a_row_of_zeros_in_both_forms() -> None:
    assert topic_id_text(NO_TOPIC_ID) == "A" * 22
    assert topic_id_bytes("A" * 22) == NO_TOPIC_ID


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A",
        "A" * 21,
        "A" * 23,
        "A" * 20 + "==",
        "A" * 21 + "B",
        "A" * 21 + "+",
        "A" * 21 + "é",
        "!" * 22,
    ],
)
def test_a_text_that_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a topic id"):
        topic_id_bytes(text)
