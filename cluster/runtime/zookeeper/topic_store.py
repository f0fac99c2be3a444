"""How does a broker change topics, and the configs of topics and brokers, in ZooKeeper?

Every write is one transaction that names the versions it was computed from, and that of
`/controller`; when somebody else was faster it is computed anew.  A write whose answer was lost is
read back.  Knows no requests: what is legal has been decided, or is asked of the caller.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from kazoo.exceptions import ConnectionLoss, KazooException, SessionExpiredError

from cluster.broker.ports import ChangeConfigs, Done, Layout, Outcome, TopicOverrides, WidenTopic
from cluster.model.cluster import ProducerIdBlock
from cluster.model.config_entity import (
    NO_OVERRIDES,
    ConfigChange,
    ConfigEntity,
    ConfigOverrides,
    Entity,
)
from cluster.model.error_codes import ErrorCode
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId
from cluster.model.topic import PartitionAssignment, TopicAssignment
from cluster.model.topic_id import topic_id_text
from cluster.runtime.zookeeper.config_overrides import failed, read_overrides, read_topic_overrides
from cluster.runtime.zookeeper.registration import read
from cluster.runtime.zookeeper.session import Session
from cluster.runtime.zookeeper.transaction import (
    Check,
    Committed,
    Create,
    Operation,
    SetData,
    transact,
)
from cluster.zk import paths
from cluster.zk.cluster import decode_producer_id_block, encode_producer_id_block
from cluster.zk.configs import (
    config_path,
    decode_config,
    encode_config,
    encode_config_change,
    entity_path,
)
from cluster.zk.controller import decode_controller
from cluster.zk.topics import decode_assignment, encode_assignment
from cluster.zk.znode import Znode

PRODUCER_ID_COUNT: Final = 1000
"""How many producer ids a broker takes at once, as Kafka's."""
ATTEMPTS_MAX: Final = 20
"""How often a write is computed anew because somebody else was faster."""

T = TypeVar("T")

WITHOUT_SESSION: Final = Outcome(
    ErrorCode.BROKER_NOT_AVAILABLE, "The broker has no session with ZooKeeper."
)
DONE: Final = Outcome()


class KRaftOwnsCluster(Exception):
    """A KRaft controller has taken the cluster over: nothing may be written to ZooKeeper."""


class TopicStore:
    """Reads and writes by the broker's session, which others set and take away."""

    def __init__(self, broker_id: BrokerId) -> None:
        self._broker_id = broker_id
        self._tasks: set[asyncio.Task[None]] = set()
        self._producer_ids = asyncio.Lock()
        self.session: Session | None = None
        """The session that the broker is registered by; None while there is none."""

    # What the APIs ask for.

    def create_topic(
        self, topic: str, topic_id: bytes, layout: Layout, configs: Mapping[str, str], done: Done
    ) -> None:
        assignment = TopicAssignment(
            partitions={index: PartitionAssignment(layout[index]) for index in sorted(layout)},
            topic_id=topic_id_text(topic_id),
        )
        self._start(lambda session: create_topic(session, topic, assignment, configs), done)

    def delete_topic(self, topic: str, done: Done) -> None:
        self._start(lambda session: mark_deleted(session, topic), done)

    def widen_topic(self, topic: str, widen: WidenTopic, done: Done) -> None:
        self._start(lambda session: widen_topic(session, topic, widen), done)

    def alter_configs(self, entity: Entity, change: ChangeConfigs, done: Done) -> None:
        self._start(lambda session: alter_configs(session, entity, change), done)

    def read_overrides(
        self, entity: Entity, done: Callable[[Mapping[str, str] | Outcome], None]
    ) -> None:
        self._start(lambda session: read_overrides(session, entity), done)

    def read_topic_overrides(
        self,
        topics: Sequence[str],
        done: Callable[[TopicOverrides | Outcome], None],
    ) -> None:
        self._start(lambda session: read_topic_overrides(session, topics), done)

    def take_producer_ids(self, done: Callable[[range | Outcome], None]) -> None:
        self._start(self._take_producer_ids, done)

    async def _take_producer_ids(self, session: Session) -> range | Outcome:
        # One at a time: a block that another task of this broker took looks like one's own.
        async with self._producer_ids:
            return await take_producer_ids(session, self._broker_id)

    # How it is run.

    def _start(
        self,
        use: Callable[[Session], Coroutine[Any, Any, T | Outcome]],
        done: Callable[[T | Outcome], None],
    ) -> None:
        task = asyncio.get_running_loop().create_task(self._run(use, done))
        # The loop itself holds its tasks only weakly.
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(
        self,
        use: Callable[[Session], Coroutine[Any, Any, T | Outcome]],
        done: Callable[[T | Outcome], None],
    ) -> None:
        done(await self._outcome(use))

    async def _outcome(
        self, use: Callable[[Session], Coroutine[Any, Any, T | Outcome]]
    ) -> T | Outcome:
        session = self.session
        if session is None:
            # The task must not call back from within the call that asks.
            await asyncio.sleep(0)
            return WITHOUT_SESSION
        try:
            return await use(session)
        except SessionExpiredError:
            return WITHOUT_SESSION
        except KRaftOwnsCluster as error:
            return Outcome(ErrorCode.NOT_CONTROLLER, str(error))
        except (CorruptZnodeError, KazooException) as error:
            return failed(error)


