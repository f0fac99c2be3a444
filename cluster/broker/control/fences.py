"""Fence against orders of former controllers, and of those for earlier registrations of this
broker.

Source: Kafka's KafkaApis and ReplicaManager, the checks before LeaderAndIsr, StopReplica and
UpdateMetadata.
"""

from typing import Final, NamedTuple

from cluster.broker.ports import Ports
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import ControllerEpoch
from cluster.statechange.broker import OrderTag, stale_controller

NO_BROKER_EPOCH: Final = -1
"""From a controller that sends no broker epochs."""


class Sender(NamedTuple):
    """The sender of an order, and the registration of this broker that it is meant for."""

    tag: OrderTag
    broker_epoch: int


class ControllerFence:
    """Stores the newest controller epoch that this broker has seen."""

    __slots__ = ("_ports", "controller_epoch")

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self.controller_epoch = ControllerEpoch(-1)

    def refusal(self, sender: Sender, request: str) -> ErrorCode:
        """Why the whole request is refused, or NONE, which raises the accepted epoch.

        *request* is its name in state-change.log.
        """
        tag, broker_epoch = sender
        if broker_epoch != NO_BROKER_EPOCH and broker_epoch < self._ports.registration.broker_epoch:
            return ErrorCode.STALE_BROKER_EPOCH
        if tag.controller_epoch < self.controller_epoch:
            self._ports.journal.state_change(stale_controller(tag, request, self.controller_epoch))
            return ErrorCode.STALE_CONTROLLER_EPOCH
        self.controller_epoch = ControllerEpoch(tag.controller_epoch)
        self._ports.registration.note_order(broker_epoch)
        return ErrorCode.NONE
