"""Changes of configs, planned from their current state.

The caller has parsed the entities and the changes that are wanted.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigEntity, Entity, EntityKind, topic_entity
from kadmin.admin.answers import ConfigSnapshot
from kadmin.admin.ports import ConfigAdmin
from kadmin.arguments.topics import TopicSelection
from kadmin.execute.change import Change, Notices, Question, Step
from kadmin.execute.unreadable import Unreadable
from kadmin.plan.config_plan import ConfigPlan, NotSet, plan_change
from kadmin.plan.config_warnings import ConfigRequest, Surroundings
from kadmin.plan.entity_options import options_of
from kadmin.plan.record_loss import decides_what_is_kept, question_of
from kadmin.plan.risks import RISKY_KEYS, TopicAsJudged, with_risks
from kadmin.plan.topic_refusals import NoSuchTopic


class ConfigChange(Change[ConfigPlan]):
    """What *request* asks for, for each entity that *find* finds."""

    def __init__(
        self,
        admin: ConfigAdmin,
        request: ConfigRequest,
        find: Callable[[], Sequence[ConfigEntity]],
        notices: Notices,
    ) -> None:
        super().__init__(admin)
        self.admin = admin
        self.request = request
        self.find = find
        self.notices = notices

    def steps(self) -> list[Step[ConfigPlan]]:
        """Plan all of it, and ask brokers whether all of it could be written.

        Raises:
            KadminError: it could not; else as `plan_all`.
        """
        plans = plan_all(self.admin, self.request, self.meant(self.find()))
        self.admin.dry_run(plans)
        return [Step(plan=plan, replan=partial(self.replan, plan.entity)) for plan in plans]

    def meant(self, entities: Sequence[ConfigEntity]) -> list[ConfigEntity]:
        """Return those that are changed: nothing is set where no broker reads it."""
        raw = [entity for entity in entities if entity.is_raw] if self.request.add else []
        for entity in raw:
            self.notices.warn(
                f"{entity} has configs that no broker reads, and keeps them:"
                f" 'kadmin configs --alter {options_of(entity)} --delete-config KEY' removes them"
            )
        return [entity for entity in entities if entity not in raw]

    def replan(self, entity: ConfigEntity) -> ConfigPlan:
        [plan] = plan_all(self.admin, self.request, [entity])
        return plan

    def warnings(self, plan: ConfigPlan) -> Sequence[str]:
        return (*plan.warnings, *map(str, plan.risks))

    def question(self, plans: Sequence[ConfigPlan]) -> Question | None:
        lossy_count = sum(bool(plan.losses) for plan in plans)
        risks = [risk for plan in plans for risk in plan.risks]
        # A change of the one thing that was named is no surprise, unless it loses records.
        if len(plans) == 1 and not lossy_count and not risks:
            return None
        whose = str(plans[0].entity) if len(plans) == 1 else f"these {len(plans)} entities"
        text = question_of(f"the configs of {whose}", lossy_count, len(plans))
        return Question(with_risks(text, risks))

    def question_again(self, plan: ConfigPlan, first: Question | None) -> Question | None:
        if first is None:
            return self.question([plan])
        return Question(f"Change the configs of {plan.entity} so?")


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
    """Return the overrides of every topic; none of one whose configs are damaged."""
    names = admin.topic_names(TopicSelection())
    topics = [topic_entity(name) for name in names]
    found, _ = admin.read(topics)
    return [found[topic].values if topic in found else {} for topic in topics]


def judged_topics(
    admin: ConfigAdmin, snapshot: ConfigSnapshot, entities: Sequence[ConfigEntity]
) -> dict[str, TopicAsJudged]:
    """Return the topics of *entities*, or all where a default of brokers is among them, as their
    risks are judged; those that cannot be read are left out."""
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
        asks_brokers=snapshot.is_from_brokers,
        topic_overrides=overrides,
        judged=of_interest,
    )
    return plan_change(entity, snapshot.configs[entity], request, surroundings)
