"""When is a record committed, who is in the ISR, and who hears of it?"""

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import NO_LEADER_EPOCH, BrokerEpoch, BrokerId, ZkVersion
from cluster.model.topic import RECOVERED, RECOVERING, PartitionAssignment
from cluster.replication.follower_state import FetchTime
from cluster.replication.replica import LOOK_AGAIN, IsrRules, Replica
from tests.cluster.replication.leading import (
    EVERYBODY,
    LAG_MS,
    ME,
    SECOND,
    THIRD,
    accept,
    fetch,
    leader,
    state,
)

STRANGER = BrokerId(9)
ALONE = PartitionAssignment((ME,))
ALL = PartitionAssignment((ME, SECOND, THIRD))


def test_nothing_is_known_before_a_controller_has_spoken():
    replica = Replica(ME, 3, 1, EVERYBODY)

    assert (False, NO_LEADER_EPOCH, 3) == (
        replica.is_leader,
        replica.leader_epoch,
        replica.high_watermark,
    )


# The high watermark.


def test_a_leader_that_is_the_whole_isr_has_committed_all_that_it_has():
    replica = leader(ME)
    assert 5 == replica.high_watermark

    replica.advance_high_watermark(8, 100, 0)

    assert 8 == replica.high_watermark


def test_what_a_member_of_the_isr_lacks_is_not_committed():
    replica = leader(ME, SECOND, THIRD)
    replica.advance_high_watermark(8, 100, 0)
    fetch(replica, SECOND, 8)

    assert 3 == replica.high_watermark

    fetch(replica, THIRD, 6)

    assert 6 == replica.high_watermark


def test_a_member_of_the_isr_that_has_not_fetched_yet_holds_everything_up():
    replica = leader(ME, SECOND, THIRD)

    fetch(replica, SECOND, 5)

    assert 3 == replica.high_watermark


def test_who_is_not_in_the_isr_and_lags_is_not_waited_for():
    replica = leader(ME, SECOND)
    replica.advance_high_watermark(8, 100, 2 * LAG_MS)
    fetch(replica, THIRD, 1, 2 * LAG_MS)

    fetch(replica, SECOND, 8, 2 * LAG_MS)

    assert 8 == replica.high_watermark


def test_who_keeps_up_and_is_about_to_join_is_waited_for():
    # Its proposal cannot be made while another one is under way.
    replica = leader(ME, now_ms=9000)
    assert fetch(replica, SECOND, 5, 9000) is not None
    assert fetch(replica, THIRD, 5, 9000) is None
    replica.advance_high_watermark(8, 100, 9001)
    fetch(replica, SECOND, 8, 9002)

    assert 5 == replica.high_watermark

    fetch(replica, THIRD, 7, 9003)

    assert 7 == replica.high_watermark


def test_who_keeps_up_and_is_dead_is_not_waited_for():
    alive = {ME, SECOND, THIRD}
    replica = leader(ME, rules=IsrRules(LAG_MS, alive.__contains__))
    change = fetch(replica, THIRD, 5)
    assert change is not None
    replica.refused(change, ErrorCode.INELIGIBLE_REPLICA)
    alive.remove(THIRD)

    replica.advance_high_watermark(8, 100, 1)

    assert 8 == replica.high_watermark


def test_who_was_about_to_join_and_has_gone_is_not_waited_for_when_looked_again():
    alive = {ME, SECOND, THIRD}
    replica = leader(ME, SECOND, rules=IsrRules(LAG_MS, alive.__contains__))
    change = fetch(replica, THIRD, 5)
    assert change is not None
    replica.refused(change, ErrorCode.INELIGIBLE_REPLICA)
    replica.advance_high_watermark(8, 100, 1)
    fetch(replica, SECOND, 8, 2)
    alive.remove(THIRD)
    fetch(replica, SECOND, 8, 3)

    assert (5, True) == (replica.high_watermark, replica.holds_back)

    replica.recount(4)

    assert (8, False) == (replica.high_watermark, replica.holds_back)
    replica.follow(state(SECOND, leader=SECOND, epoch=1), replica.assignment)
    assert not replica.holds_back


