"""Which topics a `--topic` means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kadmin.arguments.topics import regex_of_topic_filter, selection_of
from kadmin.errors import UsageError
from kadmin.plan.topic_refusals import NoSuchTopic

NAMES = ["__consumer_offsets", "orders", "orders-eu", "t.1", "tx1", "users"]


def chosen(*texts, regex=False, **more):
    return selection_of(texts, is_regex=regex, **more).select(NAMES)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        ([], NAMES),
        (["orders"], ["orders"]),
        (["order"], []),
        (["t.1"], ["t.1"]),
        (["orders*"], ["orders", "orders-eu"]),
        (["t?1"], ["t.1", "tx1"]),
        (["[ou]*s"], ["orders", "users"]),
        (["users,orders"], ["orders", "users"]),
        (["users", "orders", "users"], ["orders", "users"]),
    ],
)
def test_names_are_exact_and_globs_are_globs(texts, expected):
    assert expected == chosen(*texts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("t.1", ["t.1", "tx1"]),
        ("t[.]1,users", ["t.1", "users"]),
        ("'orders.*'", ["orders", "orders-eu"]),
        ("order", []),
    ],
)
def test_a_regular_expression_matches_the_whole_name_as_kafkas_filter(text, expected):
    assert expected == chosen(text, regex=True)


def test_internal_topics_can_be_left_out():
    assert "__consumer_offsets" not in chosen(exclude_internal=True)


@pytest.mark.parametrize("text", ["", "a,,b", " "])
def test_an_empty_name_is_wrong_usage(text):
    with pytest.raises(UsageError, match="empty name"):
        selection_of([text], is_regex=False)


def test_a_broken_regular_expression_is_wrong_usage():
    with pytest.raises(UsageError, match="no regular expression"):
        selection_of(["(a"], is_regex=True)


def test_what_is_missing_is_named_with_a_near_name():
    with pytest.raises(NoSuchTopic, match="there is no topic 'ordes'") as caught:
        selection_of(["ordes", "users"], is_regex=False).require(NAMES)
    assert caught.value.hint == "did you mean orders?"


def test_a_regular_expression_taken_for_a_name_is_recognised():
    """Kafka's tool takes every --topic for one, so old scripts do not say --regex."""
    with pytest.raises(NoSuchTopic, match="no topic matches") as caught:
        selection_of(["orders.*"], is_regex=False).require(NAMES)
    assert "add --regex" in str(caught.value.hint)


def test_only_one_exact_name_is_one_name():
    assert selection_of(["orders"], is_regex=False).is_one_name
    assert not selection_of(["orders*"], is_regex=False).is_one_name
    assert not selection_of(["orders"], is_regex=True).is_one_name
    assert not selection_of(["a", "b"], is_regex=False).is_one_name


@given(st.from_regex(r"[a-zA-Z0-9._-]{1,30}", fullmatch=True))
def test_every_legal_name_means_just_itself(name):
    selection = selection_of([name], is_regex=False)

    assert [name] == selection.select([name, name + "x", "x" + name])


def test_the_filter_is_cleaned_as_kafka_cleans_it():
    assert "a|b" == regex_of_topic_filter(" 'a, b' ")


def test_thousands_of_names_are_found_among_thousands():
    """Compared one with the other, this many would outlast the test's timeout."""
    names = [f"topic-{number:05d}" for number in range(20_000)]
    selection = selection_of(names[::2], is_regex=False)

    assert names[::2] == selection.select(names)
    assert names[::2] == selection.missing(names[1::2])
