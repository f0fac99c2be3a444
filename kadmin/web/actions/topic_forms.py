"""Forms about topics, as actions."""

import random
from typing import Final

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.ids import TopicPartition
from kadmin.app.actions.action import Action
from kadmin.app.actions.elections import ElectLeaders
from kadmin.app.actions.topics import AddPartitions, CreateTopic, DeleteTopics
from kadmin.arguments.moments import parse_numbers
from kadmin.arguments.topics import TopicSelection
from kadmin.execute.unreadable import refuse_unreadable
from kadmin.plan.config_plan import check_request
from kadmin.plan.config_warnings import ConfigRequest
from kadmin.plan.election import ElectionType
from kadmin.plan.offsets import NoSuchPartition
from kadmin.plan.topic_refusals import check_topic_name
from kadmin.web.actions.fields import BadField, Values
from kadmin.web.visit import Visit

DRAW_MAX: Final = 2**31 - 1
PARTITIONS_MAX: Final = 100_000
REPLICAS_MAX: Final = 2**15 - 1

ANY_TOPIC: Final = ConfigEntity(Entity(EntityKind.TOPICS, "topic"))
"""Any topic, to check configs that are for all of them alike."""


def create(visit: Visit, values: Values) -> Action:
    name = values.needed("topic")
    check_topic_name(name)
    configs = values.pairs("configs")
    check_request(ANY_TOPIC, ConfigRequest(add=configs))
    return CreateTopic(
        name=name,
        partition_count=values.needed_number("partitions", 1, PARTITIONS_MAX),
        replication_factor=values.needed_number("replication_factor", 1, REPLICAS_MAX),
        configs=configs,
        draw=(random.randrange(DRAW_MAX), random.randrange(DRAW_MAX)),
    )


def add_partitions(visit: Visit, values: Values) -> Action:
    return AddPartitions(
        names=existing(visit, values.needed_names("topics")),
        partition_count=values.needed_number("partitions", 1, PARTITIONS_MAX),
    )


def delete(visit: Visit, values: Values) -> Action:
    return DeleteTopics(names=existing(visit, values.needed_names("topics")))


def existing(visit: Visit, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return *names*, which are no globs here, as the cluster has them now.

    Raises:
        NoSuchTopic: one is not there.
    """
    for name in names:
        check_topic_name(name)
    with visit.of.new_session().topics() as admin:
        return tuple(TopicSelection(wanted=names).require(admin.names(names).names))


def elect(visit: Visit, values: Values) -> Action:
    kind = ElectionType(values.choice("kind"))
    topic, numbers = values.text("topic"), values.text("partitions")
    if not topic:
        if numbers:
            raise BadField(values.label("topic"), "is needed, since partitions are named")
        if kind is ElectionType.UNCLEAN:
            raise BadField(values.label("topic"), "is needed for leaders out of the ISR")
        return ElectLeaders(kind=kind, partitions=None)
    existing(visit, (topic,))
    with visit.of.new_session().topics() as admin:
        found = admin.snapshot(TopicSelection(wanted=(topic,)), with_states=False)
    refuse_unreadable(found, [subjects.topic(topic)])
    there = frozenset(found.topics[topic].assignment.partitions)
    chosen = parse_numbers(numbers) if numbers else there
    if chosen - there:
        raise NoSuchPartition(sorted(chosen - there), [topic])
    return ElectLeaders(
        kind=kind, partitions=tuple(TopicPartition(topic, number) for number in sorted(chosen))
    )
