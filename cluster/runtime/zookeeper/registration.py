"""Who is this broker, in which cluster, and how do the others learn of it?

Makes the znodes that a cluster begins with, its id, and `/brokers/ids/<id>`.  Knows neither
settings nor log directories.
"""

import asyncio
import logging
from base64 import urlsafe_b64encode
from collections.abc import Collection, Sequence
from typing import Any, Final
from uuid import uuid4

from kazoo.exceptions import (
    ConnectionLoss,
    NodeExistsError,
    NoNodeError,
    RolledBackError,
    RuntimeInconsistency,
)

from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.cluster import ClusterId
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerEpoch, BrokerId, ZkVersion
from cluster.runtime.errors import RegistrationRefused
from cluster.runtime.zookeeper.session import Session
from cluster.zk import paths
from cluster.zk.brokers import decode_broker, encode_broker, generated_broker_id
from cluster.zk.cluster import decode_cluster_id, encode_cluster_id
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.znode import Znode
from cluster.zkclient.kazoo_requests import znode_of

VERSION: Final = 5
"""Of the registration's format: that of Kafka 2.7 and later."""
POLL_S: Final = 0.1
RECREATED: Final = (RolledBackError, RuntimeInconsistency)
"""What kazoo reports of the operations of a transaction that did not fail themselves."""

logger: Final = logging.getLogger(__name__)


async def read(session: Session, path: str) -> Znode | None:
    """The znode at *path*; None when there is none."""
    try:
        return znode_of(path, await session.ask(lambda client: client.get_async(path)))
    except NoNodeError:
        return None


async def make(session: Session, path: str, data: bytes = b"") -> bool:
    """Create a persistent znode; False when it is there already."""
    try:
        await session.ask(lambda client: client.create_async(path, data))
    except NodeExistsError:
        return False
    return True


