"""DescribeCluster: which brokers are there, and which of them is the controller?"""

from typing import Final, cast

from cluster.broker.authorizer import CLUSTER_OPERATIONS, NOT_REQUESTED
from cluster.broker.context import Context
from cluster.broker.handling import Peer, Reply
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)

BROKERS: Final = 1
"""The only type of endpoints that there are: the other is that of KRaft's controllers."""


def handle(context: Context, request: RequestFrame, peer: Peer, reply: Reply) -> None:
    body = cast(DescribeClusterRequest, request.body)
    if body.endpoint_type != BROKERS:
        error = ErrorCode.UNSUPPORTED_ENDPOINT_TYPE
        message = f"endpoint type {body.endpoint_type} is not known: only brokers are (1)"
        reply(DescribeClusterResponse(error_code=error, error_message=message))
        return
    brokers = tuple(
        DescribeClusterBroker(broker.broker_id, endpoint.host, endpoint.port, broker.rack)
        for broker in context.cache.brokers.values()
        if (endpoint := broker.endpoints.get(peer.listener)) is not None
    )
    reply(
        DescribeClusterResponse(
            cluster_id=context.ports.broker.cluster_id,
            controller_id=context.cache.live_controller_id,
            brokers=brokers,
            cluster_authorized_operations=(
                CLUSTER_OPERATIONS if body.include_cluster_authorized_operations else NOT_REQUESTED
            ),
        )
    )