def test_an_isr_that_shrinks_to_the_leader_commits_what_waited():
    replica = leader(ME, SECOND)
    replica.advance_high_watermark(8, 100, 0)

    replica.lead(state(ME, epoch=1), ALL, 8, 2 * LAG_MS)

    assert 8 == replica.high_watermark


def test_who_is_in_the_isr_and_no_replica_any_more_is_waited_for_until_it_has_left():
    replica = leader(ME, SECOND, THIRD)
    replica.lead(state(ME, SECOND, THIRD, epoch=1), ALONE, 8, 0)
    fetch(replica, SECOND, 8)
    fetch(replica, THIRD, 6)
    assert 6 == replica.high_watermark
    replica.advance_high_watermark(9, 100, 0)
    assert 6 == replica.high_watermark

    replica.lead(state(ME, SECOND, epoch=2), ALONE, 9, 0)
    assert 8 == replica.high_watermark
    replica.lead(state(ME, epoch=3), ALONE, 9, 0)

    assert 9 == replica.high_watermark
    assert [] == list(replica.followers)
    assert replica.commits_at_once


def test_who_is_no_replica_any_more_leaves_when_it_lags_and_does_not_join_again():
    replica = leader(ME, SECOND, THIRD, replicas=(ME, THIRD))
    replica.advance_high_watermark(8, 100, 0)
    fetch(replica, THIRD, 8, 2 * LAG_MS)
    (lagging,) = replica.lagging(2 * LAG_MS)
    change = replica.without((lagging,))
    assert (SECOND, (ME, THIRD)) == (lagging.broker_id, change.isr)
    assert 3 == replica.high_watermark

    assert accept(replica, change, 2 * LAG_MS)

    assert 8 == replica.high_watermark
    assert fetch(replica, SECOND, 8, 2 * LAG_MS) is None
    assert [THIRD] == [one.broker_id for one in replica.followers]


def test_who_is_no_replica_and_came_into_the_isr_by_the_controllers_answer_is_waited_for():
    replica = leader(ME, replicas=(ME, SECOND))
    change = fetch(replica, SECOND, 5)
    assert change is not None

    replica.accepted(change, state(ME, SECOND, THIRD, version=1), 0)
    replica.advance_high_watermark(8, 100, 0)
    fetch(replica, SECOND, 8)

    assert 5 == replica.high_watermark


def test_an_isr_below_the_topics_minimum_commits_nothing():
    replica = leader(ME, min_isr=2)

    assert replica.is_under_min_isr
    assert 3 == replica.high_watermark

    replica.set_min_isr(1)
    replica.recount(0)

    assert 5 == replica.high_watermark


def test_one_replica_is_enough_where_there_are_no_more():
    replica = leader(ME, replicas=(ME,), min_isr=2)

    assert not replica.is_under_min_isr
    assert 5 == replica.high_watermark


def test_the_high_watermark_never_falls():
    replica = leader(ME)

    replica.lead(state(ME, SECOND, epoch=1), ALL, 5, 0)
    fetch(replica, SECOND, 2)

    assert 5 == replica.high_watermark


def test_a_follower_commits_nothing_by_itself():
    replica = Replica(ME, 3, 1, EVERYBODY)
    replica.follow(state(SECOND, leader=SECOND), ALL)

    assert fetch(replica, THIRD, 9) is None
    assert (False, 3) == (replica.is_leader, replica.high_watermark)


def follower() -> Replica:
    replica = Replica(ME, 3, 1, EVERYBODY)
    replica.follow(state(SECOND, leader=SECOND), ALL)
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


@pytest.mark.parametrize("replicas", [(ME,), (ME, SECOND)])
def test_an_append_is_committed_at_once_only_where_nobody_follows(replicas):
    replica = leader(ME, replicas=replicas)

    assert (replicas == (ME,)) == replica.commits_at_once


# Who joins the ISR.


