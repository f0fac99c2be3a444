"""Planned and finished elections of leaders: how do they look?"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.election import ElectionPlan, ElectionType, PartitionElection, Prospect
from kadmin.plan.election_results import PartitionResult, Result
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.render.plan_items import PLAN_LINES_MAX, item_lines
from kadmin.wording import abridged

COLUMNS: Final = ("topic", "partition", "outcome", "leader_before", "leader", "elected", "reason")

PROSPECTS: Final = {
    Prospect.MOVES: "planned",
    Prospect.VALID: Result.VALID.value,
    Prospect.IMPOSSIBLE: "impossible",
}
"""The outcomes of a dry run."""


def result_document(kind: ElectionType, results: Sequence[PartitionResult]) -> Document:
    """Return what has come of elections; the lines are those of Kafka's kafka-leader-election."""
    return document(
        kind,
        is_dry_run=False,
        bodies=lambda: (
            body(each.election, each.result.value, each.leader, each.reason) for each in results
        ),
        lines=lambda: result_lines(kind, results),
        screen=lambda: result_lines(kind, results, abridged),
    )


def planned_document(kind: ElectionType, plans: Sequence[ElectionPlan]) -> Document:
    """Return the *plans* of a dry run; as text their lines."""
    return document(
        kind,
        is_dry_run=True,
        bodies=lambda: (
            body(each, PROSPECTS[each.prospect], each.leader, each.reason)
            | {"behind_records": behind_records(plan, each)}
            for plan in plans
            for each in plan.elections
        ),
        lines=lambda: (line for plan in plans for line in plan_lines(plan, limit=None)),
    )


def document(
    kind: ElectionType,
    *,
    is_dry_run: bool,
    bodies: Callable[[], Iterable[dict[str, object]]],
    lines: Callable[[], Iterable[str]],
    screen: Callable[[], Iterable[str]] | None = None,
) -> Document:
    return Document(
        schema="kadmin.elect/1",
        body=lambda: {
            "dry_run": is_dry_run,
            "election_type": kind.value,
            "partitions": list(bodies()),
        },
        columns=COLUMNS,
        rows=lambda: csv_rows(bodies(), COLUMNS),
        lines=lines,
        screen=screen,
    )


def body(
    election: PartitionElection, outcome: str, leader: BrokerId | None, reason: str
) -> dict[str, object]:
    return {
        "topic": election.partition.topic,
        "partition": election.partition.partition,
        "outcome": outcome,
        "leader_before": election.leader,
        "leader": leader,
        "elected": election.elected,
        "loses_records": election.loses_records,
        "reason": reason or None,
    }


def all_of(partitions: Sequence[TopicPartition]) -> str:
    return ", ".join(map(str, partitions))


def result_lines(
    kind: ElectionType,
    results: Sequence[PartitionResult],
    names: Callable[[Sequence[TopicPartition]], str] = all_of,
) -> Iterator[str]:
    """Return the lines of Kafka's tool, which names all partitions; *names* may shorten them."""
    word = kind.value.upper()
    having = {
        result: [each.election.partition for each in results if each.result is result]
        for result in Result
    }
    if having[Result.ELECTED]:
        elected = names(having[Result.ELECTED])
        yield f"Successfully completed leader election ({word}) for partitions {elected}"
    if having[Result.VALID]:
        yield f"Valid replica already elected for partitions {names(having[Result.VALID])}"
    if having[Result.PENDING]:
        pending = names(having[Result.PENDING])
        yield f"Leader election ({word}) is still going on for partitions {pending}"
    for each in results:
        if each.result is Result.FAILED:
            yield (
                f"Error completing leader election ({word}) for partition:"
                f" {each.election.partition}: {each.reason}"
            )


def plan_lines(plan: ElectionPlan, limit: int | None = PLAN_LINES_MAX) -> Iterator[str]:
    """Return *plan* before it is carried out, no more than *limit* partitions of it; None for
    all."""
    counts = ", ".join(
        f"{sum(each.prospect is prospect for each in plan.elections) + more:,} {words}"
        for prospect, more, words in (
            (Prospect.MOVES, 0, "to get another leader"),
            (Prospect.VALID, plan.right_count, "with the right one already"),
            (Prospect.IMPOSSIBLE, 0, "that cannot get it"),
        )
    )
    yield f"plan: {plan.kind.value} election: {counts}"
    # First what will happen: that must not be cut off behind what will not.
    order = list(Prospect)
    shown = sorted(plan.elections, key=lambda each: order.index(each.prospect))
    yield from item_lines(shown, lambda each: f"{each.partition}: {prospect_text(each)}", limit)


def prospect_text(election: PartitionElection) -> str:
    match election.prospect:
        case Prospect.MOVES:
            at_a_cost = ", which is not in the ISR" if election.loses_records else ""
            before, after = leader_text(election.leader), leader_text(election.elected)
            return f"leader {before} -> {after}{at_a_cost}"
        case Prospect.VALID:
            return f"leader {leader_text(election.leader)} stays"
        case Prospect.IMPOSSIBLE:
            stays = "" if election.leader is None else f"leader {election.leader} stays: "
            return f"{stays}{election.reason}"


def leader_text(leader: BrokerId | None) -> str:
    return "none" if leader is None else str(leader)


def behind_records(plan: ElectionPlan, election: PartitionElection) -> int | None:
    """Return how many records the one to be elected by *plan* lacks at least; None where that is
    not known, or nothing is lost."""
    ends = plan.end_offsets.get(election.partition, {})
    elected = election.elected
    if elected is None or not election.loses_records or elected not in ends or len(ends) == 1:
        return None
    return max(ends.values()) - ends[elected]
