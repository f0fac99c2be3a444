"""Stories by the lines of each age, and what every anomaly looks like."""

from pathlib import Path

import pytest

from kadmin.render.merge_logs.story_words import leaderless_text, why_text
from kadmin.story.fold import fold
from kadmin.story.values import AnomalyKind, Leadership, Reason, Story
from tests.kadmin.story.lines import Logs, at, created, merged, online, stories, story
from tests.support.checkout import CHECKOUT

INCIDENT = CHECKOUT / "scripts" / "demo-incident"


def incident(name: tuple[str, int]) -> Story:
    logs = [
        (path.parent.name, path.read_text())
        for path in sorted(Path(INCIDENT).glob("broker-*/state-change.log*"))
    ]
    return story(merged(logs), name)


def leads(seconds: float, broker: int, epoch: int) -> tuple[str, str]:
    return str(broker), at(
        seconds,
        f"[Broker id={broker}] Leader t-0 starts at leader epoch {epoch} from offset 0 with high "
        "watermark 0 ISR [1,2,3] addingReplicas [] removingReplicas []. "
        "Previous leader epoch was 0.",
    )


def works(seconds: float, broker: int) -> tuple[str, str]:
    """That a broker is there, and obeys in something else."""
    return str(broker), at(
        seconds,
        f"[Broker id={broker}] Handling LeaderAndIsr request correlationId 9 "
        "from controller 1 for 1 partitions",
    )


def found(told: Story) -> list[AnomalyKind]:
    return [each.kind for each in told.anomalies]


def seen(each: Leadership) -> tuple[object, ...]:
    return each.leader_epoch, each.before, each.leader, each.reason


def test_the_recorded_incident_is_told() -> None:
    orders = incident(("orders", 0))

    assert (2, 1, 3) == orders.replicas
    assert [
        (0, None, 2, Reason.CREATED),
        (1, 2, 1, Reason.BROKER_GONE),
        (2, 1, -1, Reason.BROKER_GONE),
        (3, 1, 3, Reason.BROKER_GONE),
        (4, 3, 2, Reason.PREFERRED_ELECTION),
    ] == [seen(each) for each in orders.leaderships]
    assert [(1, 1), (1, 1), (3, 2), (3, 2), (3, 2)] == [
        (each.controller_id, each.controller_epoch) for each in orders.leaderships
    ]
    assert 3 == orders.moves
    assert 48 == orders.leaderless_ms
    assert not orders.is_leaderless
    led = {(role.broker, role.is_leader, role.delay_ms) for role in orders.leaderships[1].roles}
    assert {(1, True, 10), (3, False, 8)} == led


def test_a_partition_without_a_leader_is_told_with_the_election_that_failed() -> None:
    payments = incident(("payments", 1))

    assert [Reason.NOBODY_LEFT, Reason.REPLICA_RETURNED] == [
        each.reason for each in payments.leaderships[2:]
    ]
    assert 24_021 == payments.leaderless_ms
    assert [AnomalyKind.FAILED_ELECTION] == found(payments)
    assert "failed to change state for partition payments-1" in payments.anomalies[0].proof[0].text


def left_alone(seconds: float, epoch: int, isr: str) -> tuple[str, str]:
    """That no ISR member is alive."""
    return "1", at(
        seconds,
        f"[Controller id=1 epoch=1] Partition t-0 state changed to (Leader:-1,ISR:{isr},"
        f"LeaderEpoch:{epoch},ControllerEpoch:1) after removing replica 3 from the ISR as part of "
        "transition to OfflineReplica",
    )