def test_a_follower_joins_with_all_that_is_committed():
    replica = leader(ME, SECOND, high_watermark=3)
    assert fetch(replica, THIRD, 3) is None, "it lacks what the leader had at first"

    change = fetch(replica, THIRD, 5)

    assert change is not None
    assert (ME, SECOND, THIRD) == change.isr
    assert accept(replica, change)
    assert (ME, SECOND, THIRD) == replica.state.isr
    assert ZkVersion(1) == replica.state.zk_version


def test_a_follower_that_lacks_what_is_committed_does_not_join():
    replica = leader(ME)
    replica.advance_high_watermark(9, 100, 0)

    assert fetch(replica, SECOND, 8) is None


def test_nobody_joins_who_is_dead_or_no_replica():
    replica = leader(ME, replicas=(ME, SECOND), rules=IsrRules(LAG_MS, {ME}.__contains__))

    assert fetch(replica, SECOND, 5) is None
    assert fetch(replica, THIRD, 5) is None


@pytest.mark.parametrize(
    ("written", "proposed"),
    [
        ((ME, STRANGER), (ME, SECOND)),
        ((ME, ME, STRANGER), (ME, SECOND)),
        ((THIRD, STRANGER), (THIRD, SECOND, ME)),
    ],
)
def test_the_next_isr_has_replicas_alone_whatever_somebody_wrote_by_hand(written, proposed):
    replica = leader(*written)

    change = fetch(replica, SECOND, 5)

    assert change is not None
    assert proposed == change.isr
    assert {*written, SECOND} <= set(replica.maximal_isr), "who may be waited for still is"


def test_one_proposal_at_a_time():
    replica = leader(ME)

    assert fetch(replica, SECOND, 5) is not None
    assert fetch(replica, THIRD, 5) is None
    assert () == replica.lagging(9 * LAG_MS)


def test_a_proposal_names_the_lives_in_which_its_members_caught_up():
    replica = leader(ME)

    change = replica.fetched(SECOND, 5, 0, FetchTime(0), BrokerEpoch(77))

    assert change is not None
    assert (-1, 77) == change.broker_epochs


def test_who_may_have_joined_is_waited_for_and_counts_for_nobody_else():
    replica = leader(ME, replicas=(ME, SECOND), min_isr=2)
    assert replica.is_under_min_isr

    change = fetch(replica, SECOND, 5)

    assert change is not None
    assert (ME, SECOND) == replica.maximal_isr
    assert replica.is_under_min_isr, "it is not known to have joined"
    assert not replica.is_under_min_maximal_isr
    assert 3 == replica.high_watermark
    accept(replica, change)
    assert not replica.is_under_min_isr
    assert 5 == replica.high_watermark


# Who leaves it.


def test_who_lags_for_too_long_leaves():
    replica = leader(ME, SECOND, THIRD)
    fetch(replica, SECOND, 5, 100)
    fetch(replica, THIRD, 5, 100)
    replica.advance_high_watermark(8, 100, 200)
    fetch(replica, SECOND, 8, 300)

    assert () == replica.lagging(100 + LAG_MS)
    lagging = replica.lagging(101 + LAG_MS)
    assert [THIRD] == [one.broker_id for one in lagging]
    change = replica.without(lagging)

    assert (ME, SECOND) == change.isr
    assert (ME, SECOND, THIRD) == replica.maximal_isr, "it may be in the ISR still"
    assert 5 == replica.high_watermark
    accept(replica, change, 101 + LAG_MS)
    assert 8 == replica.high_watermark


def test_who_has_everything_stays_however_long_it_was_silent():
    replica = leader(ME, SECOND)
    fetch(replica, SECOND, 5, 100)

    assert () == replica.lagging(99 * LAG_MS)


def test_who_has_never_fetched_leaves_after_the_same_time():
    replica = leader(ME, SECOND)

    assert () == replica.lagging(LAG_MS)
    assert [SECOND] == [one.broker_id for one in replica.lagging(LAG_MS + 1)]


