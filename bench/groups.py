"""Offset commits, rebalances, the failover of a coordinator, and all groups described, beside
Kafka 3.9.1.

    python -m bench.groups [--requests 5000] [--offsets 100000] [--members 200] [--rounds 2]
                           [--groups 15000] [--partitions 100000] [--no-kafka]
                           [--only commits rebalances failover describe]

Commits: both brokers run at once and are loaded in turns, as in `bench.broker`; a request commits
1 or 100 offsets, each connection those of a group of its own.  Rebalances: all members of a group
join again, and the leader assigns; from the first request to the last answer.  Failover: three
brokers a cluster, one partition of `__consumer_offsets` with three replicas and that many offsets
of 100 groups; the coordinator is killed, in turns.  Times are from the end of its session in
ZooKeeper, so that the timeout does not count, to the moment when another broker has answered for
the last group.  Describe: `kadmin groups` and Kafka's kafka-consumer-groups describe all groups of
one broker, each of which has read seven of the partitions.  Of each the least of all rounds.
Goals: twice Kafka's rate at half of its CPU; a rebalance within its time, a failover within half of
it, and a description in 10 s and 300 MiB.
"""

import argparse
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from kazoo.client import KazooClient
from kazoo.protocol.states import WatchedEvent

from bench.broker import new_topic
from bench.broker_clusters import REPLICAS, Cluster, running_cluster
from bench.broker_loads import Case, Done, loads, python_build, settle, show, titles
from bench.broker_servers import Broker, Command, chroot, contestants, running
from bench.broker_wire import Wire, create_topic, request, round_trips
from bench.measure import KADMIN, alternate, kafka_class_path, kafka_tool, run
from cluster.model.ids import BrokerId
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import decode_response, encode_payload
from cluster.wire.messages.consumer_protocol import ConsumerProtocolSubscription
from cluster.wire.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from cluster.wire.messages.group_members import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
    SyncGroupRequest,
    SyncGroupRequestAssignment,
    SyncGroupResponse,
)
from cluster.wire.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from cluster.wire.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestTopic,
    OffsetFetchResponse,
)
from cluster.zk import paths
from kadmin.local.zookeeper import start_server

COMMIT_VERSION: Final = 8
FETCH_VERSION: Final = 7
FIND_VERSION: Final = 3
JOIN_VERSION: Final = 5
SYNC_VERSION: Final = 3
SUBSCRIPTION_VERSION: Final = 1
CONNECTIONS: Final = (1, 16)
IN_REQUEST: Final = (1, 100)
GROUPS: Final = 100
SESSION_MS: Final = 600_000
"""Of members that send no heartbeats while brokers come to rest."""
INITIAL_DELAY_MS: Final = 10_000
"""Within which the next member of a new group joins, however busy the machine is."""
REBALANCES: Final = 10
"""How often the group rebalances in a round."""
TOPIC: Final = "bench"
CASES: Final = ("commits", "rebalances", "failover", "describe")
COMMITS: Final = 7
"""How many partitions a group that is described has read."""
PARTITIONS_MAX: Final = 1000
"""Of one topic that is described."""
KAFKA_TOOL: Final = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
SESSION_TIMEOUT_MS: Final = 6_000
PATIENCE_S: Final = 120.0
REST_S_MAX: Final = 20.0
LOOK_S: Final = 0.005


def main() -> None:
    arguments = parse()
    print(python_build(), flush=True)
    class_path = None if arguments.no_kafka else kafka_class_path("3.9.1")
    commands = contestants(class_path)
    with tempfile.TemporaryDirectory() as place:
        if "commits" in arguments.only:
            show_commits(commands, Path(place) / "commits", arguments)
        if "rebalances" in arguments.only:
            show_rebalances(commands, Path(place) / "rebalances", arguments)
        if "failover" in arguments.only:
            show_failover(commands, Path(place) / "failover", arguments)
        if "describe" in arguments.only:
            show_describe(commands, class_path, Path(place) / "describe", arguments)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=5000, help="for a case of commits")
    parser.add_argument("--offsets", type=int, default=100_000, help="that a failover loads")
    parser.add_argument("--members", type=int, default=200, help="of a group that rebalances")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--groups", type=int, default=15_000, help="that are described")
    parser.add_argument(
        "--partitions", type=int, default=100_000, help="that groups have read, in all"
    )
    parser.add_argument("--only", nargs="*", default=CASES)
    parser.add_argument("--no-kafka", action="store_true")
    return parser.parse_args()


# Requests.


def commit_request(group: str, topic: str, count: int) -> bytes:
    """A commit of the first *count* partitions, by a consumer that is no member of the group."""
    partitions = [OffsetCommitRequestPartition(n, 1000 + n, 3, -1, "") for n in range(count)]
    body = OffsetCommitRequest(group, topics=[OffsetCommitRequestTopic(topic, partitions)])
    return request(ApiKey.OFFSET_COMMIT, COMMIT_VERSION, body)


