"""Orders of controllers: which are accepted into the queue.

An order that may be from before a pause of this broker is refused, and so is one that exceeds the
limit of waiting orders by number or size.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from cluster.broker.control.queue import ControlQueue
from cluster.broker.handling import MISTAKE
from cluster.broker.pause_detector import PauseDetector
from cluster.broker.ports import Registration
from cluster.broker.procedures import Procedure

OUTDATED: Final = "its order may be from before this broker stood still, and has to be sent again"
TOO_MANY: Final = "too many orders of controllers wait to be obeyed"


@dataclass(frozen=True, slots=True)
class Orders:
    """The entry of orders into the queue."""

    queue: ControlQueue
    pause_detector: PauseDetector
    registration: Registration

    def take(
        self,
        size: int,
        broker_epoch: int,
        procedure: Procedure[None],
        close: Callable[[str], None],
    ) -> None:
        """Queue *procedure*, or call *close* with the reason if the order is refused.

        *size* is that of the request in bytes, *broker_epoch* the one in it.
        """
        if self.pause_detector.doubts_orders():
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
