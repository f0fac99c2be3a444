"""Election strategies: who leads a partition next, apart from reading and writing states.

Knows no partition, only its assignment, state and live replicas.  All strategies keep these
invariants, which the tests check of each: the leader is a live replica of the assignment; it is in
the ISR, except after an unclean election; an election adds no other replica to the ISR; and the
leader epoch rises by one, so that brokers distinguish the new leadership from every older one.

Source: Kafka's Election and PartitionLeaderElectionAlgorithms.
"""

from collections.abc import Collection, Mapping
from enum import Enum
from typing import NamedTuple

from cluster.model.ids import NEVER_READ, NO_LEADER, BrokerId, ControllerEpoch, LeaderEpoch
from cluster.model.topic import RECOVERING, PartitionAssignment, PartitionState, kept_once


class Strategy(Enum):
    """Why a leader is elected; the values are Kafka's names, which appear in logged failures."""

    OFFLINE = "OfflinePartitionLeaderElectionStrategy(false)"
    """The topic's config decides whether a leader may be outside the ISR."""
    OFFLINE_UNCLEAN = "OfflinePartitionLeaderElectionStrategy(true)"
    """An operator asks for a leader, also from outside the ISR if there is no other."""
    CONTROLLED_SHUTDOWN = "ControlledShutdownPartitionLeaderElectionStrategy"
    PREFERRED = "PreferredReplicaPartitionLeaderElectionStrategy"
    REASSIGNMENT = "ReassignPartitionLeaderElectionStrategy"


class Election(NamedTuple):
    """*state* is what shall be written; *recipients* are the replicas that receive the order."""

    state: PartitionState
    recipients: tuple[BrokerId, ...]


def first_state(
    replicas: tuple[BrokerId, ...], live: Collection[BrokerId], controller_epoch: ControllerEpoch
) -> PartitionState | None:
    """The first state of a new partition: led by its first live replica, all live ones in the ISR.

    None when no replica is alive.
    """
    isr = tuple(replica for replica in replicas if replica in live)
    if not isr:
        return None
    epoch = LeaderEpoch(0)
    return PartitionState(isr[0], kept_once(isr), epoch, controller_epoch, zk_version=NEVER_READ)


def needs_unclean(state: PartitionState, live: Collection[BrokerId]) -> bool:
    """Whether no live replica is in the ISR: any leader would lose acknowledged records."""
    return not any(replica in live for replica in state.isr)


def elect_offline(
    assignment: PartitionAssignment,
    state: PartitionState,
    live: Collection[BrokerId],
    controller_epoch: ControllerEpoch,
    *,
    allows_unclean: bool,
    doubtful: Collection[BrokerId] = (),
    lost: Collection[BrokerId] = (),
) -> Election | None:
    """The first live replica that is in the ISR; the ISR keeps its live members.

    The *doubtful* may have lost records since the state was written, and count only where all live
    members are doubtful.  Those of them that say so, the *lost*, count only where every member of
    the ISR is one, and then one alone: another that is away may come back with everything.

    Only when there is none, and *allows_unclean*: the first live replica, alone in the ISR and
    marked as recovering.  None when no replica can lead.
    """
    recipients = tuple(replica for replica in assignment.replicas if replica in live)
    members = tuple(replica for replica in state.isr if replica in live)
    isr = tuple(replica for replica in members if replica not in doubtful) or tuple(
        replica for replica in members if replica not in lost
    )
    if set(state.isr) <= set(lost):
        # Alone, since the others may lack what it still has.
        isr = tuple(replica for replica in recipients if replica in members)[:1]
    leader = next((replica for replica in recipients if replica in isr), None)
    if leader is not None:
        return Election(new_leader_and_isr(state, leader, isr, controller_epoch), recipients)
    if not allows_unclean or isr or not recipients:
        return None
    unclean = new_leader_and_isr(state, recipients[0], recipients[:1], controller_epoch)
    return Election(unclean._replace(leader_recovery_state=RECOVERING), recipients)


def elect_for_shutdown(
    assignment: PartitionAssignment,
    state: PartitionState,
    live_or_leaving: Collection[BrokerId],
    leaving: Collection[BrokerId],
    controller_epoch: ControllerEpoch,
) -> Election | None:
    """The first replica in the ISR that does not shut down; those that do leave the ISR.

    The order goes to brokers that shut down as well.  None when no replica can lead.
    """
    recipients = tuple(replica for replica in assignment.replicas if replica in live_or_leaving)
    isr = tuple(replica for replica in state.isr if replica not in leaving)
    leader = next((replica for replica in recipients if replica in isr), None)
    if leader is None:
        return None
    return Election(new_leader_and_isr(state, leader, isr, controller_epoch), recipients)


def elect_preferred(
    assignment: PartitionAssignment,
    state: PartitionState,
    live: Collection[BrokerId],
    controller_epoch: ControllerEpoch,
) -> Election | None:
    """The first replica, if it is alive and in the ISR, else None; the ISR stays as it is.

    The caller checks whether it leads already: here the same leader would be elected once more.
    """
    leader = assignment.preferred_leader
    if leader not in live or leader not in state.isr:
        return None
    return Election(
        new_leader_and_isr(state, leader, state.isr, controller_epoch), assignment.replicas
    )


