"""The rules of elections: over all small cases, and as properties of each strategy."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.controller import partitions
from cluster.controller.election import (
    Election,
    Strategy,
    elect_for_reassignment,
    elect_for_shutdown,
    elect_offline,
    elect_preferred,
    first_state,
    is_same_decision,
    needs_unclean,
    without_replicas,
)
from cluster.model.ids import NO_LEADER, BrokerId, ControllerEpoch, LeaderEpoch, ZkVersion
from cluster.model.topic import (
    RECOVERED,
    RECOVERING,
    PartitionAssignment,
    PartitionState,
    TopicAssignment,
)
from cluster.zk import paths
from cluster.zk.requests import Create
from cluster.zk.topics import encode_assignment
from tests.cluster.controller.harness import Harness, tp

BROKERS = tuple(map(BrokerId, (0, 1, 2)))
MINE = ControllerEpoch(9)
SUBSETS = tuple(chain.from_iterable(combinations(BROKERS, n) for n in range(4)))
ISRS = [isr for subset in SUBSETS if subset for isr in permutations(subset)]


def state(isr: tuple[BrokerId, ...], leader: BrokerId = NO_LEADER) -> PartitionState:
    return PartitionState(
        leader,
        isr,
        LeaderEpoch(4),
        ControllerEpoch(3),
        leader_recovery_state=RECOVERED,
        zk_version=ZkVersion(6),
        extra={"unknown": "kept"},
    )


@pytest.mark.parametrize("replicas", list(permutations(BROKERS)))
def test_an_offline_partition_is_led_by_the_first_live_member_of_its_isr(
    replicas: tuple[BrokerId, ...],
) -> None:
    for isr, live, allows in product(ISRS, SUBSETS, (False, True)):
        election = elect_offline(
            PartitionAssignment(replicas), state(isr), live, MINE, allows_unclean=allows
        )
        clean = [r for r in replicas if r in live and r in isr]
        unclean = [r for r in replicas if r in live]

        if clean:
            assert election is not None
            assert election.state.leader == clean[0]
            assert election.state.isr == tuple(r for r in isr if r in live)
            assert election.state.leader_recovery_state == RECOVERED
        elif unclean and allows:
            assert election is not None
            assert (election.state.leader, election.state.isr) == (unclean[0], (unclean[0],))
            assert election.state.leader_recovery_state == RECOVERING
        else:
            assert election is None
            continue
        assert election.recipients == tuple(unclean)
        assert (election.state.leader_epoch, election.state.controller_epoch) == (5, MINE)
        assert (election.state.zk_version, election.state.extra) == (6, {"unknown": "kept"})
        assert needs_unclean(state(isr), live) is not bool(clean)


def test_of_the_live_members_of_an_isr_those_lead_that_have_lost_nothing() -> None:
    for isr, live, doubtful in product(ISRS, SUBSETS, SUBSETS):
        election = elect_offline(
            PartitionAssignment(BROKERS),
            state(isr),
            live,
            MINE,
            allows_unclean=False,
            doubtful=doubtful,
        )
        members = tuple(r for r in isr if r in live)
        whole = tuple(r for r in members if r not in doubtful)

        if not members:
            assert election is None
            continue
        assert election is not None
        assert election.state.isr == (whole or members)
        assert election.state.leader == min(whole or members)


@pytest.mark.parametrize("allows_unclean", [False, True])
def test_who_says_that_it_has_lost_records_waits_for_members_of_the_isr_that_are_away(
    allows_unclean: bool,
) -> None:
    for isr, live, lost in product(ISRS, SUBSETS, SUBSETS):
        members = tuple(r for r in isr if r in live)
        election = elect_offline(
            PartitionAssignment(BROKERS),
            state(isr),
            live,
            MINE,
            allows_unclean=allows_unclean,
            doubtful=lost,
            lost=lost,
        )

        whole = tuple(r for r in members if r not in lost)
        if not whole and set(isr) <= set(lost):
            whole = tuple(sorted(members)[:1])
        if whole:
            assert election is not None
            assert election.state.isr == whole
        elif allows_unclean and live:
            assert election is not None
            assert len(election.state.isr) == 1
            assert election.state.leader_recovery_state == RECOVERING
        else:
            assert election is None


def test_a_broker_that_shuts_down_hands_over_to_the_first_that_stays() -> None:
    for isr, leaving in product(ISRS, SUBSETS):
        election = elect_for_shutdown(
            PartitionAssignment(BROKERS), state(isr), BROKERS, leaving, MINE
        )
        staying = [r for r in BROKERS if r in isr and r not in leaving]

        if not staying:
            assert election is None
            continue
        assert election is not None
        assert election.state.leader == staying[0]
        assert set(election.state.isr) == set(staying)
        assert election.recipients == BROKERS
        assert election.state.leader_epoch == 5


def test_a_dead_broker_is_not_told_of_a_handover() -> None:
    alive = BROKERS[1:]

    election = elect_for_shutdown(
        PartitionAssignment(BROKERS), state(BROKERS), alive, BROKERS[:1], MINE
    )

    assert election is not None
    assert election.recipients == alive


def test_a_replica_leaves_an_isr_unless_it_is_the_last() -> None:
    for isr, replica in product(ISRS, BROKERS):
        for leader in (*isr, NO_LEADER):
            smaller = without_replicas(state(isr, leader), {replica: None}, MINE)

            if replica not in isr or (isr == (replica,) and leader == NO_LEADER):
                assert smaller is None
                continue
            assert smaller is not None
            assert smaller.isr == (tuple(r for r in isr if r != replica) or isr)
            assert smaller.leader == (NO_LEADER if leader == replica else leader)
            assert (smaller.leader_epoch, smaller.controller_epoch) == (5, MINE)


def test_an_isr_of_which_nobody_can_be_reached_stays_as_it_is() -> None:
    for isr, replica, heirs in product(ISRS, BROKERS, SUBSETS):
        smaller = without_replicas(state(isr, isr[0]), {replica: heirs}, MINE)

        if any(member in heirs for member in isr if member != replica):
            assert smaller == without_replicas(state(isr, isr[0]), {replica: None}, MINE)
        elif replica == isr[0]:
            assert smaller is not None
            assert (smaller.leader, smaller.isr) == (NO_LEADER, isr)
        else:
            assert smaller is None


def test_replicas_that_leave_together_leave_as_one_after_the_other_in_one_election() -> None:
    for isr, gone, heirs in product(ISRS, permutations(BROKERS), (None, *SUBSETS)):
        before = expected = state(isr, isr[0])
        for replica in gone:
            expected = without_replicas(expected, {replica: heirs}, MINE) or expected

        smaller = without_replicas(before, dict.fromkeys(gone, heirs), MINE)

        assert smaller is not None
        assert (expected.leader, expected.isr) == (smaller.leader, smaller.isr)
        assert before.leader_epoch + 1 == smaller.leader_epoch


def test_a_new_partition_is_led_by_its_first_live_replica_with_all_live_ones() -> None:
    for live in SUBSETS:
        first = first_state(BROKERS, live, MINE)

        if not live:
            assert first is None
            continue
        assert first is not None
        assert (first.leader, first.isr, first.leader_epoch) == (live[0], live, 0)


def test_a_decision_is_known_again_whatever_its_version() -> None:
    decided = state(BROKERS, BROKERS[0])

    assert is_same_decision(decided._replace(zk_version=ZkVersion(77)), decided)
    assert not is_same_decision(decided._replace(leader_epoch=LeaderEpoch(5)), decided)
    assert not is_same_decision(decided._replace(isr=BROKERS[:2]), decided)


# What all strategies keep.


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """A partition at some moment; *live* are the brokers that can lead, none of them leaving."""

    assignment: PartitionAssignment
    state: PartitionState
    live: frozenset[BrokerId]
    leaving: frozenset[BrokerId]

    def elect(self, strategy: Strategy) -> Election | None:
        assignment, state = self.assignment, self.state
        match strategy:
            case Strategy.OFFLINE | Strategy.OFFLINE_UNCLEAN:
                allows = strategy is Strategy.OFFLINE_UNCLEAN
                return elect_offline(assignment, state, self.live, MINE, allows_unclean=allows)
            case Strategy.CONTROLLED_SHUTDOWN:
                reachable = self.live | self.leaving
                return elect_for_shutdown(assignment, state, reachable, self.leaving, MINE)
            case Strategy.PREFERRED:
                return elect_preferred(assignment, state, self.live, MINE)
            case Strategy.REASSIGNMENT:
                return elect_for_reassignment(assignment, state, self.live, MINE)

    def order(self, strategy: Strategy) -> Sequence[BrokerId]:
        """Who may lead by *strategy*, were all alive and in the ISR; the best first."""
        match strategy:
            case Strategy.PREFERRED:
                return self.assignment.replicas[:1]
            case Strategy.REASSIGNMENT:
                return self.assignment.target
            case _:
                return self.assignment.replicas

    def recipients(self, strategy: Strategy) -> tuple[BrokerId, ...]:
        """Whom Kafka's controller tells."""
        replicas = self.assignment.replicas
        match strategy:
            case Strategy.PREFERRED:
                return replicas
            case Strategy.REASSIGNMENT:
                return self.assignment.target
            case Strategy.CONTROLLED_SHUTDOWN:
                return tuple(r for r in replicas if r in self.live | self.leaving)
            case _:
                return tuple(r for r in replicas if r in self.live)

    def isr(self, strategy: Strategy) -> tuple[BrokerId, ...]:
        """The ISR after a clean election."""
        match strategy:
            case Strategy.PREFERRED | Strategy.REASSIGNMENT:
                return self.state.isr
            case Strategy.CONTROLLED_SHUTDOWN:
                return tuple(r for r in self.state.isr if r not in self.leaving)
            case _:
                return tuple(r for r in self.state.isr if r in self.live)


