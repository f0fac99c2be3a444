"""The time for which partitions lack leaders and replicas, beside three brokers of Kafka 3.9.1.

    python -m bench.failover [--partitions 1000] [--rounds 2] [--no-kafka]

Each cluster has three brokers and a ZooKeeper of its own, and a topic whose partitions have three
replicas.  In each round and in turns, a broker that is not the controller is killed and restarted,
and after it the controller; the other cluster is left alone meanwhile.  Times are those of
ZooKeeper for the last write in question: from the end of the killed broker's session, so that its
timeout does not count, or from its registration.  Of each the least of all rounds.
Goals: half of Kafka's, each.  1,000 partitions take some 3 minutes, 10,000 about 20.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, NamedTuple

from kazoo.client import KazooClient
from kazoo.protocol.states import WatchedEvent

from bench.broker_clusters import BROKER_IDS, REPLICAS, Cluster, running_cluster
from bench.broker_loads import python_build, settle
from bench.broker_servers import Command, chroot, contestants
from bench.broker_wire import ACTS_MS, LOOK_SHARE, create_topic
from bench.measure import kafka_class_path
from cluster.model.ids import BrokerId
from cluster.model.topic import PartitionState
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.elect_leaders import ElectLeadersRequest, ElectLeadersResponse
from cluster.zk import paths
from cluster.zk.requests import GetMany, Many
from cluster.zk.topics import decode_state
from cluster.zk.znode import Znode
from kadmin.admin.zookeeper.multiread import BatchedReader
from kadmin.budget import Budget
from kadmin.local.zookeeper import start_server

TOPIC: Final = "bench"
SESSION_TIMEOUT_MS: Final = 6_000
PREFERRED: Final = 0
PATIENCE_S: Final = 600.0
REST_S_MAX: Final = 20.0
LOOK_S: Final = 0.5


def main() -> None:
    arguments = parse()
    print(python_build(), flush=True)
    class_path = None if arguments.no_kafka else kafka_class_path("3.9.1")
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        trials = [
            begun(stack, name, command, Path(place) / name, arguments.partitions)
            for name, command in contestants(class_path).items()
        ]
        for trial in trials:
            trial.make_topic()
        for _ in range(arguments.rounds):
            for what in ("broker", "controller"):
                for trial in trials:
                    trial.kill(what)
        for trial in trials:
            said = ", ".join(f"{broker.rss_mib():.0f}" for broker in trial.cluster.brokers)
            peak = f"{trial.cluster.peak_mib():.0f} at most in those that run now"
            print(f"{trial.cluster.name}: MiB in the brokers afterwards: {said} ({peak})")
        show(trials)


def begun(
    stack: ExitStack, name: str, command: Command, directory: Path, partitions: int
) -> "Trial":
    """A running cluster over a ZooKeeper of its own; *stack* stops both."""
    server = start_server(directory / "zookeeper")
    stack.callback(server.kill)
    connect = chroot(server.connect, name)
    keys = {"zookeeper_session_timeout_ms": SESSION_TIMEOUT_MS}
    cluster = stack.enter_context(
        running_cluster(name, command, connect, directory / "brokers", **keys)
    )
    # Killed, since a controlled shutdown would move all leaders first.
    stack.callback(cluster.kill)
    client = KazooClient(connect)
    client.start()
    stack.callback(client.stop)
    return Trial(cluster, client, partitions)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--partitions", type=int, default=1000, help="of the topic; also 10000")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--no-kafka", action="store_true")
    return parser.parse_args()


class Written(NamedTuple):
    """The state of a partition, and when it was written, in s since 1970."""

    state: PartitionState
    at_s: float


def written(node: Znode) -> Written:
    return Written(decode_state(node), node.mtime_ms / 1000)


class Trial:
    """One cluster under test, and its state changes as seen in ZooKeeper."""

    def __init__(self, cluster: Cluster, client: KazooClient, partitions: int) -> None:
        self.cluster = cluster
        self.client = client
        self.reader = BatchedReader(client, Budget(PATIENCE_S))
        nodes = [paths.state(TOPIC, index) for index in range(partitions)]
        self.question = GetMany(nodes, written)
        self.partitions = partitions
        self.found: dict[str, float] = {}
        """The times in s, by title: the least of all rounds."""

    def note(self, title: str, took_s: float) -> None:
        self.found[title] = min(self.found.get(title, took_s), took_s)

    def make_topic(self) -> None:
        settle([self.cluster], REST_S_MAX)
        started = time.perf_counter()
        with self.cluster.wire() as wire:
            create_topic(wire, TOPIC, self.partitions, REPLICAS)
        self.note(f"{self.partitions} partitions made", time.perf_counter() - started)

    def kill(self, what: str) -> None:
        """Kill a *what*, wait until all its partitions are moved, and restart it."""
        self.elect_preferred()
        settle([self.cluster], REST_S_MAX)
        controller_id = self.cluster.controller_id()
        if what == "controller":
            killed = controller_id
        else:
            killed = next(one for one in BROKER_IDS if one != controller_id)
        gone_s: list[float] = []

        def gone(_event: WatchedEvent) -> None:
            gone_s.append(time.time())

        node = paths.broker(BrokerId(killed))
        self.client.exists(node, watch=gone)
        led = {index for index, one in self.states().items() if one.state.leader == killed}
        process = self.cluster.broker(killed).process
        process.kill()
        process.wait()
        moved = self.wait(lambda one: killed not in (one.state.leader, *one.state.isr))
        moved_s = max(moved[index].at_s for index in led)
        shrunk_s = max(one.at_s for one in moved.values())
        (expired_s,) = gone_s
        started_s = time.time()
        self.cluster.start_again(killed)
        back = self.wait(lambda one: len(one.state.isr) == REPLICAS)
        back_s = max(one.at_s for one in back.values())
        registered_s = self.client.exists(node).created
        self.note(f"{what} killed: all its leaders moved", moved_s - expired_s)
        self.note(f"{what} killed: out of all ISRs", shrunk_s - expired_s)
        self.note(f"{what} back in all ISRs, from its start", back_s - started_s)
        self.note(f"{what} back in all ISRs, from registration", back_s - registered_s)

    def elect_preferred(self) -> None:
        """Elect the preferred leaders, so that each broker leads a third, as for a new topic."""
        with self.cluster.wire() as wire:
            question = ElectLeadersRequest(PREFERRED, None, ACTS_MS)
            wire.ask(ApiKey.ELECT_LEADERS, 2, question, ElectLeadersResponse)

    def wait(self, is_done: Callable[[Written], bool]) -> Mapping[int, Written]:
        """The states of all partitions, as soon as each *is_done*."""
        deadline = time.perf_counter() + PATIENCE_S
        looked_s = 0.0
        while time.perf_counter() < deadline:
            time.sleep(max(LOOK_S, looked_s / LOOK_SHARE))
            started = time.perf_counter()
            states = self.states()
            looked_s = time.perf_counter() - started
            if len(states) == self.partitions and all(map(is_done, states.values())):
                return states
        raise SystemExit(f"{self.cluster.name}: not done after {PATIENCE_S:.0f} s")

    def states(self) -> Mapping[int, Written]:
        (reply,) = self.reader.replies_to([self.question])
        assert isinstance(reply, Many)
        return {index: one for index, one in enumerate(reply.items) if one is not None}


def show(trials: Sequence[Trial]) -> None:
    names = "".join(f"{trial.cluster.name:>10}" for trial in trials)
    print(f"{'':50}{names}" + ("  ratio" if len(trials) > 1 else ""))
    for title, took_s in trials[0].found.items():
        line = f"{title:50}" + "".join(f"{trial.found[title]:8.2f} s" for trial in trials)
        if len(trials) > 1:
            line += f"  {took_s / trials[1].found[title]:.2f} ×"
        print(line)


if __name__ == "__main__":
    main()
