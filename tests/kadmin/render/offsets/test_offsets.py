"""Offsets on a terminal: is all of it there, and only what was asked for?"""

import pytest

from cluster.model.ids import TopicPartition
from kadmin.plan.offsets import EARLIEST, LATEST, FoundOffset
from kadmin.render.offsets.offsets import TABLE_ROWS_MAX, offsets_document, total_line
from kadmin.render.output import Output
from kadmin.reports.offsets import OffsetReport, report_of
from tests.kadmin.render.terminal import FakeTerminal

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)


def shown(report: OffsetReport) -> list[list[str]]:
    terminal = FakeTerminal()
    Output(color=False, stdout=terminal).show(offsets_document(report))
    return [line.split() for line in terminal.getvalue().splitlines() if "─" not in line]


def test_a_table_has_the_offsets_and_what_they_are_called() -> None:
    assert [["topic", "partition", "latest"], ["t", "0", "4"]] == shown(
        report_of(LATEST, {T0: FoundOffset(4, None)}, {}, None)
    )


def test_a_table_has_times_and_counts() -> None:
    found = {T0: FoundOffset(1, 1_700_000_000_123), T1: FoundOffset(None, None)}
    ends = {T0: FoundOffset(4, None), T1: FoundOffset(2, None)}
    report = report_of(1_700_000_000_000, found, {}, ends)

    assert [
        ["t", "0", "1", "2023-11-14", "22:13:20.123", "4", "3"],
        ["t", "1", "-", "-", "2", "0"],
    ] == shown(report)[1:]
    assert "3 offsets in 2 partitions" == total_line(report)


def test_what_is_too_long_for_a_table_is_plain_lines() -> None:
    found = {
        TopicPartition("t", number): FoundOffset(0, None) for number in range(TABLE_ROWS_MAX + 1)
    }

    assert ["t:0:0"] == shown(report_of(EARLIEST, found, {}, None))[0]


def test_partitions_of_which_nobody_told_come_first_with_the_reason() -> None:
    report = report_of(LATEST, {T0: FoundOffset(4, None)}, {T1: "it has no leader"}, None)

    assert [
        ["topic", "partition", "latest", "why"],
        ["t", "1", "-", "it", "has", "no", "leader"],
        ["t", "0", "4"],
    ] == shown(report)


def test_long_names_stand_once_above_their_partitions_where_a_row_has_no_room_for_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name, other = "orders-of-the-whole-continent-by-customer.v1", "payments"
    found = {
        TopicPartition(topic, number): FoundOffset(10**number, 1_700_000_000_123)
        for topic in (name, other)
        for number in (0, 9)
    }
    ends = {partition: FoundOffset(10**10, None) for partition in found}
    report = report_of(1_700_000_000_000, found, {}, ends)
    terminal = FakeTerminal()
    monkeypatch.setenv("COLUMNS", "80")
    Output(color=False, stdout=terminal).show(offsets_document(report))

    assert [
        name,
        "partition       offset   record of (UTC)                   end      offsets",
        "─" * 75,
        "        0            1   2023-11-14 22:13:20.123   10000000000   9999999999",
        "        9   1000000000   2023-11-14 22:13:20.123   10000000000   9000000000",
        other,
        "        0            1   2023-11-14 22:13:20.123   10000000000   9999999999",
        "        9   1000000000   2023-11-14 22:13:20.123   10000000000   9000000000",
    ] == [line.rstrip() for line in terminal.getvalue().splitlines()]