IDS = st.sampled_from([BrokerId(n) for n in range(7)])


@st.composite
def situations(draw: st.DrawFn) -> Situation:
    """Any: an ISR may have members that are no replicas any more, and be in any order."""
    replicas = draw(st.lists(IDS, unique=True, min_size=1, max_size=5))
    adding = draw(st.lists(st.sampled_from(replicas), unique=True))
    removing = draw(st.lists(st.sampled_from(replicas), unique=True))
    isr = draw(st.lists(IDS, unique=True, min_size=1))
    live = draw(st.frozensets(IDS))
    return Situation(
        assignment=PartitionAssignment(tuple(replicas), tuple(adding), tuple(removing)),
        state=state(tuple(isr), draw(st.sampled_from([*isr, NO_LEADER]))),
        live=live,
        leaving=draw(st.frozensets(IDS)) - live,
    )


@given(situations(), st.sampled_from(Strategy))
def test_the_first_live_member_of_the_isr_is_elected_in_the_order_of_the_strategy(
    situation: Situation, strategy: Strategy
) -> None:
    able = [
        replica
        for replica in situation.order(strategy)
        if replica in situation.live and replica in situation.state.isr
    ]

    election = situation.elect(strategy)

    if not able:
        assert election is None or strategy is Strategy.OFFLINE_UNCLEAN
        return
    assert election is not None
    assert election.state.leader == able[0]
    assert election.state.isr == situation.isr(strategy)
    assert election.recipients == situation.recipients(strategy)


