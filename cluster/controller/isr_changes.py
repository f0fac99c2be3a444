"""ISR changes: what leaders request of the controller since KIP-497, and how it decides.

Since then only the controller writes states, one decision after the other, so that a leader that
was replaced can change nothing.  The leader epoch stays: an ISR change is no change of leadership.
Leaders of Kafka before 2.7 write the ISR themselves: see `notifications`.

Source: Kafka's KafkaController.processAlterPartition; KIP-841 for who may be in an ISR.
"""

from collections.abc import Mapping
from typing import Final

from cluster.controller.active_controller import ActiveController
from cluster.controller.batch import OrderBatch
from cluster.controller.election import is_same_decision
from cluster.controller.partition_states import PartitionStatus
from cluster.controller.procedures import Procedure, read_states, write_states
from cluster.controller.requests import (
    AlteredPartition,
    AlterPartition,
    AlterPartitionReply,
    AskedTopic,
    IsrMember,
    IsrProposal,
)
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import UNKNOWN_BROKER_EPOCH, BrokerId, TopicPartition
from cluster.model.outcome import Committed
from cluster.model.topic import RECOVERED, RECOVERING, PartitionState, kept_once
from cluster.zk.requests import Refused

RECOVERY_STATES: Final = frozenset({RECOVERED, RECOVERING})


def alter_partitions(
    active: ActiveController, request: AlterPartition
) -> Procedure[AlterPartitionReply]:
    """Write the ISRs that a leader proposes, where they are valid, and send them to all brokers.

    The reply carries the result to the leader: no replica gets an order, since no role changes.
    """
    registered = active.context.brokers.get(request.broker_id)
    if registered is None or registered.broker_epoch != request.broker_epoch:
        return request.refused(ErrorCode.STALE_BROKER_EPOCH)
    answers: dict[TopicPartition, AlteredPartition] = {}
    wanted: dict[TopicPartition, PartitionState] = {}
    names = {topic: _name_of(active, topic) for topic in request.topics}
    for topic, proposals in request.topics.items():
        name = names[topic]
        if name is None:
            continue
        for number, proposal in proposals.items():
            partition = TopicPartition(name, number)
            decision = _decide(active, request.broker_id, partition, proposal)
            if isinstance(decision, PartitionState):
                wanted[partition] = decision
            else:
                answers[partition] = decision
    answers |= yield from _write(active, wanted)
    _send_to_all(active, answers)
    unknown = AlteredPartition(ErrorCode.UNKNOWN_TOPIC_ID)
    return AlterPartitionReply(
        ErrorCode.NONE,
        {
            topic: {
                number: unknown if name is None else answers[TopicPartition(name, number)]
                for number in request.topics[topic]
            }
            for topic, name in names.items()
        },
    )


def _name_of(active: ActiveController, topic: AskedTopic) -> str | None:
    """The topic's name; None for an unknown id."""
    if topic.topic_id is None:
        return topic.name
    return active.context.topic_of_id(topic.topic_id)