def check_committed(frame: memoryview) -> None:
    (topic,) = decode_response(OffsetCommitResponse, COMMIT_VERSION, frame).body.topics
    codes = {one.error_code for one in topic.partitions}
    if codes != {0}:
        raise SystemExit(f"commits were refused with the errors {codes}")


def coordinator_of(wire: Wire, group: str) -> int | None:
    """The coordinator according to a broker; None while there is none."""
    body = FindCoordinatorRequest(group, 0)
    answer = wire.ask(ApiKey.FIND_COORDINATOR, FIND_VERSION, body, FindCoordinatorResponse)
    return int(answer.node_id) if answer.error_code == 0 else None


def await_coordinator(wire: Wire, group: str) -> int:
    """The same, once there is one: the first request creates `__consumer_offsets`."""
    deadline = time.perf_counter() + PATIENCE_S
    while time.perf_counter() < deadline:
        found = coordinator_of(wire, group)
        if found is not None:
            return found
        time.sleep(LOOK_S)
    raise SystemExit(f"no coordinator after {PATIENCE_S:.0f} s")


def await_loaded(wire: Wire, group: str, topic: str) -> None:
    """Commit an offset of *group* until its coordinator has loaded it."""
    frame = commit_request(group, topic, 1)
    deadline = time.perf_counter() + PATIENCE_S
    while time.perf_counter() < deadline:
        wire.socket.sendall(frame)
        with suppress(SystemExit):
            check_committed(wire.receive())
            return
        time.sleep(LOOK_S)
    raise SystemExit(f"no commit of {group} after {PATIENCE_S:.0f} s")


# Commits.


def show_commits(
    commands: dict[str, Command], directory: Path, arguments: argparse.Namespace
) -> None:
    with ExitStack() as stack:
        brokers = begun_brokers(stack, commands, directory)
        titles(brokers)
        for count in IN_REQUEST:
            for connections in CONNECTIONS:
                case = Case(
                    f"commit {count} offsets, {connections} connections",
                    partial(topic_of_groups, max(IN_REQUEST), connections),
                    partial(commit, count, connections, arguments.requests),
                )
                # The first round only warms up the JVM.
                show(case.title, loads(case, 1 + arguments.rounds, brokers))


def begun_brokers(stack: ExitStack, commands: dict[str, Command], directory: Path) -> list[Broker]:
    server = start_server(directory / "zookeeper")
    stack.callback(server.kill)
    return [
        stack.enter_context(
            running(
                *(name, command, chroot(server.connect, name), directory / name),
                settings={"group.initial.rebalance.delay.ms": INITIAL_DELAY_MS},
            )
        )
        for name, command in commands.items()
    ]


def groups_of(connections: int) -> list[str]:
    return [f"group-{number}" for number in range(connections)]


def topic_of_groups(partitions: int, connections: int, broker: Broker) -> str:
    """A new topic, on a broker that has loaded the groups of all connections."""
    topic = new_topic(broker, partitions)
    with broker.wire() as wire:
        for group in groups_of(connections):
            await_coordinator(wire, group)
            await_loaded(wire, group, topic)
    return topic


def commit(count: int, connections: int, requests: int, broker: Broker, topic: str) -> Done:
    frames = [commit_request(group, topic, count) for group in groups_of(connections)]
    took = round_trips(broker.port, frames, connections, requests, check_committed)
    return Done(took.count, took.wall_s, took)


# Rebalances.


class Members:
    """The members of one group, each on a connection of its own."""

    def __init__(self, stack: ExitStack, broker: Broker, count: int) -> None:
        self.broker = broker
        self.group = f"of-{count}"
        with broker.wire() as wire:
            await_coordinator(wire, self.group)
            await_loaded(wire, self.group, new_topic(broker, 1))
        self.wires = [stack.enter_context(broker.wire()) for _ in range(count)]
        self.ids = [""] * count
        self.generation = 0
        # The first answers are the ids of members.
        self.ids = [answer.member_id for answer in self.join()]

    def join(self) -> list[JoinGroupResponse]:
        self.generation += 1
        # Another subscription each time: members that change nothing get what they have.
        protocols = [JoinGroupRequestProtocol("range", subscription(self.generation))]
        for wire, member_id in zip(self.wires, self.ids, strict=True):
            body = JoinGroupRequest(
                self.group, SESSION_MS, SESSION_MS, member_id, None, "consumer", protocols
            )
            wire.socket.sendall(request(ApiKey.JOIN_GROUP, JOIN_VERSION, body))
        return [
            decode_response(JoinGroupResponse, JOIN_VERSION, wire.receive()).body
            for wire in self.wires
        ]

    def rebalance(self) -> None:
        joined = self.join()
        if errors := {answer.error_code for answer in joined} - {0}:
            raise SystemExit(f"{self.broker.name}: members did not join, errors {errors}")
        for wire, answer in zip(self.wires, joined, strict=True):
            given = [
                SyncGroupRequestAssignment(one.member_id, b"a" * 100) for one in answer.members
            ]
            number = answer.generation_id
            body = SyncGroupRequest(self.group, number, answer.member_id, assignments=given)
            wire.socket.sendall(request(ApiKey.SYNC_GROUP, SYNC_VERSION, body))
        for wire in self.wires:
            synced = decode_response(SyncGroupResponse, SYNC_VERSION, wire.receive()).body
            if synced.error_code or len(synced.assignment) != 100:
                raise SystemExit(f"{self.broker.name}: a member got no assignment: {synced}")


