"""Brokers and the controller: who is missing, failed, different, or overloaded?"""

from dataclasses import replace
from enum import StrEnum

import pytest

from cluster.model import fault as subjects
from cluster.model.controller import Controller, ControllerEpochNode, Quorum, QuorumReplica
from cluster.model.fault import Fault
from cluster.model.ids import BrokerId, ControllerEpoch, ZkVersion
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.api_versions import Versions
from kadmin.plan.check.brokers import broker_findings
from kadmin.plan.check.evidence import Evidence
from kadmin.plan.check.findings import Finding, Kind, Severity
from kadmin.plan.check.partitions import partition_findings
from kadmin.plan.log_dirs import LogDir
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.plan.migration.evidence import migrating

STARTED_MS = 1_700_000_000_000
LATER_MS = STARTED_MS + 3_600_000
B0, B1, B2 = (BrokerId(number) for number in range(3))


def found(evidence: Evidence) -> list[tuple[Severity, StrEnum, str]]:
    return [(each.severity, each.kind, each.text) for each in broker_findings(evidence)]


def seen(snapshot: ClusterSnapshot) -> Evidence:
    return Evidence(snapshot=snapshot, now_ms=LATER_MS)


def test_a_sound_cluster_has_no_findings() -> None:
    sound = cluster(brokers("0:a 1:b 2:b"), topic("t", "0,1 1,0"))

    assert [] == found(seen(sound))


def test_a_cluster_without_a_controller() -> None:
    sound = cluster(brokers("0"))
    fault = Fault(
        subject=subjects.CONTROLLER, where="/controller", version=1, reason="", text="damaged"
    )
    stranger = Controller(broker_id=BrokerId(9))
    kraft = Controller(broker_id=BrokerId(3000), version=2, kraft_controller_epoch=7)

    def critical(snapshot: ClusterSnapshot) -> list[str]:
        return [text for severity, _, text in found(seen(snapshot)) if severity == "critical"]

    assert ["no broker is the controller: no leaders are elected"] == critical(
        replace(sound, controller=None)
    )
    assert [] == critical(replace(sound, controller=None, faults=(fault,)))
    assert ["broker 9 is the controller, and not registered"] == critical(
        replace(sound, controller=stranger)
    )
    assert [] == critical(replace(sound, controller=kraft))
    assert ["no broker is alive"] == critical(cluster(brokers("")))


def test_a_cluster_that_kraft_owns_and_has_not_copied_elects_no_leaders() -> None:
    """As a real controller of 3.9.1 left it that was killed while it copied."""
    kraft = Controller(broker_id=BrokerId(3000), version=2, kraft_controller_epoch=7)

    text = (
        "KRaft controller 3000 owns the cluster, and has not copied it as far as /migration shows:"
        " until it has, no leaders are elected"
    )
    assert [(Severity.WARNING, Kind.CONTROLLER, text)] == found(
        seen(replace(cluster(brokers("0")), controller=kraft))
    )


def node(number: int, fetched_ms: int | None, end: int, *, is_voter: bool = True) -> QuorumReplica:
    return QuorumReplica(
        node_id=BrokerId(number),
        is_voter=is_voter,
        log_end_offset=end,
        last_fetch_ms=fetched_ms,
        last_caught_up_ms=LATER_MS,
    )


LEADER = node(100, None, 50)
HERE = LATER_MS - 500
GONE = LATER_MS - 35_000


@pytest.mark.parametrize(
    ("others", "texts"),
    [
        ((), []),
        ((node(101, HERE, 50), node(102, HERE, 49)), []),
        (
            (node(101, HERE, 50), node(102, GONE, 20)),
            [
                "voter 102 of the metadata quorum has not fetched the metadata log for 35 s and is"
                " 30 records behind: 2 of 3 voters fetch, and without one more it stands still"
            ],
        ),
        (
            (node(101, HERE, 50), node(102, HERE, 50), node(103, HERE, 50), node(104, None, -1)),
            [
                "voter 104 of the metadata quorum has not fetched the metadata log from its leader:"
                " 4 of 5 voters fetch, and 1 more may fail"
            ],
        ),
        (
            (
                node(0, HERE, 50, is_voter=False),
                node(1, GONE, -1, is_voter=False),
                node(101, GONE, -1, is_voter=False),
            ),
            [
                "broker 1 has not fetched the metadata log for 35 s",
                # A controller that is no voter, or no voter any more.
                "observer 101 has not fetched the metadata log for 35 s",
            ],
        ),
    ],
)
def test_nodes_that_do_not_follow_the_metadata_quorum(
    others: tuple[QuorumReplica, ...], texts: list[str]
) -> None:
    quorum = Quorum(
        leader_id=BrokerId(100), leader_epoch=3, high_watermark=50, replicas=(LEADER, *others)
    )
    kraft = Controller(broker_id=BrokerId(100), kraft_controller_epoch=3)

    findings = found(seen(replace(cluster(brokers("0 1")), controller=kraft, quorum=quorum)))

    assert [(Severity.WARNING, Kind.QUORUM, text) for text in texts] == findings


