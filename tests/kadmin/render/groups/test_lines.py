"""Lines of kafka-consumer-groups: are the columns those of Kafka 3.9's tool?"""

from dataclasses import replace
from typing import Any

import pytest

from cluster.model.ids import BrokerId
from kadmin.plan.groups.changes import (
    GroupDeletionPlan,
    OffsetDeletionPlan,
    OffsetMove,
    ResetPlan,
)
from kadmin.plan.groups.group import EMPTY, ListedGroup
from kadmin.plan.groups.lag import lags_of
from kadmin.plan.groups.verdict import Look, judge
from kadmin.render.groups.changes import (
    group_deletion_document,
    offset_deletion_document,
    reset_document,
    reset_plan_lines,
)
from kadmin.render.groups.lag import condition_texts, lag_document
from kadmin.render.groups.listing import list_document
from kadmin.render.groups.members import hosts_document, members_document, states_document
from kadmin.render.groups.verdicts import verdict_document
from kadmin.render.output import Output
from kadmin.reports.groups import GroupLag, GroupsReport, JudgedGroups
from tests.kadmin.plan.groups.builders import T0, T1, U0, group, logs, member
from tests.kadmin.render.terminal import FakeTerminal

LISTED = [
    ListedGroup(
        name=name, protocol_type="consumer", state=state, type=kind, coordinator=BrokerId(1)
    )
    for name, state, kind in (("billing", "Stable", "Classic"), ("old", None, None))
]
BILLING = group("billing", member("c1", T0, host="/127.0.0.1"), member("c2", T1))


def report(now_ms: int = 90_000) -> GroupsReport:
    rows = lags_of(BILLING, {T0: 5, U0: 12}, logs({T0: (0, 20), U0: (0, 9)}, [T1]))
    return GroupsReport(groups=(GroupLag(group=BILLING, rows=tuple(rows)),), now_ms=now_ms)


def test_a_list_is_names_or_a_table() -> None:
    def lines(*, types: bool = False, states: bool = False) -> list[str]:
        return list(list_document(LISTED, with_types=types, with_states=states).lines())

    assert ["billing", "old"] == lines()
    assert [
        "GROUP                     STATE",
        "billing                   Stable",
        "old                       -",
    ] == lines(states=True)
    assert (
        "billing                   Classic              Stable" == lines(types=True, states=True)[1]
    )


def test_offsets_are_in_the_columns_of_kafka_s_tool() -> None:
    assert [
        "",
        "GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG"
        "             CONSUMER-ID     HOST            CLIENT-ID",
        "billing         t               0          5               20              15"
        "              c1-id           /127.0.0.1      c1",
        "billing         t               1          -               -               -"
        "               c2-id           /h              c2",
        "billing         u               0          12              9               -3"
        "              -               -               -",
    ] == list(lag_document(report()).lines())
    assert [
        "billing: t-1: partition is gone",
        "billing: u-0: offset 12: beyond the end of the log",
    ] == list(condition_texts(report()))


def test_members_and_states_are_in_the_columns_of_kafka_s_tool() -> None:
    verbose = members_document([BILLING, group("idle", state=EMPTY)], {}, is_verbose=True)

    assert [
        "",
        "GROUP           CONSUMER-ID     HOST            CLIENT-ID       #PARTITIONS"
        "     ASSIGNMENT",
        "billing         c1-id           /127.0.0.1      c1              1               t(0)",
        "billing         c2-id           /h              c2              1               t(1)",
    ] == list(verbose.lines())
    assert [
        "",
        "GROUP                     COORDINATOR (ID)          ASSIGNMENT-STRATEGY  STATE"
        "           #MEMBERS",
        "billing                   h:9092 (1)                range                Stable"
        "          2",
    ] == list(states_document([BILLING], {}).lines())


def test_a_terminal_also_shows_what_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    terminal = FakeTerminal()
    Output(color=False, stdout=terminal).show(lag_document(report()))
    shown = terminal.getvalue()

    assert "billing: Stable, 2 members, 15 records behind\n" in shown
    assert "beyond the end of the log" in shown


def test_documents_count_the_partitions_that_a_lag_leaves_out() -> None:
    (each,) = report().groups
    judged = judge([Look(time_ms=90_000, group=BILLING, rows=each.rows)], 0)
    verdicts = JudgedGroups(groups=(judged,), now_ms=90_000, behind_ms=0, window_ms=0)
    bodies: list[Any] = [lag_document(report()).body(), verdict_document(verdicts).body()]

    # The end of one is not known.
    assert [(15, 1)] * 2 == [
        (shown["lag"], shown["unknown_lags"]) for body in bodies for shown in body["groups"]
    ]


def test_a_name_never_takes_two_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups, and clients, may be called anything: a line of another group, for example."""
    monkeypatch.setenv("COLUMNS", "140")
    odd = group("a\nb", member("c\nd", T0, host="/e\nf"))
    offsets = {T0: 5}
    reset = ResetPlan(
        group="a\nb",
        moves=(OffsetMove(partition=T0, before=5, after=0, start=0, end=9, wanted=0),),
    )
    deletions = [OffsetDeletionPlan(group="a\nb", offsets=offsets)]
    group_deletions = [GroupDeletionPlan(offsets={"a\nb": offsets, "c": {}})]
    failed = {"c": "refused\nbecause"}
    rows = tuple(lags_of(odd, offsets, logs({T0: (0, 20)}, [])))
    report = GroupsReport(groups=(GroupLag(group=odd, rows=rows),), now_ms=90_000)
    verdict = judge([Look(time_ms=90_000, group=odd, rows=rows)], 0)
    listed = [replace(LISTED[0], name="a\nb")]
    documents = [
        list_document(listed, with_types=False, with_states=False),
        list_document(listed, with_types=True, with_states=True),
        lag_document(report),
        members_document([odd], {}, is_verbose=True),
        hosts_document([odd], {}),
        states_document([odd], {}),
        verdict_document(JudgedGroups(groups=(verdict,), now_ms=90_000, behind_ms=0, window_ms=0)),
        reset_document([reset], {}, 0, is_dry_run=True),
        *(
            document
            for is_dry_run in (False, True)
            for document in (
                offset_deletion_document(deletions, {}, is_dry_run=is_dry_run),
                group_deletion_document(group_deletions, {}, is_dry_run=is_dry_run),
                group_deletion_document(group_deletions, failed, is_dry_run=is_dry_run),
            )
        ),
    ]
    for document in documents:
        lines = list(document.lines())
        terminal = FakeTerminal()
        Output(color=False, stdout=terminal).show(document)

        assert any("a\\nb" in line for line in lines)
        assert not any("\n" in line for line in lines)
        assert "a\\nb" in terminal.getvalue()
    assert not any("\n" in line for line in reset_plan_lines(reset, 0))