def elect_for_reassignment(
    assignment: PartitionAssignment,
    state: PartitionState,
    live: Collection[BrokerId],
    controller_epoch: ControllerEpoch,
) -> Election | None:
    """The first target replica that is alive and in the ISR; the ISR stays as it is.

    Only target replicas receive the order: those that are being removed get orders to stop.  None
    when no replica can lead.
    """
    target = assignment.target
    leader = next((replica for replica in target if replica in live and replica in state.isr), None)
    if leader is None:
        return None
    return Election(new_leader_and_isr(state, leader, state.isr, controller_epoch), target)


def without_replicas(
    state: PartitionState,
    heirs: Mapping[BrokerId, Collection[BrokerId] | None],
    controller_epoch: ControllerEpoch,
) -> PartitionState | None:
    """The state without the replicas that *heirs* names in the ISR and as leader, which leave one
    after the other; None where that changes nothing.

    One stays in the ISR if no other member does, or none of its heirs, where they are given:
    without a leader nothing is acknowledged, so each member has everything, and any of them can
    lead again.  An ISR of one of them would wait for that one, which may have lost what the others
    still have.
    """
    leader, isr = state.leader, state.isr
    for replica, its_heirs in heirs.items():
        if replica not in isr:
            continue
        if leader == replica:
            leader = NO_LEADER
        others = tuple(member for member in isr if member != replica)
        if others and (its_heirs is None or any(member in its_heirs for member in others)):
            isr = others
    if (leader, isr) == (state.leader, state.isr):
        # Kafka writes it all the same; but its mtime shows since when there has been no leader.
        return None
    return new_leader_and_isr(state, leader, isr, controller_epoch)


def without_bounced(
    assignment: PartitionAssignment,
    state: PartitionState,
    live: Collection[BrokerId],
    bounced: Collection[BrokerId],
    controller_epoch: ControllerEpoch,
    intact: Collection[BrokerId] = (),
    lost: Collection[BrokerId] = (),
) -> PartitionState | None:
    """The state without the members of the ISR that *bounced* since it was written, except the
    *intact* ones; None where it can stay as it is.

    They may have lost what they had not flushed, so another replica leads.  If no other member of
    the ISR is *live*, only those leave that say so, the *lost*: another that is away may come back
    with everything, and until then no replica leads.  Where all members are *lost*, the leader
    stays alone: the others may lack what it still has.  Where none of the live ones knows, all
    stay: no replica is known to have more.

    The leader epoch rises all the same: the next records get offsets at which followers may have
    records of the former incarnation, and followers truncate those only under another epoch.  A
    partition with one replica has no follower.
    """
    members = [member for member in state.isr if member in live]
    doubtful = [member for member in members if member in bounced and member not in intact]
    leads_on = state.leader not in members or state.leader not in bounced
    if (not doubtful and leads_on) or len(assignment.replicas) == 1:
        return None
    is_all_doubtful = len(doubtful) == len(members)
    leaving = [one for one in doubtful if one in lost] if is_all_doubtful else doubtful
    isr = tuple(member for member in state.isr if member not in leaving)
    if is_all_doubtful and isr in ((), state.isr):
        if state.leader not in members:
            return None
        stays = state.isr if isr else (state.leader,)
        return new_leader_and_isr(state, state.leader, stays, controller_epoch)
    leader = state.leader
    if leader in leaving:
        heirs = (one for one in assignment.replicas if one in members and one in isr)
        leader = next(heirs, NO_LEADER)
    return new_leader_and_isr(state, leader, isr, controller_epoch)


def new_leader_and_isr(
    state: PartitionState,
    leader: BrokerId,
    isr: tuple[BrokerId, ...],
    controller_epoch: ControllerEpoch,
) -> PartitionState:
    """*state* one leader epoch on; its `zk_version` is still that of what it shall replace.

    The epoch rises with the same leader too: followers that still use the older one are fenced off,
    and late orders of it are ignored.

    Each member of an ISR has everything that was acknowledged.  So the controller never adds a
    member by a decision of its own; a leader that an unclean election takes from outside is alone.
    """
    assert isr or not state.isr, "an empty ISR leaves nobody to elect without a loss"
    assert leader in (NO_LEADER, state.leader) or leader in isr
    assert isr == (leader,) or set(isr) <= set(state.isr), f"{isr} are not all in {state}"
    return state._replace(
        leader=leader,
        isr=kept_once(isr),
        leader_epoch=LeaderEpoch(state.leader_epoch + 1),
        controller_epoch=controller_epoch,
    )


def is_same_decision(stored: PartitionState, attempted: PartitionState) -> bool:
    """Whether a write with an unknown outcome has succeeded: all but the version is as attempted.

    Another writer cannot have written it: the leader epoch and the controller epoch in it belong to
    this decision.
    """
    return stored._replace(zk_version=attempted.zk_version) == attempted
