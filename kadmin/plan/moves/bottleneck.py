"""The bottleneck of a goal that no plan reaches: the minimum cut of its network, in words."""

from collections import defaultdict
from typing import Final

from cluster.model.ids import BrokerId
from kadmin.plan.moves.flow import Flow, reaching
from kadmin.plan.moves.layered import Layered
from kadmin.plan.moves.problem import Impossible, Problem
from kadmin.wording import counted, first_listed, verb_of

HINT: Final = (
    "start more brokers, or loosen what bounds them: --max-replicas, --exclude-brokers, or racks by"
    " --disable-rack-aware"
)


def bottleneck(layered: Layered, flow: Flow) -> Impossible:
    """Return why *flow*, the most that there is, leaves replicas without a place."""
    problem = layered.problem
    short = counted(problem.replica_count - flow.value, "replica")
    verb = "finds" if problem.replica_count - flow.value == 1 else "find"
    reached = [broker for broker, node in layered.broker_node.items() if flow.is_reached[node]]
    has_room = reaching(layered.network, flow, layered.sink)
    lacking = [
        broker
        for broker, node in layered.broker_node.items()
        if has_room[node] and problem.least.get(broker, 0)
    ]
    if flow.is_reached[layered.overflow]:
        return Impossible(
            f"{brokers_by_rack(problem, lacking)} cannot get as many replicas as"
            f" {'they are' if len(lacking) > 1 else 'it is'} to hold: {short} too few may go there",
            HINT,
        )
    full = [broker for broker in reached if broker in problem.most]
    if not full:
        return Impossible(
            f"{short} {verb} no place: no broker that may get more is in a rack that has room for"
            " them",
            HINT,
        )
    most = sorted({problem.most[broker] for broker in full})
    bound = f"{most[0]:,}" if len(most) == 1 else f"{most[0]:,} to {most[-1]:,}"
    text = f"{short} {verb} no place: {brokers_by_rack(problem, full)} may hold no more than"
    text += f" {bound} of the replicas{' each' if len(full) > 1 else ''}"
    if not has_room[layered.overflow]:
        # The room of others is kept for these: more in the full ones alone would not do.
        text += f", and {brokers_by_rack(problem, lacking)} cannot get as many as"
        text += f" {'they are' if len(lacking) > 1 else 'it is'} to hold"
    return Impossible(text, HINT)


def too_little(problem: Problem) -> Impossible:
    """Return why brokers cannot hold as much as they are to hold at least."""
    bound = [broker for broker, least in problem.least.items() if least]
    least = sum(problem.least.values())
    return Impossible(
        f"{brokers_by_rack(problem, bound)} {verb_of(bound, 'is')} to hold"
        f" {counted(least, 'replica')} at least, and there are {problem.replica_count:,}",
        HINT,
    )


def brokers_by_rack(problem: Problem, brokers: list[BrokerId]) -> str:
    """Return `brokers 1, 2 (rack a), 5 (rack b)`."""
    by_rack: dict[str, list[BrokerId]] = defaultdict(list)
    for broker in brokers:
        by_rack[problem.racks[broker]].append(broker)
    noun = "broker" if len(brokers) == 1 else "brokers"
    parts = [
        first_listed(of_rack) + (f" (rack {rack})" if rack else "")
        for rack, of_rack in sorted(by_rack.items())
    ]
    return f"{noun} {first_listed(parts)}"
