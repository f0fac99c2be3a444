"""How do the leaderships get away from a broker that is to stop?

Asks the controller, as often as the settings say.  Whether the broker stops afterwards is not
decided here: it does in any case.
"""

import asyncio
import logging
from typing import Final

from kazoo.exceptions import KazooException

from cluster.model.broker import Endpoint
from cluster.model.error_codes import ErrorCode
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerEpoch, BrokerId
from cluster.runtime.peer_channel import PeerChannel, PeerFailure
from cluster.runtime.registration import read
from cluster.runtime.settings import BrokerSettings
from cluster.runtime.zookeeper import Session
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.controlled_shutdown import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
)
from cluster.zk import paths
from cluster.zk.brokers import decode_broker
from cluster.zk.controller import decode_controller

VERSION: Final = 3

logger: Final = logging.getLogger(__name__)


async def give_up_leaderships(
    session: Session, settings: BrokerSettings, broker_id: BrokerId, broker_epoch: BrokerEpoch
) -> bool:
    """Have the controller move all leaderships that can be moved; whether it says that it did."""
    for attempt in range(settings.shutdown_retries_max + 1):
        if attempt > 0:
            await asyncio.sleep(settings.shutdown_backoff_ms / 1000)
        try:
            # Without a connection ZooKeeper is waited for, which may be for ever.
            async with asyncio.timeout(settings.controller_timeout_ms / 1000):
                endpoint = await controller_endpoint(session, settings.inter_broker_listener)
            if endpoint is None:
                logger.warning("There is no controller to move leaderships away")
                return False
            if await is_released(endpoint, settings, broker_id, broker_epoch):
                return True
        except (KazooException, CorruptZnodeError, PeerFailure, TimeoutError) as error:
            logger.warning("The controller cannot be asked to move leaderships away: %r", error)
    return False


async def controller_endpoint(session: Session, listener: str) -> Endpoint | None:
    """Where the controller listens to brokers; None while there is no controller."""
    node = await read(session, paths.CONTROLLER)
    if node is None:
        return None
    broker = await read(session, paths.broker(decode_controller(node).broker_id))
    if broker is None:
        return None
    endpoints = decode_broker(broker).endpoints
    return next((one for one in endpoints if one.listener == listener), None)


async def is_released(
    endpoint: Endpoint, settings: BrokerSettings, broker_id: BrokerId, broker_epoch: BrokerEpoch
) -> bool:
    channel = PeerChannel(endpoint.host, endpoint.port, str(broker_id))
    try:
        answer = await channel.ask(
            ApiKey.CONTROLLED_SHUTDOWN,
            VERSION,
            ControlledShutdownRequest(broker_id, broker_epoch),
            ControlledShutdownResponse,
            settings.controller_timeout_ms,
        )
    finally:
        channel.close()
    if answer.error_code != ErrorCode.NONE:
        error = ErrorCode(answer.error_code)
        logger.warning("The controller refuses to move leaderships away: %s", error.name)
        return False
    if answer.remaining_partitions:
        logger.warning(
            "%d partitions are still led by this broker", len(answer.remaining_partitions)
        )
    return not answer.remaining_partitions
