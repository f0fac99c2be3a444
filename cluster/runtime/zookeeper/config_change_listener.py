"""Listens for changes of configs in ZooKeeper.

Reads the notifications about changed configs, then the configs themselves, and passes on those of
topics; those of this broker, and of all brokers, go first.
"""

import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from cluster.broker.configs.supported_configs import Applier
from cluster.coordination.client_requests import read_topic_overrides
from cluster.coordination.notifications import remove
from cluster.model.api_error import ApiError
from cluster.model.config_entity import EntityKind
from cluster.model.errors import CorruptZnodeError
from cluster.model.topic_name import topic_name_problem
from cluster.runtime.environment import LoopClock
from cluster.runtime.zookeeper.dynamic_broker_configs import DynamicBrokerConfigs
from cluster.runtime.zookeeper.runner import run
from cluster.runtime.zookeeper.session import Session
from cluster.runtime.zookeeper.watcher import Watcher
from cluster.zk import paths
from cluster.zk.configs import decode_config_change
from cluster.zk.requests import GetData, Refused
from cluster.zk.steps import read, read_children
from cluster.zk.znode import Znode

EXPIRATION_MS: Final = 15 * 60 * 1000
"""How long a notification stays for brokers that were away; then any broker removes it."""
READ_AT_ONCE: Final = 200
"""How many notifications are read together, so that other work of the loop runs in between."""
NONE_YET: Final = -1

logger: Final = logging.getLogger(__name__)


class ConfigChangeListener(Watcher):
    """Watches the notifications while the broker is registered."""

    def __init__(
        self,
        apply: Callable[[str, Mapping[str, str]], None],
        own: DynamicBrokerConfigs,
        apply_own: Callable[[Collection[Applier]], None],
    ) -> None:
        """*apply* is called with a topic and its overrides, whenever they may have changed.

        *apply_own* is called with the parts that have to apply changes of *own*.
        """
        super().__init__()
        self._apply = apply
        self._own = own
        self._apply_own = apply_own
        self._last = NONE_YET
        self._read_ms: dict[str, int] = {}
        """When each notification was read here, which was soon after it was created: Kafka compares
        ZooKeeper's clock with its own, and removes unread ones if that is ahead."""

    async def _read(self, session: Session) -> None:
        steps = read_children(paths.CONFIG_CHANGES, is_watched=True)
        names = await run(session, steps, self.watched)
        by_number = sorted((sequence_number(name), name) for name in names)
        news = [(number, name) for number, name in by_number if number > self._last]
        for start in range(0, len(news), READ_AT_ONCE):
            part = news[start : start + READ_AT_ONCE]
            await self._read_some(session, [name for _, name in part])
            # It need not be read again if the connection breaks before the rest.
            self._last = part[-1][0]
        await self._remove_old(session, set(names))

    async def _read_some(self, session: Session, names: Sequence[str]) -> None:
        """Read the notifications *names*, and pass on the configs that they name."""
        asked = [GetData(f"{paths.CONFIG_CHANGES}/{name}") for name in names]
        replies = await run(session, read(asked))
        for request, reply in zip(asked, replies, strict=True):
            if isinstance(reply, Refused):
                logger.warning("%s: %s", request.path, reply.reason)
        nodes = [reply for reply in replies if isinstance(reply, Znode)]
        changed = tuple(dict.fromkeys(changed_entities(nodes)))
        if not self._own.paths.isdisjoint(changed) and (appliers := await self._own.read(session)):
            self._apply_own(appliers)
        topics = tuple(topics_of(changed))
        for topic, overrides in (await run(session, read_topic_overrides(topics))).items():
            if isinstance(overrides, ApiError):
                logger.error("topic %s keeps its configs: %s", topic, overrides.message)
            else:
                self._apply(topic, overrides)
        read_ms = LoopClock(self._loop).now_ms()
        self._read_ms |= dict.fromkeys((node.name for node in nodes), read_ms)

    async def _remove_old(self, session: Session, names: set[str]) -> None:
        oldest_ms = LoopClock(self._loop).now_ms() - EXPIRATION_MS
        old = [name for name, read_ms in self._read_ms.items() if read_ms < oldest_ms]
        for name in old:
            del self._read_ms[name]
            if name in names:
                await run(session, remove(f"{paths.CONFIG_CHANGES}/{name}"))


def sequence_number(name: str) -> int:
    """The number that ZooKeeper gave to a notification; NONE_YET for another node."""
    digits = name[-10:]
    return int(digits) if digits.isascii() and digits.isdigit() else NONE_YET


def changed_entities(nodes: Iterable[Znode]) -> Iterable[str]:
    """The paths below `/config` in notifications; damaged ones are logged."""
    for node in nodes:
        try:
            yield decode_config_change(node).entity_path
        except CorruptZnodeError as error:
            logger.warning("%s", error)


def topics_of(entity_paths: Iterable[str]) -> Iterable[str]:
    """The topics among what has changed; an invalid name is no path to be read."""
    for path in entity_paths:
        kind, _, name = path.partition("/")
        if kind == EntityKind.TOPICS and topic_name_problem(name) is None:
            yield name