def subscription(generation: int) -> bytes:
    """A valid one: bytes of which Kafka reads the number of topics wrongly stop its group for good.

    Its GroupMetadata.computeSubscribedTopics expects no error but a SchemaException.
    """
    wanted = ConsumerProtocolSubscription([TOPIC], b"%100d" % generation)
    return encode_payload(SUBSCRIPTION_VERSION, wanted)


def show_rebalances(
    commands: dict[str, Command], directory: Path, arguments: argparse.Namespace
) -> None:
    with ExitStack() as stack:
        brokers = begun_brokers(stack, commands, directory)
        groups = [Members(stack, broker, arguments.members) for broker in brokers]
        took_s: list[list[float]] = [[] for _ in brokers]
        used_s: list[list[float]] = [[] for _ in brokers]
        # The first round only warms up the JVM, and waits for the members of a new group.
        for _ in range(1 + arguments.rounds):
            for broker, members, took, used in zip(brokers, groups, took_s, used_s, strict=True):
                settle(brokers, REST_S_MAX)
                before_s = broker.cpu_s()
                for _ in range(REBALANCES):
                    began_s = time.perf_counter()
                    members.rebalance()
                    took.append(time.perf_counter() - began_s)
                used.append((broker.cpu_s() - before_s) / REBALANCES)
        said = "".join(
            f"{broker.name} {min(took) * 1000:.0f} ms, {min(used) * 1000:.0f} ms CPU  "
            for broker, took, used in zip(brokers, took_s, used_s, strict=True)
        )
        print(f"a group of {arguments.members} members rebalances: {said}", flush=True)


# Failover.


class Trial:
    """A cluster under test, whose coordinator is killed in each round."""

    def __init__(self, cluster: Cluster, client: KazooClient, offsets: int) -> None:
        self.cluster = cluster
        self.client = client
        self.partitions = offsets // GROUPS
        self.groups = groups_of(GROUPS)
        self.took_s: list[float] = []
        with cluster.wire() as wire:
            create_topic(wire, TOPIC, self.partitions)
            coordinator_id = await_coordinator(wire, self.groups[0])
        with cluster.broker(coordinator_id).wire() as wire:
            await_loaded(wire, self.groups[0], TOPIC)
            for group in self.groups:
                wire.socket.sendall(commit_request(group, TOPIC, self.partitions))
                check_committed(wire.receive())

    def kill_coordinator(self) -> None:
        """Kill the coordinator, wait until others answer for all groups, and restart it."""
        settle([self.cluster], REST_S_MAX)
        with self.cluster.wire() as wire:
            killed = await_coordinator(wire, self.groups[0])
        gone_s: list[float] = []

        def gone(_event: WatchedEvent) -> None:
            gone_s.append(time.time())

        self.client.exists(paths.broker(BrokerId(killed)), watch=gone)
        process = self.cluster.broker(killed).process
        process.kill()
        process.wait()
        others = [one for one in self.cluster.brokers if one.broker_id != killed]
        answered_s = self.await_answers(killed, others)
        self.took_s.append(answered_s - gone_s[0])
        self.cluster.start_again(killed)

    def await_answers(self, killed: int, others: Sequence[Broker]) -> float:
        """When another broker than *killed* has returned all offsets, in s since 1970."""
        deadline = time.perf_counter() + PATIENCE_S
        while time.perf_counter() < deadline:
            with others[0].wire() as wire:
                found = coordinator_of(wire, self.groups[0])
            if found is not None and found != killed:
                with self.cluster.broker(found).wire() as wire:
                    if all(self.has_offsets(wire, group) for group in self.groups):
                        return time.time()
            time.sleep(LOOK_S)
        raise SystemExit(f"{self.cluster.name}: no coordinator after {PATIENCE_S:.0f} s")

    def has_offsets(self, wire: Wire, group: str) -> bool:
        wanted = [OffsetFetchRequestTopic(TOPIC, list(range(self.partitions)))]
        body = OffsetFetchRequest(group, wanted)
        answer = wire.ask(ApiKey.OFFSET_FETCH, FETCH_VERSION, body, OffsetFetchResponse)
        if answer.error_code != 0:
            return False
        (topic,) = answer.topics
        # Kafka answers in an order of its own.
        offsets = {one.partition_index: one.committed_offset for one in topic.partitions}
        if offsets != {n: 1000 + n for n in range(self.partitions)}:
            raise SystemExit(f"{self.cluster.name}: offsets of {group} are lost")
        return True