async def make_layout(session: Session) -> None:
    """Make what every cluster begins with, as far as it is missing."""
    futures = [make(session, path) for path in PERSISTENT_PATHS]
    for outcome in await asyncio.gather(*futures, return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome


async def cluster_id(session: Session) -> str:
    """The cluster's id, drawn now if it has none.

    Raises:
        CorruptZnodeError: what stands there is no id.
    """
    node = await read(session, paths.CLUSTER_ID)
    if node is None:
        await make(session, paths.CLUSTER)
        drawn = urlsafe_b64encode(uuid4().bytes).decode("ascii").rstrip("=")
        await make(session, paths.CLUSTER_ID, encode_cluster_id(ClusterId(cluster_id=drawn)))
        # Another broker may have been faster: what stands there counts.
        node = await read(session, paths.CLUSTER_ID)
        assert node is not None
    return decode_cluster_id(node).cluster_id


async def new_broker_id(session: Session, reserved_id_max: int) -> BrokerId:
    """An id that no broker has had, above those that brokers give themselves."""
    stat = await session.ask(lambda client: client.set_async(paths.BROKER_SEQUENCE, b""))
    return generated_broker_id(ZkVersion(stat.version), reserved_id_max)


def registration(
    broker_id: BrokerId, endpoints: Sequence[Endpoint], rack: str | None, now_ms: int
) -> BrokerRegistration:
    """What this broker says of itself."""
    plain = next(endpoint for endpoint in endpoints if endpoint.security_protocol == "PLAINTEXT")
    return BrokerRegistration(
        broker_id=broker_id,
        endpoints=tuple(endpoints),
        version=VERSION,
        host=plain.host,
        port=plain.port,
        rack=rack,
        timestamp_ms=now_ms,
    )


async def register(
    session: Session,
    broker: BrokerRegistration,
    *,
    own_sessions: Collection[int],
    patience_ms: int,
) -> BrokerEpoch:
    """Make the broker's ephemeral znode, and return its czxid.

    A registration that one of *own_sessions* left behind is replaced.  One of another session with
    the same addresses is an earlier life of this broker, for only one can listen there: it is
    waited for until it expires, for *patience_ms*.

    Raises:
        RegistrationRefused: another broker has the id or one of the addresses.
    """
    await check_addresses(session, broker)
    path = paths.broker(broker.broker_id)
    deadline = asyncio.get_running_loop().time() + patience_ms / 1000
    is_told = False
    while True:
        epoch = await try_to_register(session, path, encode_broker(broker))
        if epoch is not None:
            return epoch
        node = await read(session, path)
        if node is None:
            continue
        if node.ephemeral_owner == session.session_id:
            # The answer to our own transaction was lost.
            return BrokerEpoch(node.czxid)
        if node.ephemeral_owner in own_sessions:
            await remove(session, node)
            continue
        refuse_stranger(broker, node)
        if asyncio.get_running_loop().time() >= deadline:
            raise RegistrationRefused(
                broker.broker_id,
                f"session 0x{node.ephemeral_owner:x} still has {path} after {patience_ms} ms",
            )
        if not is_told:
            is_told = True
            logger.info(
                "Waiting until session 0x%x, which had %s before, expires",
                node.ephemeral_owner,
                path,
            )
        await asyncio.sleep(POLL_S)


async def try_to_register(session: Session, path: str, data: bytes) -> BrokerEpoch | None:
    """Create the znode in one transaction with its data, as Kafka does; None if it is there."""

    def start(client: Any) -> Any:
        transaction = client.transaction()
        transaction.create(path, ephemeral=True)
        transaction.set_data(path, data, version=0)
        return transaction.commit_async()

    try:
        created, written = await session.ask(start)
    except ConnectionLoss:
        return None
    if isinstance(created, NodeExistsError):
        return None
    for outcome in (created, written):
        if isinstance(outcome, Exception) and not isinstance(outcome, RECREATED):
            raise outcome
    return BrokerEpoch(written.czxid)


async def remove(session: Session, node: Znode) -> None:
    """Remove *node*, unless it is gone or has been written since."""
    logger.info("Removing %s, which an earlier session of this broker left", node.path)
    try:
        await session.ask(lambda client: client.delete_async(node.path, version=node.zk_version))
    except NoNodeError:
        return


def refuse_stranger(broker: BrokerRegistration, node: Znode) -> None:
    """Raise RegistrationRefused if *node* is the registration of somebody else."""
    try:
        there = decode_broker(node).endpoints
    except CorruptZnodeError as error:
        raise RegistrationRefused(broker.broker_id, str(error)) from error
    ours = addresses(broker.endpoints)
    if not addresses(there) & ours:
        listed = ", ".join(str(endpoint) for endpoint in there)
        raise RegistrationRefused(
            broker.broker_id,
            f"another broker has this id: it is at {listed} (session"
            f" 0x{node.ephemeral_owner:x}); give one of them another broker.id",
        )


async def check_addresses(session: Session, broker: BrokerRegistration) -> None:
    """Raise RegistrationRefused if a broker with another id has one of our addresses."""
    children = await session.ask(lambda client: client.get_children_async(paths.BROKER_IDS))
    others = [BrokerId(int(name)) for name in children if name != str(broker.broker_id)]
    nodes = await asyncio.gather(*(read(session, paths.broker(other)) for other in others))
    for other, node in zip(others, nodes, strict=True):
        if node is None:
            continue
        try:
            shared = addresses(decode_broker(node).endpoints) & addresses(broker.endpoints)
        except CorruptZnodeError:
            # Another broker's damage is not ours to judge.
            continue
        if shared:
            host, port = min(shared)
            raise RegistrationRefused(
                broker.broker_id, f"broker {other} is registered with {host}:{port}, too"
            )


def addresses(endpoints: Sequence[Endpoint]) -> set[tuple[str, int]]:
    return {(endpoint.host, endpoint.port) for endpoint in endpoints}
