"""When is a record committed, and who hears of it?"""

from cluster.model.ids import NO_LEADER_EPOCH, BrokerId, ControllerEpoch, LeaderEpoch
from cluster.model.topic import PartitionAssignment, PartitionState
from cluster.replication.replica import LOOK_AGAIN, Replica

ME, OTHER = BrokerId(1), BrokerId(2)
ALONE = PartitionAssignment((ME,))
BOTH = PartitionAssignment((ME, OTHER))


def state(*isr: BrokerId, leader: BrokerId = ME, epoch: int = 0) -> PartitionState:
    return PartitionState(leader, isr, LeaderEpoch(epoch), ControllerEpoch(1))


def leader(*isr: BrokerId, assignment: PartitionAssignment = BOTH, min_isr: int = 1) -> Replica:
    replica = Replica(ME, 3, min_isr)
    replica.lead(state(*isr), assignment, 5)
    return replica


def test_nothing_is_known_before_a_controller_has_spoken():
    replica = Replica(ME, 3, 1)

    assert (False, NO_LEADER_EPOCH, 3) == (
        replica.is_leader,
        replica.leader_epoch,
        replica.high_watermark,
    )


def test_a_leader_that_is_the_whole_isr_has_committed_all_that_it_has():
    replica = leader(ME)
    assert 5 == replica.high_watermark

    replica.advance_high_watermark(8, 100)

    assert 8 == replica.high_watermark


def test_while_others_may_lack_records_nothing_more_is_committed():
    replica = leader(ME, OTHER)

    replica.advance_high_watermark(8, 100)

    assert 3 == replica.high_watermark


def test_an_isr_that_shrinks_to_the_leader_commits_what_waited():
    replica = leader(ME, OTHER)
    replica.advance_high_watermark(8, 100)

    replica.lead(state(ME, epoch=1), BOTH, 8)

    assert 8 == replica.high_watermark


def test_an_isr_below_the_topics_minimum_commits_nothing():
    replica = leader(ME, min_isr=2)

    assert replica.is_under_min_isr
    assert 3 == replica.high_watermark


def test_one_replica_is_enough_where_there_are_no_more():
    replica = leader(ME, assignment=ALONE, min_isr=2)

    assert not replica.is_under_min_isr
    assert 5 == replica.high_watermark


def test_the_high_watermark_never_falls():
    replica = leader(ME)

    replica.lead(state(ME, epoch=1), BOTH, 2)

    assert 5 == replica.high_watermark


def test_a_follower_commits_nothing_by_itself():
    replica = Replica(ME, 3, 1)
    replica.follow(state(OTHER, leader=OTHER), BOTH)

    assert (False, 3) == (replica.is_leader, replica.high_watermark)


def follower() -> Replica:
    replica = Replica(ME, 3, 1)
    replica.follow(state(OTHER, leader=OTHER), BOTH)
    return replica


def test_a_follower_counts_as_committed_what_its_leader_says_and_it_has():
    replica = follower()

    replica.follow_high_watermark(7, 9)
    assert 7 == replica.high_watermark

    replica.follow_high_watermark(12, 9)
    assert 9 == replica.high_watermark


def test_a_new_leader_that_knows_less_of_what_is_committed_takes_nothing_back():
    replica = follower()
    replica.follow_high_watermark(7, 9)

    replica.follow_high_watermark(4, 9)

    assert 7 == replica.high_watermark


def test_a_followers_watchers_hear_of_what_is_committed_now():
    replica = follower()
    heard: list[int] = []
    replica.watch(heard.append)

    replica.follow_high_watermark(7, 9)
    replica.follow_high_watermark(7, 10)

    assert [LOOK_AGAIN] == heard


def test_the_high_watermark_stays_within_a_log_that_was_truncated_or_begun_anew():
    replica = follower()
    replica.follow_high_watermark(7, 9)

    replica.keep_within(0, 8)
    assert 7 == replica.high_watermark
    replica.keep_within(0, 5)
    assert 5 == replica.high_watermark
    replica.keep_within(20, 20)
    assert 20 == replica.high_watermark


def test_watchers_hear_of_bytes_and_of_changes_until_they_leave():
    replica = leader(ME)
    heard: list[int] = []
    key = replica.watch(heard.append)
    replica.advance_high_watermark(6, 70)
    replica.follow(state(OTHER, leader=OTHER, epoch=1), BOTH)
    replica.go_offline()

    replica.unwatch(key)
    replica.unwatch(key)
    replica.notify(1)

    assert [70, LOOK_AGAIN, LOOK_AGAIN] == heard


def test_a_watcher_that_leaves_when_it_hears_harms_no_other():
    replica = leader(ME)
    heard: list[str] = []

    def leave(size: int) -> None:
        heard.append("first")
        replica.unwatch(first)

    first = replica.watch(leave)
    replica.watch(lambda size: heard.append("second"))

    replica.advance_high_watermark(6, 1)
    replica.advance_high_watermark(7, 1)

    assert ["first", "second", "second"] == heard