def test_no_node_is_silent_where_the_quorum_does_not_say_when_it_fetched() -> None:
    """Before Kafka 3.4."""
    old = replace(LEADER, last_caught_up_ms=None)
    quorum = Quorum(
        leader_id=BrokerId(100),
        leader_epoch=3,
        high_watermark=50,
        replicas=(old, replace(node(101, None, 50), last_caught_up_ms=None)),
    )

    assert [] == found(seen(replace(cluster(brokers("0")), quorum=quorum)))


def test_a_broker_that_the_controller_has_fenced_is_no_dead_one() -> None:
    snapshot = replace(cluster(brokers("0"), topic("t", "0,7")), fenced=frozenset({BrokerId(7)}))

    texts = [text for _, kind, text in found(seen(snapshot)) if kind is Kind.DEAD_BROKER]

    assert ["broker 7 is fenced: 1 replica, the preferred leader of 0 partitions"] == texts


def test_brokers_on_kraft_are_not_dead_because_zookeeper_does_not_show_them() -> None:
    found_in = migrating(40, live="0").snapshot
    none_left = migrating(40, live="").snapshot

    assert [
        (
            Severity.NOTE,
            Kind.DEAD_BROKER,
            "broker 1 is not registered in ZooKeeper, which KRaft's brokers leave: see whether it"
            " is live by --bootstrap-server",
        )
    ] == found(seen(found_in))
    assert [Severity.NOTE] == [severity for severity, *_ in found(seen(none_left))]
    assert not [*partition_findings(none_left, 1)]


def test_a_dead_broker_is_told_with_what_it_has() -> None:
    snapshot = cluster(brokers("0"), topic("t", "0,7 7,0 7,0"))
    damaged = Fault(
        subject=subjects.broker(7), where="/brokers/ids/7", version=1, reason="", text="damaged"
    )

    assert [
        (
            Severity.WARNING,
            Kind.DEAD_BROKER,
            "broker 7 is dead: 3 replicas, the preferred leader of 2 partitions",
        )
    ] == found(seen(snapshot))
    assert [] == found(seen(replace(snapshot, faults=(damaged,))))


def test_a_broker_that_came_a_moment_ago_is_a_note() -> None:
    evidence = Evidence(snapshot=cluster(brokers("0")), now_ms=STARTED_MS + 42_000)

    assert [(Severity.NOTE, Kind.RESTARTED, "broker 0 registered 42 s ago")] == found(evidence)


def test_brokers_that_came_together_are_one_note() -> None:
    snapshot = cluster(brokers("0 1 2 3"))
    of_one = replace(snapshot.brokers[BrokerId(1)], timestamp_ms=STARTED_MS + 12_000)
    long_there = replace(snapshot.brokers[BrokerId(3)], timestamp_ms=STARTED_MS - 3_600_000)
    snapshot = replace(
        snapshot, brokers={**snapshot.brokers, BrokerId(1): of_one, BrokerId(3): long_there}
    )
    evidence = Evidence(snapshot=snapshot, now_ms=STARTED_MS + 42_000)

    expected = "brokers 0, 1 and 2 registered 30 to 42 s ago"
    assert [(Severity.NOTE, Kind.RESTARTED, expected)] == found(evidence)


@pytest.mark.parametrize(
    ("served_by_two", "severities"),
    [
        ({1: Versions(0, 17), 6: Versions(0, 8)}, [Severity.NOTE]),
        ({1: Versions(0, 13), 6: Versions(0, 8)}, [Severity.NOTE, Severity.WARNING]),
    ],
    ids=["one release", "two releases"],
)
def test_brokers_on_kraft_beside_others_are_in_a_migration(
    served_by_two: dict[int, Versions], severities: list[Severity]
) -> None:
    on_kraft = {1: Versions(0, 17), 55: Versions(0, 2)}
    evidence = replace(
        seen(cluster(brokers("0 1 2"))), apis={B0: on_kraft, B1: on_kraft, B2: served_by_two}
    )

    findings = found(evidence)

    assert severities == [severity for severity, _, _ in findings]
    note = "brokers 0 and 1 run on KRaft and broker 2 over ZooKeeper: a migration is under way"
    assert (Severity.NOTE, Kind.VERSIONS, note) == findings[0]


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (None, "/controller_epoch is missing: no controller can write anything"),
        (0, "/controller_epoch is 0, and partitions have states of epoch 1: brokers that know it"),
        (1, None),
        (2, None),
    ],
    ids=["missing", "lowered", "of the states", "later"],
)
def test_an_epoch_with_which_no_controller_can_act_is_critical(
    node: int | None, text: str | None
) -> None:
    epoch = None if node is None else ControllerEpochNode(ControllerEpoch(node), ZkVersion(1))
    snapshot = replace(cluster(brokers("0"), topic("t", "0")), controller_epoch=epoch)
    by_brokers = replace(snapshot, controller=Controller(broker_id=B0))
    unread = Fault(
        subject=subjects.CONTROLLER_EPOCH, where="/controller_epoch", version=1, reason="", text="x"
    )

    told = [each for each in found(seen(snapshot)) if each[1] is Kind.CONTROLLER]
    others = [
        each
        for other in (by_brokers, replace(snapshot, faults=(unread,)))
        for each in found(seen(other))
        if each[1] is Kind.CONTROLLER
    ]

    assert [] == others
    assert (text is None) == (told == [])
    for severity, _, said in told:
        assert severity is Severity.CRITICAL
        assert said.startswith(str(text))


