"""Warnings: what speaks against a change of configs that is legal?

Warns of what Kafka takes without a word: keys that a live broker is too old for, and values that do
not do what one expects.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from cluster.model.broker import UNKNOWN_FORMAT, BrokerRegistration
from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.config_table import find_spec, is_throttle
from cluster.model.ids import BrokerId
from kadmin.plan.risks import TopicAsJudged

NEWEST_RELEASE: Final = {1: "0.8.2", 2: "0.9.0", 3: "0.10.1", 4: "2.6"}
"""Registration version of a broker → the newest release that registers so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigRequest:
    """What is to be set and to be deleted; a credential stands in *add* as it will be stored.

    *allow_running_brokers* lets the configs of brokers be written past those that run.
    """

    add: Mapping[str, str] = field(default_factory=dict, repr=False)
    delete: tuple[str, ...] = ()
    allow_running_brokers: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What else a plan is judged by: the live brokers; whether it is brokers that are asked for the
    change, who refuse what they cannot take; and, where a default of theirs changes, the overrides
    of every topic.

    *judged* are the topics whose risks the change decides on, as they are: the topic itself, or
    where a default changes all that are known."""

    brokers: Mapping[BrokerId, BrokerRegistration] = field(default_factory=dict)
    asks_brokers: bool = False
    topic_overrides: Sequence[Mapping[str, str]] = ()
    judged: Sequence[TopicAsJudged] = ()

    @property
    def oldest_registration(self) -> int | None:
        """The lowest registration version of a live broker; None without any that is known."""
        versions = [broker.version for broker in self.brokers.values()]
        return min((version for version in versions if version != UNKNOWN_FORMAT), default=None)


def warnings_of(
    entity: ConfigEntity, request: ConfigRequest, surroundings: Surroundings
) -> Iterator[str]:
    """Return what the operator should know before he goes on with a legal *request*, a sentence
    each."""
    oldest = surroundings.oldest_registration
    newest = None if oldest is None else NEWEST_RELEASE.get(oldest)
    for name in request.add:
        spec = find_spec(entity.kind, name)
        if spec is None or newest is None or release_key(spec.since) <= release_key(newest):
            continue
        yield (
            f"Kafka knows {name} since {spec.since}; a live broker registers like {newest}"
            " or older and will ignore it"
        )
    if entity.kind is EntityKind.TOPICS:
        yield from topic_warnings(request)
    if entity.kind is EntityKind.BROKERS and not surroundings.asks_brokers:
        yield from broker_warnings(entity.root, request, surroundings)


def topic_warnings(request: ConfigRequest) -> Iterator[str]:
    if "message.format.version" in request.add:
        yield (
            "message.format.version is ignored where it is newer than the brokers'"
            " inter.broker.protocol.version, and by brokers whose protocol is 3.0 or later"
        )


def broker_warnings(
    broker: Entity, request: ConfigRequest, surroundings: Surroundings
) -> Iterator[str]:
    if broker.name is not None and BrokerId(int(broker.name)) not in surroundings.brokers:
        yield f"broker {broker.name} is not alive; it will find the configs when it starts"
    elif surroundings.brokers and not all(map(is_throttle, request.add)):
        yield (
            "a running broker may still refuse what it reads from ZooKeeper, for example a thread"
            " count more than doubled, and reports it only in its log"
        )


def release_key(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))