@given(situations(), st.sampled_from(Strategy))
def test_nobody_is_invented_by_an_election(situation: Situation, strategy: Strategy) -> None:
    election = situation.elect(strategy)

    if election is None:
        return
    leader, isr = election.state.leader, election.state.isr
    is_clean = leader in situation.state.isr
    assert leader in situation.live
    assert leader in situation.assignment.replicas
    assert leader in isr
    assert set(isr) <= set(situation.state.isr) or (not is_clean and isr == (leader,))
    assert is_clean or strategy is Strategy.OFFLINE_UNCLEAN


@given(situations(), st.sampled_from(Strategy))
def test_an_election_is_one_leader_epoch_and_keeps_what_it_does_not_decide(
    situation: Situation, strategy: Strategy
) -> None:
    before = situation.state

    election = situation.elect(strategy)

    if election is None:
        return
    after = election.state
    recovery = RECOVERED if after.leader in before.isr else RECOVERING
    assert after == before._replace(
        leader=after.leader,
        isr=after.isr,
        leader_epoch=LeaderEpoch(before.leader_epoch + 1),
        controller_epoch=MINE,
        leader_recovery_state=recovery,
    )


@given(situations())
def test_only_a_partition_without_a_live_member_of_its_isr_is_led_uncleanly(
    situation: Situation,
) -> None:
    able = [replica for replica in situation.assignment.replicas if replica in situation.live]

    election = situation.elect(Strategy.OFFLINE_UNCLEAN)

    if needs_unclean(situation.state, situation.live):
        assert (election is not None) == bool(able)
        assert election is None or election.state.leader == able[0]
    else:
        assert election == situation.elect(Strategy.OFFLINE)