def test_a_follower_under_load_keeps_up_by_what_there_was_when_it_fetched_before():
    replica = leader(ME, SECOND)
    for step in range(20):
        fetch(replica, SECOND, 5 + step, step * LAG_MS // 2)
        replica.advance_high_watermark(6 + step, 10, step * LAG_MS // 2 + 1)

    assert () == replica.lagging(20 * LAG_MS // 2)


def test_a_follower_that_shares_its_fetches_has_kept_up_until_the_last_of_them():
    replica = leader(ME, SECOND)
    shared = FetchTime(100)
    replica.fetched(SECOND, 5, 0, shared)
    shared.ms = 7000
    replica.advance_high_watermark(6, 10, 7500)
    shared.ms = 8000

    assert () == replica.lagging(7000 + LAG_MS)
    assert [SECOND] == [one.broker_id for one in replica.lagging(7001 + LAG_MS)]


# What becomes of proposals.


def test_an_order_of_the_controller_ends_a_proposal():
    replica = leader(ME)
    change = fetch(replica, SECOND, 5)
    assert change is not None
    replica.lead(state(ME, epoch=1, version=4), ALL, 5, 0)

    assert not accept(replica, change)
    assert not replica.refused(change, ErrorCode.NETWORK_EXCEPTION)
    assert (ME,) == replica.maximal_isr


def test_an_answer_to_a_proposal_that_was_taken_back_changes_nothing():
    replica = leader(ME)
    change = fetch(replica, SECOND, 5)
    assert change is not None
    replica.refused(change, ErrorCode.INELIGIBLE_REPLICA)

    assert not accept(replica, change)
    assert (ME,) == replica.state.isr


def test_an_answer_of_an_older_state_changes_nothing():
    replica = leader(ME)
    change = fetch(replica, SECOND, 5)
    assert change is not None

    assert not replica.accepted(change, state(ME, SECOND, epoch=1, version=9), 0)
    assert not replica.accepted(change, state(ME, SECOND, version=-1), 0)
    assert change is replica.proposal


@pytest.mark.parametrize(
    ("error", "is_tried_again", "is_pending"),
    [
        (ErrorCode.INELIGIBLE_REPLICA, False, False),
        (ErrorCode.OPERATION_NOT_ATTEMPTED, False, False),
        (ErrorCode.FENCED_LEADER_EPOCH, False, True),
        (ErrorCode.INVALID_UPDATE_VERSION, False, True),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, False, True),
        (ErrorCode.UNKNOWN_SERVER_ERROR, True, True),
        (32_000, True, True),
    ],
)
def test_what_follows_a_refusal(error: int, is_tried_again: bool, is_pending: bool):
    replica = leader(ME)
    change = fetch(replica, SECOND, 5)
    assert change is not None

    assert is_tried_again == replica.refused(change, error)
    assert is_pending == (replica.proposal is change)


def test_a_leader_recovers_from_an_unclean_election_by_leading():
    replica = Replica(ME, 3, 1, EVERYBODY)
    unclean = state(ME)._replace(leader_recovery_state=RECOVERING)

    replica.lead(unclean, ALL, 5, 0)

    assert RECOVERED == replica.state.leader_recovery_state


def test_a_leader_in_its_next_epoch_remembers_how_far_the_others_have_come():
    replica = leader(ME, SECOND)
    fetch(replica, SECOND, 4)

    replica.lead(state(ME, SECOND, epoch=1), ALL, 5, 0)

    assert [4, -1] == [one.log_end_offset for one in replica.followers]


def test_a_leader_after_another_one_knows_nothing_of_the_others():
    replica = leader(ME, SECOND)
    fetch(replica, SECOND, 4)
    replica.follow(state(ME, SECOND, leader=SECOND, epoch=1), ALL)

    replica.lead(state(ME, SECOND, epoch=2), ALL, 5, 0)

    assert [-1, -1] == [one.log_end_offset for one in replica.followers]


def test_a_leader_knows_nothing_of_the_others_after_an_epoch_that_it_was_not_told_of():
    """Another broker may have led in it, and a follower that has truncated its log has less."""
    replica = leader(ME, SECOND)
    fetch(replica, SECOND, 5)
    replica.advance_high_watermark(6, 100, 0)

    replica.lead(state(ME, SECOND, epoch=2), ALL, 8, 0)
    assert [-1, -1] == [one.log_end_offset for one in replica.followers]
    fetch(replica, SECOND, 4)
    replica.lead(state(ME, SECOND, epoch=3), ALL, 8, 0)

    assert [4, -1] == [one.log_end_offset for one in replica.followers]
    assert 5 == replica.high_watermark


def test_the_low_watermark_is_the_least_start_of_those_that_are_alive():
    alive = {SECOND, THIRD}
    replica = leader(ME, SECOND, THIRD, rules=IsrRules(LAG_MS, alive.__contains__))
    fetch(replica, SECOND, 5, start=4)
    assert -1 == replica.low_watermark(3)
    fetch(replica, THIRD, 5, start=2)

    assert 2 == replica.low_watermark(3)
    alive.remove(THIRD)
    assert 3 == replica.low_watermark(3)


# Watchers.


def test_watchers_hear_of_what_is_committed_and_of_changes_until_they_leave():
    replica = leader(ME)
    heard: list[int] = []
    key = replica.watch(heard.append)
    replica.advance_high_watermark(6, 70, 2 * LAG_MS)
    replica.follow(state(SECOND, leader=SECOND, epoch=1), ALL)
    replica.go_offline()

    replica.unwatch(key)
    replica.unwatch(key)
    replica.notify(1)

    assert [70, LOOK_AGAIN, LOOK_AGAIN] == heard


def test_those_who_wait_for_the_end_hear_of_appends_and_the_others_of_commits():
    replica = leader(ME, SECOND, end=0, high_watermark=0)
    ends: list[int] = []
    commits: list[int] = []
    key = replica.watch_end(ends.append)
    replica.watch(commits.append)

    replica.advance_high_watermark(1, 70, 0)
    assert ([70], []) == (ends, commits)

    fetch(replica, SECOND, 1)
    assert ([70], [LOOK_AGAIN]) == (ends, commits)

    fetch(replica, SECOND, 1)
    assert ([70], [LOOK_AGAIN]) == (ends, commits)

    replica.unwatch(key)
    replica.advance_high_watermark(2, 70, 0)
    assert [70] == ends


def test_a_watcher_that_leaves_when_it_hears_harms_no_other():
    replica = leader(ME)
    heard: list[str] = []

    def leave(size: int) -> None:
        heard.append("first")
        replica.unwatch(first)

    first = replica.watch(leave)
    replica.watch(lambda size: heard.append("second"))

    replica.advance_high_watermark(6, 1, 0)
    replica.advance_high_watermark(7, 1, 0)

    assert ["first", "second", "second"] == heard


def test_a_follower_that_lacks_what_was_there_when_the_epoch_began_does_not_join() -> None:
    """The leader of before may have committed all of it, beyond the high watermark known here."""
    replica = leader(ME, SECOND, end=5, high_watermark=3)

    assert fetch(replica, THIRD, 4) is None
    change = fetch(replica, THIRD, 5)
    assert change is not None
    assert (ME, SECOND, THIRD) == change.isr


def test_a_fetch_from_a_followers_earlier_life_says_nothing_of_this_one():
    """It comes late: the machine has stopped since, and lost what it had asked for (KIP-903)."""
    replica = leader(ME, SECOND, end=9, high_watermark=3)
    replica.fetched(SECOND, 4, 0, FetchTime(0), BrokerEpoch(8))
    assert 4 == replica.high_watermark

    assert replica.fetched(SECOND, 9, 0, FetchTime(1), BrokerEpoch(7)) is None

    assert 4 == replica.high_watermark
    replica.fetched(SECOND, 5, 0, FetchTime(2))
    assert 5 == replica.high_watermark
    replica.fetched(SECOND, 6, 0, FetchTime(3), BrokerEpoch(9))
    assert 6 == replica.high_watermark
