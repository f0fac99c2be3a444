"""The throttles of a cluster: read with what they are for, and released once that is over."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigEntity, EntityKind, broker_entity, topic_entity
from cluster.model.fault import Fault
from cluster.model.ids import NEVER_READ, BrokerId
from cluster.model.outcome import Committed
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import Fence, Outcome, ReassignmentAdmin
from kadmin.arguments.entities import EntitySelection, Wanted
from kadmin.arguments.topics import TopicSelection, hint_for
from kadmin.errors import DeniedError
from kadmin.execute.change import Begun, Change, Question, Step
from kadmin.execute.rollback_file import write_rollback_file
from kadmin.execute.supervision.carrying_out import Site
from kadmin.execute.supervision.reading import listed_runs
from kadmin.execute.throttles import is_hidden, is_there, slowed_topics
from kadmin.execute.unreadable import Unreadable, refuse_unreadable
from kadmin.plan.broker_names import refuse_unknown_brokers
from kadmin.plan.config_plan import ConfigPlan
from kadmin.plan.config_warnings import Surroundings
from kadmin.plan.entity_options import options_of
from kadmin.plan.reassignment.standing_throttles import ThrottleView, needed_for
from kadmin.plan.reassignment.throttle_release import Release, plan_release
from kadmin.plan.reassignment.throttles import LOG_DIR_RATE
from kadmin.plan.supervision.run import RunState
from kadmin.plan.topic_refusals import NoSuchTopic
from kadmin.quoting import quoted

RUNS_UNKNOWN: Final = (
    "left out: supervised runs, so that a throttle of one that is interrupted counts as an orphan"
)


def read_throttles(
    site: Site, *, is_read: bool = False
) -> tuple[ThrottleView, Sequence[Fault], Sequence[str]]:
    """Read all throttles, with what they may be for; also what of the configs cannot be read, and
    what is wrong with journals of runs, or which brokers may have more.

    *is_read* is for a command that changes nothing.

    Raises:
        Unreadable: what moves cannot be read.
        RefusedError: the lease of throttles is damaged.
    """
    admin = site.admin
    # The lease first: a client that sets throttles after that changes it.
    journal = admin.journal()
    try:
        runs, damaged = listed_runs(site.store)
    except DeniedError as error:
        if not is_read:
            raise
        runs, damaged = [], [f"{RUNS_UNKNOWN}: {error.message}"]
    snapshot = admin.snapshot(TopicSelection(), with_configs=True)
    needed = {subjects.REASSIGNMENT, subjects.TOPICS, subjects.BROKERS}
    refuse_unreadable(snapshot, needed, is_read=is_read)
    entities: set[ConfigEntity] = set()
    try:
        entities.update(admin.configs.find(EntitySelection(Wanted(EntityKind.BROKERS))))
    except DeniedError as error:
        damaged.append(f"left out: brokers that are not registered: {error.message}")
    entities |= {broker_entity(broker) for broker in snapshot.brokers}
    entities |= {topic_entity(name) for name in slowed_topics(snapshot)}
    entities |= {entity for entity in journal.entries if is_there(entity, snapshot)}
    configs, faults = admin.configs.read(sorted(entities, key=str))
    copies_slowly = any(LOG_DIR_RATE in config.values for config in configs.values())
    open_runs = [(run.run_id, state) for run, state in runs if not state.is_final]
    view = ThrottleView(
        snapshot=snapshot,
        configs=configs,
        journal=journal,
        log_dirs=(admin.log_dirs(None) if copies_slowly else None) or {},
        interrupted=tuple(name for name, state in open_runs if state is RunState.INTERRUPTED),
        supervised=tuple(name for name, state in open_runs if state is not RunState.INTERRUPTED),
    )
    return view, [*snapshot.faults, *faults], damaged


class Releaser:
    """The `Writer` of a `Release`."""

    def __init__(self, admin: ReassignmentAdmin) -> None:
        self.admin = admin

    def fence(self) -> Fence:
        return self.admin.fence()

    def write(self, fence: Fence, plan: Release) -> Outcome:
        """Write the configs and then the lease: after a crash in between it has what is not set any
        more, and no value of it is written again."""
        journal = plan.journal
        lease = None if journal.zk_version == NEVER_READ else journal.zk_version
        leased = replace(fence, lease=lease)
        for each in plan.plans:
            outcome = self.admin.configs.write(leased, each)
            if not isinstance(outcome, Committed):
                return outcome
        if plan.left == journal:
            return Committed()
        return self.admin.write_journal(fence, plan.left)


class Releasing(Change[Release]):
    """The release of orphans, or of all throttles of the brokers and topics that are named.

    What is removed is first kept in a new file, as commands; *with_cluster* adds the options that
    name the cluster.
    """

    def __init__(
        self,
        site: Site,
        *,
        brokers: Iterable[BrokerId],
        topics: Iterable[str],
        rollback_path: str,
        with_cluster: Callable[[str], str],
    ) -> None:
        super().__init__(Releaser(site.admin))
        self.site = site
        self.brokers = tuple(brokers)
        self.topics = tuple(topics)
        self.rollback_path = rollback_path
        self.has_rollback_file = False
        """Whether there is something to be taken back."""
        self.with_cluster = with_cluster
        self.view = ThrottleView(snapshot=ClusterSnapshot(brokers={}, topics={}), configs={})
        self.faults: Sequence[Fault] = ()
        """What could not be read; its throttles, if there are any, stay."""
        self.damaged: Sequence[str] = ()

    @property
    def named(self) -> frozenset[ConfigEntity]:
        entities = (*map(broker_entity, self.brokers), *map(topic_entity, self.topics))
        return frozenset(entities)

    @property
    def need(self) -> str | None:
        """What the throttles of reassignments stay for; None where there is nothing to stay."""
        return needed_for(self.view) if self.view.journal.entries else None

    def steps(self) -> list[Step[Release]]:
        plan = self.replan()
        return [] if plan.is_empty else [Step(plan=plan, replan=self.replan)]

    def replan(self) -> Release:
        self.view, self.faults, self.damaged = read_throttles(self.site)
        snapshot, broken = self.view.snapshot, {fault.subject: fault for fault in self.faults}
        for entity in sorted(self.named, key=str):
            fault = broken.get(subjects.config(entity))
            if fault is not None:
                raise Unreadable(fault)
        known = {broker for broker in self.brokers if broker_entity(broker) in self.view.configs}
        refuse_unknown_brokers(snapshot, set(self.brokers) - known)
        missing = [name for name in self.topics if name not in snapshot.topics]
        if missing:
            raise NoSuchTopic(missing, hint=hint_for(missing, list(snapshot.topics), False))
        hidden = [each for each in self.view.journal.entries if is_hidden(each, set(broken))]
        oldest = Surroundings(brokers=snapshot.brokers).oldest_registration
        return plan_release(self.view, self.named, hidden, oldest)

    def warnings(self, plan: Release) -> Iterator[str]:
        need = needed_for(self.view)
        if plan.own and need is not None:
            yield f"{need}: what an operator has set may be meant for that"
        if self.view.interrupted:
            name = self.view.interrupted[-1]
            yield (
                f"the run {name} is interrupted: 'kadmin reassign resume {name}' sets its throttle"
                " again"
            )

    def question(self, plans: Sequence[Release]) -> Question:
        """Return the question; it is always asked about what an operator has set."""
        count = sum(len(each.changes) for plan in plans for each in plan.plans)
        what = "this throttle" if count == 1 else f"these {count} throttles"
        if not count:
            what = "the record of throttles that are gone"
        own = sum(len(plan.own) for plan in plans)
        if own:
            more = f", {own} of them not set by a reassignment" if own < count else ""
            return Question(f"Release {what}{more}?")
        return Question(f"Release {what}?", is_optional=True)

    def question_again(self, plan: Release, first: Question | None) -> Question:
        return self.question([plan])

    def prepare(self, plans: Sequence[Release]) -> Iterable[Begun]:
        changed = [each for plan in plans for each in plan.plans]
        if changed:
            write_rollback_file(self.rollback_path, rollback_text(changed, self.with_cluster))
            self.has_rollback_file = True
            yield Begun()


def rollback_text(plans: Sequence[ConfigPlan], with_cluster: Callable[[str], str]) -> str:
    """Return the commands that set again what *plans* change."""
    lines = []
    for plan in plans:
        # In brackets, since lists of replicas have commas.
        set_again = ",".join(
            f"{change.name}=[{plan.before.values[change.name]}]"
            for change in plan.changes
            if change.name in plan.before.values
        )
        if set_again:
            where = options_of(plan.entity)
            lines.append(
                with_cluster(f"kadmin configs --alter {where} --add-config {quoted(set_again)}")
            )
    return "".join(f"{line}\n" for line in ("#!/bin/sh", "set -e", *lines))