# The strategies as the controller uses them.


def elect(harness: Harness, strategy: Strategy) -> PartitionState:
    """What stands in ZooKeeper after an election of t-0, when the brokers have been told."""
    harness.perform(partitions.bring_online(harness.active, (tp("t-0"),), strategy))
    harness.carry_out(harness.active.channels.sendings(harness.now_ms))
    elected = harness.state(tp("t-0"))
    assert elected is not None
    return elected


def led_by_another(assignment: PartitionAssignment, isr: tuple[int, ...]) -> Harness:
    """A controller that knows t-0, whose first replica was away: the second one leads."""
    harness = Harness(1, 2, 3)
    harness.register_controller()
    harness.unregister(assignment.replicas[0])
    harness.settle()
    topic = TopicAssignment(partitions={0: assignment}, topic_id="id")
    harness.tool(Create(paths.topic("t"), encode_assignment(topic)))
    harness.settle()
    harness.register(assignment.replicas[0])
    harness.settle()
    harness.write_isr(tp("t-0"), isr)
    harness.orders.clear()
    harness.lines.clear()
    return harness


TWO_ONE_THREE = PartitionAssignment((BrokerId(2), BrokerId(1), BrokerId(3)))


def test_the_preferred_replica_leads_again_once_it_is_in_the_isr() -> None:
    harness = led_by_another(TWO_ONE_THREE, (1, 3, 2))
    assert harness.leaders("t") == [1]

    elected = elect(harness, Strategy.PREFERRED)

    assert (elected.leader, elected.isr, elected.leader_epoch) == (2, (1, 3, 2), 1)
    assert harness.told()[0] == "1 LeaderAndIsr t-0:2/1[1,3,2]"


def test_a_preferred_replica_outside_the_isr_leaves_everything_as_it_was() -> None:
    harness = led_by_another(TWO_ONE_THREE, (1, 3))

    elected = elect(harness, Strategy.PREFERRED)

    assert (elected.leader, elected.leader_epoch) == (1, 0)
    assert harness.told() == []
    assert any("PreferredReplicaPartitionLeaderElectionStrategy" in line for line in harness.lines)


def test_a_reassigned_partition_is_led_by_a_target_replica() -> None:
    replicas = tuple(map(BrokerId, (2, 1, 3)))
    moving = PartitionAssignment(replicas, adding=replicas[2:], removing=replicas[1:2])
    harness = led_by_another(moving, (1, 3))

    elected = elect(harness, Strategy.REASSIGNMENT)

    # The return of a target replica was an epoch of its own.
    assert (elected.leader, elected.isr, elected.leader_epoch) == (3, (1, 3), 2)
    told = [line for line in harness.told() if "LeaderAndIsr" in line]
    assert told == ["2 LeaderAndIsr t-0:3/2[1,3]", "3 LeaderAndIsr t-0:3/2[1,3]"]


def test_an_operator_may_ask_for_a_leader_outside_the_isr_where_the_config_allows_none() -> None:
    harness = led_by_another(TWO_ONE_THREE, (1,))
    harness.unregister(1)
    harness.settle()
    assert harness.leaders("t") == [NO_LEADER]

    elected = elect(harness, Strategy.OFFLINE_UNCLEAN)

    assert (elected.leader, elected.isr, elected.leader_recovery_state) == (2, (2,), RECOVERING)