@pytest.mark.parametrize(
    ("epoch", "leaderless_ms"), [(3, 30_000), (4, 4_000)], ids=["each is told", "one is not"]
)
def test_in_leader_epochs_that_no_line_names_somebody_may_have_led(
    epoch: int, leaderless_ms: int
) -> None:
    lines = [*created(), left_alone(10, 1, "2"), left_alone(14, 2, "2")]

    again = story([*lines, online(40, epoch, 2, "2")])
    still = story([*lines, left_alone(40, epoch, "2"), online(41, epoch + 1, 2, "2")])

    assert leaderless_ms == again.leaderless_ms
    assert leaderless_ms + 1_000 == still.leaderless_ms
    assert (epoch == 4) == again.has_missing_epochs == still.has_missing_epochs
    assert "at least 4.0 s without a leader" == leaderless_text(
        story([*lines, online(40, 4, 2, "2")]), has_traces=True
    )


def test_a_partition_that_nobody_ever_led_is_told_by_the_elections_that_failed() -> None:
    failure = at(
        2,
        "[Controller id=1 epoch=1] Controller 1 epoch 1 failed to change state for partition t-0 "
        "from OfflinePartition to OnlinePartition",
        "ERROR",
    )

    told = story([created("2,3")[0], ("1", failure)])

    assert ((), (2, 3)) == (told.leaderships, told.replicas)
    assert [AnomalyKind.FAILED_ELECTION] == found(told)
    assert told.is_leaderless


def test_who_led_at_a_time_is_known_from_the_first_line_on() -> None:
    orders = incident(("orders", 0))
    first = orders.leaderships[0].since_ms

    assert orders.at(first - 1) is None
    assert orders.leaderships[0] == orders.at(first)
    assert orders.leaderships[-1] == orders.at(orders.end_ms + 1_000_000)


def test_a_leader_that_leaves_the_isr_with_the_election_was_shut_down() -> None:
    told = story([*created(), online(5, 1, 2, "2,3", state="OnlinePartition")])

    assert (1, 1, 2, Reason.CONTROLLED_SHUTDOWN) == seen(told.leaderships[1])


def test_a_move_among_live_replicas_is_on_request_where_it_is_not_the_preferred_one() -> None:
    told = story([*created(), online(5, 1, 2, "1,2,3", state="OnlinePartition")])

    assert Reason.ON_REQUEST is told.leaderships[1].reason


def test_a_move_to_other_replicas_is_a_reassignment() -> None:
    sent = (
        "[Controller id=1 epoch=1] Sent LeaderAndIsr request (Leader:1,ISR:1,2,3,LeaderEpoch:1,"
        "ZkVersion:1,ControllerEpoch:1) with new replica assignment ReplicaAssignment("
        "replicas=2,3,1, addingReplicas=, removingReplicas=1) to leader 1 for partition being "
        "reassigned t-0"
    )
    told = story(
        [*created(), ("1", at(4, sent)), online(5, 2, 2, "1,2,3", state="OnlinePartition")]
    )
    last = told.leaderships[2]

    assert [Reason.CREATED, Reason.REASSIGNMENT] == [e.reason for e in told.leaderships[:2]]
    assert (2, 1, 2, Reason.REASSIGNMENT) == seen(last)
    assert "being reassigned" in last.proof[1].text
    assert (2, 3) == told.replicas


def test_a_leader_from_outside_of_the_isr_is_unclean() -> None:
    shrunk = online(3, 1, 1, "1", state="OnlinePartition")
    told = story([*created(), shrunk, online(5, 2, 3, "3")])

    assert (2, 1, 3, Reason.UNCLEAN_ELECTION) == seen(told.leaderships[2])
    assert [AnomalyKind.UNCLEAN_ELECTION] == found(told)


def test_nothing_is_called_unclean_where_changes_of_the_isr_are_hidden() -> None:
    shrunk = online(3, 1, 1, "1", state="OnlinePartition")
    told = story([*created(), shrunk, online(5, 2, 3, "3", version=9)])

    assert Reason.BROKER_GONE is told.leaderships[2].reason
    assert any(line.endswith(": 7") for line in told.hidden)


