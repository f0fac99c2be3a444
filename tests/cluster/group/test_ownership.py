"""Election, loading and resignation: what a new coordinator knows, and an old one still does."""

import pytest

from cluster.group.answers import FetchedOffset
from cluster.group.config import GroupConfig
from cluster.group.effects import Load
from cluster.group.events import Elected, Loaded, Resigned
from cluster.group.replay import Replay
from cluster.group.requests import DeleteGroup, DeleteOffsets
from cluster.model.error_codes import ErrorCode
from cluster.model.group_records import (
    GroupMember,
    GroupMetadataKey,
    GroupMetadataValue,
    GroupRecord,
    OffsetCommitKey,
    OffsetCommitValue,
)
from cluster.model.ids import LeaderEpoch
from tests.cluster.group.coordinating import (
    A0,
    B0,
    EPOCH,
    GROUP,
    SESSION_MS,
    Coordinating,
    commit,
    heartbeat,
    join,
    leave,
    sync,
)
from tests.cluster.group.test_states import join_answer

LOADING = ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
ELSEWHERE = ErrorCode.NOT_COORDINATOR
METADATA = GroupMetadataKey(GROUP)
OFFSET_A0 = OffsetCommitKey(GROUP, "a", 0)


def member(member_id: str = "m", rebalance_ms: int = 5000) -> GroupMember:
    return GroupMember(member_id, None, "c", "/h", rebalance_ms, SESSION_MS, b"", b"x")


def generation(number: int, *members: GroupMember) -> GroupMetadataValue:
    leader = members[0].member_id if members else None
    return GroupMetadataValue("consumer", number, "range", leader, 1, members)


STABLE: tuple[GroupRecord, ...] = ((METADATA, generation(4, member())),)


def test_the_log_is_read_after_an_election() -> None:
    group = Coordinating(is_loaded=False)

    assert [Load(0, EPOCH)] == group.loads


@pytest.mark.parametrize(
    ("is_leader", "others", "beats", "syncs"),
    [
        (True, LOADING, ErrorCode.NONE, ErrorCode.REBALANCE_IN_PROGRESS),
        (False, ELSEWHERE, ELSEWHERE, ELSEWHERE),
    ],
)
def test_a_coordinator_that_has_nothing_loaded_refuses(
    is_leader: bool, others: ErrorCode, beats: ErrorCode, syncs: ErrorCode
) -> None:
    group = Coordinating(is_loaded=False)
    if not is_leader:
        group.resign()
    known = join_answer("m")

    requests = (join(), leave("m"), commit(), DeleteGroup(GROUP), DeleteOffsets(GROUP, (A0,)))
    assert {others} == {group.error(one) for one in requests}
    assert beats == group.error(heartbeat(known))
    assert syncs == group.error(sync(known))
    assert others == group.core.fetch_offsets(GROUP, (A0,)).error
    assert others == group.core.describe(GROUP).error
    assert (LOADING if is_leader else ErrorCode.NONE) == group.core.list_groups()[0]


def test_a_stable_group_goes_on_at_the_next_coordinator() -> None:
    group = Coordinating(records=STABLE)
    known = join_answer("m")

    assert ErrorCode.NONE == group.error(heartbeat(known, generation=4))
    assert b"x" == group.synced(group.send(sync(known, generation=4))).assignment


def test_the_sessions_of_loaded_members_begin_with_the_load() -> None:
    group = Coordinating(records=STABLE)
    group.let_pass(SESSION_MS - 1)
    assert group.is_member("m")

    group.let_pass(1)

    assert "Empty" == group.state


def test_a_member_of_an_old_release_has_its_session_to_rebalance() -> None:
    group = Coordinating(records=[(METADATA, generation(4, member(rebalance_ms=-1)))])
    group.send(join())
    group.let_pass(SESSION_MS - 1)
    assert "PreparingRebalance" == group.state

    group.let_pass(1)

    assert "CompletingRebalance" == group.state


def test_a_loaded_group_that_is_too_large_rebalances() -> None:
    config = GroupConfig(max_size=1)

    group = Coordinating(config, [(METADATA, generation(4, member("m"), member("n")))])

    assert "PreparingRebalance" == group.state


@pytest.mark.parametrize(
    ("records", "state", "offset"),
    [
        ([(METADATA, generation(1, member())), (METADATA, generation(2))], "Empty", -1),
        ([(METADATA, generation(1)), (METADATA, None)], "Dead", -1),
        ([(METADATA, None), (METADATA, generation(1, member()))], "Stable", -1),
        ([(OFFSET_A0, OffsetCommitValue(1)), (OFFSET_A0, OffsetCommitValue(2))], "Empty", 2),
        ([(OFFSET_A0, OffsetCommitValue(1)), (OFFSET_A0, None)], "Dead", -1),
        ([(METADATA, generation(1)), (METADATA, None), (OFFSET_A0, OffsetCommitValue(3))],
         "Empty", 3),
    ],
)  # fmt: skip
def test_later_records_win(records: list[GroupRecord], state: str, offset: int) -> None:
    group = Coordinating(records=records)

    assert state == group.state
    assert offset == group.core.fetch_offsets(GROUP, (A0,)).offsets[A0].offset


