"""Orders of controllers: which are taken, before each is obeyed in its turn?

An order that may be from before this broker stood still is not, and neither is one too many or too
large for those that wait.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, TypeAlias, cast

from cluster.broker.broker import Broker
from cluster.broker.control_queue import Turn
from cluster.broker.handling import MISTAKE, Reply
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.leader_and_isr import LeaderAndIsrRequest
from cluster.wire.messages.stop_replica import StopReplicaRequest
from cluster.wire.messages.update_metadata import UpdateMetadataRequest

OUTDATED: Final = "its order may be from before this broker stood still, and has to be sent again"
TOO_MANY: Final = "too many orders of controllers wait to be obeyed"

TOO_LONG: Final = "its answer would have the names of its topics again and again, too long for it"

NAMES_SIZE_MAX: Final = 32 * 1024**2
"""How many bytes the names may have in an answer that names the topic beside each partition: as
much as 130,000 partitions have of topics with the longest names that there are.
"""

Obey: TypeAlias = Callable[[Broker, RequestFrame, Reply, Turn], None]


def is_answer_too_long(topics: Iterable[tuple[str, int]]) -> bool:
    """Whether the answer would be too long; *topics* are names and how often each is repeated.

    In the order it stands once, and may have 32,767 bytes, which no topic has.
    """
    return sum(len(name.encode()) * count for name, count in topics) > NAMES_SIZE_MAX


def take(broker: Broker, request: RequestFrame, reply: Reply, obey: Obey) -> None:
    """Have *obey* called when it is the turn of *request*, or end the connection."""
    if broker.standstill.doubts_orders():
        reply.close(OUTDATED)
        return
    body = cast(LeaderAndIsrRequest | StopReplicaRequest | UpdateMetadataRequest, request.body)
    is_entered = broker.control_queue.enter(
        partial(obey, broker, request, reply),
        partial(reply.close, MISTAKE),
        request.size,
        knows_epoch=body.broker_epoch == broker.ports.registration.broker_epoch,
    )
    if not is_entered:
        reply.close(TOO_MANY)
