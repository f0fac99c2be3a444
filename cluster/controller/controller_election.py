"""Controller election: how a broker becomes the controller, and checks whether it still is.

Knows no brokers and no topics: `start` has the first work of a new controller.

Source: KIP-380 and Kafka's registerControllerAndIncrementControllerEpoch.
"""

from cluster.controller.procedures import Procedure
from cluster.coordination import reads, writes
from cluster.coordination.client import Client
from cluster.coordination.transaction import Fence
from cluster.model.controller import ControllerEpochNode
from cluster.model.ids import ControllerEpoch
from cluster.model.outcome import Committed
from cluster.zk.requests import Refused
from cluster.zk.steps import Refusal


def elect_controller(client: Client, step: int = 1) -> Procedure[ControllerEpochNode | None]:
    """Try to become the controller; the new epoch, or None when another broker is the controller.

    The winner has raised the epoch by *step*, which fences off all later writes of older
    controllers.
    `/controller` and the epoch are written in one transaction: a crash cannot leave a controller
    without an epoch of its own, or an epoch without its controller.  The node is ephemeral, so
    after a crash right behind the transaction the other brokers wait for the session timeout.

    Raises:
        Refusal: ZooKeeper refuses a read or a write.
    """
    tried: ControllerEpoch | None = None
    while True:
        found = yield from reads.read_controller(client)
        if found.controller is not None and not found.is_own:
            return None
        if found.controller is not None and found.epoch is not None:
            # It was made in this very session, so this broker owns it.
            if found.epoch.epoch == tried:
                # The transaction succeeded, only its answer was lost.
                return found.epoch
            # This broker was the controller before, in this session, and resigned without removing
            # the node.  It must not continue under that epoch: brokers could not distinguish the
            # new orders from late orders of before.
            outcome = yield from writes.remove_controller(Fence(found.epoch.epoch_zk_version))
        elif found.epoch is None:
            # Losing the race to create it is as good as winning it.
            outcome = yield from writes.create_controller_epoch()
        else:
            # The epoch was read after `/controller` was found missing, and the transaction expects
            # the version that was read: an election in between makes it fail, and is seen in the
            # next round.
            tried = ControllerEpoch(found.epoch.epoch + step)
            before = found.epoch.epoch_zk_version
            outcome = yield from writes.register_controller(client, tried, before)
            if isinstance(outcome, Committed):
                assert outcome.zk_version > before, "fences older controllers"
                return ControllerEpochNode(tried, outcome.zk_version)
        if isinstance(outcome, Refused):
            raise Refusal("ZooKeeper refuses to elect a controller")


def is_still_controller(client: Client) -> Procedure[bool]:
    """Whether `/controller` still belongs to this session."""
    found = yield from reads.read_controller(client)
    return found.controller is not None and found.is_own
