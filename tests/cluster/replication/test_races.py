"""What replication rests on: with all of it races end well, without any of it some end badly."""

from collections.abc import Callable
from itertools import count
from random import Random
from typing import Any

import pytest

from cluster.broker.replica_fetcher.followed_partition import FollowedPartition
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.controller import isr_changes
from cluster.controller.active_controller import ActiveController
from cluster.controller.requests import AlteredPartition, IsrMember, IsrProposal
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import UNKNOWN_BROKER_EPOCH, BrokerId, TopicPartition
from cluster.model.topic import PartitionState
from cluster.replication import replica
from cluster.replication.follower_state import FollowerState
from cluster.replication.isr import Fate, PendingIsrChange
from cluster.replication.replica import Replica
from cluster.replication.truncation import EpochEnd, OwnLog, Truncation
from cluster.wire.messages.fetch import EpochEndOffset, FetchPartition
from tests.cluster.replication import races
from tests.cluster.replication.races import Lost, Node, Race, played
from tests.support.examples import example_count
from tests.support.seeds import seeds

SEEDS = example_count(1000)
SEEDS_COUNTED = 200
SEEDS_MAX = 8000
"""How many may be played until one ends badly; most fences are missed within a few hundred."""

decide, led, advance = isr_changes._decide, Partitions.led, Replica._advance


@pytest.mark.slow
def test_whatever_is_late_nothing_is_lost() -> None:
    for seed in seeds(SEEDS):
        played(seed)


@pytest.mark.slow
def test_races_have_what_they_are_about() -> None:
    """A count over fixed seeds: others have less of one thing, and more of another."""
    epochs = committed = changes = acknowledged = 0
    for seed in range(SEEDS_COUNTED):
        race = played(seed)
        epochs += race.stored.leader_epoch
        changes += race.stored.zk_version
        committed += len(race.committed)
        acknowledged += race.acknowledged_count

    assert epochs > 3 * SEEDS_COUNTED
    assert changes > 6 * SEEDS_COUNTED
    assert committed > 4 * SEEDS_COUNTED
    assert acknowledged > 3 * SEEDS_COUNTED


def commits_what_it_has(self: Replica, now_ms: int) -> bool:
    """The high watermark is not the least log end of the maximal ISR."""
    self.high_watermark = max(self.high_watermark, self._log_end_offset)
    return True


def commits_below_the_minimum(self: Replica, now_ms: int) -> bool:
    """What the ISR has is committed, however small it is."""
    before, self.is_under_min_isr = self.is_under_min_isr, False
    try:
        return advance(self, now_ms)
    finally:
        self.is_under_min_isr = before


def demands_nothing(self: Replica) -> int:
    """`min.insync.replicas` is 1."""
    return 1


def counts_on_no_proposal(self: Replica) -> tuple[BrokerId, ...]:
    """The maximal ISR is the one that is known."""
    return self.state.isr


def joins(
    self: Replica,
    follower: FollowerState,
    *,
    with_what_is_committed: bool = True,
    from_the_epochs_start: bool = True,
    one_at_a_time: bool = True,
) -> PendingIsrChange | None:
    if (
        follower.broker_id in self.state.isr
        or (one_at_a_time and self.proposal is not None)
        or (with_what_is_committed and follower.log_end_offset < self.high_watermark)
        or (from_the_epochs_start and follower.log_end_offset < self.epoch_start_offset)
        or not self._rules.is_alive(follower.broker_id)
    ):
        return None
    self.proposal = None
    return self._propose((*self.state.isr, follower.broker_id))


def joins_without_what_is_committed(
    self: Replica, follower: FollowerState
) -> PendingIsrChange | None:
    return joins(self, follower, with_what_is_committed=False)


def joins_below_the_epochs_start(self: Replica, follower: FollowerState) -> PendingIsrChange | None:
    return joins(self, follower, from_the_epochs_start=False)


def proposes_twice(self: Replica, follower: FollowerState) -> PendingIsrChange | None:
    return joins(self, follower, one_at_a_time=False)


