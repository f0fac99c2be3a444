"""Whom a decision took out of the ISR, or into it, by the lines that prove it."""

import pytest

from kadmin.render.merge_logs.story_words import why_text
from kadmin.story.values import Reason
from tests.kadmin.story.lines import at, created, online, story


@pytest.mark.parametrize(
    ("isrs", "reason"),
    [
        (("1,2,3", "1,2"), "the leader stayed: 3 out of the ISR"),
        (("1", "1,2,3"), "the leader stayed: 2,3 into the ISR"),
        (("1,2", "1,3"), "the leader stayed: 2 out of the ISR, 3 into it"),
        (("1,2", "2,1"), "the leader stayed: another ISR or other replicas"),
    ],
)
def test_where_the_leader_stayed_it_is_told_who_left_the_isr_or_came(
    isrs: tuple[str, str], reason: str
) -> None:
    first, second = isrs

    told = story(
        [*created(), online(10, 1, 1, first), online(20, 2, 1, second, state="OnlinePartition")]
    )

    assert Reason.SAME_LEADER == told.leaderships[2].reason
    assert reason == why_text(told.leaderships[2])


def test_of_changes_that_leaders_may_have_made_meanwhile_nothing_is_claimed() -> None:
    behind = online(20, 2, 1, "1,2", state="OnlinePartition", version=4)

    told = story([*created(), online(10, 1, 1, "1,3"), behind])

    assert ((), ()) == (told.leaderships[2].isr_left, told.leaderships[2].isr_joined)
    assert "the leader stayed: another ISR or other replicas" == why_text(told.leaderships[2])


def removed(seconds: float, epoch: int, isr: str, version: int, gone: int) -> tuple[str, str]:
    return "1", at(
        seconds,
        f"[Controller id=1 epoch=1] Partition t-0 state changed to (Leader:1,ISR:{isr},"
        f"LeaderRecoveryState:RECOVERED,LeaderEpoch:{epoch},ZkVersion:{version},"
        f"ControllerEpoch:1) after removing replica {gone} from the ISR as part of "
        "transition to OfflineReplica",
    )


@pytest.mark.parametrize(
    ("isr", "gone"),
    [
        pytest.param("1,3", 2, id="the same again: it had come back untold"),
        pytest.param("1,2", 3, id="another one, which had come back untold"),
    ],
)
def test_whom_the_controller_took_out_of_the_isr_is_told_by_its_line(isr: str, gone: int) -> None:
    told = story([*created(), removed(10, 1, "1,3", 1, 2), removed(20, 2, isr, 3, gone)])

    assert [(), (2,), (gone,)] == [each.isr_left for each in told.leaderships]
    assert f"the leader stayed: {gone} out of the ISR" == why_text(told.leaderships[2])


def test_a_line_that_removes_who_had_left_before_is_not_the_decision() -> None:
    """Kafka writes it for a replica that a leader had dropped, in the epoch that is there."""
    dropped = removed(12, 1, "1", 3, 2)

    told = story([*created(), removed(10, 1, "1,2", 1, 3), dropped])
    elected = story([*created(), online(10, 1, 2, "1,2,3", state="OnlinePartition"), dropped])

    assert [(), (3,)] == [each.isr_left for each in told.leaderships]
    assert "the leader stayed: 3 out of the ISR" == why_text(told.leaderships[1])
    assert () == elected.leaderships[1].isr_left


def test_the_last_of_the_isr_stays_in_it_without_a_leader() -> None:
    told = story([*created("1"), removed(10, 1, "1", 1, 1)])

    assert [(), ()] == [each.isr_left for each in told.leaderships]


def test_isr_and_version_are_of_one_line() -> None:
    follows = (
        "2",
        at(
            10,
            "[Broker id=2] Follower t-0 starts at leader epoch 1 from offset 0 with partition "
            "epoch 1 and high watermark 0. Current leader is 1. Previous leader epoch was 0.",
        ),
    )
    cached = (
        "2",
        at(
            11,
            "[Broker id=2] Cached leader info UpdateMetadataPartitionState(topicName='t', "
            "partitionIndex=0, controllerEpoch=1, leader=1, leaderEpoch=1, isr=[1], zkVersion=4, "
            "replicas=[1, 2, 3], offlineReplicas=[]) for partition t-0 in response to "
            "UpdateMetadata request sent by controller 1 epoch 1 with correlation id 2",
            "TRACE",
        ),
    )

    told = story([*created(), follows, cached])

    assert [(1,)] == [change.isr for change in told.leaderships[1].isr]
    assert () == told.leaderships[1].isr_left
