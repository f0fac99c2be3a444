"""Is a controller's request meant for this broker as it is now, and by the controller of now?

Source: Kafka's KafkaApis and ReplicaManager, the checks before LeaderAndIsr, StopReplica and
UpdateMetadata.
"""

from typing import Final, cast

from cluster.broker.context import Context
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import ControllerEpoch
from cluster.statechange.broker import Command, stale_controller
from cluster.wire.codec import RequestFrame
from cluster.wire.messages.leader_and_isr import LeaderAndIsrRequest
from cluster.wire.messages.stop_replica import StopReplicaRequest
from cluster.wire.messages.update_metadata import UpdateMetadataRequest

NO_BROKER_EPOCH: Final = -1
"""From a controller that knows no broker epochs."""


def command_of(context: Context, request: RequestFrame) -> Command:
    """What state-change.log says of where *request* came from and who got it."""
    body = cast(LeaderAndIsrRequest | StopReplicaRequest | UpdateMetadataRequest, request.body)
    return Command(
        context.ports.broker.broker_id,
        body.controller_id,
        body.controller_epoch,
        request.correlation_id,
    )


def refusal(context: Context, command: Command, request: str, broker_epoch: int) -> ErrorCode:
    """Why the whole request is refused, or NONE, which raises the epoch to obey.

    *request* is its name in state-change.log.
    """
    if broker_epoch != NO_BROKER_EPOCH and broker_epoch < context.ports.broker.broker_epoch:
        return ErrorCode.STALE_BROKER_EPOCH
    if command.controller_epoch < context.controller_epoch:
        context.ports.journal.state_change(
            stale_controller(command, request, context.controller_epoch)
        )
        return ErrorCode.STALE_CONTROLLER_EPOCH
    context.controller_epoch = ControllerEpoch(command.controller_epoch)
    return ErrorCode.NONE
