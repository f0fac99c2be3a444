"""Orders of controllers: which are taken, before each is obeyed in its turn?

An order that may be from before this broker stood still is not, and neither is one too many or too
large for those that wait.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from cluster.broker.control.queue import ControlQueue
from cluster.broker.handling import MISTAKE
from cluster.broker.ports import Registration
from cluster.broker.procedures import Procedure
from cluster.broker.standstill import Standstill

OUTDATED: Final = "its order may be from before this broker stood still, and has to be sent again"
TOO_MANY: Final = "too many orders of controllers wait to be obeyed"


@dataclass(frozen=True, slots=True)
class Orders:
    """The way of an order into the queue."""

    queue: ControlQueue
    standstill: Standstill
    registration: Registration

    def take(
        self,
        size: int,
        broker_epoch: int,
        procedure: Procedure[None],
        close: Callable[[str], None],
    ) -> None:
        """Run *procedure* when it is the order's turn, or call *close* with why it is not obeyed.

        *size* is that of the request in bytes, *broker_epoch* the one that it names.
        """
        if self.standstill.doubts_orders():
            close(OUTDATED)
            return
        is_entered = self.queue.enter(
            procedure,
            partial(close, MISTAKE),
            size,
            knows_epoch=broker_epoch == self.registration.broker_epoch,
        )
        if not is_entered:
            close(TOO_MANY)
