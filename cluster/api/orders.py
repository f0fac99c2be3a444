"""What the three orders of controllers have in common, as requests."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, TypeAlias, cast

from cluster.broker.broker import Broker
from cluster.broker.control.queue import Turn
from cluster.broker.handling import Reply
from cluster.model.ids import BrokerId
from cluster.statechange.broker import OrderTag
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.leader_and_isr import LeaderAndIsrRequest
from cluster.wire.messages.stop_replica import StopReplicaRequest
from cluster.wire.messages.update_metadata import UpdateMetadataRequest

TOO_LONG: Final = "its answer would have the names of its topics again and again, too long for it"

NAMES_SIZE_MAX: Final = 32 * 1024**2
"""How many bytes the names may have in an answer that names the topic beside each partition: as
much as 130,000 partitions have of topics with the longest names that there are.
"""

OrderRequest: TypeAlias = LeaderAndIsrRequest | StopReplicaRequest | UpdateMetadataRequest
Obey: TypeAlias = Callable[[Broker, RequestFrame, Reply, Turn], None]


def is_answer_too_long(topics: Iterable[tuple[str, int]]) -> bool:
    """Whether the answer would be too long; *topics* are names and how often each is repeated.

    In the order it stands once, and may have 32,767 bytes, which no topic has.
    """
    return sum(len(name.encode()) * count for name, count in topics) > NAMES_SIZE_MAX


def take(broker: Broker, request: RequestFrame, reply: Reply, obey: Obey) -> None:
    """Have *obey* called when it is the turn of *request*, or end the connection."""
    broker_epoch = cast(OrderRequest, request.body).broker_epoch
    broker.orders.take(
        request.size, broker_epoch, partial(obey, broker, request, reply), reply.close
    )


def tag_of(broker_id: BrokerId, request: RequestFrame) -> OrderTag:
    """What state-change.log says of where *request* came from and who got it."""
    body = cast(OrderRequest, request.body)
    return OrderTag(broker_id, body.controller_id, body.controller_epoch, request.correlation_id)
