"""The least movement: which replicas stay, so that as few as possible are copied?

A flow decides: from each partition, by its racks, to the brokers.  A replica that stays costs
nothing; one that moves costs the same wherever it goes, so those that move into a rack share a
pool, which keeps the network small.  The pool does not know which broker has which partition, so
what the flow costs is a lower bound.  Then the moved replicas of each rack are matched with its
brokers.  Where that succeeds, which is nearly always, the plan meets the bound: no plan moves less.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.errors import RefusedError
from kadmin.plan.moves.bottleneck import bottleneck, too_little
from kadmin.plan.moves.flow import cheapest_flow
from kadmin.plan.moves.layered import COUNT_COST, Group, Layered
from kadmin.plan.moves.placing import Placing
from kadmin.plan.moves.problem import Impossible, Problem, TooFewForReplicas
from kadmin.wording import counted

EXACT_ARCS_MAX: Final = 2_000_000
"""A network without pools, which has an arc from each partition to each broker, is not larger."""


class Unplaced(RefusedError):
    """Replicas that move found no place within the bounds of brokers, though there may be one."""

    def __init__(self) -> None:
        super().__init__(
            "no place was found for all replicas that move, within the bounds of brokers",
            hint="loosen the bounds, or plan for some topics at a time with --topic",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """Where the replicas of each partition go, without their order, and the lower bound: no plan
    moves fewer than *lower_bound*."""

    chosen: Mapping[TopicPartition, frozenset[BrokerId]]
    lower_bound: int


def least_movement(
    problem: Problem, *, size_classes: Mapping[TopicPartition, int] | None = None
) -> Solution:
    """Return a plan that moves as few replicas as possible, and of such the smaller ones, as
    *size_classes* rank them.

    Raises:
        Impossible: there is no plan.
        Unplaced: none was found, though there may be one.
    """
    groups = grouped(problem, size_classes or {})
    if sum(problem.least.values()) > problem.replica_count:
        raise too_little(problem)
    pooled = Layered(problem, groups, is_pooled=True)
    flow = cheapest_flow(pooled.network, pooled.source, pooled.sink)
    is_short = flow.value < problem.replica_count
    if not is_short:
        chosen = Placing(problem).placed(pooled.dealt(flow))
        if chosen is not None:
            return Solution(chosen=chosen, lower_bound=flow.cost // COUNT_COST)
    if pooled.exact_arc_count > EXACT_ARCS_MAX:
        raise bottleneck(pooled, flow) if is_short else Unplaced()
    # A pool gives a broker the same partition twice: more may be short than it shows.
    exact = Layered(problem, groups, is_pooled=False)
    flow = cheapest_flow(exact.network, exact.source, exact.sink)
    if flow.value < problem.replica_count:
        raise bottleneck(exact, flow)
    chosen = {partition: frozenset(kept) for partition, kept, _ in exact.dealt(flow)}
    return Solution(chosen=chosen, lower_bound=flow.cost // COUNT_COST)


def grouped(problem: Problem, size_classes: Mapping[TopicPartition, int]) -> list[Group]:
    """Return the demands of *problem* in groups that a flow need not distinguish."""
    groups: dict[tuple[int, tuple[BrokerId, ...], int, BrokerId | None], Group] = {}
    for demand in problem.demands:
        stays = tuple(sorted(demand.stays))
        size_class = size_classes.get(demand.partition, 0)
        key = demand.factor, stays, size_class, demand.leader
        if key not in groups:
            try:
                bounds = problem.bounds(demand.factor, stays)
            except TooFewForReplicas as error:
                raise Impossible(
                    f"{demand.partition} is to have {counted(error.factor, 'replica')}, and only"
                    f" {counted(error.available, 'broker')} may hold them",
                    "start more brokers, or lower the replication factor",
                ) from error
            groups[key] = Group(demand.factor, stays, bounds, size_class, demand.leader)
        groups[key].demands.append(demand)
    return list(groups.values())
