"""Three ZooKeepers and a few brokers, each a process on a machine that a trial can break."""

import json
import logging
import os
import resource
import signal
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Final

from kazoo.client import KazooClient
from kazoo.exceptions import KazooException, NodeExistsError, NoNodeError
from kazoo.handlers.threading import KazooTimeoutError

from cluster.model.topic import PartitionState
from cluster.zk import paths
from cluster.zk.controller import decode_controller
from cluster.zk.topics import decode_assignment, decode_state
from cluster.zk.znode import Znode
from cluster.zkclient.kazoo_requests import znode_of
from kadmin.jvm.java import find_java
from kadmin.local.zookeeper import ZooKeeperServer
from tests.faults import network
from tests.faults.disks import DISKS
from tests.faults.kinds import Ground
from tests.faults.machine import Machine, library
from tests.faults.network import Network
from tests.faults.plan import SESSION_S, Members, Role, Target
from tests.faults.undo import Loss, lose_power
from tests.support.brokers import Broker, spawn, write_properties
from tests.support.evidence import watch
from tests.support.waiting import OUTER_LIMIT_S, wait_until

LAG_MS: Final = 4000
ROOM: Final = 4096
"""How many bytes more than its longest segment a file may have on a full disk."""
SILENT: Final = logging.Logger("of a client whose connections break", logging.CRITICAL)
AWAY: Final = (KazooException, KazooTimeoutError)
ASKED_S: Final = 5
"""For so long a ZooKeeper may be asked that perhaps is not there."""


