"""A cluster as far as reassignments go: brokers, a controller of some era, configs, a request."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import Final

from cluster.model.broker import BrokerRegistration
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, topic_entity
from cluster.model.controller import Controller, ControllerEpochNode
from cluster.model.ids import (
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    TopicPartition,
    ZkVersion,
)
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment
from tests.kadmin.builders import brokers

Replicas = tuple[BrokerId, ...]
SIZE: Final = 1000


class Era(Enum):
    UNTIL_2_3 = "requests in a znode, which alone shows what moves"
    SINCE_2_4 = "requests in a znode; topics show what moves"
    BY_WIRE = "requests to the controller, at any time"


@dataclass
class Part:
    replicas: Replicas
    isr: Replicas
    leader: int
    adding: Replicas = ()
    removing: Replicas = ()
    copied: dict[BrokerId, int] = field(default_factory=dict)

    @property
    def assignment(self) -> PartitionAssignment:
        return PartitionAssignment(self.replicas, self.adding, self.removing)


class Cluster:
    """*moving* are the targets that the controller works on; *request* is that of ZooKeeper."""

    def __init__(self, era: Era, live: range, layout: Mapping[TopicPartition, Replicas]) -> None:
        self.era = era
        self.all = brokers(" ".join(map(str, live)))
        self.live = set(self.all)
        self.controller: BrokerId | None = BrokerId(live[0])
        self.epoch = 1
        self.parts = {
            partition: Part(replicas, replicas, replicas[0], copied=dict.fromkeys(replicas, SIZE))
            for partition, replicas in layout.items()
        }
        self.versions = dict.fromkeys((partition.topic for partition in layout), 0)
        self.request: dict[TopicPartition, Replicas] | None = None
        self.moving: dict[TopicPartition, Replicas] = {}
        self.configs: dict[ConfigEntity, dict[str, str]] = {}
        self.config_versions: dict[ConfigEntity, int] = {}

    # What clients see.

    def snapshot(self, topics: tuple[str, ...] | None = None) -> ClusterSnapshot:
        names = sorted({partition.topic for partition in self.parts})
        shown = [name for name in names if topics is None or name in topics]
        by_wire = self.era is Era.BY_WIRE
        requested = {each: part.assignment.target for each, part in self.reassigning()}
        return ClusterSnapshot(
            brokers={broker: self.all[broker] for broker in sorted(self.live)},
            topics={name: self.topic(name) for name in shown},
            controller=None
            if self.controller is None
            else Controller(broker_id=self.controller, zk_version=ZkVersion(0)),
            controller_epoch=ControllerEpochNode(
                ControllerEpoch(self.epoch), ZkVersion(self.epoch)
            ),
            moving=requested if by_wire else dict(self.request or {}),
        )

    def topic(self, name: str) -> TopicSnapshot:
        parts = {each.partition: part for each, part in self.parts.items() if each.topic == name}
        entity = topic_entity(name)
        return TopicSnapshot(
            name=name,
            assignment=TopicAssignment(
                partitions={number: parts[number].assignment for number in sorted(parts)},
                zk_version=ZkVersion(self.versions[name]),
            ),
            config=ConfigOverrides(values=dict(self.configs.get(entity, {}))),
            states={
                number: PartitionState(
                    leader=BrokerId(part.leader),
                    isr=part.isr,
                    leader_epoch=LeaderEpoch(0),
                    controller_epoch=ControllerEpoch(self.epoch),
                )
                for number, part in parts.items()
            },
        )

    def reassigning(self) -> Iterator[tuple[TopicPartition, Part]]:
        for partition, part in self.parts.items():
            if part.assignment.is_reassigning:
                yield partition, part

    def is_moving(self, partition: TopicPartition) -> bool:
        requested = self.request or {}
        return self.parts[partition].assignment.is_reassigning or partition in requested

    def registrations(self) -> Mapping[BrokerId, BrokerRegistration]:
        return self.all

    def config(self, entity: ConfigEntity) -> ConfigOverrides:
        return ConfigOverrides(
            values=dict(self.configs.get(entity, {})),
            zk_version=ZkVersion(self.config_versions.get(entity, 0)),
        )

    def put(self, entity: ConfigEntity, values: Mapping[str, str]) -> None:
        self.configs[entity] = dict(values)
        self.config_versions[entity] = self.config_versions.get(entity, 0) + 1

    # What the controller does.

    def begin(self, partition: TopicPartition, target: Replicas) -> None:
        """Begin a move; of one that is under way the new target counts from here on."""
        part = self.parts[partition]
        self.moving[partition] = target
        self.versions[partition.topic] += 1
        if self.era is Era.UNTIL_2_3:
            part.replicas = tuple(dict.fromkeys((*target, *part.replicas)))
            return
        begun = part.assignment.reassigned(target)
        dropped = set(part.replicas) - set(begun.replicas)
        part.replicas, part.adding, part.removing = begun.replicas, begun.adding, begun.removing
        self.drop(part, dropped)

    def complete(self, partition: TopicPartition) -> None:
        part, target = self.parts[partition], self.moving.pop(partition)
        dropped = set(part.replicas) - set(target)
        part.replicas, part.adding, part.removing = target, (), ()
        self.drop(part, dropped)
        self.versions[partition.topic] += 1
        if self.request is not None and self.request.get(partition) == target:
            del self.request[partition]
            self.request = self.request or None

    def drop(self, part: Part, gone: set[BrokerId]) -> None:
        # An unclean election, where nothing is left in sync.
        left = tuple(broker for broker in part.isr if broker not in gone)
        part.isr = left or part.replicas[:1]
        for broker in gone:
            part.copied.pop(broker, None)
        self.lead(part)

    def lead(self, part: Part) -> None:
        able = [each for each in part.replicas if each in part.isr and each in self.live]
        if part.leader not in able:
            part.leader = able[0] if able else -1

    def work(self, random: Random) -> None:
        """Take one thing up that is to be done, if there is a controller."""
        if self.controller is None:
            return
        for partition, target in (self.request or {}).items():
            if self.moving.get(partition) != target:
                self.begin(partition, target)
                return
        ready = [
            partition
            for partition, target in self.moving.items()
            if set(target) <= set(self.parts[partition].isr) and set(target) <= self.live
        ]
        if ready:
            self.complete(random.choice(ready))

    def elect(self, random: Random) -> None:
        if self.live:
            self.controller = random.choice(sorted(self.live))
            self.epoch += 1
            # A new one knows only what it reads; requests are taken up one by one.
            self.moving = {each: part.assignment.target for each, part in self.reassigning()}

    # What brokers do.

    def copy(self, random: Random) -> None:
        """Let a replica that is behind fetch; one that has everything joins the ISR."""
        behind = [
            (part, broker)
            for part in self.parts.values()
            for broker in part.replicas
            if broker in self.live and broker not in part.isr and part.leader >= 0
        ]
        if behind:
            part, broker = random.choice(behind)
            part.copied[broker] = min(SIZE, part.copied.get(broker, 0) + SIZE // 2)
            if part.copied[broker] == SIZE:
                part.isr = (*part.isr, broker)

    def stop(self, broker: BrokerId) -> None:
        self.live.discard(broker)
        for part in self.parts.values():
            if len(part.isr) > 1:
                part.isr = tuple(each for each in part.isr if each != broker)
            self.lead(part)
        if self.controller == broker:
            self.controller = None

    def start(self, broker: BrokerId) -> None:
        self.live.add(broker)
        for part in self.parts.values():
            self.lead(part)