def takes_every_refusal_for_final(error: int) -> Fate:
    """Also those after which the proposal may have been accepted."""
    return Fate.REVERT


def serves_former_epochs(
    self: Partitions, topic: str, index: int, leader_epoch: int = -1
) -> HostedPartition | ErrorCode:
    """What a follower of an earlier epoch fetches counts."""
    found = led(self, topic, index, leader_epoch)
    return led(self, topic, index) if found is ErrorCode.FENCED_LEADER_EPOCH else found


def keeps_everything(told: EpochEnd, own: OwnLog) -> Truncation:
    """No log is cut where it parts from the leader's."""
    return Truncation(own.end_offset, is_last=True)


def tells_no_divergence(hosted: HostedPartition, part: FetchPartition) -> EpochEndOffset:
    return EpochEndOffset()


def follows_beyond_its_log(self: Replica, leader_high_watermark: int, log_end_offset: int) -> None:
    """What the leader has committed counts, also what this follower lacks."""
    self.high_watermark = max(self.high_watermark, leader_high_watermark)


def takes_anybody_in(
    active: ActiveController, partition: TopicPartition, member: IsrMember
) -> bool:
    """Also who has had another life since: it may have lost what it had."""
    return True


def listens_to_former_leaders(
    active: ActiveController, leader: BrokerId, partition: TopicPartition, proposal: IsrProposal
) -> AlteredPartition | PartitionState:
    """To those, too, who do not know the state that stands there."""
    current = active.context.states[partition]
    known = IsrProposal(
        current.leader_epoch, current.zk_version, proposal.isr, proposal.leader_recovery_state
    )
    return decide(active, leader, partition, known)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "owner", "name", "instead"),
    [
        pytest.param(0, Replica, "_advance", commits_what_it_has, id="high watermark"),
        pytest.param(0, Replica, "_min_isr_now", demands_nothing, id="min.insync.replicas"),
        pytest.param(0, Replica, "maximal_isr", property(counts_on_no_proposal), id="maximal ISR"),
        pytest.param(0, Replica, "_expansion", joins_without_what_is_committed, id="committed"),
        pytest.param(
            109, Replica, "_expansion", joins_below_the_epochs_start, id="the epoch's start"
        ),
        pytest.param(215, Replica, "_expansion", proposes_twice, id="one proposal at a time"),
        pytest.param(752, replica, "fate_of", takes_every_refusal_for_final, id="an unknown fate"),
        pytest.param(2471, Partitions, "led", serves_former_epochs, id="leader epoch of a fetch"),
        pytest.param(0, races, "truncation_by", keeps_everything, id="truncation"),
        pytest.param(0, races, "divergence_of", tells_no_divergence, id="divergence"),
        pytest.param(
            0, Replica, "follow_high_watermark", follows_beyond_its_log, id="own log's end"
        ),
        pytest.param(
            0, isr_changes, "_is_eligible", takes_anybody_in, id="broker epochs of an ISR"
        ),
        pytest.param(0, isr_changes, "_decide", listens_to_former_leaders, id="known state"),
    ],
)
def test_without_this_fence_some_race_ends_badly(
    monkeypatch: pytest.MonkeyPatch,
    first: int,
    owner: Any,
    name: str,
    instead: Callable[..., Any],
) -> None:
    """Before the *first* race there is nothing for it to stop, which takes time to find."""
    monkeypatch.setattr(owner, name, instead)

    assert any(map(ends_badly, range(first, first + SEEDS_MAX)))


