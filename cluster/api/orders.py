"""Common parts of the three requests that carry controllers' orders."""

from collections.abc import Iterable
from typing import Final, TypeAlias, cast

from cluster.broker.control.fences import Sender
from cluster.broker.control.orders import Orders
from cluster.broker.handling import Reply
from cluster.broker.procedures import Procedure
from cluster.statechange.broker import OrderTag
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.leader_and_isr import LeaderAndIsrRequest
from cluster.wire.messages.stop_replica import StopReplicaRequest
from cluster.wire.messages.update_metadata import UpdateMetadataRequest

TOO_LONG: Final = "its answer would have the names of its topics again and again, too long for it"

NAMES_SIZE_MAX: Final = 32 * 1024**2
"""How many bytes the names may have in an answer that repeats the topic for each partition: as many
as 130,000 partitions of topics with the longest possible names have.
"""

OrderRequest: TypeAlias = LeaderAndIsrRequest | StopReplicaRequest | UpdateMetadataRequest


def is_answer_too_long(topics: Iterable[tuple[str, int]]) -> bool:
    """Return whether the answer would be too long; *topics* are names and how often each is
    repeated.

    An order has each name once, where it may have 32,767 bytes, which no topic has.
    """
    return sum(len(name.encode()) * count for name, count in topics) > NAMES_SIZE_MAX


def take(orders: Orders, request: RequestFrame, reply: Reply, procedure: Procedure[None]) -> None:
    """Queue *procedure* for *request*, or close the connection."""
    broker_epoch = cast(OrderRequest, request.body).broker_epoch
    orders.take(request.size, broker_epoch, procedure, reply.close)


def sender_of(orders: Orders, request: RequestFrame) -> Sender:
    """Return the sender and the receiver of *request*, for state-change.log and the fence."""
    body = cast(OrderRequest, request.body)
    broker_id = orders.registration.broker_id
    tag = OrderTag(broker_id, body.controller_id, body.controller_epoch, request.correlation_id)
    return Sender(tag, body.broker_epoch)
