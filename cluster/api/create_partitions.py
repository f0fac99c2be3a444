"""CreatePartitions: may these topics have more partitions, and have they got them?

Source: Kafka's ZkAdminManager.createPartitions and AdminZkClient.addPartitions.
"""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import cast

from cluster.broker.context import Context
from cluster.broker.fan_in import FanIn, when_told
from cluster.broker.handling import Peer, Reply
from cluster.broker.placement import Refused, check_replicas, live_racks
from cluster.broker.ports import Outcome
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import NO_LEADER, BrokerId
from cluster.model.placement import Layout, TooFewBrokers, place, placement_of_more
from cluster.model.topic import PartitionAssignment
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.topics import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
    CreatePartitionsTopicResult,
)

Partitions = Mapping[int, PartitionAssignment]


def handle(context: Context, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(CreatePartitionsRequest, request.body)

    def done(results: list[CreatePartitionsTopicResult]) -> None:
        reply(CreatePartitionsResponse(results=results))

    counts = Counter(topic.name for topic in body.topics)
    fan_in: FanIn[str, CreatePartitionsTopicResult] = FanIn(counts, done)
    fan_in.check()
    for topic in {topic.name: topic for topic in body.topics}.values():
        refused = refusal(context, topic, counts[topic.name])
        if refused.error is not ErrorCode.NONE:
            fan_in.put(topic.name, result_of(topic.name, refused))
        elif body.validate_only:
            widened = widen(context, topic, known_partitions(context, topic.name))
            outcome = widened if isinstance(widened, Outcome) else Outcome()
            fan_in.put(topic.name, result_of(topic.name, outcome))
        else:
            context.ports.store.widen_topic(
                topic.name,
                partial(widen, context, topic),
                partial(continue_with, context, fan_in, topic, body.timeout_ms),
            )


def refusal(context: Context, topic: CreatePartitionsTopic, count: int) -> Outcome:
    """What can be said without a look at what stands in ZooKeeper."""
    if not context.is_controller:
        return Outcome(ErrorCode.NOT_CONTROLLER, "this broker is not the controller")
    if count > 1:
        return Outcome(ErrorCode.INVALID_REQUEST, f"topic '{topic.name}' is named twice")
    if not context.cache.partitions_of(topic.name):
        message = f"topic '{topic.name}' does not exist"
        return Outcome(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, message)
    return Outcome()


def known_partitions(context: Context, topic: str) -> Partitions:
    return {
        index: PartitionAssignment(tuple(map(BrokerId, known.replicas)))
        for index, known in context.cache.partitions_of(topic).items()
    }


def widen(context: Context, topic: CreatePartitionsTopic, existing: Partitions) -> Layout | Outcome:
    """The partitions to add to the *existing* ones; else why not."""
    try:
        return added(context, topic, existing)
    except Refused as refused:
        return Outcome(refused.error, str(refused))


def added(context: Context, topic: CreatePartitionsTopic, existing: Partitions) -> Layout:
    """As `widen`; raises Refused."""
    if any(assignment.is_reassigning for assignment in existing.values()):
        raise Refused(
            ErrorCode.REASSIGNMENT_IN_PROGRESS,
            f"partitions of topic '{topic.name}' are being reassigned",
        )
    first, wanted = len(existing), topic.partition_count
    if wanted <= first:
        relation = "already has" if wanted == first else "has more than that,"
        raise Refused(
            ErrorCode.INVALID_PARTITIONS,
            f"topic '{topic.name}' {relation} {first} partitions, {wanted} would be no increase",
        )
    replicas = existing[0].replicas
    if topic.assignments is not None:
        return assigned(context, topic, first, len(replicas))
    racks = live_racks(context)
    if not racks:
        raise Refused(ErrorCode.INVALID_PARTITIONS, "no broker is alive")
    try:
        return place(
            racks,
            partition_count=wanted - first,
            replication_factor=len(replicas),
            placement=placement_of_more(racks, replicas[0], is_rack_aware=True),
            first_partition=first,
        )
    except TooFewBrokers as error:
        raise Refused(ErrorCode.INVALID_REPLICATION_FACTOR, str(error)) from error


def assigned(
    context: Context, topic: CreatePartitionsTopic, first: int, replication_factor: int
) -> Layout:
    lists = [tuple(map(BrokerId, one.broker_ids)) for one in topic.assignments or ()]
    if len(lists) != topic.partition_count - first:
        raise Refused(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"{topic.partition_count - first} partitions are to be added,"
            f" the assignment names {len(lists)}",
        )
    check_replicas(context, lists)
    if len(lists[0]) != replication_factor:
        raise Refused(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            f"the topic has replication factor {replication_factor}, the assignment"
            f" {len(lists[0])}",
        )
    return dict(enumerate(lists, first))


def continue_with(
    context: Context,
    fan_in: FanIn[str, CreatePartitionsTopicResult],
    topic: CreatePartitionsTopic,
    timeout_ms: int,
    outcome: Outcome,
) -> None:
    """Wait for the new partitions' leaders, once they are written."""
    if outcome.error is not ErrorCode.NONE:
        fan_in.put(topic.name, result_of(topic.name, outcome))
        return

    def has_leaders() -> bool:
        known = context.cache.partitions_of(topic.name)
        return all(
            index in known and known[index].leader != NO_LEADER
            for index in range(topic.partition_count)
        )

    def told(is_there: bool) -> None:
        late = Outcome(ErrorCode.REQUEST_TIMED_OUT, "the partitions have no leaders yet")
        fan_in.put(topic.name, result_of(topic.name, Outcome() if is_there else late))

    when_told(context, has_leaders, timeout_ms, told)


def result_of(name: str, outcome: Outcome) -> CreatePartitionsTopicResult:
    return CreatePartitionsTopicResult(name, outcome.error, outcome.message)
