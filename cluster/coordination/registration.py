"""A broker's registration in ZooKeeper, and the nodes that may prevent it.

How long to wait for such a node is for the caller to decide.

A persistent node beside it counts the broker's starts.  Its log directories know the number, too,
but for those that are older copies of themselves.
"""

from collections.abc import Callable, Collection
from typing import Final, NamedTuple

from cluster.coordination.startup import make_each
from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import MATCH_ANY, BrokerEpoch, BrokerId, ZkVersion
from cluster.zk import paths
from cluster.zk.brokers import (
    decode_broker,
    decode_incarnation,
    encode_broker,
    encode_incarnation,
)
from cluster.zk.controller import decode_controller
from cluster.zk.requests import (
    Create,
    Delete,
    GetData,
    Lost,
    Multi,
    MultiFailed,
    SetData,
    ZkError,
    ZkReply,
)
from cluster.zk.steps import (
    Refusal,
    Steps,
    multi_in,
    node_in,
    read,
    read_children,
    read_node,
    write_each,
)
from cluster.zk.znode import Znode

NEW: Final = ZkVersion(0)
"""The version of a node that was just created."""


class SharedAddress(NamedTuple):
    """An address of ours that the broker *other* is registered with."""

    other: BrokerId
    host: str
    port: int


def read_incarnation(broker_id: BrokerId) -> Steps[int]:
    """The number of the last start in which the broker registered; 0 before the first.

    Raises:
        CorruptZnodeError: it is none.
    """
    node = yield from read_node(paths.incarnation(broker_id))
    return 0 if node is None else decode_incarnation(node)


def register(
    broker: BrokerRegistration,
    incarnation: int,
    session_id: int,
    own_sessions: Collection[int],
    on_removal: Callable[[Znode], None],
) -> Steps[BrokerEpoch | Znode]:
    """Create the broker's ephemeral node, and return its czxid, or the node that is in the way.

    A registration that one of *own_sessions* left behind is replaced, and *on_removal* is called
    with it.  *incarnation* becomes what `read_incarnation` returns.
    """
    path = paths.broker(broker.broker_id)
    counter = paths.incarnation(broker.broker_id)
    # Created and written in one transaction, as in Kafka.
    count = SetData(counter, encode_incarnation(incarnation), MATCH_ANY)
    request = Multi(
        (Create(path, is_ephemeral=True), SetData(path, encode_broker(broker), NEW), count)
    )
    while True:
        # Read in the same request batch: the controller sees the node as soon as this broker does,
        # and a broker that does not have its epoch yet refuses the controller's first orders.
        reply, read_behind = yield (request, GetData(path))
        if not isinstance(reply, Lost):
            result = multi_in(reply)
            if result == MultiFailed(request.operations.index(count), ZkError.NO_NODE):
                yield from make_each(
                    (Create(paths.INCARNATIONS), Create(counter, encode_incarnation(0)))
                )
                continue
            if isinstance(result, MultiFailed) and result.error is not ZkError.NODE_EXISTS:
                raise Refusal(f"{path}: {result.error.name}")
        # This read shows whether this request, or one whose reply was lost, created it.
        if isinstance(read_behind, Lost):
            node = yield from read_node(path)
        else:
            node = node_in(path, read_behind)
        if node is None:
            continue
        if node.ephemeral_owner == session_id:
            return BrokerEpoch(node.czxid)
        if node.ephemeral_owner not in own_sessions:
            return node
        on_removal(node)
        yield from write_each((Multi((Delete(path, node.zk_version),)),))


def change_registration(broker: BrokerRegistration, session_id: int) -> Steps[bool]:
    """Write *broker* into its node; False where that is not the one of session *session_id*.

    Source: Kafka's KafkaZkClient.updateBrokerInfo.
    """
    path = paths.broker(broker.broker_id)
    while True:
        node = yield from read_node(path)
        if node is None or node.ephemeral_owner != session_id:
            return False
        if node.data == encode_broker(broker):
            return True
        # The next read shows the result.
        yield from write_each((Multi((SetData(path, encode_broker(broker), node.zk_version),)),))


def find_shared_address(broker: BrokerRegistration) -> Steps[SharedAddress | None]:
    """The first address of *broker* that a broker with another id is registered with."""
    names = yield from read_children(paths.BROKER_IDS)
    # A name that is no number is a foreign znode: the controller reports it.
    found = [BrokerId(int(name)) for name in names if name.isascii() and name.isdecimal()]
    others = [other for other in found if other != broker.broker_id]
    replies = yield from read(GetData(paths.broker(other)) for other in others)
    for other, node in zip(others, replies, strict=True):
        shared = addresses_in(node) & addresses(broker)
        if shared:
            return SharedAddress(other, *min(shared))
    return None


def addresses_in(node: ZkReply) -> set[tuple[str, int]]:
    """The addresses in the node; none where it is damaged or may not be read, since that is
    reported elsewhere.
    """
    try:
        return addresses(decode_broker(node)) if isinstance(node, Znode) else set()
    except CorruptZnodeError:
        return set()


def addresses(broker: BrokerRegistration) -> set[tuple[str, int]]:
    return {(endpoint.host, endpoint.port) for endpoint in broker.endpoints}


def find_controller(listener: str) -> Steps[Endpoint | None]:
    """The address of the controller on *listener*; None while there is no controller.

    Raises:
        CorruptZnodeError: the node cannot be decoded.
    """
    node = yield from read_node(paths.CONTROLLER)
    if node is None:
        return None
    broker = yield from read_node(paths.broker(decode_controller(node).broker_id))
    if broker is None:
        return None
    endpoints = decode_broker(broker).endpoints
    return next((one for one in endpoints if one.listener == listener), None)
