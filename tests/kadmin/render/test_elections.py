"""Elections as an operator and his scripts see them."""

import io
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.election import (
    ElectionPlan,
    ElectionType,
    PartitionElection,
    Prospect,
    loss_warnings,
)
from kadmin.plan.election_results import PartitionResult, Result
from kadmin.render.elections import (
    plan_lines,
    planned_document,
    result_document,
)
from kadmin.render.output import Output
from tests.kadmin.render.terminal import FakeTerminal

PREFERRED, UNCLEAN = ElectionType.PREFERRED, ElectionType.UNCLEAN


def election(
    number: int,
    prospect: Prospect,
    leader: int | None,
    elected: int | None = None,
    reason: str = "",
    *,
    loses_records: bool = False,
) -> PartitionElection:
    return PartitionElection(
        partition=TopicPartition("t", number),
        prospect=prospect,
        leader=None if leader is None else BrokerId(leader),
        elected=None if elected is None else BrokerId(elected),
        reason=reason,
        loses_records=loses_records,
    )


MOVES = election(0, Prospect.MOVES, 1, 0)
VALID = election(1, Prospect.VALID, 0, 0)
IMPOSSIBLE = election(2, Prospect.IMPOSSIBLE, 1, reason="broker 0 is not alive")
LOSING = election(3, Prospect.MOVES, None, 2, loses_records=True)


def result(
    of: PartitionElection, what: Result, leader: int | None, reason: str = ""
) -> PartitionResult:
    known = None if leader is None else BrokerId(leader)
    return PartitionResult(election=of, result=what, leader=known, reason=reason)


def plan(*elections: PartitionElection, ends: Mapping[int, int] | None = None) -> ElectionPlan:
    known = {BrokerId(broker): end for broker, end in (ends or {}).items()}
    return ElectionPlan(
        kind=PREFERRED,
        elections=elections,
        end_offsets={each.partition: known for each in elections} if ends is not None else {},
    )


RESULTS = [
    result(MOVES, Result.ELECTED, 0),
    result(VALID, Result.VALID, 0),
    result(IMPOSSIBLE, Result.FAILED, 1, "broker 0 is not alive"),
    result(LOSING, Result.PENDING, None),
    result(election(4, Prospect.MOVES, 1, 0), Result.ELECTED, 0),
]


def test_results_have_the_lines_of_kafka_s_tool() -> None:
    """As in the transcripts of 2.8.2, but that its line of valid ones names none by mistake."""
    assert [
        "Successfully completed leader election (PREFERRED) for partitions t-0, t-4",
        "Valid replica already elected for partitions t-1",
        "Leader election (PREFERRED) is still going on for partitions t-3",
        "Error completing leader election (PREFERRED) for partition: t-2: broker 0 is not alive",
    ] == list(result_document(PREFERRED, RESULTS).lines())
    assert ["Successfully completed leader election (UNCLEAN) for partitions t-0"] == list(
        result_document(UNCLEAN, RESULTS[:1]).lines()
    )
    assert [] == list(result_document(PREFERRED, []).lines())


def test_results_are_told_to_scripts_partition_by_partition() -> None:
    document = result_document(PREFERRED, RESULTS[:3])

    assert "kadmin.elect/1" == document.schema
    assert {
        "dry_run": False,
        "election_type": "preferred",
        "partitions": [
            {
                "topic": "t",
                "partition": 0,
                "outcome": "elected",
                "leader_before": 1,
                "leader": 0,
                "elected": 0,
                "loses_records": False,
                "reason": None,
            },
            {
                "topic": "t",
                "partition": 1,
                "outcome": "valid",
                "leader_before": 0,
                "leader": 0,
                "elected": 0,
                "loses_records": False,
                "reason": None,
            },
            {
                "topic": "t",
                "partition": 2,
                "outcome": "failed",
                "leader_before": 1,
                "leader": 1,
                "elected": None,
                "loses_records": False,
                "reason": "broker 0 is not alive",
            },
        ],
    } == document.body()
    assert [("t", 0, "elected", 1, 0, 0, None), ("t", 1, "valid", 0, 0, 0, None)] == list(
        document.rows()
    )[:2]
    assert len(document.columns) == len(next(iter(document.rows())))


