"""ConsumerGroupDescribe: the groups whose assignments their coordinator makes (KIP-848).

DescribeGroups calls such a group dead, or unknown.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from kafka.protocol.api_message import ApiMessage

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.coordinators import PASSING
from kadmin.plan.groups.group import CONSUMER_PROTOCOL, Coordinator, Group, Member

SCHEMAS: Final = "kadmin.admin.wire.schemas"


class ConsumerGroupDescribeRequest(ApiMessage, load_json=SCHEMAS):  # type: ignore[call-arg, misc]
    """The request, which kafka-python lacks."""


class ConsumerGroupDescribeResponse(ApiMessage, load_json=SCHEMAS):  # type: ignore[call-arg, misc]
    """The answer; kafka-python finds it by its name."""


def describe_consumer_groups(
    connection: WireConnection, broker: BrokerId, names: Sequence[str], coordinator: Coordinator
) -> Iterator[tuple[str, int, Group]]:
    """Yield those of the groups *names* that are such, and those about which *broker* has no answer
    at the moment, with the code of the error.

    None where brokers know no such groups.
    """
    if not names or not connection.serves(ConsumerGroupDescribeRequest):
        return
    request = ConsumerGroupDescribeRequest(
        group_ids=list(names), include_authorized_operations=False
    )
    # Kafka 3.9 answers for each group once for each of its partitions of __consumer_offsets, and in
    # all but one does not know it.
    answers = connection.ask(request, broker).groups
    known = {each.group_id for each in answers if each.error_code == 0}
    for each in answers:
        is_passing = each.error_code in PASSING and each.group_id not in known
        if each.error_code == 0 or is_passing:
            yield each.group_id, each.error_code, consumer_group_of(each, coordinator)


def consumer_group_of(answer: Any, coordinator: Coordinator) -> Group:
    return Group(
        name=answer.group_id,
        state=answer.group_state,
        assignor=answer.assignor_name,
        protocol_type=CONSUMER_PROTOCOL,
        coordinator=coordinator,
        members=tuple(consumer_member_of(each) for each in answer.members),
    )


def consumer_member_of(answer: Any) -> Member:
    return Member(
        id=answer.member_id,
        client_id=answer.client_id,
        host=answer.client_host,
        instance_id=answer.instance_id,
        assigned=tuple(
            sorted(
                TopicPartition(topic.topic_name, number)
                for topic in answer.assignment.topic_partitions
                for number in topic.partitions
            )
        ),
    )