def test_a_leader_that_recovers_is_unclean_whatever_is_hidden() -> None:
    told = story([*created("1,2"), online(5, 2, 3, "3", version=9, recovery="RECOVERING")])

    assert [AnomalyKind.UNCLEAN_ELECTION] == found(told)


def test_two_leaders_of_one_epoch_are_an_anomaly_with_both_lines() -> None:
    told = story([*created(), leads(2, 1, 0), leads(3, 2, 0)])

    assert [AnomalyKind.TWO_LEADERS] == found(told)
    assert ["1", "2"] == [line.source for line in told.anomalies[0].proof]


def test_an_epoch_that_falls_is_an_anomaly_whoever_decided_it() -> None:
    told = story([*created(), online(2, 7, 2, "2,3"), online(3, 5, 3, "3", controller=3, term=2)])

    assert AnomalyKind.EPOCH_FELL in found(told)


def test_an_epoch_does_not_fall_by_the_clock_of_the_next_controller() -> None:
    later = online(1.02, 8, 3, "3", controller=3, term=2)
    told = story([*created(), later, online(9, 7, 2, "2,3")])

    assert AnomalyKind.EPOCH_FELL not in found(told)


def test_a_broker_that_goes_back_to_an_epoch_is_an_anomaly() -> None:
    told = story([*created(), online(2, 7, 2, "2,3"), leads(3, 2, 7), leads(9, 2, 6)])

    assert AnomalyKind.EPOCH_FELL in found(told)


def test_a_controller_that_decides_after_the_next_one_began_is_stale() -> None:
    later = online(4, 2, 2, "2,3", controller=2, term=2)
    told = story([*created(), later, online(6, 3, 3, "3")])

    assert AnomalyKind.STALE_CONTROLLER in found(told)
    soon = story([*created(), later, online(4.2, 3, 3, "3")])
    assert AnomalyKind.STALE_CONTROLLER not in found(soon)


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ([works(60, 2)], [AnomalyKind.UNANSWERED_ORDER]),
        ([works(20, 2)], []),
        ([leads(50, 2, 1), works(60, 2)], [AnomalyKind.LATE_LEADER]),
        ([leads(6, 2, 1), works(60, 2)], []),
        ([leads(6, 2, 4), works(60, 2)], []),
    ],
    ids=["never answered", "silent too", "late", "in time", "in a later epoch"],
)
def test_a_broker_that_goes_on_without_doing_as_told_is_an_anomaly(
    last: list[tuple[str, str]], expected: list[AnomalyKind]
) -> None:
    order = online(5, 1, 2, "2")
    told = story([*created(), leads(1.5, 1, 0), order, *last])

    assert expected == [each.kind for each in told.anomalies if "epoch 1" in each.text]


def test_a_broker_whose_replica_was_moved_away_had_nothing_to_answer() -> None:
    """It is in the ISR of the leader that follows it, and is only told to stop its replica."""
    moved = [online(5, 1, 2, "1,2,3"), leads(5.1, 2, 1), works(60, 1), works(60, 2), works(60, 3)]
    told = story([*created(), leads(1.5, 1, 0), *moved, online(5.5, 2, 2, "2,3")])
    late = story([*created(), leads(1.5, 1, 0), *moved, online(45, 2, 2, "2,3")])

    def accused(told: Story) -> list[str]:
        return [each.text for each in told.anomalies if "in leader epoch 1" in each.text]

    assert ["broker 3 never carried out its order in leader epoch 1"] == accused(told)
    assert 2 == len(accused(late))


