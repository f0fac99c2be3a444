"""Effects of a scenario on partitions and brokers: what its stages differ in."""

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, auto

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic import RECOVERING, PartitionState
from kadmin.plan.health import min_isr_of
from kadmin.plan.reassignment.sizes import Sizes
from kadmin.reports.simulation import BrokerStages, Change, SimulationReport, Stages
from kadmin.simulation.scenario import Scenario
from kadmin.simulation.stages import Stage
from kadmin.simulation.untouched import Load, bytes_of
from kadmin.wording import counted, listed, verb_of


class Effect(Enum):
    """An effect on a partition; one may have several."""

    OFFLINE = auto()
    UNDER_MIN_ISR = auto()
    UNCLEAN = auto()
    MOVED = auto()
    ONLINE = auto()
    SHRUNK = auto()
    STILL_OFFLINE = auto()


def report_on(
    cluster: ClusterSnapshot,
    others: Load,
    scenario: Scenario,
    stages: list[Stage],
    sizes: Sizes,
    default_min_isr: int,
) -> SimulationReport:
    """Report what *stages* of *cluster* differ in; *others* are counted in."""
    before, after = stages[0], stages[-1]
    min_isrs = {
        name: min_isr_of(topic, cluster, default_min_isr) for name, topic in cluster.topics.items()
    }
    found = findings_of(before, after, min_isrs)
    moved = added_replicas(before, after)
    return SimulationReport(
        scenario=tuple(sentences_of(scenario)),
        partition_count=len(after.assignments) + others.partition_count,
        offline=tuple(found[Effect.OFFLINE]),
        under_min_isr=tuple(found[Effect.UNDER_MIN_ISR]),
        unclean=tuple(found[Effect.UNCLEAN]),
        moved=tuple(found[Effect.MOVED]),
        online=tuple(found[Effect.ONLINE]),
        shrunk=tuple(found[Effect.SHRUNK]),
        still_offline=tuple(change.partition for change in found[Effect.STILL_OFFLINE]),
        brokers=tuple(broker_rows(cluster, others, scenario, stages, sizes)),
        moved_replicas=len(moved),
        moved_bytes=moved_bytes(moved, sizes) if sizes else None,
    )


def moved_bytes(moved: Iterable[tuple[TopicPartition, BrokerId]], sizes: Sizes) -> int:
    return sum(
        bytes_of(partition, (replica,), sizes).get(replica, 0) for partition, replica in moved
    )


def findings_of(
    before: Stage, after: Stage, min_isrs: Mapping[str, int]
) -> dict[Effect, list[Change]]:
    """Return the partitions with each effect, in their order."""
    found: dict[Effect, list[Change]] = {effect: [] for effect in Effect}
    for partition in after.assignments:
        leaders = before.leader(partition), after.leader(partition)
        state = after.states.get(partition)
        if leaders[0] == leaders[1] is not None and state is before.states.get(partition):
            continue
        isrs = before.isr(partition), after.isr(partition)
        change = Change(partition, *leaders, *isrs, min_isrs[partition.topic])
        for effect in effects_of(change, state):
            found[effect].append(change)
    return found


def effects_of(change: Change, state: PartitionState | None) -> Iterator[Effect]:
    if len(change.isr_after) < len(change.isr_before):
        yield Effect.SHRUNK
    if change.leader_after is None:
        yield Effect.STILL_OFFLINE if change.leader_before is None else Effect.OFFLINE
        return
    if len(change.isr_after) < change.min_isr <= len(change.isr_before):
        yield Effect.UNDER_MIN_ISR
    if change.leader_before == change.leader_after:
        return
    is_recovering = state is not None and state.leader_recovery_state == RECOVERING
    if is_recovering and change.leader_after not in change.isr_before:
        yield Effect.UNCLEAN
    else:
        yield Effect.ONLINE if change.leader_before is None else Effect.MOVED


def added_replicas(before: Stage, after: Stage) -> list[tuple[TopicPartition, BrokerId]]:
    """Return the replicas that *after* has and *before* has not."""
    return [
        (partition, replica)
        for partition, assignment in after.assignments.items()
        if assignment is not before.assignments.get(partition)
        for replica in assignment.replicas
        if partition not in before.assignments
        or replica not in before.assignments[partition].replicas
    ]


def broker_rows(
    cluster: ClusterSnapshot,
    others: Load,
    scenario: Scenario,
    stages: list[Stage],
    sizes: Sizes,
) -> Iterator[BrokerStages]:
    loads = [load_of(stage, others, sizes) for stage in stages]
    racks = {broker: each.rack for broker, each in cluster.brokers.items()} | dict(scenario.added)
    hosts = {broker for load in loads for broker in load.replicas}
    for broker in sorted({*stages[0].live, *stages[-1].live, *hosts}):
        state = "live" if broker in stages[-1].live else "dead"
        if broker in scenario.killed:
            state = "lost"
        elif broker in scenario.added:
            state = "added"
        yield BrokerStages(
            broker=broker,
            rack=racks.get(broker),
            state=state,
            replicas=stages_in([load.replicas[broker] for load in loads]),
            leaders=stages_in([load.leaders[broker] for load in loads]),
            size_bytes=stages_in([load.size_bytes[broker] for load in loads]) if sizes else None,
        )


def load_of(stage: Stage, others: Load, sizes: Sizes) -> Load:
    """Return what brokers have in *stage*, with what they have of *others*."""
    load = Load(
        replicas=others.replicas.copy(),
        leaders=others.leaders.copy(),
        size_bytes=others.size_bytes.copy(),
    )
    for partition, assignment in stage.assignments.items():
        load.add(partition, assignment.replicas, stage.leader(partition), sizes)
    return load


def stages_in(numbers: list[int]) -> Stages:
    return Stages(numbers[0], max(numbers), numbers[-1])


def sentences_of(scenario: Scenario) -> Iterable[str]:
    for broker, rack in scenario.added.items():
        yield f"broker {broker} starts" + ("" if rack is None else f" in rack {rack}")
    if scenario.killed:
        names = listed(sorted(scenario.killed))
        yield f"broker {names} fails" if len(scenario.killed) == 1 else f"brokers {names} fail"
    if scenario.targets:
        number = counted(len(scenario.targets), "partition")
        yield f"{number} {verb_of(scenario.targets, 'is')} reassigned"
    if scenario.elects_unclean:
        yield "leaders are elected for what is offline, even out of the ISR"
