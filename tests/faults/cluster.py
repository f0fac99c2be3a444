"""Three ZooKeepers and a few brokers, each a process, with links between them that can be cut."""

import os
import resource
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, NoNodeError
from kazoo.handlers.threading import KazooTimeoutError

from cluster.model.topic import PartitionState
from cluster.zk import paths
from cluster.zk.controller import decode_controller
from cluster.zk.topics import decode_assignment, decode_state
from cluster.zkclient.kazoo_requests import znode_of
from kadmin.jvm.java import find_java
from kadmin.local.ports import free_ports
from kadmin.local.zookeeper import ZooKeeperServer
from kadmin.local.zookeeper_config import Member
from tests.faults.links import Cut, Link, Links
from tests.support.brokers import Broker, start_broker
from tests.support.evidence import watch
from tests.support.waiting import OUTER_LIMIT_S, wait_until

LOOPBACK: Final = "127.0.0.1"
SESSION_MS: Final = 4000
LAG_MS: Final = 4000
ZOOKEEPERS: Final = 3
DISKS: Final = ("disk-0", "disk-1")
ROOM: Final = 4096
"""How many bytes more than its longest segment a file may have on a full disk."""


class FaultyCluster:
    """Brokers 1 to *count*.

    Clients reach each broker by its own port, other brokers by a link; each reaches each ZooKeeper
    by a link of its own.
    """

    def __init__(self, directory: Path, count: int) -> None:
        self.directory = directory
        self.links = Links()
        self.broker_ids = tuple(range(1, count + 1))
        ports = free_ports(3 * ZOOKEEPERS + 2 * count, LOOPBACK)
        members = tuple(
            Member(id=n + 1, port=a, quorum_port=b, election_port=c)
            for n, (a, b, c) in enumerate(zip(*(iter(ports[: 3 * ZOOKEEPERS]),) * 3, strict=True))
        )
        self.zookeepers = {
            member.id: ZooKeeperServer(
                id=member.id,
                directory=directory / f"zookeeper-{member.id}",
                port=member.port,
                address=LOOPBACK,
                members=members,
            )
            for member in members
        }
        of_brokers = ports[3 * ZOOKEEPERS :]
        self.client_ports = dict(zip(self.broker_ids, of_brokers[:count], strict=True))
        self._peer_ports = dict(zip(self.broker_ids, of_brokers[count:], strict=True))
        self.peer_links: dict[int, Link] = {}
        self.zookeeper_links: dict[int, list[Link]] = {}
        self.brokers: dict[int, Broker] = {}
        self.frozen: set[int] = set()
        self.failing: set[int] = set()
        """The brokers whose disks are full, or have failed."""

    # Coming up, and coming back.

    def start(self) -> None:
        watch(self.directory)
        for zookeeper in self.zookeepers.values():
            zookeeper.launch(find_java())
        wait_until(self.has_quorum, what="ZooKeepers that serve")
        for broker_id in self.broker_ids:
            self.peer_links[broker_id] = self.links.to(self._peer_ports[broker_id])
            self.zookeeper_links[broker_id] = [
                self.links.to(one.port) for one in self.zookeepers.values()
            ]
        self.start_brokers(self.broker_ids)

    def has_quorum(self) -> bool:
        return sum(one.serves for one in self.zookeepers.values()) > ZOOKEEPERS // 2

    def start_brokers(self, broker_ids: Sequence[int]) -> None:
        with ThreadPoolExecutor() as threads:
            for broker in threads.map(self._start_broker, broker_ids):
                self.brokers[broker.broker_id] = broker

    def _start_broker(self, broker_id: int) -> Broker:
        clients, peers = self.client_ports[broker_id], self._peer_ports[broker_id]
        link = self.peer_links[broker_id].port
        connect = ",".join(f"{LOOPBACK}:{one.port}" for one in self.zookeeper_links[broker_id])
        directory = self.directory / f"broker-{broker_id}"
        for disk in DISKS:
            (directory / disk).mkdir(parents=True, exist_ok=True)
            mount(directory, disk)
        settings = {
            "log.dirs": ",".join(str(mounted_at(directory, disk)) for disk in DISKS),
            "replica.high.watermark.checkpoint.interval.ms": "500",
            "listeners": f"PLAINTEXT://{LOOPBACK}:{clients},PEERS://{LOOPBACK}:{peers}",
            "advertised.listeners": f"PLAINTEXT://{LOOPBACK}:{clients},PEERS://{LOOPBACK}:{link}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,PEERS:PLAINTEXT",
            "inter.broker.listener.name": "PEERS",
            "zookeeper.session.timeout.ms": str(SESSION_MS),
            "replica.lag.time.max.ms": str(LAG_MS),
            "replica.socket.timeout.ms": "3000",
            "controller.socket.timeout.ms": "3000",
            # Every broker leads something when its turn comes.
            "leader.imbalance.check.interval.seconds": "3",
            "leader.imbalance.per.broker.percentage": "0",
            "controlled.shutdown.retry.backoff.ms": "200",
            "log.segment.bytes": "1048576",
        }
        return start_broker(directory, connect, broker_id, settings)

    def heal(self) -> None:
        """Let everything that stands still, is cut off or is gone be there again."""
        for broker_id in tuple(self.frozen):
            self.thaw(broker_id)
        for broker_id in self.failing:
            # It uses a directory that has failed no more until it starts again.
            self.kill(broker_id)
        self.failing.clear()
        for link in self.all_links():
            link.cut = Cut.NONE
        for zookeeper in self.zookeepers.values():
            if not zookeeper.is_alive:
                zookeeper.launch(find_java())
        wait_until(self.has_quorum, what="ZooKeepers that serve")
        gone = [one for one in self.broker_ids if not self.is_running(one)]
        self.start_brokers(gone)

    def is_running(self, broker_id: int) -> bool:
        broker = self.brokers.get(broker_id)
        return broker is not None and broker.process.poll() is None

    def all_links(self) -> Iterator[Link]:
        yield from self.peer_links.values()
        for links in self.zookeeper_links.values():
            yield from links

    def close(self) -> None:
        for broker_id in self.brokers:
            self.thaw(broker_id)
            self.kill(broker_id)
        for zookeeper in self.zookeepers.values():
            zookeeper.kill()
        self.links.close()

    # What goes wrong.

    def kill(self, broker_id: int) -> None:
        with suppress(ProcessLookupError):
            self.brokers[broker_id].kill()

    def stop(self, broker_id: int) -> None:
        """In order."""
        self.brokers[broker_id].terminate()

    def freeze(self, broker_id: int) -> None:
        if self.is_running(broker_id):
            self.frozen.add(broker_id)
            os.kill(self.brokers[broker_id].process.pid, signal.SIGSTOP)

    def thaw(self, broker_id: int) -> None:
        self.frozen.discard(broker_id)
        if self.is_running(broker_id):
            os.kill(self.brokers[broker_id].process.pid, signal.SIGCONT)

    def fill_disks(self, broker_id: int) -> None:
        """Let no file of a broker grow: a write ends in the middle, as where no space is left."""
        self.failing.add(broker_id)
        sizes = [one.stat().st_size for one in self._segments(broker_id, "*")]
        limit = max(sizes, default=0) + ROOM
        pid = self.brokers[broker_id].process.pid
        _, hard_limit = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit, hard_limit))

    def fail_disk(self, broker_id: int, disk: str) -> None:
        """Let a broker find nothing where one of its log directories was."""
        self.failing.add(broker_id)
        mounted_at(self.directory / f"broker-{broker_id}", disk).unlink()

    def cut_from_zookeeper(self, broker_id: int, cut: Cut) -> None:
        for link in self.zookeeper_links[broker_id]:
            link.cut = cut

    def cut_from_peers(self, broker_id: int, cut: Cut) -> None:
        """What others ask this broker does not arrive, or is not answered; it may ask them."""
        self.peer_links[broker_id].cut = cut

    def zookeeper_leader(self) -> int:
        """The id of the ZooKeeper that leads the others; of any that runs while none does."""
        for number, zookeeper in self.zookeepers.items():
            answer = zookeeper.ask()
            if answer is not None and answer.mode == "leader":
                return number
        return next(number for number, one in self.zookeepers.items() if one.is_alive)

    # What stands in ZooKeeper.

    @contextmanager
    def client(self) -> Iterator[KazooClient]:
        hosts = ",".join(one.connect for one in self.zookeepers.values())
        client = KazooClient(hosts=hosts, timeout=10)
        client.start(timeout=OUTER_LIMIT_S)
        try:
            yield client
        finally:
            with suppress(KazooTimeoutError):
                client.stop()
                client.close()

    def controller_id(self) -> int | None:
        with suppress(NoNodeError, KazooException, KazooTimeoutError), self.client() as client:
            node = znode_of(paths.CONTROLLER, client.get(paths.CONTROLLER))
            return decode_controller(node).broker_id
        return None

    def states(self, topic: str) -> dict[int, PartitionState]:
        """The state of each partition of *topic*."""
        with self.client() as client:
            states = {}
            for name in client.get_children(paths.partitions(topic)):
                path = paths.state(topic, int(name))
                states[int(name)] = decode_state(znode_of(path, client.get(path)))
            return states

    def is_whole(self, topic: str) -> bool:
        """Whether every partition of *topic* has its preferred leader, and all replicas in its ISR.

        A broker that is frozen while leaderships are about to go home to it wakes up as the leader
        of a former epoch, and an idempotent producer takes what that lacks for lost: a trial of its
        own.
        """
        with self.client() as client:
            node = znode_of(paths.topic(topic), client.get(paths.topic(topic)))
        replicas = decode_assignment(node).partitions
        count = len(self.broker_ids)
        return all(
            state.leader == replicas[index].preferred_leader and len(state.isr) == count
            for index, state in self.states(topic).items()
        )

    def log_bytes(self, topic: str, partition: int) -> dict[int, bytes]:
        """The log of a partition on each broker, all segments behind each other."""
        return {
            broker_id: b"".join(
                segment.read_bytes()
                for segment in sorted(
                    self._segments(broker_id, f"{topic}-{partition}"), key=lambda one: one.name
                )
            )
            for broker_id in self.broker_ids
        }

    def _segments(self, broker_id: int, log: str) -> Iterator[Path]:
        for disk in DISKS:
            yield from (self.directory / f"broker-{broker_id}" / disk).glob(f"{log}/*.log")


def mounted_at(directory: Path, disk: str) -> Path:
    """Where a broker of *directory* finds one of its disks."""
    return directory / f"data-{disk}"


def mount(directory: Path, disk: str) -> None:
    """Let it find the disk there, if it does not."""
    with suppress(FileExistsError):
        mounted_at(directory, disk).symlink_to(directory / disk)


@contextmanager
def running_cluster(directory: Path, count: int = 3) -> Iterator[FaultyCluster]:
    """A cluster with everything up, and gone at the end in whatever way."""
    cluster = FaultyCluster(directory, count)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.close()
