"""Effects of a scenario on partitions and brokers: what its stages differ in."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, auto

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic import RECOVERING, PartitionState
from kadmin.plan.health import min_isr_of
from kadmin.plan.reassignment.sizes import Sizes, sizes_of
from kadmin.reports.simulation import BrokerStages, Change, SimulationReport, Stages
from kadmin.simulation.scenario import Scenario
from kadmin.simulation.stages import Stage
from kadmin.snapshots.saved import SavedCluster


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
    saved: SavedCluster,
    cluster: ClusterSnapshot,
    scenario: Scenario,
    stages: list[Stage],
    default_min_isr: int,
    left_out: tuple[str, ...],
) -> SimulationReport:
    before, after = stages[0], stages[-1]
    min_isrs = {
        name: min_isr_of(topic, cluster, default_min_isr) for name, topic in cluster.topics.items()
    }
    found = findings_of(before, after, min_isrs)
    sizes = sizes_of(saved.log_dirs)
    moved = added_replicas(before, after)
    return SimulationReport(
        scenario=tuple(sentences_of(scenario)),
        partition_count=len(after.assignments),
        offline=tuple(found[Effect.OFFLINE]),
        under_min_isr=tuple(found[Effect.UNDER_MIN_ISR]),
        unclean=tuple(found[Effect.UNCLEAN]),
        moved=tuple(found[Effect.MOVED]),
        online=tuple(found[Effect.ONLINE]),
        shrunk=tuple(found[Effect.SHRUNK]),
        still_offline=tuple(change.partition for change in found[Effect.STILL_OFFLINE]),
        brokers=tuple(broker_rows(cluster, scenario, stages, sizes)),
        moved_replicas=len(moved),
        moved_bytes=sum(size_at(sizes, *each) for each in moved) if sizes else None,
        left_out=left_out,
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


def size_at(sizes: Sizes, partition: TopicPartition, broker: BrokerId) -> int:
    """Return the bytes of a replica; those of the largest one for a replica that is not there
    yet, 0 where none is known."""
    known = sizes.get(partition)
    return 0 if not known else known.get(broker, max(known.values()))


def broker_rows(
    cluster: ClusterSnapshot, scenario: Scenario, stages: list[Stage], sizes: Sizes
) -> Iterable[BrokerStages]:
    replicas = [
        Counter(r for a in stage.assignments.values() for r in a.replicas) for stage in stages
    ]
    leaders = [
        Counter(state.leader for state in stage.states.values() if state.leader in stage.live)
        for stage in stages
    ]
    sums = [byte_sums(stage, sizes) for stage in stages] if sizes else None
    racks = {broker: each.rack for broker, each in cluster.brokers.items()} | dict(scenario.added)
    for broker in sorted({*stages[0].live, *stages[-1].live, *set().union(*replicas)}):
        state = "live" if broker in stages[-1].live else "dead"
        if broker in scenario.killed:
            state = "lost"
        elif broker in scenario.added:
            state = "added"
        yield BrokerStages(
            broker=broker,
            rack=racks.get(broker),
            state=state,
            replicas=stages_in([each[broker] for each in replicas]),
            leaders=stages_in([each[broker] for each in leaders]),
            size_bytes=None if sums is None else stages_in([each[broker] for each in sums]),
        )


def byte_sums(stage: Stage, sizes: Sizes) -> Counter[BrokerId]:
    found: Counter[BrokerId] = Counter()
    for partition, assignment in stage.assignments.items():
        if partition in sizes:
            for replica in assignment.replicas:
                found[replica] += size_at(sizes, partition, replica)
    return found


def stages_in(numbers: list[int]) -> Stages:
    return Stages(numbers[0], max(numbers), numbers[-1])


def sentences_of(scenario: Scenario) -> Iterable[str]:
    for broker, rack in scenario.added.items():
        yield f"broker {broker} starts" + ("" if rack is None else f" in rack {rack}")
    if scenario.killed:
        names = ", ".join(map(str, sorted(scenario.killed)))
        yield f"broker {names} fails" if len(scenario.killed) == 1 else f"brokers {names} fail"
    if scenario.targets:
        yield f"{len(scenario.targets):,} partitions are reassigned"
    if scenario.elects_unclean:
        yield "leaders are elected for what is offline, even out of the ISR"