def begun(stack: ExitStack, name: str, command: Command, place: Path, offsets: int) -> Trial:
    """A running cluster over a ZooKeeper of its own; *stack* stops both."""
    server = start_server(place / "zookeeper")
    stack.callback(server.kill)
    connect = chroot(server.connect, name)
    settings = {
        "zookeeper_session_timeout_ms": SESSION_TIMEOUT_MS,
        "offsets_topic_num_partitions": 1,
        "offsets_topic_replication_factor": REPLICAS,
    }
    cluster = stack.enter_context(
        running_cluster(name, command, connect, place / "brokers", **settings)
    )
    stack.callback(cluster.kill)
    client = KazooClient(connect)
    client.start()
    stack.callback(client.stop)
    return Trial(cluster, client, offsets)


def show_failover(
    commands: dict[str, Command], directory: Path, arguments: argparse.Namespace
) -> None:
    with ExitStack() as stack:
        trials = [
            begun(stack, name, command, directory / name, arguments.offsets)
            for name, command in commands.items()
        ]
        for _ in range(arguments.rounds):
            for trial in trials:
                trial.kill_coordinator()
        title = f"{arguments.offsets} offsets back after a coordinator"
        said = "".join(f"{trial.cluster.name} {min(trial.took_s):.2f} s  " for trial in trials)
        print(f"{title}: {said}", flush=True)


# Describe.


def show_describe(
    commands: dict[str, Command],
    class_path: str | None,
    directory: Path,
    arguments: argparse.Namespace,
) -> None:
    """Describe the groups of each broker, in turns: Kafka's also by its own tool."""
    words = ("--describe", "--all-groups")
    with ExitStack() as stack:
        for broker in begun_brokers(stack, commands, directory):
            with broker.wire() as wire:
                fill_groups(wire, arguments.groups, arguments.partitions)
            of_broker = ("--bootstrap-server", broker.bootstrap, *words)
            ours = [*KADMIN, "groups", *of_broker, "--timeout", f"{PATIENCE_S:.0f}s"]
            tools = {"kadmin groups": partial(run, ours)}
            if class_path is not None:
                # It asks for one group after the other, and gives up after 5 s unless told.
                patient = (*of_broker, "--timeout", str(int(1000 * PATIENCE_S)))
                theirs = kafka_tool(class_path, KAFKA_TOOL, *patient)
                tools["kafka-consumer-groups"] = partial(run, theirs)
            title = f"{arguments.groups} groups of {broker.name}, {arguments.partitions} partitions"
            said = "".join(
                f"{name} {took.wall_s:.1f} s, {took.cpu_s:.1f} s CPU, {took.rss_mib:.0f} MiB  "
                for name, took in alternate(arguments.rounds, tools).items()
            )
            print(f"{title}: {said}", flush=True)


def fill_groups(wire: Wire, groups: int, partitions: int) -> None:
    """Commit for each of the *groups* to the next few of the new *partitions*, round and round."""
    known: list[tuple[str, int]] = []
    for first in range(0, partitions, PARTITIONS_MAX):
        size = min(PARTITIONS_MAX, partitions - first)
        create_topic(wire, f"{TOPIC}-{first}", size)
        known.extend((f"{TOPIC}-{first}", number) for number in range(size))
    await_coordinator(wire, "0")
    following = cycle(known)
    for number in range(groups):
        wanted = [
            OffsetCommitRequestTopic(topic, [OffsetCommitRequestPartition(index, 0, -1, -1, "")])
            for topic, index in islice(following, COMMITS)
        ]
        body = OffsetCommitRequest(str(number), topics=wanted)
        wire.socket.sendall(request(ApiKey.OFFSET_COMMIT, COMMIT_VERSION, body))
        answer = decode_response(OffsetCommitResponse, COMMIT_VERSION, wire.receive()).body
        if errors := {part.error_code for topic in answer.topics for part in topic.partitions} - {
            0
        }:
            raise SystemExit(f"commits were refused with the errors {errors}")


if __name__ == "__main__":
    main()
