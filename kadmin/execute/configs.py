"""Plans of changes of configs, made from what the cluster says now.

Whose configs are meant and what is to become of them has been understood already.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigEntity, Entity, EntityKind, topic_entity
from kadmin.admin.answers import ConfigSnapshot
from kadmin.admin.ports import ConfigAdmin
from kadmin.execute.change import Step
from kadmin.execute.unreadable import Unreadable
from kadmin.plan.config_plan import ConfigPlan, NotSet, plan_change
from kadmin.plan.config_warnings import ConfigRequest, Surroundings
from kadmin.plan.record_loss import decides_what_is_kept
from kadmin.plan.risks import RISKY_KEYS, TopicAsJudged
from kadmin.plan.select import NoSuchTopic, TopicSelection


def config_steps(
    admin: ConfigAdmin, request: ConfigRequest, entities: Sequence[ConfigEntity]
) -> list[Step[ConfigPlan]]:
    """Plan *request* for each of *entities*, and hear whether all of it could be written.

    Raises:
        KadminError: it could not; else as `plan_all`.
    """
    plans = plan_all(admin, request, entities)
    admin.rehearse(plans)
    return [Step(plan=plan, replan=partial(replan, admin, request, plan.entity)) for plan in plans]


def plan_all(
    admin: ConfigAdmin, request: ConfigRequest, entities: Sequence[ConfigEntity]
) -> list[ConfigPlan]:
    """Plan *request* for each of *entities*, from one look at the cluster.

    Raises:
        NotSet: a key to delete is not set; of several entities only those are left out that do not
            have it, as long as one has.
        Unreadable: the configs of one of them are damaged, and cannot be mended by a change.
        NoSuchTopic: one of them is a topic that is gone.
    """
    snapshot = admin.snapshot(entities)
    unread = {subjects.config(each) for each in entities if each not in snapshot.configs}
    for fault in snapshot.faults:
        if fault.subject in unread:
            raise Unreadable(fault)
    touched = (*request.add, *request.delete)
    overrides: Sequence[Mapping[str, str]] = ()
    if any(decides_what_is_kept(entity.kind, touched) for entity in entities):
        overrides = topic_overrides(admin)
    judged: Mapping[str, TopicAsJudged] = {}
    if not RISKY_KEYS.isdisjoint(touched):
        judged = judged_topics(admin, snapshot, entities)
    plans = []
    missing: NotSet | None = None
    for entity in entities:
        try:
            plans.append(plan_one(snapshot, request, entity, overrides, judged))
        except NotSet as error:
            missing = error
    if missing is not None and not plans:
        raise missing
    return plans


def topic_overrides(admin: ConfigAdmin) -> list[Mapping[str, str]]:
    """The overrides of every topic; none of one whose configs are damaged."""
    names = admin.topic_names(TopicSelection())
    topics = [topic_entity(name) for name in names]
    found, _ = admin.read(topics)
    return [found[topic].values if topic in found else {} for topic in topics]


def judged_topics(
    admin: ConfigAdmin, snapshot: ConfigSnapshot, entities: Sequence[ConfigEntity]
) -> dict[str, TopicAsJudged]:
    """The topics of *entities*, or all where a default of brokers is among them, as their risks are
    judged; those that cannot be read are left out."""
    default = ConfigEntity(Entity(EntityKind.BROKERS, None))
    found, _ = admin.read([default])
    topics = snapshot
    if any(entity.kind is EntityKind.BROKERS for entity in entities):
        names = admin.topic_names(TopicSelection())
        topics = admin.snapshot([topic_entity(name) for name in names])
    return {
        name: TopicAsJudged(
            name=name,
            layout={number: part.target for number, part in assignment.partitions.items()},
            configs=topics.configs[entity].values,
            defaults=found[default].values if default in found else {},
            brokers=snapshot.brokers,
        )
        for name, assignment in topics.topics.items()
        if (entity := topic_entity(name)) in topics.configs
    }


def plan_one(
    snapshot: ConfigSnapshot,
    request: ConfigRequest,
    entity: ConfigEntity,
    overrides: Sequence[Mapping[str, str]],
    judged: Mapping[str, TopicAsJudged],
) -> ConfigPlan:
    of_interest: Sequence[TopicAsJudged] = ()
    if entity.kind is EntityKind.TOPICS:
        name = str(entity.root.name)
        if name in snapshot.missing_topics:
            raise NoSuchTopic([name])
        of_interest = [judged[name]] if name in judged else []
    elif entity.kind is EntityKind.BROKERS:
        of_interest = list(judged.values())
    surroundings = Surroundings(
        brokers=snapshot.brokers,
        asks_brokers=snapshot.is_told_by_brokers,
        topic_overrides=overrides,
        judged=of_interest,
    )
    return plan_change(entity, snapshot.configs[entity], request, surroundings)


def replan(admin: ConfigAdmin, request: ConfigRequest, entity: ConfigEntity) -> ConfigPlan:
    [plan] = plan_all(admin, request, [entity])
    return plan
