"""What do tests need of a whole cluster: a ZooKeeper of its own, brokers, and what stands there?"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError
from kazoo.handlers.threading import KazooTimeoutError
from kazoo.protocol.states import ZnodeStat

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from cluster.model.topic import PartitionState
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from cluster.zk import paths
from cluster.zk.controller import decode_controller, decode_controller_epoch
from cluster.zk.topics import decode_state
from cluster.zkclient.kazoo_requests import znode_of
from kadmin.local.ports import free_ports
from kadmin.local.zookeeper import ZooKeeperServer, start_server
from kadmin.statechange.kinds import Kind
from kadmin.statechange.parse import parse_line
from tests.support.brokers import Broker, start_broker
from tests.support.expiry import expire_owner
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import SESSION_S, running_server


class Fleet:
    """A ZooKeeper and brokers 1 to *count*, which a test may kill and start again."""

    def __init__(self, directory: Path, zookeeper: ZooKeeperServer, count: int) -> None:
        self.directory = directory
        self.server = zookeeper
        self.broker_ids = range(1, count + 1)
        self.ports = dict(zip(self.broker_ids, free_ports(count, "127.0.0.1"), strict=True))
        self.brokers: dict[int, Broker] = {}
        self.client = KazooClient(
            hosts=zookeeper.connect,
            timeout=SESSION_S,
            connection_retry={"max_tries": -1, "delay": 0.02, "max_delay": 0.5},
            command_retry={"max_tries": 20, "delay": 0.1, "max_delay": 0.5},
        )
        self.client.start(timeout=OUTER_LIMIT_S)

    @property
    def connect(self) -> str:
        return self.server.connect

    @property
    def bootstrap(self) -> str:
        return ",".join(broker.bootstrap for broker in self.brokers.values())

    def start(self, *broker_ids: int) -> None:
        """Start brokers at the same time, each where its data is, and wait until they serve."""

        def start_one(broker_id: int) -> None:
            settings = {
                # The same each time: those that the kernel hands out may be of a broker that is
                # dead and still registered, with which no other may be registered.
                "listeners": f"PLAINTEXT://127.0.0.1:{self.ports[broker_id]}",
                "zookeeper.session.timeout.ms": str(1000 * SESSION_S),
                "controlled.shutdown.retry.backoff.ms": "100",
                # Five seconds after a controller begins it would move leaders beside a test.
                "auto.leader.rebalance.enable": "false",
            }
            directory = self.directory / f"broker-{broker_id}"
            self.brokers[broker_id] = start_broker(directory, self.connect, broker_id, settings)

        with ThreadPoolExecutor() as threads:
            # Those that have started are ended with the fleet, also if another one fails.
            list(threads.map(start_one, broker_ids))

    def kill(self, *broker_ids: int) -> None:
        """Kill brokers, whose sessions go on for a minute."""
        for broker_id in broker_ids:
            self.brokers.pop(broker_id).kill()

    def lose(self, *broker_ids: int) -> None:
        """Kill brokers, and have their sessions expire."""
        self.kill(*broker_ids)
        for broker_id in broker_ids:
            self.expire(broker_id)

    def expire(self, broker_id: int) -> None:
        """End the session of a broker that is dead or stands still."""
        expire_owner(self.client, self.connect, paths.broker(BrokerId(broker_id)))

    def stop(self, broker_id: int) -> int:
        """Have a broker end in order, and return its exit status."""
        return self.brokers.pop(broker_id).terminate()

    def restart_zookeeper(self) -> None:
        """Start it again where it was, after a `kill`."""
        start_server(self.server.directory, port=self.server.port)

    def close(self) -> None:
        for broker in self.brokers.values():
            with suppress(ProcessLookupError):
                broker.kill()
        with suppress(KazooTimeoutError):
            self.client.stop()
            self.client.close()

    # What stands in ZooKeeper.

    def get(self, path: str) -> tuple[bytes, ZnodeStat]:
        """The data at *path*; a connection that breaks meanwhile is waited for."""
        found: tuple[bytes, ZnodeStat] = self.client.retry(self.client.get, path)
        return found

    def controller(self) -> tuple[int, int] | None:
        """The controller and its epoch; None while there is none."""
        try:
            controller_node = znode_of(paths.CONTROLLER, self.get(paths.CONTROLLER))
            epoch = znode_of(paths.CONTROLLER_EPOCH, self.get(paths.CONTROLLER_EPOCH))
        except NoNodeError:
            return None
        return decode_controller(controller_node).broker_id, decode_controller_epoch(epoch).epoch

    def active_controller(self) -> tuple[int, int]:
        """The controller and its epoch, once there is one."""
        wait_until(lambda: self.controller() is not None, what="a controller")
        found = self.controller()
        assert found is not None
        return found

    def controller_id(self) -> int:
        return self.active_controller()[0]

    def states(self, topic: str) -> dict[int, PartitionState]:
        """The states of a topic's partitions; none for a topic that is not there."""
        states = {}
        with suppress(NoNodeError):
            for name in self.client.retry(self.client.get_children, paths.partitions(topic)):
                path = paths.state(topic, int(name))
                states[int(name)] = decode_state(znode_of(path, self.get(path)))
        return states

    def all_states(self) -> dict[str, tuple[PartitionState, int]]:
        """The state of each partition, with the zxid of its last change."""
        found = {}
        for topic in self.client.retry(self.client.get_children, paths.TOPICS):
            for index, state in self.states(topic).items():
                _, stat = self.get(paths.state(topic, index))
                found[f"{topic}-{index}"] = (state, stat.mzxid)
        return found

    # What brokers tell clients.

    def wait_until_known(self) -> None:
        """Until each broker has heard of all: a topic may name no others."""
        for broker in self.brokers.values():
            wait_until(partial(self._knows_all, broker), what="brokers that know all")

    def _knows_all(self, broker: Broker) -> bool:
        with broker.client() as client:
            answer = client.ask(ApiKey.METADATA, 8, MetadataRequest([], False), MetadataResponse)
        return {known.node_id for known in answer.brokers} == set(self.brokers)

    def leaders(self, broker: Broker, topic: str) -> Mapping[int, int]:
        """Who leads each partition of *topic*, as *broker* says; only those with a leader."""
        with broker.client() as client:
            body = MetadataRequest([MetadataRequestTopic(name=topic)], False)
            answer = client.ask(ApiKey.METADATA, 8, body, MetadataResponse)
        (found,) = answer.topics
        return {
            one.partition_index: one.leader_id
            for one in found.partitions
            if one.error_code == ErrorCode.NONE
        }

    def wait_for_leaders(self, topic: str, count: int, among: Sequence[int] = ()) -> None:
        """Wait until every broker tells the same *count* leaders, all of them *among* these.

        ZooKeeper names them too: of a dead leader brokers know before that is written down.
        """
        allowed = set(among or self.brokers)

        def agree() -> bool:
            told = [self.leaders(broker, topic) for broker in self.brokers.values()]
            first = told[0]
            agreed = all(one == first for one in told)
            if not agreed or len(first) != count or not set(first.values()) <= allowed:
                return False
            written = {index: state.leader for index, state in self.states(topic).items()}
            return first == {index: leader for index, leader in written.items() if leader != -1}

        wait_until(agree, what=f"{count} leaders of {topic}")

    # What brokers write.

    def misunderstood(self) -> list[str]:
        """The lines of all state-change logs that kadmin does not understand."""
        return [
            line
            for log in sorted(self.directory.glob("broker-*/logs/state-change.log*"))
            for line in log.read_text().splitlines()
            if parse_line(line).kind is Kind.OTHER
        ]


@contextmanager
def running_fleet(directory: Path, count: int) -> Iterator[Fleet]:
    """A fleet with all brokers up, gone at the end in whatever way."""
    with running_server(directory / "zookeeper") as server:
        fleet = Fleet(directory, server, count)
        try:
            fleet.start(*fleet.broker_ids)
            fleet.wait_until_known()
            yield fleet
        finally:
            fleet.close()