async def fence(session: Session) -> tuple[Operation, ...]:
    """What makes a write fail when the controller changes before it: none while there is none.

    Raises:
        KRaftOwnsCluster: nobody but KRaft may write.
    """
    node = await read(session, paths.CONTROLLER)
    if node is None:
        return ()
    if decode_controller(node).kraft_controller_epoch > 0:
        raise KRaftOwnsCluster("The cluster is being migrated to KRaft.")
    return (Check(paths.CONTROLLER, node.zk_version),)


async def write(
    session: Session, compute: Callable[[], Coroutine[Any, Any, Sequence[Operation] | Outcome]]
) -> Outcome:
    """Commit what *compute* makes of what stands there, which it reads; again when that moved.

    It answers with an Outcome when there is nothing to write, which is also how it says that a
    transaction of its own has landed whose answer was lost.
    """
    for _ in range(ATTEMPTS_MAX):
        try:
            # The fence comes first: it has to hold from before the first thing that is read.
            guard = await fence(session)
            operations = await compute()
            if isinstance(operations, Outcome):
                return operations
            if isinstance(await transact(session, (*guard, *operations)), Committed):
                return DONE
        except ConnectionLoss:
            continue
    return Outcome(ErrorCode.REQUEST_TIMED_OUT, "Others write the same without a pause.")


async def create_topic(
    session: Session, topic: str, assignment: TopicAssignment, configs: Mapping[str, str]
) -> Outcome:
    """Make the topic together with its configs; whoever sees the topic sees these."""
    data = encode_assignment(assignment)

    async def compute() -> Sequence[Operation] | Outcome:
        there = await read(session, paths.topic(topic))
        if there is not None and there.data == data:
            return DONE
        if there is not None:
            return await already_there(session, topic)
        path = paths.topic_config(topic)
        config = await read(session, path)
        written = encode_config(ConfigOverrides(values=configs))
        first = Create(path, written) if config is None else replaced(config, written)
        return (first, Create(paths.topic(topic), data))

    return await write(session, compute)


async def already_there(session: Session, topic: str) -> Outcome:
    doomed = await read(session, paths.delete_topic(topic)) is not None
    message = f"Topic '{topic}' {'is marked for deletion' if doomed else 'already exists'}."
    return Outcome(ErrorCode.TOPIC_ALREADY_EXISTS, message)


def replaced(node: Znode, data: bytes) -> SetData:
    return SetData(node.path, data, node.zk_version)


async def mark_deleted(session: Session, topic: str) -> Outcome:
    """Leave the mark by which the controller learns that the topic shall go."""
    path = paths.delete_topic(topic)

    async def compute() -> Sequence[Operation] | Outcome:
        return DONE if await read(session, path) is not None else (Create(path),)

    return await write(session, compute)


async def widen_topic(session: Session, topic: str, widen: WidenTopic) -> Outcome:
    """Add partitions; what a reassignment has under way stays as it is."""
    attempted: set[bytes] = set()

    async def compute() -> Sequence[Operation] | Outcome:
        node = await read(session, paths.topic(topic))
        if node is None:
            return unknown_topic(topic)
        if node.data in attempted:
            return DONE
        assignment = decode_assignment(node)
        added = widen(assignment.partitions)
        if isinstance(added, Outcome):
            return added
        more = {index: PartitionAssignment(added[index]) for index in sorted(added)}
        wider = replace(assignment, partitions={**assignment.partitions, **more})
        data = encode_assignment(wider)
        attempted.add(data)
        return (replaced(node, data),)

    return await write(session, compute)


def unknown_topic(topic: str) -> Outcome:
    return Outcome(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"The topic '{topic}' does not exist.")


async def alter_configs(session: Session, entity: Entity, change: ChangeConfigs) -> Outcome:
    """Write the overrides of *entity* and the notification, in which brokers read where to look."""
    owner = ConfigEntity(entity)
    path = config_path(owner)
    attempted: set[bytes] = set()
    notification = Create(
        paths.config_change_prefix(),
        encode_config_change(ConfigChange(entity_path=entity_path(owner))),
        is_sequential=True,
    )

    async def compute() -> Sequence[Operation] | Outcome:
        node = await read(session, path)
        if node is not None and node.data in attempted:
            return DONE
        config = NO_OVERRIDES if node is None else decode_config(node)
        values = change(config.values)
        if isinstance(values, Outcome):
            return values
        data = encode_config(replace(config, values=values))
        if node is None or data != node.data:
            attempted.add(data)
        written = Create(path, data) if node is None else replaced(node, data)
        # The notification comes behind the data: nobody hears of what is not there yet.
        return (written, notification)

    return await write(session, compute)


async def take_producer_ids(session: Session, broker_id: BrokerId) -> range | Outcome:
    """Take the block behind the one that was given out last."""
    attempted: dict[bytes, ProducerIdBlock] = {}
    taken: list[ProducerIdBlock] = []

    async def compute() -> Sequence[Operation] | Outcome:
        node = await read(session, paths.PRODUCER_ID_BLOCK)
        if node is not None and node.data in attempted:
            taken[:] = [attempted[node.data]]
            return DONE
        last = None if node is None else decode_producer_id_block(node)
        first = 0 if last is None else last.last + 1
        block = ProducerIdBlock(
            broker_id=broker_id, first=first, last=first + PRODUCER_ID_COUNT - 1
        )
        data = encode_producer_id_block(block)
        attempted[data] = block
        taken[:] = [block]
        return (Create(paths.PRODUCER_ID_BLOCK, data) if node is None else replaced(node, data),)

    outcome = await write(session, compute)
    if outcome.error is not ErrorCode.NONE:
        return outcome
    return range(taken[0].first, taken[0].last + 1)