def test_a_minimum_that_is_looked_at_before_the_append_alone_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The ISR may shrink before others have the record.

    Both checks behind the append hold alone.
    """
    monkeypatch.setattr(Replica, "_advance", commits_below_the_minimum)
    monkeypatch.setattr(Replica, "is_under_min_maximal_isr", False)

    assert any(map(ends_badly, range(SEEDS_MAX)))


class Script(Race):
    """A race of three brokers in which everything happens as it is written down."""

    def __init__(self) -> None:
        super().__init__(next(seed for seed in count() if is_plain(Race(seed))))
        self.turn = BrokerId(0)
        self.lots = NoLots()
        for broker_id in self.brokers:
            self.let(broker_id, self.hear)

    def _any(self) -> Node:
        return self.nodes[self.turn]

    def let(self, broker_id: int, act: Callable[[], None]) -> None:
        """Let a broker act, and see that all is well."""
        self.turn = BrokerId(broker_id)
        act()
        self.check()

    def arrive(self, index: int = 0) -> None:
        """Let what has been longest on its way arrive, or what was sent after that."""
        self.way.pop(index)()
        self.check()


class NoLots(Random):
    """Nothing is lost."""

    def random(self) -> float:
        return 0.99


def is_plain(race: Race) -> bool:
    return len(race.brokers) == 3 and race.min_isr == 1


def late_fetch_of_a_former_life() -> Script:
    """Broker 1 is in no ISR when its machine stops: no leader epoch tells its two lives apart."""
    script = Script()
    script.let(0, script.append)
    script.now_ms += 2 * races.LAG_MS
    for _ in range(2):
        # It has the record, and then it says so.
        script.let(2, script.fetch)
        script.arrive()
        script.arrive()
    script.let(0, script.look)
    script.arrive()
    script.arrive()
    assert len(script.stored.isr) == 2
    assert script.nodes[BrokerId(0)].replica.high_watermark == 1
    script.let(0, script.append)
    script.let(0, script.append)
    script.let(1, script.fetch)
    script.arrive()
    script.arrive()
    assert script.nodes[BrokerId(1)].log.log_end_offset == 3
    script.let(1, script.fetch)
    (late,) = script.way
    script.way.clear()

    # Its next life has what is committed, and joins the ISR with that.
    script.restart(BrokerId(1), kept=1, high_watermark=1)
    script.let(1, script.hear)
    script.let(1, script.fetch)
    script.arrive()
    proposal, _ = script.way
    script.way[:] = [proposal]
    script.arrive()
    script.arrive()
    assert script.stored.isr[-1] == 1
    assert script.stored.leader_epoch == 0

    # Now its former life says that it has all, and broker 2 says so of itself.
    script.way.append(late)
    script.arrive()
    script.way.clear()
    for _ in range(2):
        script.let(2, script.fetch)
        script.arrive()
        script.arrive()
    assert script.nodes[BrokerId(2)].log.log_end_offset == 3
    return script


def test_a_late_fetch_of_a_former_life_commits_nothing() -> None:
    script = late_fetch_of_a_former_life()

    assert script.nodes[BrokerId(0)].replica.high_watermark == 1


def test_without_the_broker_epoch_of_a_fetch_its_former_life_commits_what_it_has_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fetched = Replica.fetched

    def forgets_lives(self: Replica, follower: BrokerId, *said: Any) -> PendingIsrChange | None:
        self._followers[follower].broker_epoch = UNKNOWN_BROKER_EPOCH
        return fetched(self, follower, *said)

    monkeypatch.setattr(Replica, "fetched", forgets_lives)

    with pytest.raises(Lost, match="broker 1 is in the ISR, and lacks what is committed"):
        late_fetch_of_a_former_life()


def ends_badly(seed: int) -> bool:
    try:
        played(seed)
    except Lost:
        return True
    return False


def test_a_log_that_has_to_be_cut_again_counts_nothing_as_committed() -> None:
    """Between two cuts a follower has records of which nobody knows that the leader has them."""
    node = races.Node(BrokerId(1), races.Log(), 0, 1)
    for epoch in (1, 2, 2):
        node.log.append(races.Record(epoch, 0))
    followed = FollowedPartition(node.hosted)
    followed.leader_high_watermark = 2
    followed.state.fetch()

    followed.state.cut(is_last=False)
    followed.has_cut()
    assert 0 == node.replica.high_watermark

    followed.state.cut(is_last=True)
    node.log.truncate_to(1)
    followed.has_cut()
    assert 1 == node.replica.high_watermark
