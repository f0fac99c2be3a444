"""Stages of a simulated scenario: the cluster before, between and after what happens to it.

Runs the core that brokers run, on the znodes that the cluster has.  Brokers that live obey at once,
and replicas that are moved catch up; nothing is produced meanwhile.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cluster.controller.requests import (
    AlterPartition,
    AlterReassignments,
    AskedTopic,
    ElectLeaders,
    IsrMember,
    IsrProposal,
)
from cluster.model.config_spec import is_true
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from cluster.model.topic import RECOVERED, PartitionAssignment, PartitionState
from cluster.model.topic_config_specs import UNCLEAN_LEADER_ELECTION
from kadmin.errors import KadminError
from kadmin.simulation.controller import SimulatedController
from kadmin.simulation.scenario import Scenario
from kadmin.simulation.znodes import register, unregister
from kadmin.simulation.zookeeper import MemoryZooKeeper
from kadmin.wording import with_reasons


class ReassignmentRefused(KadminError):
    """The controller would not begin moves of a plan; *refused* has the reasons."""

    def __init__(self, refused: Mapping[TopicPartition, str]) -> None:
        super().__init__(
            f"the controller would refuse this plan: {with_reasons(refused.items())}",
            hint="is the plan for this cluster? brokers that are to come are named by --add",
        )
        self.refused = dict(refused)


@dataclass(frozen=True, slots=True)
class Stage:
    """All partitions at one time; the leader of one is in *leaders* only if it is live."""

    assignments: Mapping[TopicPartition, PartitionAssignment]
    states: Mapping[TopicPartition, PartitionState]
    live: frozenset[BrokerId]

    def leader(self, partition: TopicPartition) -> BrokerId | None:
        state = self.states.get(partition)
        return state.leader if state is not None and state.leader in self.live else None

    def isr(self, partition: TopicPartition) -> tuple[BrokerId, ...]:
        state = self.states.get(partition)
        return () if state is None else state.isr


def play(
    cluster: ClusterSnapshot, zookeeper: MemoryZooKeeper, scenario: Scenario
) -> Iterable[Stage]:
    """Return the cluster before, between and after the steps of *scenario*."""
    live = frozenset(cluster.brokers)
    survivors = sorted((live | scenario.added.keys()) - scenario.killed)
    if not live or not survivors:
        yield from without_controller(cluster, live, scenario)
        return
    default = cluster.broker_defaults.values.get(UNCLEAN_LEADER_ELECTION, "")
    # A broker that survives: whichever is the controller decides alike.
    first = next((broker for broker in survivors if broker in live), survivors[0])
    controller = SimulatedController(zookeeper, first, allows_unclean=is_true(default))
    yield stage_of(controller)
    if scenario.added:
        for broker in scenario.added:
            register(zookeeper, broker)
        controller.on_brokers_changed()
        catch_up(controller, scenario.added.keys())
        yield stage_of(controller)
    if scenario.killed:
        for broker in sorted(scenario.killed):
            unregister(zookeeper, broker)
        controller.on_brokers_changed()
        yield stage_of(controller)
    if scenario.targets:
        begin_moves(controller, scenario.targets)
        yield stage_of(controller)
        catch_up(controller, controller.active.context.brokers)
        yield stage_of(controller)
    if scenario.elects_unclean:
        context = controller.active.context
        offline = tuple(each for each in context.assignments if not context.has_live_leader(each))
        controller.ask(ElectLeaders(offline, is_unclean=True))
        yield stage_of(controller)


def without_controller(
    cluster: ClusterSnapshot, live: frozenset[BrokerId], scenario: Scenario
) -> Iterable[Stage]:
    """Return the cluster before and after, where no broker is left to be the controller."""
    assignments, states = {}, {}
    for topic in cluster.topics.values():
        for number, assignment in topic.assignment.partitions.items():
            assignments[TopicPartition(topic.name, number)] = assignment
        for number, state in topic.states.items():
            states[TopicPartition(topic.name, number)] = state
    for brokers in (live, live - scenario.killed):
        yield Stage(assignments, states, brokers)


def stage_of(controller: SimulatedController) -> Stage:
    context = controller.active.context
    return Stage(dict(context.assignments), dict(context.states), frozenset(context.brokers))


def begin_moves(
    controller: SimulatedController, targets: Mapping[TopicPartition, tuple[BrokerId, ...]]
) -> None:
    reply = controller.ask(AlterReassignments(dict(targets)))
    assert reply.error == ErrorCode.NONE, "the simulated controller serves"
    refused = {
        partition: error.message or ErrorCode(error.error).name
        for partition, error in reply.refusals.items()
        if error is not None
    }
    if refused:
        raise ReassignmentRefused(refused)


def catch_up(controller: SimulatedController, brokers: Iterable[BrokerId]) -> None:
    """Let each leader add the replicas on *brokers* to its ISRs, where they live."""
    context, brokers = controller.active.context, frozenset(brokers)
    proposals: dict[BrokerId, dict[AskedTopic, dict[int, IsrProposal]]] = {}
    for partition, state in context.states.items():
        if not context.has_live_leader(partition):
            continue
        joining = [
            replica
            for replica in context.assignments[partition].replicas
            if replica in brokers
            and replica not in state.isr
            and context.is_live(replica, partition)
        ]
        if joining:
            members = tuple(map(IsrMember, (*state.isr, *joining)))
            proposal = IsrProposal(state.leader_epoch, state.zk_version, members, RECOVERED)
            topics = proposals.setdefault(state.leader, {})
            topics.setdefault(AskedTopic(partition.topic), {})[partition.partition] = proposal
    for leader, topics in proposals.items():
        epoch = context.brokers[leader].broker_epoch
        controller.ask(AlterPartition(leader, epoch, topics))