def test_what_brokers_tell_of_themselves() -> None:
    evidence = replace(
        seen(cluster(brokers("0 1 2"))),
        log_dirs={B0: (LogDir(path="/a"), LogDir(path="/b", error_code=56))},
        apis={
            B0: {1: Versions(0, 13), 2: Versions(0, 5)},
            B2: {1: Versions(0, 17), 2: Versions(0, 5)},
        },
        silent_brokers=(B1,),
    )

    assert [
        (Severity.WARNING, Kind.SILENT_BROKER, "broker 1 is registered and did not answer"),
        (Severity.CRITICAL, Kind.LOG_DIR, "log directory /b of broker 0 has failed"),
        (
            Severity.WARNING,
            Kind.VERSIONS,
            "brokers are of different releases: broker 0; broker 2 (by 1 request)",
        ),
    ] == found(evidence)


def test_racks_that_some_brokers_have_not() -> None:
    assert [(Severity.WARNING, Kind.RACKS, "brokers 1 and 2 have no rack, and others have")] == (
        found(seen(cluster(brokers("0:a 1 2"))))
    )


def test_partitions_on_fewer_racks_than_there_are_replicas() -> None:
    snapshot = cluster(
        brokers("0:a 1:a 2:b"),
        topic("crowded", "0,1 0,2 1,0"),
        topic("whole", "0,1,2 2"),
        topic("unknown", "0,7"),
    )
    findings: list[Finding] = [
        each for each in broker_findings(seen(snapshot)) if each.kind is Kind.RACKS
    ]

    assert ["2 partitions of 1 topic are on fewer racks than there are replicas"] == [
        each.text for each in findings
    ]
    assert ["crowded-0", "crowded-2"] == [str(each) for each in findings[0].partitions]


def test_skew_is_told_where_there_is_enough_to_spread() -> None:
    uneven = topic("t", " ".join(["0,1"] * 18 + ["1,2"] * 2))

    assert [
        (
            Severity.NOTE,
            Kind.SKEW,
            "replicas are spread unevenly: broker 1 +50%, broker 2 -85%",
        ),
        (
            Severity.NOTE,
            Kind.SKEW,
            "leaders are spread unevenly: broker 0 +170%, broker 1 -70%, broker 2 -100%",
        ),
    ] == found(seen(cluster(brokers("0 1 2"), uneven)))
    assert [] == found(seen(cluster(brokers("0 1 2"), topic("t", "0,1 0,1"))))


def test_a_broker_that_nobody_can_reach_is_told_once() -> None:
    sound = brokers("0 1 2")
    nowhere = [replace(each, host="", port=-1) for each in sound[B1].endpoints]
    live = {
        **sound,
        B0: replace(sound[B0], endpoints=()),
        B1: replace(sound[B1], endpoints=tuple(nowhere)),
    }
    evidence = replace(seen(cluster(live, topic("t", "0,1,2"))), silent_brokers=(B0, B1, B2))

    assert [
        (
            Severity.WARNING,
            Kind.SILENT_BROKER,
            "brokers 0 and 1 are registered with no address: nobody can reach them",
        ),
        (Severity.WARNING, Kind.SILENT_BROKER, "broker 2 is registered and did not answer"),
    ] == found(evidence)


def test_addresses_that_lead_elsewhere_are_told() -> None:
    sound = brokers("0 1 2 3")
    (endpoint,) = sound[B0].endpoints
    wildcard = replace(endpoint, host="0.0.0.0")
    live = {
        **sound,
        B1: replace(sound[B1], endpoints=(endpoint, replace(endpoint, listener="OTHER"))),
        B2: replace(sound[B2], endpoints=(wildcard,)),
    }

    assert [
        f"broker 2 is registered with {wildcard.address}: clients look for it on their own machine",
        f"brokers 0 and 1 share the address {endpoint.address}: clients reach only one of them"
        " there",
    ] == [text for _, _, text in found(seen(cluster(live, topic("t", "0,1,2,3"))))]


def test_brokers_are_neither_dead_nor_missing_where_they_may_not_be_seen() -> None:
    fault = Fault(
        subject=subjects.BROKERS, where="/brokers/ids", version=None, reason="", text="hidden"
    )

    assert [] == found(seen(cluster({}, topic("t", "0,1"), faults=(fault,))))
