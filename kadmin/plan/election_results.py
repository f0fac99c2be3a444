"""Results of elections: what has become of each partition for which one was planned?

Pure: the plan, what was refused, what is still waited for, and a later look at the cluster in.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.election import ElectionPlan, PartitionElection, Prospect


class Result(StrEnum):
    """What has become of a partition, an interface for scripts."""

    ELECTED = "elected"
    VALID = "valid"
    FAILED = "failed"
    PENDING = "pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionResult:
    """*leader* leads now, None for no broker; *reason* explains why no other one does."""

    election: PartitionElection
    result: Result
    leader: BrokerId | None = None
    reason: str = ""


def pending_results(plan: ElectionPlan) -> Iterator[PartitionResult]:
    """Return the results of *plan* when it has been requested and not checked yet."""
    for election in plan.elections:
        if election.prospect is Prospect.MOVES:
            yield PartitionResult(election=election, result=Result.PENDING, leader=election.leader)
        else:
            yield still(election)


def results_of(
    plan: ElectionPlan,
    seen: Iterable[PartitionElection],
    refused: Mapping[TopicPartition, str],
    pending: Container[TopicPartition],
) -> Iterator[PartitionResult]:
    """Return the results of *plan*; *seen* is what an election would do now, in the plan's order.

    A partition that has the wanted leader counts as elected, even if the request was refused.
    """
    for election, now in zip(plan.elections, seen, strict=True):
        if election.prospect is not Prospect.MOVES:
            yield still(election)
        elif now.prospect is Prospect.VALID:
            yield PartitionResult(election=election, result=Result.ELECTED, leader=now.leader)
        elif election.partition in refused:
            yield failed(election, now, refused[election.partition])
        elif election.partition in pending:
            yield PartitionResult(election=election, result=Result.PENDING, leader=now.leader)
        else:
            yield failed(election, now, now.reason or "the controller has not elected it")


def still(election: PartitionElection) -> PartitionResult:
    """Return what has become of a partition for which no election was asked."""
    is_valid = election.prospect is Prospect.VALID
    return PartitionResult(
        election=election,
        result=Result.VALID if is_valid else Result.FAILED,
        leader=election.leader,
        reason=election.reason,
    )


def failed(election: PartitionElection, now: PartitionElection, reason: str) -> PartitionResult:
    return PartitionResult(
        election=election, result=Result.FAILED, leader=now.leader, reason=reason
    )
