"""Starts three brokers of Kafka or ours as one cluster, and measures their usage together."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.broker_servers import Broker, Command, running, start
from bench.broker_wire import Wire, end_offset
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse

BROKER_IDS: Final = (1, 2, 3)
REPLICAS: Final = len(BROKER_IDS)


@dataclass(slots=True)
class Cluster:
    """Running brokers of one cluster, over the ZooKeeper at *connect*."""

    name: str
    command: Command
    connect: str
    directory: Path
    brokers: list[Broker]

    @property
    def bootstrap(self) -> str:
        return ",".join(broker.bootstrap for broker in self.brokers)

    def broker(self, broker_id: int) -> Broker:
        (found,) = (one for one in self.brokers if one.broker_id == broker_id)
        return found

    def start_again(self, broker_id: int) -> None:
        """Restart a broker that was killed, with its data."""
        broker = self.broker(broker_id)
        directory = self.directory / str(broker_id)
        # The context manager of the first process ends the one that is there then.
        broker.process = start(self.name, broker_id, self.command, directory, broker.port).process

    def kill(self) -> None:
        """Kill all brokers at once, without an orderly shutdown."""
        for broker in self.brokers:
            broker.process.kill()
        for broker in self.brokers:
            broker.process.wait()

    def cpu_s(self) -> float:
        """The CPU time of all brokers up to now, in s."""
        return sum(broker.cpu_s() for broker in self.brokers)

    def rss_mib(self) -> float:
        """The resident memory of the largest broker, in MiB."""
        return max(broker.rss_mib() for broker in self.brokers)

    def peak_mib(self) -> float:
        """The peak of the resident memory of one broker, in MiB."""
        return max(broker.peak_mib() for broker in self.brokers)

    def controller_id(self) -> int:
        """The controller's id according to a broker; -1 while there is none."""
        with self.brokers[0].wire() as wire:
            question = MetadataRequest(topics=())
            return int(wire.ask(ApiKey.METADATA, 9, question, MetadataResponse).controller_id)

    def wire(self) -> Wire:
        """A connection to the controller, which alone creates topics."""
        return self.broker(self.controller_id()).wire()

    def leaders(self, topic: str) -> dict[int, Broker]:
        """The leader of each partition."""
        with self.brokers[0].wire() as wire:
            question = MetadataRequest([MetadataRequestTopic(name=topic)], False)
            (found,) = wire.ask(ApiKey.METADATA, 9, question, MetadataResponse).topics
        return {part.partition_index: self.broker(part.leader_id) for part in found.partitions}

    def end_offsets(self, topic: str) -> int:
        """How many records are committed in all partitions together."""
        count = 0
        for partition, leader in self.leaders(topic).items():
            with leader.wire() as wire:
                count += end_offset(wire, topic, partition)
        return count


@contextmanager
def running_cluster(
    name: str, command: Command, connect: str, directory: Path, **settings: object
) -> Iterator[Cluster]:
    """Three brokers over *connect*, each with its data below *directory*; stopped at the end.

    *settings* are keys of server.properties, with `_` for each dot.
    """
    keys = {key.replace("_", "."): value for key, value in settings.items()}
    cluster = Cluster(name, command, connect, directory, [])
    with ExitStack() as stack:
        for broker_id in BROKER_IDS:
            place = directory / str(broker_id)
            broker = running(name, command, connect, place, broker_id, keys)
            cluster.brokers.append(stack.enter_context(broker))
        yield cluster
