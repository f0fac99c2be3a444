"""Files of groups' offsets: are both of Kafka's forms read, and is what is wrong named?"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.ids import TopicPartition
from kadmin.arguments.documents import BadFile
from kadmin.arguments.group_offsets_file import offsets_text, parse_group_offsets
from kadmin.arguments.groups import parse_duration_ms
from kadmin.errors import UsageError

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t,0,5\nt,1,6\n", {None: {T0: 5, T1: 6}}),
        ("g,t,0,5\n\nh,t,0,6\n", {"g": {T0: 5}, "h": {T0: 6}}),
        ('"a,b",t,0,5\n', {"a,b": {T0: 5}}),
        ('"say ""hi""",t, 0 ,5', {'say "hi"': {T0: 5}}),
        ("two\u2028lines,t,0,5", {"two\u2028lines": {T0: 5}}),
        ('"two\nlines",t,0,5\nt,1,6', {"two\nlines": {T0: 5}, None: {T1: 6}}),
        ("g,t,0,5\r\ng,t,1,6\r\n", {"g": {T0: 5, T1: 6}}),
    ],
)
def test_both_forms_are_read(text: str, expected: object) -> None:
    assert expected == parse_group_offsets(text, "f")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it names no partition"),
        ("t,0\n", "line 1 has neither form"),
        ("g,,0,5", "line 1 has neither form"),
        ("t,0,5\nt,x,5", "line 2 has no partition and offset of 0 or more"),
        ("t,0,-1", "line 1 has no partition and offset of 0 or more"),
        ("t,0,9223372036854775808", "line 1 has no partition and offset"),
        ("t,0,5\nt,0,6", "line 2 names t-0 again"),
        ('"two\nlines",t,0,5\nt,x,5', "line 3 has no partition and offset of 0 or more"),
        ('"two\nlines",t,0,5\na\rb,t,0,5', "line 3 is no CSV: new-line character"),
        ("x" * 200_000 + ",t,0,5", "line 1 is no CSV: field larger than field limit"),
        ("group,topic,partition,offset", "line 1 has no partition and offset of 0 or more"),
    ],
)
def test_what_is_wrong_is_named(text: str, reason: str) -> None:
    with pytest.raises(BadFile, match=reason):
        parse_group_offsets(text, "f")


@given(
    st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from('\n\r",')),
        st.dictionaries(st.sampled_from([T0, T1]), st.integers(0, 2**63 - 1), min_size=1),
        min_size=1,
    )
)
def test_what_is_written_is_read_again(offsets: dict[str, dict[TopicPartition, int]]) -> None:
    assert offsets == parse_group_offsets(offsets_text(offsets, with_groups=True), "f")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PT15M", 900_000),
        ("P1DT2H3M4S", 93_784_000),
        ("pt0.5s", 500),
        ("P2W", 1_209_600_000),
        ("PT0S", 0),
    ],
)
def test_durations(text: str, expected: int) -> None:
    assert expected == parse_duration_ms(text)


@pytest.mark.parametrize(
    "text", ["", "P", "PT", "15m", "P1Y", "-PT5M", "P1M", "PT5", f"P{9**500}W"]
)
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no duration"):
        parse_duration_ms(text)
