"""Creation of this broker's registration, after waiting for that of an earlier run to expire."""

import asyncio
import logging
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from cluster.coordination.registration import addresses, find_shared_address
from cluster.coordination.registration import register as register_once
from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerEpoch, BrokerId, TopicPartition
from cluster.runtime.errors import RegistrationRefused
from cluster.runtime.zookeeper.runner import run
from cluster.runtime.zookeeper.session import Session
from cluster.storage.log_config import SERVED_POLICIES
from cluster.zk.brokers import decode_broker
from cluster.zk.znode import Znode

VERSION: Final = 5
"""The version of the registration's format: that of Kafka 2.7 and later."""
POLL_S: Final = 0.1
NOTHING: Final[Mapping[TopicPartition, str]] = MappingProxyType({})

logger: Final = logging.getLogger(__name__)


def registration(
    broker_id: BrokerId,
    endpoints: Sequence[Endpoint],
    rack: str | None,
    wall_ms: int,
    intact_since: BrokerEpoch | None = None,
    refused: Mapping[TopicPartition, str] = NOTHING,
    flushed_since: BrokerEpoch | None = None,
) -> BrokerRegistration:
    """The content of this broker's registration."""
    plain = next(endpoint for endpoint in endpoints if endpoint.security_protocol == "PLAINTEXT")
    return BrokerRegistration(
        broker_id=broker_id,
        endpoints=tuple(endpoints),
        version=VERSION,
        host=plain.host,
        port=plain.port,
        rack=rack,
        timestamp_ms=wall_ms,
        intact_since=intact_since,
        flushed_since=flushed_since,
        cleanup_policies=SERVED_POLICIES,
        refused=refused,
    )


async def register(
    session: Session,
    broker: BrokerRegistration,
    incarnation: int,
    *,
    own_sessions: Collection[int],
    patience_ms: int,
) -> BrokerEpoch:
    """Create the broker's ephemeral znode, and return its czxid.

    *incarnation* counts the starts of the broker.  A registration that one of *own_sessions* left
    behind is replaced.  One of another session with
    the same addresses is of an earlier run of this broker, since only one process can listen there:
    this waits until it expires, for at most *patience_ms*.

    Raises:
        RegistrationRefused: another broker has the id or one of the addresses.
    """
    shared = await run(session, find_shared_address(broker))
    if shared is not None:
        raise RegistrationRefused(
            broker.broker_id,
            f"broker {shared.other} is registered with {shared.host}:{shared.port}, too",
        )
    deadline = asyncio.get_running_loop().time() + patience_ms / 1000
    is_logged = False
    while True:
        steps = register_once(broker, incarnation, session.session_id, own_sessions, log_removal)
        found = await run(session, steps)
        if not isinstance(found, Znode):
            return found
        refuse_other_broker(broker, found)
        if asyncio.get_running_loop().time() >= deadline:
            raise RegistrationRefused(
                broker.broker_id,
                f"session 0x{found.ephemeral_owner:x} still has {found.path} after"
                f" {patience_ms} ms",
            )
        if not is_logged:
            is_logged = True
            logger.info(
                "Waiting until session 0x%x, which had %s before, expires",
                found.ephemeral_owner,
                found.path,
            )
        await asyncio.sleep(POLL_S)


def log_removal(node: Znode) -> None:
    logger.info("Removing %s, which an earlier session of this broker left", node.path)


def refuse_other_broker(broker: BrokerRegistration, node: Znode) -> None:
    """Raise RegistrationRefused if *node* is the registration of another broker."""
    try:
        there = decode_broker(node)
    except CorruptZnodeError as error:
        raise RegistrationRefused(broker.broker_id, str(error)) from error
    if not addresses(there) & addresses(broker):
        listed = ", ".join(str(endpoint) for endpoint in there.endpoints)
        raise RegistrationRefused(
            broker.broker_id,
            f"another broker has this id: it is at {listed} (session"
            f" 0x{node.ephemeral_owner:x}); give one of them another broker.id",
        )