def test_a_replica_that_leaves_the_isr_again_and_again_is_flapping() -> None:
    def update(seconds: float, version: int, isr: str) -> tuple[str, str]:
        payload = (
            f"PartitionState(controllerEpoch=1, leader=1, leaderEpoch=0, isr=[{isr}], "
            f"zkVersion={version}, replicas=[1, 2, 3], offlineReplicas=[])"
        )
        text = (
            f"[Broker id=1] Cached leader info {payload} for partition t-0 in response to "
            "UpdateMetadata request sent by controller 1 epoch 1 with correlation id 3"
        )
        return "1", at(seconds, text, "TRACE")

    changes = [
        update(10 + version * 30, version, "1, 3" if version % 2 else "1, 2, 3")
        for version in range(1, 7)
    ]
    told = story([*created(), leads(1.5, 1, 0), *changes])
    calm = story([*created(), leads(1.5, 1, 0), *changes[:3]])

    assert [AnomalyKind.ISR_FLAPPING] == found(told)
    assert "broker 2 left the ISR 3 times" == told.anomalies[0].text
    assert [] == found(calm)
    assert 7 == len(told.leaderships[0].isr)


OLD = """\
[2015-08-20 15:34:09,471] TRACE Controller 0 epoch 2 started leader election for partition [t,0]
[2015-08-20 15:34:09,480] TRACE Controller 0 epoch 2 elected leader 1 for Offline partition [t,0]
[2015-08-20 15:34:09,490] TRACE Controller 0 epoch 2 changed partition [t,0] from \
OfflinePartition to OnlinePartition with leader 1
[2015-08-20 15:34:09,495] TRACE Controller 0 epoch 2 sending become-leader LeaderAndIsr request \
(Leader:1,ISR:1,2,LeaderEpoch:6,ControllerEpoch:2) to broker 1 for partition [t,0]
[2015-08-20 15:34:09,500] TRACE Broker 1 received LeaderAndIsr request \
PartitionState(controllerEpoch=2, leader=1, leaderEpoch=6, isr=[1, 2], zkVersion=4, \
replicas=[0, 1, 2]) correlation id 5 from controller 0 epoch 2 for partition [t,0]
[2015-08-20 15:34:09,510] TRACE Broker 1 completed LeaderAndIsr request correlationId 5 from \
controller 0 epoch 2 for the become-leader transition for partition [t,0]
"""


def test_a_release_without_epochs_in_its_decisions_is_told_by_its_orders() -> None:
    told = story([(line.partition("roker ")[2][:1] or "0", line) for line in OLD.splitlines()])
    first = told.leaderships[0]

    assert (6, None, 1) == seen(first)[:3]
    assert first.is_decided
    assert (0, 2) == (first.controller_id, first.controller_epoch)
    assert [(1, True, 15)] == [(r.broker, r.is_leader, r.delay_ms) for r in first.roles]
    assert (0, 1, 2) == told.replicas


def test_a_decision_whose_order_is_not_in_the_log_is_told_without_its_epoch() -> None:
    lines = [
        "Controller 0 epoch 1 changed partition [t,0] state from NonExistentPartition to "
        "NewPartition with assigned replicas 0",
        "Controller 0 epoch 1 changed partition [t,0] from NewPartition to OnlinePartition "
        "with leader 0",
        "Controller 0 epoch 1 changed partition [t,0] state from OnlinePartition to "
        "OfflinePartition",
        "Controller 0 epoch 2 sending become-follower LeaderAndIsr request (Leader:-1,ISR:,"
        "LeaderEpoch:1,ControllerEpoch:1) with correlationId 4 to broker 0 for partition [t,0]",
        "Controller 0 epoch 2 changed partition [t,0] from OfflinePartition to OnlinePartition "
        "with leader 0",
    ]

    told = story([("0", at(number, line, "TRACE")) for number, line in enumerate(lines)])

    assert [(0, None), (-1, 1), (0, None)] == [
        (each.leader, each.leader_epoch) for each in told.leaderships
    ]
    assert not told.is_leaderless


def test_brokers_of_kraft_alone_tell_who_leads_but_not_who_decided() -> None:
    told = story([leads(1, 2, 5), leads(9, 3, 6)])

    assert [(5, None, 2, Reason.UNKNOWN), (6, 2, 3, Reason.UNKNOWN)] == [
        seen(each) for each in told.leaderships
    ]
    assert not told.leaderships[1].is_decided
    assert told.hidden[0].startswith("lines of a controller")


