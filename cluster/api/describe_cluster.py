"""DescribeCluster: returns the live brokers and the controller."""

from typing import Final, cast

from cluster.broker.authorizer import authorized_operations
from cluster.broker.handling import Peer, Reply
from cluster.broker.metadata_cache import MetadataCache
from cluster.broker.ports import Ports
from cluster.model.acl import ResourceType
from cluster.model.error_codes import ErrorCode
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)

BROKERS: Final = 1
"""The only type of endpoints here: the other is that of KRaft's controllers."""


def handle(
    ports: Ports, cache: MetadataCache, request: RequestFrame, peer: Peer, reply: Reply
) -> None:
    body = cast(DescribeClusterRequest, request.body)
    if body.endpoint_type != BROKERS:
        error = ErrorCode.UNSUPPORTED_ENDPOINT_TYPE
        message = f"endpoint type {body.endpoint_type} is not known: only brokers are (1)"
        reply(DescribeClusterResponse(error_code=error, error_message=message))
        return
    brokers = tuple(
        DescribeClusterBroker(live.broker_id, endpoint.host, endpoint.port, live.rack)
        for live in cache.brokers.values()
        if (endpoint := live.endpoints.get(peer.listener)) is not None
    )
    reply(
        DescribeClusterResponse(
            cluster_id=ports.registration.cluster_id,
            controller_id=cache.live_controller_id,
            brokers=brokers,
            cluster_authorized_operations=authorized_operations(
                ports.authorizer,
                peer.principal,
                ResourceType.CLUSTER,
                is_asked=body.include_cluster_authorized_operations,
            ),
        )
    )
