"""The controlled shutdown as a broker requests it: its leaderships move away before it stops.

Asks the controller, as often as the settings allow, and for at most `PATIENCE_S` in all.  The
broker stops afterwards in any case.
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Final

from kazoo.exceptions import SessionExpiredError

from cluster.broker.ports import Endpoint as Address
from cluster.broker.ports import NoAnswer
from cluster.coordination.registration import find_controller
from cluster.model.broker import Endpoint
from cluster.model.error_codes import ErrorCode
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerEpoch, BrokerId
from cluster.runtime.network.peers import TcpPeers, ask
from cluster.runtime.zookeeper.runner import run
from cluster.runtime.zookeeper.session import Session
from cluster.settings.broker_settings import BrokerSettings
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.controlled_shutdown import (
    ControlledShutdownRequest,
    ControlledShutdownResponse,
)
from cluster.zk.steps import Refusal

NEWEST_VERSION: Final = 3
PATIENCE_S: Final = 30.0
"""For all attempts and pauses together.

Service managers kill processes that do not stop in time, which is 90 s with systemd, and the logs
have to be closed after this.
"""

logger: Final = logging.getLogger(__name__)


async def request_controlled_shutdown(
    session: Session,
    peers: TcpPeers,
    settings: BrokerSettings,
    broker_id: BrokerId,
    broker_epoch: BrokerEpoch,
    is_connected: Callable[[], bool],
) -> bool:
    """Let the controller move all leaderships that it can; returns whether it confirmed that.

    *is_connected* returns whether ZooKeeper answers.  Without it no controller is looked up, nor
    after one failed lookup; a controller that does not answer is asked again.
    """
    try:
        async with asyncio.timeout(PATIENCE_S):
            for attempt in range(settings.shutdown_retries_max + 1):
                if attempt > 0:
                    await asyncio.sleep(settings.shutdown_backoff_ms / 1000)
                endpoint = await controller_endpoint(session, settings, is_connected)
                if endpoint is None:
                    return False
                if await is_released(peers, endpoint, settings, broker_id, broker_epoch):
                    return True
    except TimeoutError:
        logger.warning("The controller has not moved leaderships away within %g s", PATIENCE_S)
    return False


async def controller_endpoint(
    session: Session, settings: BrokerSettings, is_connected: Callable[[], bool]
) -> Endpoint | None:
    """The address of the controller; None, with a line in the log, if it cannot be found."""
    if not is_connected():
        logger.warning("Without ZooKeeper no controller is found to move leaderships away")
        return None
    try:
        # This waits for a connection that is lost just now, which may be for ever.
        async with asyncio.timeout(settings.controller_timeout_ms / 1000):
            endpoint = await run(session, find_controller(settings.inter_broker_listener))
    except (SessionExpiredError, Refusal, CorruptZnodeError, TimeoutError) as error:
        logger.warning("No controller is found to move leaderships away: %r", error)
        return None
    if endpoint is None:
        logger.warning("There is no controller to move leaderships away")
    return endpoint


async def is_released(
    peers: TcpPeers,
    endpoint: Endpoint,
    settings: BrokerSettings,
    broker_id: BrokerId,
    broker_epoch: BrokerEpoch,
) -> bool:
    """Ask the controller once, and return whether it reports that no leadership remains."""
    request = ControlledShutdownRequest(broker_id, broker_epoch)
    answer = await ask_once(
        peers, endpoint, str(broker_id), request, settings.controller_timeout_ms
    )
    if isinstance(answer, NoAnswer):
        logger.warning(
            "The controller cannot be asked to move leaderships away: %s:%d: %s",
            endpoint.host,
            endpoint.port,
            answer.reason,
        )
        return False
    if answer.error_code != ErrorCode.NONE:
        refusal = ErrorCode(answer.error_code)
        logger.warning("The controller refuses to move leaderships away: %s", refusal.name)
        return False
    if answer.remaining_partitions:
        logger.warning(
            "%d partitions are still led by this broker", len(answer.remaining_partitions)
        )
    return not answer.remaining_partitions


async def ask_once(
    peers: TcpPeers,
    endpoint: Endpoint,
    client_id: str,
    request: ControlledShutdownRequest,
    timeout_ms: int,
) -> ControlledShutdownResponse | NoAnswer:
    """Ask on a connection of its own, in the newest version that both sides support."""
    connection = await peers.open(Address(endpoint.host, endpoint.port), client_id, timeout_ms)
    if isinstance(connection, NoAnswer):
        return connection
    try:
        version = connection.version(ApiKey.CONTROLLED_SHUTDOWN, NEWEST_VERSION)
        if version is None:
            return NoAnswer("it does not serve ControlledShutdown")
        answer = await ask(connection, ApiKey.CONTROLLED_SHUTDOWN, version, request, timeout_ms)
    finally:
        connection.close()
    assert isinstance(answer, ControlledShutdownResponse | NoAnswer)
    return answer