def test_logs_that_begin_with_an_election_tell_that_somebody_was_gone_but_not_who() -> None:
    offline = story([online(5, 4, 2, "2,3")])
    online_before = story([online(5, 4, 2, "1,2,3", state="OnlinePartition")])

    assert (4, None, 2, Reason.BROKER_GONE) == seen(offline.leaderships[0])
    assert (4, None, 2, Reason.UNKNOWN) == seen(online_before.leaderships[0])


def test_lines_without_any_leader_are_no_story() -> None:
    logs = Logs(
        [
            (
                "1",
                at(
                    1,
                    "[Broker id=1] Deleted partition t-0 from metadata cache in response "
                    "to UpdateMetadata request sent by controller 1 epoch 1 with correlation id 3",
                    "TRACE",
                ),
            )
        ]
    )

    assert [] == fold("t", 0, logs.events[("t", 0)], logs.coverage)


GONE = (
    "[Controller id=1 epoch=1] Changed partition t-0 state from OfflinePartition "
    "to NonExistentPartition"
)


@pytest.mark.parametrize("is_outage", [False, True])
def test_a_deletion_is_no_time_without_a_leader_but_one_that_it_ends(is_outage: bool) -> None:
    offline = "[Controller id=1 epoch=1] Changed partition t-0 state from OnlinePartition to "
    failed = (
        "[Controller id=1 epoch=1] Controller 1 epoch 1 failed to change state for partition t-0 "
        "from OfflinePartition to OnlinePartition"
    )
    lines = [("1", at(20, offline + "OfflinePartition", "TRACE"))]
    if is_outage:
        lines.append(("1", at(20.1, failed, "ERROR")))

    told = story([*created(), *lines, ("1", at(30, GONE, "TRACE"))])

    assert told.ended_ms is not None
    assert (10_000 if is_outage else 0) == told.leaderless_ms


def test_a_topic_that_was_made_again_has_two_stories() -> None:
    again = [(source, line.replace("00:00:01", "00:01:01")) for source, line in created()]
    first, second = stories([*created(), online(5, 9, 2, "2,3"), ("1", at(30, GONE)), *again])

    assert [Reason.CREATED, Reason.BROKER_GONE] == [each.reason for each in first.leaderships]
    assert [Reason.CREATED] == [each.reason for each in second.leaderships]
    assert first.leaderships[1].until_ms == first.ended_ms is not None
    assert second.ended_ms is None
    assert [(1, 2), (2, 2)] == [(e.incarnation, e.incarnations) for e in (first, second)]
    assert [] == found(first) + found(second)


def test_without_a_line_of_its_deletion_a_topic_ends_where_the_next_one_begins() -> None:
    """So it is at INFO, from 2.6 on."""
    again = [(source, line.replace("00:00:01", "00:01:01")) for source, line in created()]
    first, second = stories([*created(), leads(1.1, 1, 0), online(5, 9, 2, "2,3"), *again])

    assert first.ended_ms == first.leaderships[-1].until_ms
    assert first.ended_ms == second.leaderships[0].since_ms - 10
    assert [] == found(first) + found(second)


def leads_with_id(seconds: float, broker: int, epoch: int, topic_id: str) -> tuple[str, str]:
    return str(broker), at(
        seconds,
        f"[Broker id={broker}] Leader t-0 with topic id {topic_id} starts at leader epoch {epoch} "
        f"from offset 0 with partition epoch {epoch}, high watermark 0, ISR [1,2,3], adding "
        "replicas [] and removing replicas [] . Previous leader None and previous leader epoch "
        "was -1.",
    )


ONE, OTHER = "DX_a4Bp2S5WjHiggTQY89g", "QjW9YTVaQGqizUWzSdmiJg"