def _decide(
    active: ActiveController, leader: BrokerId, partition: TopicPartition, proposal: IsrProposal
) -> AlteredPartition | PartitionState:
    """The state that shall be written, or the immediate answer to *leader*."""
    current = active.context.states.get(partition)
    is_gone = active.context.partition_status(partition) is PartitionStatus.NON_EXISTENT
    if current is None or is_gone:
        return AlteredPartition(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    isr = tuple(member.broker_id for member in proposal.isr)
    recovery_state = proposal.leader_recovery_state
    if (
        proposal.leader_epoch > current.leader_epoch
        or proposal.partition_epoch > current.zk_version
    ):
        # It has seen a state of a newer controller, and shall look for that one.
        return AlteredPartition(ErrorCode.NOT_CONTROLLER)
    if proposal.leader_epoch < current.leader_epoch:
        return AlteredPartition(ErrorCode.FENCED_LEADER_EPOCH)
    if leader != current.leader:
        return AlteredPartition(ErrorCode.INVALID_REQUEST)
    if (isr, recovery_state) == (current.isr, current.leader_recovery_state):
        # Before the partition epoch is checked: the same request may come twice, when the answer
        # to the first was lost.
        return AlteredPartition(ErrorCode.NONE, current)
    if proposal.partition_epoch < current.zk_version:
        return AlteredPartition(ErrorCode.INVALID_UPDATE_VERSION)
    if not _is_sensible(active, partition, isr, current, recovery_state):
        return AlteredPartition(ErrorCode.INVALID_REQUEST)
    if not all(_is_eligible(active, partition, member) for member in proposal.isr):
        return AlteredPartition(ErrorCode.INELIGIBLE_REPLICA)
    return current._replace(
        isr=kept_once(isr),
        leader_recovery_state=recovery_state,
        controller_epoch=active.controller_epoch,
    )


def _is_sensible(
    active: ActiveController,
    partition: TopicPartition,
    isr: tuple[BrokerId, ...],
    current: PartitionState,
    recovery_state: int,
) -> bool:
    """Whether *isr* is valid; the checks of members are those of KRaft's controller.

    A recovering leader is alone: it may lack what others have.  Only an election makes a leader
    recovering.  A member that is no longer a replica may stay until it is removed.
    """
    is_recovering = recovery_state == RECOVERING
    return (
        recovery_state in RECOVERY_STATES
        and not (is_recovering and (len(isr) > 1 or current.leader_recovery_state == RECOVERED))
        and current.leader in isr
        and len(set(isr)) == len(isr)
        and set(isr) <= {*active.context.assignments[partition].replicas, *current.isr}
    )


def _is_eligible(active: ActiveController, partition: TopicPartition, member: IsrMember) -> bool:
    """Whether the member stays registered, in the incarnation in which it has caught up.

    One that has restarted since may have lost records: in the ISR it could be elected in spite of
    it.
    """
    if not active.context.is_live(member.broker_id, partition):
        return False
    registered = active.context.brokers[member.broker_id]
    return member.broker_epoch in (UNKNOWN_BROKER_EPOCH, registered.broker_epoch)


def _write(
    active: ActiveController, wanted: Mapping[TopicPartition, PartitionState]
) -> Procedure[dict[TopicPartition, AlteredPartition]]:
    """Write the states and note them; where another writer was first, note what it wrote.

    The leader is answered when the stored state is known.  A crash before that leaves either
    state, and the leader asks the next controller for the change again.
    """
    answers: dict[TopicPartition, AlteredPartition] = {}
    waiting = dict(wanted)
    while waiting:
        results = yield from write_states(active, waiting)
        unclear: dict[TopicPartition, PartitionState] = {}
        for partition, result in results.items():
            if isinstance(result, Committed):
                state = waiting[partition]._replace(zk_version=result.zk_version)
                known = active.context.states[partition]
                assert known.leader_epoch == state.leader_epoch, "its leader leads on"
                assert known.zk_version < state.zk_version, "one decision follows the other"
                active.context.states[partition] = state
                answers[partition] = AlteredPartition(ErrorCode.NONE, state)
            elif isinstance(result, Refused):
                answers[partition] = AlteredPartition(ErrorCode.UNKNOWN_SERVER_ERROR)
            else:
                unclear[partition] = waiting[partition]
        stored = yield from read_states(active, tuple(unclear))
        waiting = {}
        for partition, state in unclear.items():
            found = stored.get(partition)
            if found is None:
                answers[partition] = AlteredPartition(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
                continue
            active.context.states[partition] = found
            if is_same_decision(found, state):
                # The write succeeded, only its answer was lost.
                answers[partition] = AlteredPartition(ErrorCode.NONE, found)
            elif found.zk_version == state.zk_version:
                waiting[partition] = state
            else:
                answers[partition] = AlteredPartition(ErrorCode.INVALID_UPDATE_VERSION)
    return answers


def _send_to_all(
    active: ActiveController, named: Mapping[TopicPartition, AlteredPartition]
) -> None:
    """Send all brokers each named partition, also those that stay as they were."""
    known = [partition for partition in named if partition in active.context.states]
    if known:
        batch = OrderBatch(active)
        batch.add_update_metadata(active.context.brokers, known)
        batch.send()
