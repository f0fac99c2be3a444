"""ListGroups: returns the groups that this broker coordinates.

Source: Kafka's KafkaApis.handleListGroupsRequest.
"""

from typing import cast

from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.handling import Peer, Reply, Steps
from cluster.group.views import CLASSIC
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.groups import ListedGroup, ListGroupsRequest, ListGroupsResponse


def handle(groups: GroupService, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    reply.in_turns(answer(groups, cast(ListGroupsRequest, request.body)))


def answer(groups: GroupService, body: ListGroupsRequest) -> Steps:
    error, found = groups.list_groups(body.states_filter, body.types_filter)
    listed = []
    for group_id, protocol_type, state in found:
        listed.append(ListedGroup(group_id, protocol_type, state, CLASSIC))
        yield
    return ListGroupsResponse(error_code=error, groups=listed)