def test_topic_ids_tell_topics_of_one_name_apart_also_without_a_controllers_line() -> None:
    first, second = stories(
        [
            leads_with_id(1, 2, 7, f"Some({ONE})"),
            leads_with_id(9, 3, 0, f"Some({OTHER})"),
            # The clock of this broker is behind: the line is about the first topic.
            leads_with_id(9.2, 1, 8, f"Some({ONE})"),
        ]
    )

    assert [ONE, OTHER] == [first.topic_id, second.topic_id]
    assert [[7, 8], [0]] == [[e.leader_epoch for e in s.leaderships] for s in (first, second)]
    assert [] == found(first) + found(second)


def test_brokers_that_tell_of_a_new_topic_before_its_controller_does_make_no_third_one() -> None:
    early = leads_with_id(0.9, 1, 0, f"Some({ONE})")
    again = [(source, line.replace("00:00:01", "00:01:01")) for source, line in created()]
    told = stories(
        [
            early,
            *created(),
            online(5, 9, 2, "2,3"),
            leads_with_id(60.9, 1, 0, f"Some({OTHER})"),
            *again,
        ]
    )

    assert [2, 1] == [len(each.leaderships) for each in told]


def test_an_epoch_that_falls_behind_the_lines_of_a_deletion_begins_another_topic() -> None:
    deleted = (
        "[Broker id=2] Deleted partition t-0 from metadata cache in response "
        "to UpdateMetadata request sent by controller 1 epoch 1 with correlation id 3"
    )
    fallen = [leads(1, 2, 7), leads(9, 2, 0)]
    told = stories([fallen[0], ("2", at(5, deleted, "TRACE")), fallen[1]])

    assert [7, 0] == [each.leaderships[0].leader_epoch for each in told]
    assert [] == found(told[0]) + found(told[1])
    assert [AnomalyKind.EPOCH_FELL] == found(story(fallen))


def test_brokers_without_a_line_are_named_and_are_no_part_of_what_is_hidden() -> None:
    told = story([*created(), leads(2, 1, 0)])

    assert (2, 3) == told.silent
    assert not any("2, 3" in line for line in told.hidden)


def test_who_led_in_epochs_that_no_line_tells_is_not_guessed() -> None:
    told = story([*created("1,2"), online(5, 4, 2, "2", version=9), online(6, 5, 1, "1,2")])

    assert [0, 3, 0] == [each.missed for each in told.leaderships]
    assert [Reason.CREATED, Reason.BROKER_GONE] == [each.reason for each in told.leaderships[:2]]
    assert "the leader before was gone, with 3 epochs before it not in these logs" == why_text(
        told.leaderships[1]
    )
    kept = story([*created("1,2"), leads(5, 1, 4)])
    assert [Reason.CREATED, Reason.UNKNOWN] == [each.reason for each in kept.leaderships]
    assert "unknown, with 3 epochs before it not in these logs" == why_text(kept.leaderships[1])


def test_kafka_0_8_says_of_a_new_partition_that_it_was_online() -> None:
    told = story(
        [
            (
                "1",
                at(
                    1,
                    "Controller 1 epoch 3 changed partition [t,0] state from NotExists to New "
                    "with assigned replicas 1",
                    "TRACE",
                ),
            ),
            (
                "1",
                at(
                    1.1,
                    "Controller 1 epoch 3 changed partition [t,0] from OnlinePartition to "
                    "OnlinePartition with leader 1",
                    "TRACE",
                ),
            ),
            (
                "1",
                at(
                    1.2,
                    "Controller 1 epoch 3 sending become-leader LeaderAndIsr request (Leader:1,"
                    "ISR:1,LeaderEpoch:0,ControllerEpoch:3) with correlationId 9 to broker 1 for "
                    "partition [t,0]",
                    "TRACE",
                ),
            ),
        ]
    )

    assert [Reason.CREATED] == [each.reason for each in told.leaderships]
