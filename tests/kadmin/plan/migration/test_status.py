"""How far a migration is, and the way back: is the phase told by znodes alone, and the one write
planned that mends epochs?"""

from dataclasses import replace

import pytest

from cluster.model.cluster import ProducerIdBlock
from cluster.model.ids import BrokerId, ControllerEpoch, TopicPartition, ZkVersion
from cluster.model.token import DelegationToken
from cluster.zk import paths
from kadmin.plan.migration.evidence import Damage, MigrationEvidence, NodeTimes
from kadmin.plan.migration.preview import preview
from kadmin.plan.migration.rollback import RollbackReport, rollback, stranded_text
from kadmin.plan.migration.status import Phase, status
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.plan.migration.evidence import NOW_MS, calm, migrating, with_snapshot


def copying(seconds: int) -> MigrationEvidence:
    """A KRaft controller has taken the cluster so long ago, and not copied it."""
    found = migrating(-1)
    node = NodeTimes(NOW_MS - 1000 * seconds, NOW_MS - 1000 * seconds, 0)
    return replace(found, nodes={**found.nodes, paths.CONTROLLER: node})


@pytest.mark.parametrize(
    ("evidence", "phase", "next_step"),
    [
        (calm(), Phase.NOT_BEGUN, "format and start the controllers"),
        (migrating(-1, owner="zookeeper"), Phase.WAITING, "migration.enable"),
        (migrating(-1), Phase.COPYING, "give the cluster back"),
        (copying(59), Phase.COPYING, "look at this again"),
        (migrating(40), Phase.DUAL_WRITE, "process.roles=broker"),
        (migrating(40, live=""), Phase.KRAFT, "that is final"),
        (migrating(40, owner="zookeeper"), Phase.LEFT_BEHIND, "remove /migration"),
        (migrating(40, owner="nobody"), Phase.LEFT_BEHIND, "remove /migration"),
    ],
)
def test_znodes_alone_show_the_phase_and_what_is_next(
    evidence: MigrationEvidence, phase: Phase, next_step: str
) -> None:
    found = status(evidence)

    assert (phase, True) == (found.phase, any(next_step in step for step in found.next_steps))


def test_who_is_not_in_zookeeper_any_more_is_named() -> None:
    found = status(migrating(40, live="0"))

    assert ((0,), (1,)) == (found.registered, found.gone)
    assert any("brokers 0" in text or "broker 0" in text for text in found.waits)


@pytest.mark.parametrize("live", ["0 1", ""], ids=["dual-write", "kraft"])
def test_controllers_that_write_no_more_are_all_that_is_waited_for(live: str) -> None:
    found = migrating(40, live=live)
    node = NodeTimes(NOW_MS - 90_000, NOW_MS - 60_000, 7)
    silent = replace(found, nodes={**found.nodes, paths.MIGRATION: node})

    assert not any("none has for" in text for text in status(found).waits)
    (waits,) = status(silent).waits
    assert "none has for 60 s: all are down, or finalised" in waits
    assert not any("restart the" in text for text in status(silent).next_steps)
    if not live:
        # There is no way back from finalised controllers, whatever ZooKeeper has.
        report = rollback(at_epoch(silent, 40))
        assert "if they were finalised, there is no way back" in report.blockers[0]
        assert (status(silent).next_steps, (), None) == (report.steps, report.stranded, report.fix)


def test_a_copy_that_does_not_end_was_aborted() -> None:
    found = status(copying(90))

    (waits,) = found.waits
    assert "has not ended within 90 s: the controllers have most likely ended" in waits
    assert found.command == "kadmin migration rollback-check --fix"
    assert rollback(copying(90)).is_safe


@pytest.mark.parametrize(
    ("damage", "is_safe", "fix"),
    [
        # No controller can read it, and none goes on before it is gone (KAFKA-19480).
        (Damage(paths.MIGRATION, "is not JSON"), True, ["delete /migration"]),
        (Damage(paths.MIGRATION, "may not be read", True), False, []),
        (Damage(paths.CONTROLLER, "is not JSON"), False, []),
        (Damage(paths.CONTROLLER_EPOCH, "is not JSON"), False, []),
        (Damage(paths.BROKER_IDS, "may not be read", True), False, []),
        (Damage(paths.state("t", 0), "may not be read", True), False, []),
    ],
)
def test_what_cannot_be_read_is_not_taken_as_healthy(
    damage: Damage, *, is_safe: bool, fix: list[str]
) -> None:
    waiting = migrating(-1, owner="zookeeper")
    report = rollback(replace(waiting, migration=None, damages=(damage,)))
    written = [] if report.fix is None else report.fix.lines()

    assert (is_safe, fix) == (report.is_safe, [line.partition(":")[0] for line in written])
    assert is_safe or damage.path in report.blockers[0]


def test_a_phase_that_cannot_be_known_is_not_shown_as_one_that_is() -> None:
    damage = Damage(paths.MIGRATION, "is not JSON")
    found = status(replace(migrating(-1, owner="zookeeper"), migration=None, damages=(damage,)))

    assert ((damage,), "kadmin migration rollback-check --fix") == (
        found.unreadable,
        found.command,
    )


