"""Groups and partitions that were named: is the right thing meant, and nonsense refused?"""

import pytest

from cluster.model.ids import TopicPartition
from kadmin.arguments.groups import GroupSelection, parse_scopes, parse_states, parse_types
from kadmin.errors import UsageError
from kadmin.plan.groups.group import NoSuchGroup

NAMES = ["billing", "billing-2", "a,b", "odd*name", "stat"]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ((), sorted(NAMES)),
        (("stat",), ["stat"]),
        # Names of groups hold any character.
        (("a,b",), ["a,b"]),
        (("odd*name",), ["odd*name"]),
        (("bill*", "stat"), ["billing", "billing-2", "stat"]),
    ],
)
def test_names_mean_themselves_and_globs_what_they_match(
    wanted: tuple[str, ...], expected: list[str]
) -> None:
    assert expected == GroupSelection(wanted).select(NAMES)


@pytest.mark.parametrize("text", ["biling", "x*"])
def test_what_matches_no_group_is_refused(text: str) -> None:
    with pytest.raises(NoSuchGroup, match="does not exist") as raised:
        GroupSelection((text,)).select(NAMES)

    assert (text == "biling") == ("did you mean 'billing'" in str(raised.value.hint))


@pytest.mark.parametrize(
    ("texts", "taken", "left"),
    [
        ((), ["t-0", "u-1"], []),
        (("t",), ["t-0", "t-1"], ["u-0", "tt-0"]),
        (("t,u",), ["t-0", "u-1"], ["v-0"]),
        (("t:0,2", "u"), ["t-0", "t-2", "u-7"], ["t-1"]),
        (("t*",), ["t-0", "tt-3"], ["u-0"]),
    ],
)
def test_topics_and_partitions_of_them(
    texts: tuple[str, ...], taken: list[str], left: list[str]
) -> None:
    found = parse_scopes(texts)

    def partition(text: str) -> TopicPartition:
        topic, _, number = text.rpartition("-")
        return TopicPartition(topic, int(number))

    assert [] == [each for each in taken if not found.takes(partition(each))]
    assert [] == [each for each in left if found.takes(partition(each))]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("t:x", "invalid partition 'x' specified in topic arg 't:x'"),
        ("t:0,", "invalid partition '' specified in topic arg 't:0,'"),
        ("t:-1", "invalid partition '-1'"),
        ("", "--topic was given an empty name"),
        (":1", "--topic was given an empty name"),
    ],
)
def test_what_names_no_partition_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        parse_scopes([text])


def test_states_and_types_are_taken_in_any_case() -> None:
    assert {"Stable", "PreparingRebalance"} == parse_states("stable,PREPARINGREBALANCE")
    assert {"Classic"} == parse_types(" classic ")
    assert frozenset() == parse_states("")
    with pytest.raises(UsageError, match="invalid state list 'Stable,nix'") as raised:
        parse_states("Stable,nix")
    assert str(raised.value.hint).startswith("valid states are PreparingRebalance, Completing")
    with pytest.raises(UsageError, match="invalid types list 'x'"):
        parse_types("x")
