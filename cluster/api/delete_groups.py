"""DeleteGroups: an operator deletes groups without members, with their offsets.

Source: Kafka's KafkaApis.handleDeleteGroupsRequest.
"""

from functools import partial
from typing import cast

from cluster.broker.coordinators.group_service import GroupService
from cluster.broker.handling import Peer, Reply, Steps
from cluster.group.answers import Answer, DeleteGroupAnswer
from cluster.group.requests import DeleteGroup
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.groups import (
    DeletableGroupResult,
    DeleteGroupsRequest,
    DeleteGroupsResponse,
)


def handle(groups: GroupService, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    reply.in_turns(answer(groups, cast(DeleteGroupsRequest, request.body)))


def answer(groups: GroupService, body: DeleteGroupsRequest) -> Steps:
    """Delete each group once, even if it is named again; each is answered at once."""
    results: dict[str, DeletableGroupResult] = {}

    def answered(group_id: str, answer: Answer) -> None:
        assert isinstance(answer, DeleteGroupAnswer)
        results[group_id] = DeletableGroupResult(group_id, answer.error)

    for group_id in dict.fromkeys(body.groups_names):
        groups.ask(DeleteGroup(group_id), partial(answered, group_id))
        yield
    assert len(results) == len(set(body.groups_names)), "deletions wait for nothing"
    return DeleteGroupsResponse(results=list(results.values()))
