"""How does a broker become the controller?

Knows no brokers and no topics: what a new controller does first is in `start`.

Source: KIP-380 and Kafka's registerControllerAndIncrementControllerEpoch.
"""

from cluster.controller.asking import Procedure, ask
from cluster.controller.asks import (
    ControllerRead,
    CreateControllerEpoch,
    ReadController,
    TakeOffice,
    Verdict,
    Written,
)
from cluster.controller.tenure import AskFailed
from cluster.model.controller import ControllerEpochNode
from cluster.model.ids import ControllerEpoch


def run_for_office(now_ms: int) -> Procedure[ControllerEpochNode | None]:
    """Try to become the controller; the new epoch, or None when another broker is in office.

    A `/controller` of this very session is this broker's own: either the answer to the transaction
    was lost, or an earlier tenure ended without removing it.  Nobody can have raised the epoch
    since, so it is taken up again.  Who wins has raised the epoch by one, and all that older
    controllers still try to write is fenced off from that moment.

    Raises:
        AskFailed: ZooKeeper could not be asked, or refuses the transaction.
    """
    while True:
        found = yield from ask(ReadController(), ControllerRead)
        if found.controller is not None:
            return found.epoch if found.is_own else None
        if found.epoch is None:
            # Losing the race to create it is as good as winning it.
            yield from ask(CreateControllerEpoch(), Written)
            continue
        controller_epoch = ControllerEpoch(found.epoch.epoch + 1)
        answer = yield from ask(
            TakeOffice(
                controller_epoch=controller_epoch,
                expected_zk_version=found.epoch.epoch_zk_version,
                timestamp_ms=now_ms,
            ),
            Written,
        )
        (result,) = answer.results
        if result.verdict is Verdict.DONE:
            return ControllerEpochNode(controller_epoch, result.zk_version)
        if result.verdict is Verdict.REFUSED:
            raise AskFailed("ZooKeeper refuses to elect a controller")


def is_in_office() -> Procedure[bool]:
    """Whether `/controller` is still this session's own."""
    found = yield from ask(ReadController(), ControllerRead)
    return found.controller is not None and found.is_own
