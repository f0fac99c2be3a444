"""The phase of a migration, by znodes alone: who owns the cluster, who waits for what, what is next
to do, and what must not be done."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cluster.model.ids import BrokerId
from cluster.zk import paths
from kadmin.plan.migration.evidence import Damage, MigrationEvidence
from kadmin.wording import brokers_text, span


class Phase(StrEnum):
    """How far a migration is; an interface for scripts."""

    NOT_BEGUN = "not-begun"
    """No KRaft controller has ever been here."""
    WAITING = "waiting"
    """Controllers have started, and ZooKeeper owns the cluster."""
    COPYING = "copying"
    """A KRaft controller owns the cluster, and has not copied it."""
    DUAL_WRITE = "dual-write"
    """Brokers are registered in ZooKeeper; what the controllers write is written there, too."""
    KRAFT = "kraft"
    """No broker is registered in ZooKeeper: all run on KRaft, or are down."""
    LEFT_BEHIND = "left-behind"
    """ZooKeeper owns the cluster again, and `/migration` is still that of the migration."""


MEANINGS: Final[Mapping[Phase, str]] = {
    Phase.NOT_BEGUN: "no migration has begun",
    Phase.WAITING: "KRaft controllers have started, and ZooKeeper owns the cluster",
    Phase.COPYING: "a KRaft controller owns the cluster, and has not finished the copy",
    Phase.DUAL_WRITE: "KRaft owns the cluster, and writes ZooKeeper, too",
    Phase.KRAFT: "KRaft owns the cluster, and no broker is registered in ZooKeeper",
    Phase.LEFT_BEHIND: "ZooKeeper owns the cluster, and /migration is left of a migration",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationStatus:
    """*since_ms* is when the wait began, in later phases when the present controller was elected;
    *registered* are the brokers in ZooKeeper, *gone* those that have replicas and are not there.
    *waits*, *next_steps* and *never* are sentences, the last ones with their reasons; *command*
    shows more.  Where znodes are *unreadable*, the phase may be another."""

    phase: Phase
    now_ms: int
    since_ms: int | None
    owner: BrokerId | None
    is_kraft: bool
    written_ms: int | None
    registered: tuple[BrokerId, ...]
    gone: tuple[BrokerId, ...]
    waits: tuple[str, ...]
    next_steps: tuple[str, ...]
    unreadable: tuple[Damage, ...]
    never: tuple[str, ...]
    command: str

    @property
    def age_text(self) -> str:
        if self.since_ms is None:
            return "since an unknown time"
        return f"for {span(max(0.0, (self.now_ms - self.since_ms) / 1000))}"


def phase_of(evidence: MigrationEvidence) -> Phase:
    controller, migration = evidence.snapshot.controller, evidence.migration
    copied = migration is not None and migration.kraft_metadata_offset > 0
    if controller is not None and controller.is_kraft:
        if not copied:
            return Phase.COPYING
        return Phase.DUAL_WRITE if evidence.snapshot.brokers else Phase.KRAFT
    if copied:
        return Phase.LEFT_BEHIND
    return Phase.WAITING if paths.MIGRATION in evidence.nodes else Phase.NOT_BEGUN


def status(evidence: MigrationEvidence) -> MigrationStatus:
    snapshot = evidence.snapshot
    phase = phase_of(evidence)
    registered = tuple(snapshot.brokers)
    gone = evidence.gone
    controller = snapshot.controller
    node = evidence.nodes.get(paths.MIGRATION)
    is_damaged = phase is Phase.WAITING and evidence.has_damaged_migration
    silence, abort = silence_of(evidence, phase), abort_of(evidence, phase)
    next_steps = NEXT_STEPS[phase]
    if is_damaged:
        next_steps = (MENDING,)
    elif silence or abort:
        next_steps = WHEN_SILENT if silence else WHEN_ABORTED
    return MigrationStatus(
        phase=phase,
        now_ms=evidence.now_ms,
        since_ms=since(evidence, phase),
        owner=None if controller is None else controller.broker_id,
        is_kraft=controller is not None and controller.is_kraft,
        written_ms=None if node is None else node.written_ms,
        registered=registered,
        gone=gone,
        waits=silence or abort or waits_of(phase, registered, gone),
        next_steps=next_steps,
        unreadable=evidence.blind,
        never=NEVER.get(phase, ()),
        command=FIX if is_damaged or abort else COMMANDS[phase],
    )


def since(evidence: MigrationEvidence, phase: Phase) -> int | None:
    """Return when the znode that shows *phase* was created: /controller is at each election."""
    if phase is Phase.NOT_BEGUN:
        return None
    path = paths.MIGRATION if phase is Phase.WAITING else paths.CONTROLLER
    node = evidence.nodes.get(path)
    return None if node is None else node.created_ms


def silence_of(evidence: MigrationEvidence, phase: Phase) -> tuple[str, ...]:
    """Return that no KRaft controller writes, which each does that has not been finalised."""
    node = evidence.nodes.get(paths.MIGRATION)
    if node is None or phase not in (Phase.DUAL_WRITE, Phase.KRAFT):
        return ()
    silent_ms = evidence.now_ms - node.written_ms
    if silent_ms < SILENT_MS:
        return ()
    return (
        f"a KRaft controller to write to ZooKeeper, where none has for {span(silent_ms / 1000)}:"
        " all are down, or finalised",
    )


def abort_of(evidence: MigrationEvidence, phase: Phase) -> tuple[str, ...]:
    """Return that the copy has most likely ended without success: nothing in ZooKeeper shows more
    of that than how long it lasts."""
    begun_ms = since(evidence, phase)
    if phase is not Phase.COPYING or begun_ms is None:
        return ()
    lasted_ms = evidence.now_ms - begun_ms
    if lasted_ms < COPY_MAX_MS:
        return ()
    return (
        f"the copy, which takes seconds and has not ended within {span(lasted_ms / 1000)}: the"
        " controllers have most likely ended, and no broker is the controller",
    )


def waits_of(
    phase: Phase, registered: tuple[BrokerId, ...], gone: tuple[BrokerId, ...]
) -> tuple[str, ...]:
    """Return what is waited for in *phase*."""
    dead = (f"{brokers_text(gone)} with replicas to register",) if gone else ()
    match phase:
        case Phase.WAITING:
            return ("every broker to register with the controllers, in migration mode", *dead)
        case Phase.COPYING:
            return ("the copy, which takes seconds", *dead)
        case Phase.DUAL_WRITE:
            waits = f"{brokers_text(registered)} to be restarted on KRaft"
            if not gone:
                return (waits,)
            return (waits, f"a look at {brokers_text(gone)}, on KRaft or down: {LIVE}")
        case Phase.KRAFT:
            return ("the decision to finalise",)
        case Phase.NOT_BEGUN | Phase.LEFT_BEHIND:
            return ()


SILENT_MS: Final = 15_000
"""Running controllers write `/migration` each half second."""
COPY_MAX_MS: Final = 60_000
"""A copy that lasts longer was aborted: 100,000 partitions take seconds."""
LIVE: Final = "kadmin brokers --list --bootstrap-server HOST:PORT"
NEXT_STEPS: Final[Mapping[Phase, tuple[str, ...]]] = {
    Phase.NOT_BEGUN: ("see that the cluster is ready, then format and start the controllers",),
    Phase.WAITING: (
        "restart the brokers one after the other with zookeeper.metadata.migration.enable,"
        " controller.quorum.voters and controller.listener.names",
        "look for 'No brokers are known to KRaft' and 'Still waiting for' in the log of the active"
        " controller",
    ),
    Phase.COPYING: (
        "if it lasts longer than a minute, the controllers have ended: look at this again",
    ),
    Phase.DUAL_WRITE: (
        "restart the brokers one after the other with process.roles=broker and node.id, without"
        " zookeeper.connect",
        "see that each has left /brokers/ids, and is live by --bootstrap-server, before the next",
    ),
    Phase.KRAFT: (
        f"see that every broker is live in KRaft: {LIVE}",
        "see that ZkWriteBehindLag is 0 on the active controller",
        "restart the controllers without zookeeper.metadata.migration.enable: that is final",
    ),
    Phase.LEFT_BEHIND: ("remove /migration before any KRaft controller is started again",),
}
FIX: Final = "kadmin migration rollback-check --fix"
MENDING: Final = (
    "stop all KRaft controllers, which wait for ever for a /migration that they can read, and"
    " remove it (KAFKA-19480)"
)
WHEN_SILENT: Final = (
    "see whether a controller is there: kadmin controller --bootstrap-server HOST:PORT",
    "where one is, it was finalised: ZooKeeper is out of date, and no longer needed once all"
    " brokers are on KRaft",
    "where none is, start the controllers again, with the settings that they had",
)
WHEN_ABORTED: Final = (
    "see why in the logs of the controllers: 'Aborting the metadata migration' names the znode;"
    " where nothing of that is there, start them again, and the copy begins anew",
    "otherwise stop all controllers, give the cluster back to ZooKeeper by the command below, and"
    " mend what the log names",
)
COMMANDS: Final[Mapping[Phase, str]] = {
    Phase.NOT_BEGUN: "kadmin migration check",
    Phase.WAITING: "kadmin migration check",
    Phase.COPYING: "kadmin migration rollback-check",
    Phase.DUAL_WRITE: "kadmin migration rollback-check",
    Phase.KRAFT: "kadmin migration rollback-check",
    Phase.LEFT_BEHIND: FIX,
}
"""What shows more of each phase."""
NO_RESTART: Final = (
    "never start a new, empty quorum of controllers now: it takes the copy for done and deletes all"
    " topics (Strimzi#11262)"
)
NEVER: Final[Mapping[Phase, tuple[str, ...]]] = {
    Phase.WAITING: (
        "never reassign partitions or add brokers now: the copy waits for every broker that has"
        " replicas",
    ),
    Phase.COPYING: (
        "never delete /controller while a KRaft controller runs: two controllers would write",
    ),
    Phase.DUAL_WRITE: (
        NO_RESTART,
        "never delete /controller while a KRaft controller runs: two controllers would write",
        "never write to ZooKeeper with other tools: KRaft overwrites it (KIP-866)",
        "never finalise while brokers are registered in ZooKeeper: they lose their controller"
        " (KAFKA-20960)",
    ),
    Phase.KRAFT: (
        NO_RESTART,
        "never roll back after the controllers were finalised: ZooKeeper is out of date then",
    ),
    Phase.LEFT_BEHIND: (NO_RESTART,),
}