def at_epoch(evidence: MigrationEvidence, epoch: int) -> MigrationEvidence:
    """The same, its partitions written under the controller epoch *epoch*."""
    topics = {
        name: replace(
            each,
            states={
                number: state._replace(controller_epoch=ControllerEpoch(epoch))
                for number, state in each.states.items()
            },
        )
        for name, each in evidence.snapshot.topics.items()
    }
    return replace(evidence, snapshot=replace(evidence.snapshot, topics=topics))


@pytest.mark.parametrize(
    ("evidence", "is_safe", "first_step", "fix"),
    [
        (calm(), False, None, []),
        (migrating(-1, owner="zookeeper"), True, "stop all KRaft controllers", []),
        (
            migrating(40),
            True,
            "stop all KRaft controllers",
            ["delete /controller", "delete /migration"],
        ),
        (migrating(-1), True, "stop all KRaft", ["delete /controller", "delete /migration"]),
        # Broker 1 runs on KRaft: it has to be restarted first, and nothing is written before.
        (migrating(40, live="0"), False, "restart the brokers that run on KRaft", []),
        (migrating(40, live=""), False, "restart the brokers that run on KRaft", []),
        (
            migrating(40, owner="zookeeper"),
            True,
            "kadmin migration rollback-check --fix",
            ["delete /migration"],
        ),
        (
            migrating(40, owner="nobody"),
            True,
            "kadmin migration rollback-check --fix",
            ["delete /migration"],
        ),
        # Under KRaft the epochs in ZooKeeper are those of the quorum (KAFKA-20488).
        (
            at_epoch(migrating(40, kraft_epoch=9), 9),
            True,
            "stop all KRaft controllers",
            ["set /controller_epoch: 2 -> 9", "delete /controller", "delete /migration"],
        ),
        # An operator has deleted /migration by hand, and these are left.
        (
            at_epoch(calm(), 9),
            True,
            "kadmin migration rollback-check --fix",
            ["set /controller_epoch: 1 -> 9", "delete /controller"],
        ),
        # The controller that was elected after a rollback has epoch 2, and cannot write these.
        (
            at_epoch(migrating(40, owner="zookeeper"), 9),
            True,
            "kadmin migration rollback-check --fix",
            ["set /controller_epoch: 2 -> 9", "delete /controller", "delete /migration"],
        ),
    ],
)
def test_the_way_back(
    evidence: MigrationEvidence, is_safe: bool, first_step: str | None, fix: list[str]
) -> None:
    report = rollback(evidence)
    written = [] if report.fix is None else report.fix.lines()

    assert is_safe == report.is_safe
    assert fix == [line.partition(": a ")[0].partition(": nothing")[0] for line in written]
    assert first_step is None or report.steps[0].startswith(first_step)


def stranded(report: RollbackReport) -> list[TopicPartition]:
    return list(report.stranded)


@pytest.mark.parametrize(
    ("owner", "epoch", "count"),
    [
        # The next controller has epoch 3.
        ("kraft", 3, 0),
        ("kraft", 4, 2),
        # This one has 2.
        ("zookeeper", 2, 0),
        ("zookeeper", 3, 2),
    ],
)
def test_partitions_of_a_later_epoch_are_stranded(owner: str, epoch: int, count: int) -> None:
    report = rollback(at_epoch(migrating(40, owner=owner), epoch))
    text = stranded_text(report)

    assert (count, 2, epoch) == (
        len(stranded(report)),
        report.controller_epoch,
        report.newest_epoch,
    )
    assert (count > 0) == (text is not None and f"up to {epoch}" in text)


def test_the_fix_names_the_versions_that_it_was_planned_from() -> None:
    fix = rollback(migrating(40)).fix

    assert fix is not None
    assert (ZkVersion(2), ZkVersion(0), ZkVersion(7)) == (
        fix.epoch_zk_version,
        fix.controller_zk_version,
        fix.migration_zk_version,
    )


def test_a_preview_leaves_out_what_waits_for_its_deletion() -> None:
    token = DelegationToken(
        token_id="x",
        owner="User:a",
        requester="User:a",
        renewers=(),
        issue_timestamp_ms=1,
        expiry_timestamp_ms=2,
        max_timestamp_ms=3,
    )
    evidence = with_snapshot(
        cluster(
            brokers("0 1"),
            topic("t", "0,1 1,0", configs={"retention.ms": "1"}),
            topic("u", "0,1", marked=True, configs={"retention.ms": "1"}),
        ),
        tokens=(token,),
        producer_ids=ProducerIdBlock(broker_id=BrokerId(0), first=0, last=999),
    )
    found = preview(evidence)

    assert {
        "TOPIC_RECORD": 1,
        "PARTITION_RECORD": 2,
        "CONFIG_RECORD": 1,
        "DELEGATION_TOKEN_RECORD": 1,
        "PRODUCER_IDS_RECORD": 1,
    } == found.records
    assert (6, 1, ("u",)) == (found.total, found.batches, found.uncopied)
