"""The way back to ZooKeeper: is it safe now, in which order, and which write does it need?"""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from cluster.model.ids import TopicPartition, ZkVersion
from cluster.zk import paths
from kadmin.plan.migration.evidence import MigrationEvidence
from kadmin.plan.migration.status import FIX, WHEN_SILENT, Phase, phase_of, silence_of
from kadmin.wording import brokers_text, counted, verb_of

NOTHING_BEGUN: Final = "no migration has begun: there is nothing to roll back"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """The one write of the way back, on znodes of these versions; None is not touched.

    *epoch* is the new content of `/controller_epoch`: the next controller has one more.
    *removes_controller* gives the cluster to the broker that is elected next.
    """

    epoch_zk_version: ZkVersion
    epoch_now: int
    epoch: int | None
    controller_zk_version: ZkVersion | None
    migration_zk_version: ZkVersion | None

    @property
    def is_empty(self) -> bool:
        changes = (self.epoch, self.controller_zk_version, self.migration_zk_version)
        return all(change is None for change in changes)

    def lines(self) -> list[str]:
        """Return what is written, a line for each znode, in their order."""
        found = []
        if self.epoch is not None:
            found.append(f"set {paths.CONTROLLER_EPOCH}: {self.epoch_now} -> {self.epoch}")
        if self.controller_zk_version is not None:
            found.append(f"delete {paths.CONTROLLER}: a broker is elected")
        if self.migration_zk_version is not None:
            found.append(f"delete {paths.MIGRATION}: nothing is left of the migration")
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackReport:
    """*blockers* are the reasons against it, *steps* the order; *stranded* are partitions whose
    state has a later epoch than the next controller, *newest_epoch* the latest of all; *fix* is the
    write that is due, None where none is."""

    phase: Phase
    is_safe: bool
    blockers: tuple[str, ...]
    steps: tuple[str, ...]
    stranded: tuple[TopicPartition, ...]
    newest_epoch: int
    controller_epoch: int | None
    fix: Fix | None


def rollback(evidence: MigrationEvidence) -> RollbackReport:
    snapshot = evidence.snapshot
    phase = phase_of(evidence)
    epoch = snapshot.controller_epoch
    epochs = Counter(
        state.controller_epoch
        for topic in snapshot.topics.values()
        for state in topic.states.values()
    )
    migration = evidence.migration
    newest = max((*epochs, -1 if migration is None else migration.kraft_controller_epoch))
    if snapshot.controller is not None:
        newest = max(newest, snapshot.controller.kraft_controller_epoch)
    limit = None if epoch is None else epoch_of_next(evidence)
    # Of controllers that were finalised, what is in ZooKeeper strands nothing any more.
    is_silent = phase is Phase.KRAFT and bool(silence_of(evidence, phase))
    stranded = () if limit is None or is_silent else stranded_in(evidence, limit)
    is_due = bool(stranded) or evidence.has_damaged_migration
    blockers = tuple(blockers_of(evidence, phase, is_stranded=bool(stranded)))
    return RollbackReport(
        phase=phase,
        is_safe=not blockers,
        blockers=blockers,
        steps=(
            WHEN_SILENT
            if is_silent
            else steps_of(phase, is_due=is_due, has_blockers=bool(blockers))
        ),
        stranded=stranded,
        newest_epoch=newest,
        controller_epoch=None if epoch is None else epoch.epoch,
        fix=None if blockers else fix_of(evidence, phase, newest),
    )


def epoch_of_next(evidence: MigrationEvidence) -> int:
    """Return the epoch of the controller in ZooKeeper that counts: the present one, or the next
    where there is none of ZooKeeper's."""
    epoch, controller = evidence.snapshot.controller_epoch, evidence.snapshot.controller
    assert epoch is not None
    is_present = controller is not None and not controller.is_kraft
    return epoch.epoch if is_present else epoch.epoch + 1


def stranded_in(evidence: MigrationEvidence, limit: int) -> tuple[TopicPartition, ...]:
    return tuple(
        TopicPartition(topic.name, number)
        for topic in evidence.snapshot.topics.values()
        for number, state in topic.states.items()
        if state.controller_epoch > limit
    )