@pytest.mark.parametrize(
    ("marker", "expected", "stable"),
    [
        (None, 1, ErrorCode.UNSTABLE_OFFSET_COMMIT),
        (True, 2, ErrorCode.NONE),
        (False, 1, ErrorCode.NONE),
    ],
)
def test_offsets_of_a_transaction_count_by_its_marker(
    marker: bool | None, expected: int, stable: ErrorCode
) -> None:
    replay = Replay()
    replay.take(0, [(OFFSET_A0, OffsetCommitValue(1))])
    removed = (OffsetCommitKey(GROUP, "b", 0), OffsetCommitValue(9))
    replay.take(1, [(OFFSET_A0, OffsetCommitValue(2)), removed, (removed[0], None)], producer_id=9)
    if marker is not None:
        replay.end_transaction(9, is_commit=marker)
    group = Coordinating(is_loaded=False)

    group.step(Loaded(0, EPOCH, replay))

    assert expected == group.core.fetch_offsets(GROUP, (A0,)).offsets[A0].offset
    answer = group.core.fetch_offsets(GROUP, (A0, B0), requires_stable=True)
    assert stable == answer.offsets[A0].error
    assert FetchedOffset() == answer.offsets[B0]


def test_a_commit_after_those_of_a_transaction_wins() -> None:
    replay = Replay()
    replay.take(0, [(OFFSET_A0, OffsetCommitValue(1))], producer_id=9)
    replay.take(1, [(OFFSET_A0, OffsetCommitValue(2))])
    replay.end_transaction(9, is_commit=True)
    group = Coordinating(is_loaded=False)

    group.step(Loaded(0, EPOCH, replay))

    assert 2 == group.core.fetch_offsets(GROUP, (A0,)).offsets[A0].offset


# Epochs.


@pytest.mark.parametrize(
    ("epoch", "is_kept"), [(4, True), (5, True), (6, True), (7, False), (9, False)]
)
def test_groups_stay_unless_another_may_have_led(epoch: int, is_kept: bool) -> None:
    group = Coordinating(records=STABLE)

    group.step(Elected(0, LeaderEpoch(epoch)))

    loads = [] if is_kept else [Load(0, LeaderEpoch(epoch))]
    assert loads == group.loads[1:]
    assert (ErrorCode.NONE if is_kept else LOADING) == group.core.describe(GROUP).error


def test_what_is_appended_names_the_newest_epoch() -> None:
    group = Coordinating()
    group.step(Elected(0, LeaderEpoch(6)))

    group.send(commit())

    assert LeaderEpoch(6) == group.appends[0].leader_epoch


def test_a_load_of_an_earlier_epoch_is_late() -> None:
    group = Coordinating(is_loaded=False)
    group.step(Elected(0, LeaderEpoch(6)))

    group.load(STABLE, EPOCH)
    assert LOADING == group.core.describe(GROUP).error
    group.load(STABLE, LeaderEpoch(6))

    assert "Stable" == group.state


def test_a_load_after_the_resignation_is_late() -> None:
    group = Coordinating(is_loaded=False)
    group.resign()

    group.load(STABLE)

    assert ELSEWHERE == group.core.describe(GROUP).error


@pytest.mark.parametrize(("epoch", "is_kept"), [(4, True), (5, False), (6, False), (None, False)])
def test_a_resignation_of_an_earlier_epoch_is_late(epoch: int | None, is_kept: bool) -> None:
    group = Coordinating(records=STABLE)

    group.resign(None if epoch is None else LeaderEpoch(epoch))

    assert (ErrorCode.NONE if is_kept else ELSEWHERE) == group.core.describe(GROUP).error


def test_whoever_waits_is_sent_to_the_next_coordinator() -> None:
    group = Coordinating()
    leader, follower = group.complete(join(), join())
    syncing = [group.send(sync(follower)), group.send(sync(leader, {}))]
    committing = group.send(commit(group_id="simple"))
    joining = group.send(join(group_id="other"))

    group.resign()

    waiting = [*syncing, joining]
    assert [ELSEWHERE] * 3 == [group.answers[one].error for one in waiting]  # type: ignore[union-attr]
    assert {A0: ELSEWHERE} == group.answers[committing].errors  # type: ignore[union-attr]


def test_an_outcome_after_the_resignation_is_late() -> None:
    group = Coordinating()
    group.send(commit())
    group.resign()

    group.land()

    group.step(Elected(0, LeaderEpoch(7)))
    group.load((), LeaderEpoch(7))
    assert -1 == group.core.fetch_offsets(GROUP, (A0,)).offsets[A0].offset


def test_nothing_is_due_in_a_partition_that_is_gone() -> None:
    group = Coordinating(records=STABLE)
    group.send(join())
    group.resign()

    group.let_pass(10 * SESSION_MS)

    assert [] == group.appends


def test_resigning_from_what_was_never_led_changes_nothing() -> None:
    group = Coordinating(records=STABLE)

    group.step(Resigned(1, LeaderEpoch(9)))

    assert "Stable" == group.state