class FaultyCluster:
    """Brokers and ZooKeepers of *members*.

    With a compiler, each broker is on a machine of its own.
    """

    def __init__(self, directory: Path, members: Members, net: Network, ground: Ground) -> None:
        self.directory = directory
        self.network = net
        self.members = members
        self.zookeepers = {
            number: ZooKeeperServer(
                id=number,
                directory=directory / network.zookeeper(number),
                port=net.member(number).port,
                address=net.zookeeper_address(number),
                members=tuple(map(net.member, members.zookeepers)),
                extra_config=net.zookeeper_config(),
            )
            for number in members.zookeepers
        }
        self.machines: Mapping[int, Machine] = {}
        self._syncs_all = ground.syncs_all
        if ground.has_compiler:
            self.machines = {
                broker_id: Machine(
                    self._home(broker_id) / "machine",
                    mounted_at(self._home(broker_id), ""),
                    library(directory),
                )
                for broker_id in members.brokers
            }
        self.brokers: dict[int, Broker] = {}
        self._frozen: set[int] = set()
        self._frozen_zookeepers: set[int] = set()
        self._failing: set[int] = set()
        """The brokers that use a directory no more until they start again."""
        self._losing: dict[int, tuple[Random, Sequence[Loss]]] = {}
        """The brokers whose machines have to run anew, with what their disks then have lost."""
        self._ending: set[int] = set()
        """The brokers that were asked to stop, or may have to."""
        self._client: KazooClient | None = None

    def _home(self, broker_id: int) -> Path:
        return self.directory / network.broker(broker_id)

    @property
    def bootstrap(self) -> str:
        return ",".join(map(self.network.bootstrap, self.members.brokers))

    # Coming up, and coming back.

    def start(self) -> None:
        watch(self.directory)
        self._start_zookeepers()
        self.start_brokers(self.members.brokers)

    def _start_zookeepers(self) -> None:
        for number, zookeeper in self.zookeepers.items():
            if not zookeeper.is_alive:
                with self.network.inside(network.zookeeper(number)):
                    zookeeper.launch(find_java())
        wait_until(self.has_quorum, what="ZooKeepers that serve")

    def has_quorum(self) -> bool:
        return sum(one.serves for one in self.zookeepers.values()) > len(self.zookeepers) // 2

    def start_brokers(self, broker_ids: Sequence[int], *, amid_faults: bool = False) -> None:
        """Start them; they may have to wait for others before they serve.

        *amid_faults* they may end again: without ZooKeeper, as Kafka's do, or with a disk that is
        gone.
        """
        for broker_id in broker_ids:
            home = self._home(broker_id)
            for disk in DISKS:
                (home / disk).mkdir(parents=True, exist_ok=True)
                mount(home, disk)
            connect = self.network.zookeeper_connect(broker_id)
            properties = write_properties(home, connect, broker_id, self._settings(broker_id))
            machine = self.machines.get(broker_id)
            with self.network.inside(network.broker(broker_id)):
                process = spawn(properties, {} if machine is None else machine.environment)
            self.brokers[broker_id] = Broker(process, home, broker_id)
            if amid_faults:
                self._ending.add(broker_id)
            else:
                self._ending.discard(broker_id)

    def _settings(self, broker_id: int) -> Mapping[str, str]:
        home = self._home(broker_id)
        return {
            **self.network.listeners(broker_id),
            "log.dirs": ",".join(str(mounted_at(home, disk)) for disk in DISKS),
            "replica.high.watermark.checkpoint.interval.ms": "500",
            "zookeeper.session.timeout.ms": str(1000 * SESSION_S),
            "replica.lag.time.max.ms": str(LAG_MS),
            "replica.socket.timeout.ms": "3000",
            "controller.socket.timeout.ms": "3000",
            # Every broker leads something when its turn comes.
            "leader.imbalance.check.interval.seconds": "3",
            "leader.imbalance.per.broker.percentage": "0",
            "controlled.shutdown.retry.backoff.ms": "200",
            "log.segment.bytes": "1048576",
            "min.insync.replicas": "2",
            "offsets.topic.num.partitions": "4",
            "group.initial.rebalance.delay.ms": "0",
            **({"log.flush.interval.messages": "1"} if self._syncs_all else {}),
        }

    def heal(self) -> None:
        """Let everything that stands still, is cut off or is gone be there again.

        Those that have lost what they acknowledged come back first, and may not lead before others
        of the ISR are back.
        """
        forgetful = set() if self._syncs_all else set(self._losing)
        for broker_id, machine in self.machines.items():
            machine.set_sync()
            machine.step_clock(-machine.clock_step_s)
            if broker_id in self._losing:
                self._run_anew(broker_id)
        for broker_id in tuple(self._frozen):
            self.thaw(broker_id)
        for broker_id in self._failing:
            self.kill(broker_id)
        self._failing.clear()
        for number in tuple(self._frozen_zookeepers):
            self._thaw_zookeeper(number)
        self.network.heal()
        self._start_zookeepers()
        if forgetful:
            self.keep_up(set(self.members.brokers) - forgetful)
            wait_until(lambda: forgetful <= self._registered(), what=f"brokers {forgetful}")
        self.keep_up()

    def keep_up(self, but: Collection[int] = ()) -> list[str]:
        """Start the brokers that have ended; returns of each that did so by itself what it said."""
        ids = (one for one in self.members.brokers if one not in but)
        gone = [one for one in ids if not self.is_running(one)]
        said = [self._last_words(one) for one in gone if one not in self._ending]
        self.start_brokers(gone)
        return said

    def _last_words(self, broker_id: int) -> str:
        status = self.brokers[broker_id].process.poll()
        text = (self._home(broker_id) / "stderr").read_text()
        return f"broker {broker_id} has ended with {status}: {text}"

    def _run_anew(self, broker_id: int) -> None:
        """Let the machine of a broker run again, without what its disk has lost."""
        lots, losses = self._losing.pop(broker_id)
        self.kill(broker_id)
        home, machine = self._home(broker_id), self.machines[broker_id]
        for disk in DISKS:
            mount(home, disk)
        became = lose_power(
            [mounted_at(home, disk) for disk in DISKS], machine.journal, lots, losses
        )
        text = json.dumps(became, indent=1)
        (home / f"lost-{time.strftime('%H%M%S')}.log").write_text(text)
        machine.switch_on()

    def is_running(self, broker_id: int) -> bool:
        broker = self.brokers.get(broker_id)
        return broker is not None and broker.process.poll() is None

    def close(self) -> None:
        for broker_id in self.brokers:
            self.thaw(broker_id)
            self.kill(broker_id)
        for zookeeper in self.zookeepers.values():
            zookeeper.kill()
        self._forget_client()
        self.network.close()

    # What goes wrong.

    def resolve(self, target: Target) -> int:
        """The broker that has a role now; any where nobody has it."""
        if target is Role.CONTROLLER:
            return self.controller_id() or self.members.brokers[0]
        assert isinstance(target, int)
        return target

    def kill(self, broker_id: int) -> None:
        self._frozen.discard(broker_id)
        self.brokers[broker_id].kill()

    def ask_to_stop(self, broker_id: int) -> None:
        """In order; that may take until others answer."""
        if self.is_running(broker_id):
            self._ending.add(broker_id)
            self.brokers[broker_id].process.send_signal(signal.SIGTERM)

    def stop(self, broker_id: int) -> None:
        """In order, and see it gone."""
        self.brokers[broker_id].terminate()

    def freeze(self, broker_id: int) -> None:
        if self.is_running(broker_id):
            self._frozen.add(broker_id)
            os.kill(self.brokers[broker_id].process.pid, signal.SIGSTOP)

    def thaw(self, broker_id: int) -> None:
        self._frozen.discard(broker_id)
        if self.is_running(broker_id):
            os.kill(self.brokers[broker_id].process.pid, signal.SIGCONT)

    def freeze_zookeeper(self, number: int) -> None:
        self._frozen_zookeepers.add(number)
        self._signal_zookeeper(number, signal.SIGSTOP)

    def _thaw_zookeeper(self, number: int) -> None:
        self._frozen_zookeepers.discard(number)
        self._signal_zookeeper(number, signal.SIGCONT)

    def _signal_zookeeper(self, number: int, what: signal.Signals) -> None:
        if (process := self.zookeepers[number].process) is not None:
            process.signal(what)

    def fill_disks(self, broker_id: int) -> None:
        """Let no file of a broker grow."""
        if not self.is_running(broker_id):
            return
        self._failing.add(broker_id)
        sizes = [one.stat().st_size for one in self._segments(broker_id, "*")]
        limit = max(sizes, default=0) + ROOM
        pid = self.brokers[broker_id].process.pid
        _, hard_limit = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (limit, hard_limit))

    def fail_disk(self, broker_id: int, disk: str) -> None:
        """Let a broker find nothing where one of its log directories was."""
        self._failing.add(broker_id)
        mounted_at(self._home(broker_id), disk).unlink(missing_ok=True)

    def fail_syncs(self, broker_id: int, error: int) -> None:
        """Let every sync fail: what it was for is in no memory that a later one would look at."""
        self.machines[broker_id].set_sync(error=error)
        self._losing[broker_id] = Random(broker_id), (Loss.CUT,)

    def lose_power(self, broker_id: int, lots: Random, losses: Sequence[Loss]) -> None:
        """End a broker and let nobody hear of it."""
        node = network.broker(broker_id)
        others = (*map(network.broker, self.members.brokers), network.CLIENTS)
        zookeepers = map(network.zookeeper, self.members.zookeepers)
        self.network.cut(network.all_ways(node, (*others, *zookeepers)))
        self.kill(broker_id)
        self._losing[broker_id] = lots, losses

    def zookeeper_leader(self) -> int:
        """The id of the ZooKeeper that leads the others; of any that runs while none does."""
        for number, zookeeper in self.zookeepers.items():
            answer = zookeeper.ask()
            if answer is not None and answer.mode == "leader":
                return number
        alive = [number for number, one in self.zookeepers.items() if one.is_alive]
        return alive[0] if alive else self.members.zookeepers[0]

    def reassign(self, topic: str, replicas: Mapping[int, Sequence[int]]) -> None:
        """Ask for it, unless another request is there that no controller has taken yet."""
        moves = [
            {"topic": topic, "partition": index, "replicas": list(to)}
            for index, to in replicas.items()
        ]
        content = json.dumps({"version": 1, "partitions": moves}).encode()
        with suppress(NodeExistsError, *AWAY):
            self.client().create_async(paths.REASSIGN_PARTITIONS, content).get(timeout=ASKED_S)

    # What stands in ZooKeeper.

    def client(self) -> KazooClient:
        """A client that stays, and comes back by itself."""
        if self._client is None:
            hosts = ",".join(one.connect for one in self.zookeepers.values())
            retry = {"max_tries": -1, "max_delay": 0.5}
            client = KazooClient(hosts=hosts, timeout=10, connection_retry=retry, logger=SILENT)
            client.start(timeout=OUTER_LIMIT_S)
            self._client = client
        return self._client

    def _znode(self, path: str) -> Znode:
        return znode_of(path, self.client().get_async(path).get(timeout=ASKED_S))

    def _forget_client(self) -> None:
        if self._client is not None:
            with suppress(KazooTimeoutError):
                self._client.stop()
                self._client.close()
            self._client = None

    def controller_id(self) -> int | None:
        with suppress(NoNodeError, *AWAY):
            node = self._znode(paths.CONTROLLER)
            return decode_controller(node).broker_id
        return None

    def _registered(self) -> frozenset[int]:
        with suppress(NoNodeError, *AWAY):
            names = self.client().get_children_async(paths.BROKER_IDS).get(timeout=ASKED_S)
            return frozenset(map(int, names))
        return frozenset()

    def states(self, topic: str) -> dict[int, PartitionState]:
        """The state of each partition of *topic*."""
        names = self.client().get_children_async(paths.partitions(topic)).get(timeout=ASKED_S)
        return {
            int(name): decode_state(self._znode(paths.state(topic, int(name)))) for name in names
        }

    def replicas(self, topic: str) -> dict[int, tuple[int, ...]]:
        """The replicas of each partition of *topic*; none while one is reassigned."""
        asked = self.client().exists_async(paths.REASSIGN_PARTITIONS)
        if asked.get(timeout=ASKED_S) is not None:
            return {}
        partitions = decode_assignment(self._znode(paths.topic(topic))).partitions
        if any(one.adding or one.removing for one in partitions.values()):
            return {}
        return {index: tuple(one.replicas) for index, one in partitions.items()}

    def is_whole(self, topic: str) -> bool:
        """Whether every partition of *topic* has its preferred leader, and all replicas in its ISR.

        A broker that is frozen while leaderships are about to go home to it wakes up as the leader
        of a former epoch, and an idempotent producer takes what that lacks for lost: a trial of its
        own.
        """
        with suppress(NoNodeError, *AWAY):
            replicas = self.replicas(topic)
            states = self.states(topic)
            return bool(replicas) and all(
                index in states
                and states[index].leader == of_partition[0]
                and set(states[index].isr) == set(of_partition)
                for index, of_partition in replicas.items()
            )
        return False

    # What is on their disks.

    def log_bytes(self, topic: str, partition: int) -> dict[int, bytes]:
        """The log of a partition on each broker, all segments behind each other."""
        return {
            broker_id: b"".join(
                segment.read_bytes()
                for segment in sorted(
                    self._segments(broker_id, f"{topic}-{partition}"), key=lambda one: one.name
                )
            )
            for broker_id in self.members.brokers
        }

    def _segments(self, broker_id: int, log: str) -> Iterator[Path]:
        for disk in DISKS:
            yield from (self._home(broker_id) / disk).glob(f"{log}/*.log")


def mounted_at(home: Path, disk: str) -> Path:
    """Where a broker finds one of its disks."""
    return home / f"data-{disk}"


def mount(home: Path, disk: str) -> None:
    """Let it find the disk there, if it does not."""
    with suppress(FileExistsError):
        mounted_at(home, disk).symlink_to(home / disk)


@contextmanager
def running_cluster(
    directory: Path, members: Members, net: Network, ground: Ground
) -> Iterator[FaultyCluster]:
    """A cluster with everything up, and gone at the end in whatever way."""
    cluster = FaultyCluster(directory, members, net, ground)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.close()