def test_a_plan_says_first_what_will_happen() -> None:
    assert [
        "plan: preferred election: 2 to get another leader, 1 with the right one already,"
        " 1 that cannot get it",
        "  t-0: leader 1 -> 0",
        "  t-3: leader none -> 2, which is not in the ISR",
        "  t-1: leader 0 stays",
        "  t-2: leader 1 stays: broker 0 is not alive",
    ] == list(plan_lines(plan(IMPOSSIBLE, VALID, MOVES, LOSING)))
    nowhere = election(9, Prospect.IMPOSSIBLE, None, reason="there is no such partition")
    assert "  t-9: there is no such partition" == list(plan_lines(plan(nowhere)))[-1]


def test_a_dry_run_shows_all_of_a_plan() -> None:
    many = plan(*(election(number, Prospect.MOVES, 1, 0) for number in range(30)))

    assert "  … and 10 more (--dry-run shows all)" == list(plan_lines(many))[-1]
    document = planned_document(PREFERRED, [many, plan(MOVES, VALID, IMPOSSIBLE)])
    assert "  t-29: leader 1 -> 0" == list(document.lines())[30]
    assert 31 + 4 == len(list(document.lines()))
    assert ["planned", "valid", "impossible"] == [row[2] for row in document.rows()][-3:]
    assert document.body()["dry_run"] is True


def test_what_may_be_lost_is_named() -> None:
    assert [] == list(loss_warnings(plan(MOVES, VALID)))
    unknown = "t-3: broker 2 is not in the ISR; what it has not copied is lost"
    assert [unknown] == list(loss_warnings(plan(MOVES, LOSING)))
    assert [
        f"{unknown}, and its log ends at offset 10; that of broker 0 ends at 9;"
        " that of broker 1 ends at 15, 5 records further"
    ] == list(loss_warnings(plan(LOSING, ends={1: 15, 2: 10, 0: 9})))
    assert [f"{unknown}; that of broker 1 ends at 15"] == list(
        loss_warnings(plan(LOSING, ends={1: 15}))
    )


@pytest.mark.parametrize(
    ("isr", "told"),
    [
        ((7,), "broker 7, which has all of it, is dead, so how much more is not known"),
        ((7, 5), "brokers 5, 7, which have all of it, are dead, so how much more is not known"),
    ],
)
def test_who_has_all_of_it_is_named_since_nobody_tells_how_much_that_is(
    isr: tuple[int, ...], told: str
) -> None:
    dead = replace(LOSING, isr=tuple(map(BrokerId, isr)))

    (warning,) = loss_warnings(plan(dead, ends={1: 15, 2: 10}))

    assert warning.endswith(f"; that of broker 1 ends at 15, 5 records further; {told}")


def test_a_dry_run_tells_scripts_how_far_behind_who_is_elected_is() -> None:
    plans = [
        plan(MOVES, LOSING, ends={1: 15, 2: 10}),
        plan(LOSING),
        plan(LOSING, ends={1: 15}),
        plan(LOSING, ends={2: 15}),
        plan(LOSING, ends={1: 9, 2: 10}),
    ]

    body: Any = planned_document(UNCLEAN, plans).body()

    assert [None, 5, None, None, None, 0] == [each["behind_records"] for each in body["partitions"]]


def test_a_terminal_names_the_first_of_many_and_a_pipe_all() -> None:
    many = [result(election(each, Prospect.MOVES, 1, 0), Result.ELECTED, 0) for each in range(300)]
    terminal, pipe = FakeTerminal(), io.StringIO()

    for stream in (terminal, pipe):
        Output(color=False, stdout=stream).show(result_document(PREFERRED, many))

    assert (
        "Successfully completed leader election (PREFERRED) for partitions t-0, t-1, t-2, t-3, t-4,"
        " … (300 in all)\n"
    ) == terminal.getvalue()
    assert pipe.getvalue().endswith(", t-298, t-299\n")
