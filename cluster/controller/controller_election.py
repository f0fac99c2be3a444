"""How does a broker become the controller?

Knows no brokers and no topics: what a new controller does first is in `start`.

Source: KIP-380 and Kafka's registerControllerAndIncrementControllerEpoch.
"""

from cluster.controller.active_controller import ZooKeeperRequestFailed
from cluster.controller.procedures import Procedure, ask
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


def elect_controller(now_ms: int) -> Procedure[ControllerEpochNode | None]:
    """Try to become the controller; the new epoch, or None when another broker is the controller.

    Who wins has raised the epoch by one, and all that older controllers still try to write is
    fenced off from that moment.  A `/controller` of this very session is this broker's own: if its
    epoch is the one that was tried here, only the answer was lost.  Otherwise an earlier term
    ended without removing it; then it goes first, since two terms under one epoch could
    not be told apart by brokers that get late orders.

    Raises:
        ZooKeeperRequestFailed: ZooKeeper could not be asked, or refuses the transaction.
    """
    tried: ControllerEpoch | None = None
    while True:
        found = yield from ask(ReadController(), ControllerRead)
        if found.controller is not None and not found.is_own:
            return None
        if found.controller is not None and found.epoch is not None:
            if found.epoch.epoch == tried:
                return found.epoch
            yield from ask(RemoveController(epoch_zk_version=found.epoch.epoch_zk_version), Written)
            continue
        if found.epoch is None:
            # Losing the race to create it is as good as winning it.
            yield from ask(CreateControllerEpoch(), Written)
            continue
        tried = ControllerEpoch(found.epoch.epoch + 1)
        answer = yield from ask(
            RegisterController(
                controller_epoch=tried,
                expected_zk_version=found.epoch.epoch_zk_version,
                timestamp_ms=now_ms,
            ),
            Written,
        )
        (result,) = answer.results
        if result.verdict is Verdict.DONE:
            return ControllerEpochNode(tried, result.zk_version)
        if result.verdict is Verdict.REFUSED:
            raise ZooKeeperRequestFailed("ZooKeeper refuses to elect a controller")


def is_still_controller() -> Procedure[bool]:
    """Whether `/controller` is still this session's own."""
    found = yield from ask(ReadController(), ControllerRead)
    return found.controller is not None and found.is_own
