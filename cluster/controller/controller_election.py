"""Controller election: how a broker becomes the controller, and sees whether it still is.

Knows no brokers and no topics: what a new controller does first is in `start`.

Source: KIP-380 and Kafka's registerControllerAndIncrementControllerEpoch.
"""

from cluster.controller.active_controller import ZooKeeperRequestFailed
from cluster.controller.procedures import Procedure, send
from cluster.controller.zookeeper_requests import (
    ControllerRead,
    CreateControllerEpoch,
    ReadController,
    RegisterController,
    RemoveController,
    Verdict,
    Written,
)
from cluster.model.controller import ControllerEpochNode
from cluster.model.ids import ControllerEpoch


def elect_controller() -> Procedure[ControllerEpochNode | None]:
    """Try to become the controller; the new epoch, or None when another broker is the controller.

    Who wins has raised the epoch by one, and all that older controllers still try to write is
    fenced off from that moment.  `/controller` and the epoch are one transaction: a controller
    without an epoch of its own, or an epoch without its controller, cannot be left by a crash.  The
    node is ephemeral, so a crash right after the transaction costs the others a session's timeout.

    Raises:
        ZooKeeperRequestFailed: a read failed, or ZooKeeper refuses the transaction.
    """
    tried: ControllerEpoch | None = None
    while True:
        found = yield from send(ReadController(), ControllerRead)
        if found.controller is not None and not found.is_own:
            return None
        if found.controller is not None and found.epoch is not None:
            # It was made in this very session, so it is this broker's own.
            if found.epoch.epoch == tried:
                # The transaction had landed, only its answer was lost.
                return found.epoch
            # This broker was the controller before, in this session, and resigned without removing
            # the node.  It must not go on under that epoch: brokers could not tell the new orders
            # from those of before that arrive late.
            yield from send(
                RemoveController(epoch_zk_version=found.epoch.epoch_zk_version), Written
            )
            continue
        if found.epoch is None:
            # Losing the race to create it is as good as winning it.
            yield from send(CreateControllerEpoch(), Written)
            continue
        # The epoch was read after `/controller` was seen missing, and the transaction expects the
        # version that was read: who was elected in between makes it fail, and is seen next time.
        tried = ControllerEpoch(found.epoch.epoch + 1)
        answer = yield from send(
            RegisterController(
                controller_epoch=tried,
                expected_zk_version=found.epoch.epoch_zk_version,
            ),
            Written,
        )
        (result,) = answer.results
        if result.verdict is Verdict.DONE:
            assert result.zk_version > found.epoch.epoch_zk_version, "fences older controllers"
            return ControllerEpochNode(tried, result.zk_version)
        if result.verdict is Verdict.REFUSED:
            raise ZooKeeperRequestFailed("ZooKeeper refuses to elect a controller")


def is_still_controller() -> Procedure[bool]:
    """Whether `/controller` is still this session's own."""
    found = yield from send(ReadController(), ControllerRead)
    return found.controller is not None and found.is_own
