"""How a broker takes the next block of producer ids."""

from typing import Final, TypeAlias

from cluster.coordination.transaction import Fence, commit
from cluster.model.cluster import ProducerIdBlock
from cluster.model.ids import BrokerId
from cluster.model.outcome import Committed, Outcome
from cluster.zk import paths
from cluster.zk.cluster import decode_producer_id_block, encode_producer_id_block
from cluster.zk.requests import Create, Operation, SetData
from cluster.zk.steps import Steps, read_node

PRODUCER_ID_COUNT: Final = 1000
"""How many producer ids a broker takes at once, as Kafka's."""

Taken: TypeAlias = ProducerIdBlock | Outcome


def take_producer_ids(fence: Fence, broker_id: BrokerId) -> Steps[Taken]:
    """Take the block after the last one that was assigned.

    A broker may run only one at a time: after a lost reply, a second block of the same broker would
    look like the one that was requested.

    Raises:
        CorruptZnodeError: the last assigned block cannot be read.
    """
    node = yield from read_node(paths.PRODUCER_ID_BLOCK)
    last = None if node is None else decode_producer_id_block(node)
    first = 0 if last is None else last.last + 1
    block = ProducerIdBlock(broker_id=broker_id, first=first, last=first + PRODUCER_ID_COUNT - 1)
    data = encode_producer_id_block(block)
    write: Operation = (
        Create(paths.PRODUCER_ID_BLOCK, data)
        if node is None
        else SetData(paths.PRODUCER_ID_BLOCK, data, node.zk_version)
    )
    outcome = yield from commit(fence, (write,))
    return block if isinstance(outcome, Committed) else outcome