def blockers_of(evidence: MigrationEvidence, phase: Phase, *, is_stranded: bool) -> list[str]:
    """Return why the way back is closed, or not open yet.

    Partitions may be stranded when nothing else is left of a migration.
    """
    found = [
        f"{each.path} cannot be read: {each.reason}"
        for each in (*evidence.blind, *evidence.unknown_epochs[:1])
        if each.is_hidden or each.path != paths.MIGRATION
    ]
    if phase is Phase.NOT_BEGUN and not (is_stranded or found):
        found.append(NOTHING_BEGUN)
    silence = silence_of(evidence, phase) if phase is Phase.KRAFT else ()
    if silence:
        found.append(
            "no KRaft controller writes to ZooKeeper any more: if they were finalised, there is no"
            " way back; if they are down, they have to be started first"
        )
    elif phase is Phase.KRAFT:
        found.append(
            "no broker is registered in ZooKeeper: restart all brokers in migration mode first"
            " (with zookeeper.connect and zookeeper.metadata.migration.enable), while the"
            " controllers run; there is no way back once these were finalised, and write /migration"
            " no more"
        )
    if phase is Phase.DUAL_WRITE:
        gone = evidence.gone
        if gone:
            found.append(
                f"{brokers_text(gone)} {verb_of(gone, 'is')} not registered in"
                " ZooKeeper: restart each in migration mode first, while the controllers run"
            )
    if paths.CONTROLLER_EPOCH not in evidence.nodes and phase is not Phase.NOT_BEGUN and not found:
        found.append("/controller_epoch is missing")
    return found


def steps_of(phase: Phase, *, is_due: bool, has_blockers: bool) -> tuple[str, ...]:
    """Return the way back in its order, from *phase* on; *is_due* where znodes have to be mended
    in any phase."""
    if phase is Phase.LEFT_BEHIND or (phase is Phase.NOT_BEGUN and is_due):
        return (FIX,)
    if phase is Phase.NOT_BEGUN:
        return ()
    plain = (
        "restart the brokers one after the other without zookeeper.metadata.migration.enable,"
        " controller.quorum.voters and controller.listener.names"
    )
    if phase is Phase.WAITING:
        return ("stop all KRaft controllers", *((FIX,) if is_due else ()), plain)
    first = (
        "restart the brokers that run on KRaft one after the other as ZooKeeper brokers in"
        " migration mode, while the controllers run; delete __cluster_metadata-0 in their log"
        " directories before each start, unless they are 3.7 or later"
    )
    return (
        *((first,) if has_blockers else ()),
        "stop all KRaft controllers, and see that none starts again",
        FIX,
        plain,
        "see that every partition has a leader: kadmin check",
    )


def fix_of(evidence: MigrationEvidence, phase: Phase, newest: int) -> Fix | None:
    """Return the write that gives the cluster back, or mends it afterwards; None where none is
    due."""
    snapshot = evidence.snapshot
    epoch, controller, node = (
        snapshot.controller_epoch,
        snapshot.controller,
        evidence.nodes.get(paths.MIGRATION),
    )
    if epoch is None:
        return None
    is_kraft = controller is not None and controller.is_kraft
    needs_epoch = newest > (epoch.epoch if is_kraft else epoch_of_next(evidence))
    # A controller that is fenced by another epoch has to be elected again.
    removes = controller is not None and (is_kraft or needs_epoch)
    assert controller is not None or not removes
    fix = Fix(
        epoch_zk_version=epoch.epoch_zk_version,
        epoch_now=epoch.epoch,
        epoch=newest if needs_epoch else None,
        controller_zk_version=controller.zk_version if removes and controller else None,
        migration_zk_version=None
        if node is None or (phase is Phase.WAITING and not evidence.has_damaged_migration)
        else ZkVersion(node.zk_version),
    )
    return None if fix.is_empty else fix


def stranded_text(report: RollbackReport) -> str | None:
    """Return what happens to partitions whose epoch is later than the next controller's."""
    if not report.stranded:
        return None
    verb = verb_of(report.stranded, "has")
    return (
        f"{counted(len(report.stranded), 'partition')} {verb} an epoch up to {report.newest_epoch},"
        f" later than that of ZooKeeper's next controller ({report.controller_epoch} is in"
        " /controller_epoch): no controller can change them, and they go offline (KAFKA-20488)"
    )
