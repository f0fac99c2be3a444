"""Throttles of reassignments: set under a journal, and put back by it.

The journal is always ahead: it is written before a throttle is set, and cleared when it has been
put back.  A crash in between leaves entries for throttles that are not set, or no more; for these
nothing is put back, since the value is not the one in the journal.  A throttle is written only
while the journal that names it is current: a client that clears the journal before keeps the
throttle from being set.

The journal is written once more when all are set: a client that read it before that, and would
clear it since nothing was set yet, finds another revision and reads again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigEntity, EntityKind, broker_entity, topic_entity
from cluster.model.ids import BrokerId
from cluster.model.outcome import Committed
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import Fence, KeptRun, ReassignmentAdmin
from kadmin.execute.commit import ATTEMPTS_MAX, ChangedInBetween
from kadmin.execute.unreadable import Unreadable
from kadmin.plan.config_plan import ConfigPlan
from kadmin.plan.config_warnings import Surroundings
from kadmin.plan.reassignment.dir_moves import running_dir_moves
from kadmin.plan.reassignment.journal import (
    Owner,
    ThrottleJournal,
    owned,
    put_back_plans,
    recorded,
    reunited,
    still_recorded,
    throttle_plans,
)
from kadmin.plan.reassignment.status import active_partitions
from kadmin.plan.reassignment.throttles import (
    LOG_DIR_RATE,
    THROTTLES,
    ThrottlesNow,
    throttles_in,
)

REASON = "another process keeps changing the same throttles"


def set_throttles(
    admin: ReassignmentAdmin,
    snapshot: ClusterSnapshot,
    wanted: Mapping[ConfigEntity, Mapping[str, str]],
    owner: Owner | None = None,
    run: KeptRun | None = None,
) -> frozenset[ConfigEntity]:
    """Set all that is *wanted* for *owner*, and keep in the journal what was there before.

    Nothing is written once the journal of a supervised *run* is another one.

    A broker that is not alive is left out where its configs cannot be read, and so is one that does
    not answer, if *admin* leaves those out: these are returned, and with them those that *snapshot*
    has and that have died since.

    Raises:
        Unreadable: configs of one that is to be slowed down are damaged; no throttle is set.
        UnknownToBrokers: a live broker is too old for throttles; none is set.
        ChangedInBetween: the cluster never stood still.
    """
    oldest = Surroundings(brokers=snapshot.brokers).oldest_registration
    dead = {subjects.config(entity) for entity in wanted if is_dead(entity, snapshot)}
    mine = ThrottleJournal()
    has_set = False
    for _ in range(ATTEMPTS_MAX):
        fence, journal = replace(admin.fence(), run=run), admin.journal()
        configs, faults = admin.configs.read(list(wanted))
        silent = {fault.subject for fault in faults if fault.is_temporary}
        for fault in faults:
            if fault.subject not in dead | silent | set(map(subjects.config, configs)):
                raise Unreadable(fault)
        plans = throttle_plans(wanted, configs, oldest)
        kept = recorded(reunited(journal, mine), plans)
        if owner is not None:
            kept = owned(kept, owner)
        if has_set or kept != journal:
            written = replace(kept, revision=journal.revision + 1)
            if not is_done(admin.write_journal(fence, written)):
                continue
            mine = kept
            journal = admin.journal()
            if replace(journal, zk_version=written.zk_version) != written:
                continue
        if not plans:
            return frozenset(each for each in wanted if subjects.config(each) in silent - dead)
        has_set = True
        write_all(admin, replace(fence, lease=journal.zk_version), plans)
    raise ChangedInBetween(REASON)


def put_throttles_back(
    admin: ReassignmentAdmin,
    look: Callable[[], ClusterSnapshot],
    brokers: Sequence[BrokerId],
    run: KeptRun | None = None,
) -> ThrottlesNow | None:
    """Take away what reassignments have set, and put back what was there before; None, and nothing
    is done, while something moves: it may be meant for that.

    *look* reads all topics.  Foreign throttles are looked for at all topics, at live brokers, and
    at *brokers*.  *run* is as for `set_throttles`.

    Raises:
        ChangedInBetween: the cluster never stood still.
    """
    for _ in range(ATTEMPTS_MAX):
        # The journal first: a client that sets throttles after that changes it, which the fence
        # detects.
        fence, journal = replace(admin.fence(), run=run), admin.journal()
        snapshot = look()
        if active_partitions(snapshot) or copies_between_dirs(admin, journal):
            return None
        damaged = {fault.subject for fault in snapshot.faults}
        entities = {broker_entity(broker) for broker in (*snapshot.brokers, *brokers)}
        entities |= {topic_entity(name) for name in slowed_topics(snapshot)}
        entities |= {entity for entity in journal.entries if is_there(entity, snapshot)}
        configs, faults = admin.configs.read(sorted(entities))
        damaged |= {fault.subject for fault in faults}
        silent = {fault.subject for fault in faults if fault.is_temporary}
        oldest = Surroundings(brokers=snapshot.brokers).oldest_registration
        plans = put_back_plans(journal, configs, oldest)
        if not write_all(admin, replace(fence, lease=journal.zk_version), plans):
            continue
        hidden = {
            entity: keys for entity, keys in journal.entries.items() if is_hidden(entity, damaged)
        }
        known = still_recorded(journal, configs)
        left = replace(known, entries={**known.entries, **hidden})
        if left != journal and not is_done(admin.write_journal(fence, left)):
            continue
        after = {**configs, **{plan.entity: plan.after for plan in plans}}
        return ThrottlesNow(
            cleared=tuple(plan.entity for plan in plans),
            restored={
                plan.entity: {
                    change.name: plan.after.values[change.name]
                    for change in plan.changes
                    if change.name in plan.after.values
                }
                for plan in plans
            },
            foreign=throttles_in(after),
            silent=tuple(entity for entity in hidden if subjects.config(entity) in silent),
        )
    raise ChangedInBetween(REASON)


def copies_between_dirs(admin: ReassignmentAdmin, journal: ThrottleJournal) -> bool:
    """Return whether a broker copies a replica to another log directory, and by *journal*
    slowly."""
    slowed = [
        entity
        for entity, keys in journal.entries.items()
        if entity.kind is EntityKind.BROKERS and LOG_DIR_RATE in keys
    ]
    return bool(slowed) and any(
        broker_entity(move.replica.broker) in slowed
        for move in running_dir_moves(admin.log_dirs(None) or {})
    )


def write_all(admin: ReassignmentAdmin, fence: Fence, plans: Sequence[ConfigPlan]) -> bool:
    """Return whether all *plans* were written; those before one that was not were."""
    return all(is_done(admin.configs.write(fence, plan)) for plan in plans)


def is_done(outcome: object) -> bool:
    return isinstance(outcome, Committed)


def slowed_topics(snapshot: ClusterSnapshot) -> list[str]:
    return [
        topic.name for topic in snapshot.topics.values() if topic.config.values.keys() & THROTTLES
    ]


def is_there(entity: ConfigEntity, snapshot: ClusterSnapshot) -> bool:
    """Return whether it can have configs still: a broker has them also when it is not alive."""
    return entity.kind is EntityKind.BROKERS or entity.root.name in snapshot.topics


def is_dead(entity: ConfigEntity, snapshot: ClusterSnapshot) -> bool:
    is_broker = entity.kind is EntityKind.BROKERS
    return is_broker and BrokerId(int(str(entity.root.name))) not in snapshot.brokers


def is_hidden(entity: ConfigEntity, damaged: set[subjects.Subject]) -> bool:
    """Return whether *entity*, or what it has, is there but cannot be understood."""
    return subjects.config(entity) in damaged or subjects.topic(str(entity.root.name)) in damaged
