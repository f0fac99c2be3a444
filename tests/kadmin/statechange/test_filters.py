"""Which lines a filter keeps, against the plain parser's word for each line."""

import dataclasses
import random
import re
from typing import Any

import pyarrow as pa
import pytest

from kadmin.jobs.merge.slices.line_filter import predicate, record_filter
from kadmin.statechange.columns import SAID_COLUMNS, ColumnType, StateChange
from kadmin.statechange.examples import draw_example, releases_of
from kadmin.statechange.filters import ONE_OF, LineFilter
from kadmin.statechange.kinds import Kind, Level
from kadmin.statechange.parse import parse_line
from kadmin.statechange.templates import TEMPLATES

pytestmark = pytest.mark.xdist_group("filters")

HEAD = "[2026-11-20 03:12:04,117] INFO "


@pytest.fixture(scope="module")
def changes() -> list[StateChange]:
    """A line of every template of its first and its last release."""
    draw = random.Random(4)
    return [
        parse_line(draw_example(template, release, draw).text)
        for template in TEMPLATES
        for release in (releases_of(template)[0], releases_of(template)[-1])
    ]


def kept(lines: list[str], wanted: LineFilter) -> list[str]:
    mask = predicate(wanted)(pa.array([line.encode() for line in lines], pa.large_binary()))
    return [line for line, is_kept in zip(lines, mask, strict=True) if is_kept]


def fits(change: StateChange, wanted: LineFilter) -> bool:
    named = [
        partition
        for topic, partition in change.partitions
        if (not wanted.topics and wanted.topic_regex is None)
        or topic in wanted.topics
        or re.fullmatch(wanted.topic_regex or "(?!)", topic)
    ]
    levels = list(Level)
    return (
        (not wanted.brokers or change.broker in wanted.brokers)
        and (not wanted.controller_epochs or change.controller_epoch in wanted.controller_epochs)
        and (not wanted.kinds or change.kind in wanted.kinds)
        and (
            wanted.level is None
            or (
                change.level is not None
                and levels.index(change.level) >= levels.index(wanted.level)
            )
        )
        and (
            not (
                wanted.topics or wanted.topic_regex or wanted.partitions or wanted.only_partitioned
            )
            or any(not wanted.partitions or number in wanted.partitions for number in named)
        )
    )


@pytest.mark.slow
def test_every_filter_keeps_what_the_plain_parser_says(changes):
    brokers = tuple({change.broker for change in changes if change.broker is not None})[:3]
    epochs = tuple({c.controller_epoch for c in changes if c.controller_epoch is not None})[:3]
    for wanted in (
        LineFilter(only_partitioned=True),
        LineFilter(topics=("orders", "a-1")),
        LineFilter(topics=("0",), partitions=(0, 1, 2, 3)),
        LineFilter(topic_regex="__.*|x"),
        LineFilter(topic_regex="clicks"),
        LineFilter(partitions=(0,)),
        LineFilter(brokers=brokers),
        LineFilter(controller_epochs=epochs),
        LineFilter(kinds=(Kind.ELECTED, Kind.FETCHERS, Kind.SUMMARY)),
        *(LineFilter(level=level) for level in Level),
        LineFilter(topics=("orders",), level=Level.INFO, kinds=(Kind.ELECTED,)),
    ):
        expected = [change.text for change in changes if fits(change, wanted)]
        assert expected == kept([change.text for change in changes], wanted), wanted


NEVER_SAID: dict[str, Any] = {
    "topics": ("no-such-topic",),
    "topic_regex": "no-such-topic",
    "partitions": (987_654,),
    "brokers": (987_654,),
    "controller_epochs": (987_654,),
    "kinds": (Kind.OTHER,),
    "level": Level.FATAL,
}


@pytest.mark.slow
@pytest.mark.parametrize("field", [each.name for each in dataclasses.fields(LineFilter)])
def test_no_field_of_a_filter_is_passed_over(changes, field):
    lines = [change.text for change in changes]

    if field == "only_partitioned":
        assert set(kept(lines, LineFilter(only_partitioned=True))) < set(lines)
    else:
        assert [] == kept(lines, LineFilter(**{field: NEVER_SAID[field]}))


def test_a_filter_by_the_values_of_a_column_names_one_of_integers_or_words():
    judged = {column.name: column.type for column in SAID_COLUMNS}

    assert {ColumnType.INTEGER, ColumnType.WORD} >= {judged[name] for name in ONE_OF.values()}


@pytest.mark.slow
def test_a_line_that_names_several_partitions_fits_by_any_of_them(changes):
    several = [change for change in changes if len(change.partitions) > 1]
    assert several
    for change in several:
        for topic, partition in change.partitions:
            wanted = LineFilter(topics=(topic,), partitions=(partition,))
            assert [change.text] == kept([change.text], wanted)


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("something new befell orders-3 today", True),
        ("something new befell [orders,3] today", True),
        ("something new befell [orders, 3] today", True),
        ("something new befell orders-33 today", False),
        ("something new befell my-orders-3 today", False),
        ("something new befell orders-3-4 today", False),
    ],
)
def test_a_line_that_is_not_understood_is_judged_by_what_looks_like_a_partition(text, is_kept):
    line = HEAD + text
    assert Kind.OTHER is parse_line(line).kind

    assert is_kept == bool(kept([line], LineFilter(topics=("orders",), partitions=(3,))))
    assert ["orders" in text] == [bool(kept([line], LineFilter(only_partitioned=True)))]


def test_a_filter_that_asks_for_nothing_is_no_filter():
    assert record_filter(LineFilter()) is None
    assert predicate(LineFilter(brokers=(1,)))(pa.array([], pa.large_binary())).tolist() == []


def test_only_whole_names_of_topics_are_searched_for():
    named, matched = (
        record_filter(LineFilter(topics=("orders",))),
        record_filter(LineFilter(topic_regex="o.*")),
    )

    assert named is not None
    assert (b"orders",) == named.substrings
    assert matched is not None
    assert () == matched.substrings
