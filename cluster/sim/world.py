"""The surroundings of simulated brokers: ZooKeeper, the network, their disks and their own death.

Draws every delay and every loss from one seed.  What operators do, and what breaks when, is in
`faults`.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from itertools import count
from random import Random
from typing import Any, Final, NamedTuple

from cluster.broker.broker import Broker
from cluster.broker.fences import ControllerFence
from cluster.broker.handling import Peer
from cluster.controller.active_controller import ControllerConfig
from cluster.controller.core import ControllerCore
from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId, TopicPartition
from cluster.model.topic_id import topic_id_text
from cluster.sim import isr_writers, network
from cluster.sim.controller import LISTENER
from cluster.sim.disk import Crashed, SimDisk
from cluster.sim.history import History
from cluster.sim.invariants import Invariants
from cluster.sim.ports import SimChance, SimClock
from cluster.sim.process import Process
from cluster.sim.schedule import Schedule
from cluster.sim.zookeeper import TOOL, Author, Commit, SimZooKeeper
from cluster.statechange.broker import Command
from cluster.statechange.line import StateChangeLine
from cluster.wire.api_keys import ApiKey
from cluster.zk import paths
from cluster.zk.brokers import encode_broker
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.requests import (
    Create,
    GetChildren,
    Lost,
    Multi,
    MultiDone,
    Operation,
    Refused,
    ZkReply,
    ZkRequest,
)

SESSION_TIMEOUT_MS: Final = 2000
ORDER_TIMEOUT_MS: Final = 1000
SHOWN_MAX: Final = 100
"""How much of a znode a line about an event shows."""
SEEDS_PER_TRACE: Final = 10
"""One story in so many has the TRACE lines of state-change.log too; they take their time."""


class Fault(Enum):
    """What can go wrong; each run has some of them."""

    CRASH = auto()
    FREEZE = auto()
    """A process stands still, and goes on later as if nothing had been."""
    MACHINE = auto()
    """With a process its machine stops, maybe amid a write: what was not flushed may be lost."""
    DISK = auto()
    """A log directory fails; its broker says so, and has it back when it starts again."""
    CORRUPTION = auto()
    """At a start the configs of some topics cannot be read, and their logs are not opened."""
    EXPIRY = auto()
    """A session ends while its process lives."""
    LATE_NEWS = auto()
    """The next session is there before the process hears that the last one has ended."""
    LOST_REPLY = auto()
    """A reply of ZooKeeper does not come back, whether the request has landed or not."""
    SLOW_ORDER = auto()
    """An order takes its time: the next controller may be faster."""
    LOST_FRAME = auto()
    """A request, or the answer to it, does not arrive."""
    FORCED_MOVE = auto()
    """An operator removes /controller."""
    REFUSAL = auto()
    """ZooKeeper refuses a read."""


class ObeysAnybody(ControllerFence):
    """Takes every order for one of the controller of now, and meant for this life."""

    __slots__ = ()

    def refusal(self, command: Command, request: str, broker_epoch: int) -> ErrorCode:
        return ErrorCode.NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Fences:
    """What stands between a late writer and the cluster; tests take one out at a time."""

    state_versions: bool = True
    epoch_checks: bool = True
    orders: bool = True
    flushes: bool = True
    core: type[ControllerCore] = ControllerCore

    def take_out(self, broker: Broker) -> None:
        if not self.orders:
            broker.fence = ObeysAnybody(broker.ports)


ALL_FENCES: Final = Fences()


class Story(NamedTuple):
    """One run: all that happens in it follows from its seed, but for what is left out.

    *without* names kinds of faults and acts, *skipped* single ones, as `MACHINE.b0#2`.
    """

    seed: int
    without: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()

    def has(self, name: str) -> bool:
        return kind_of(name) not in self.without and name not in self.skipped


def kind_of(name: str) -> str:
    """The kind of a single fault or act: `CRASH` of `CRASH.b0#2`."""
    return name.partition("#")[0].partition(".")[0]


def faults_of(seed: int) -> frozenset[Fault]:
    """The faults that a story has which leaves nothing out."""
    random = Random(f"{seed} faults")
    return frozenset(fault for fault in Fault if random.random() < 0.5)


class World:
    """A cluster of three or four brokers on an empty ZooKeeper, with all brokers starting."""

    def __init__(
        self, story: Story, fences: Fences = ALL_FENCES, events: list[str] | None = None
    ) -> None:
        """*events* gets a line for each event, if it is wanted."""
        self.story = story
        self.fences = fences
        self._lots: dict[str, Random] = {}
        self.faults = frozenset(fault for fault in faults_of(story.seed) if story.has(fault.name))
        random = self.lots("world")
        self.is_troubled = True
        self.happened: Counter[str] = Counter()
        """How often each act has come up, and each kind of fault at each place."""
        self.lines: list[StateChangeLine] = []
        self.event_count = 0
        self.invariants = Invariants()
        self.history = History()
        self.schedule = Schedule()
        self.clock = SimClock(self.schedule)
        self.zookeeper = SimZooKeeper(
            self._on_watch,
            self._on_commit,
            checks_state_versions=fences.state_versions,
            checks_epoch=fences.epoch_checks,
        )
        self.broker_ids = tuple(BrokerId(n) for n in range(random.choice((3, 3, 4))))
        self.versions = {
            (ApiKey.LEADER_AND_ISR, 7): random.choice((5, 6, 7)),
            (ApiKey.UPDATE_METADATA, 8): random.choice((7, 8)),
            (ApiKey.STOP_REPLICA, 4): random.choice((3, 4)),
        }
        """The versions in which orders go: those of one form are told apart by nobody."""
        self.processes: dict[BrokerId, Process] = {}
        self.writes_traces = story.seed % SEEDS_PER_TRACE == 0
        self._events = events
        self._values = count()
        self._tool_session = self.zookeeper.connect()
        self._disks = {broker_id: SimDisk(story.seed + broker_id) for broker_id in self.broker_ids}
        self._sessions: dict[int, Process] = {}
        self._last_arrival_ms: dict[int, int] = {}
        self._last_departure_ms: dict[int, int] = {}
        for path in PERSISTENT_PATHS:
            self.tool(Create(path))
        for broker_id in self.broker_ids:
            self.start(broker_id)

    @property
    def now_ms(self) -> int:
        return self.schedule.now_ms

    def after(self, delay_ms: int, action: Callable[[], None]) -> None:
        self.schedule.after(delay_ms, action)

    def run_until(self, end_ms: int) -> None:
        while self.schedule.run_next(end_ms):
            self.event_count += 1

    def lots(self, of: str) -> Random:
        """The lots of one thing: what is left out of a story changes as few others as possible."""
        lots = self._lots.get(of)
        if lots is None:
            lots = self._lots[of] = Random(f"{self.story.seed} {of}")
        return lots

    def between(self, least: int, most: int, of: str) -> int:
        """A number from the lots of something, both ends included."""
        return least + int(self.lots(of).random() * (most - least + 1))

    def does(self, fault: Fault, probability: float, of: str) -> bool:
        """Whether *fault* happens now to something: only in a troubled world that has it."""
        if not self.is_troubled or fault not in self.faults:
            return False
        name = f"{fault.name}.{of}"
        return self.lots(name).random() < probability and self.comes_up(name)

    def comes_up(self, name: str) -> bool:
        """Count one more fault or act of a kind; whether it is not left out of the story."""
        self.happened[name] += 1
        one = f"{name}#{self.happened[name]}"
        if not self.story.has(one):
            return False
        self.tell(None, "!", one)
        return True

    def tell(self, who: BrokerId | None, what: str, text: str) -> None:
        """Write a line about an event: when it was, of which broker, what."""
        if self._events is not None:
            name = "-" if who is None else f"b{who}"
            self._events.append(f"{self.now_ms:6d} {name:2} {what:13} {text}")

    def tool(self, *operations: Operation) -> bool:
        """Let an operator's tool make a transaction at once; whether it was done."""
        reply = self.zookeeper.serve(self._tool_session, Multi(operations), TOOL)
        return isinstance(reply, MultiDone)

    # Processes

    def start(self, broker_id: BrokerId) -> None:
        """Begin a new life of a broker that is down: recover, and register."""
        disk = self._disks[broker_id]
        disk.fault = lambda kind, path: None
        config = ControllerConfig(broker_id=broker_id, writes_traces=self.writes_traces)
        core = self.fences.core(config, self.new_topic_id)
        name = f"b{broker_id}"
        topics = self.zookeeper.children(paths.TOPICS)
        unreadable = frozenset(topic for topic in topics if self.does(Fault.CORRUPTION, 0.3, name))
        self.tell(broker_id, "starts", "")
        try:
            process = Process(self, broker_id, disk, core, unreadable)
        except Crashed as crashed:
            self.tell(broker_id, "machine stops", str(crashed))
            self.history.on_machine_stopped(broker_id)
            disk.crash()
            process = Process(self, broker_id, disk, core, unreadable)
        self.processes[broker_id] = process
        self.invariants.on_start(broker_id, process.known_logs)
        self.history.on_started(process)
        process.start_session(self.connect(process))

    def start_later(self, broker_id: BrokerId) -> None:
        """Start a broker that has ended, after a while, unless somebody does before."""

        def start() -> None:
            if not self.processes[broker_id].is_up:
                self.start(broker_id)

        self.watch_all_isrs()
        self.after(self.between(100, 4000, f"start b{broker_id}"), start)

    def crash(self, process: Process, *, is_machine: bool) -> None:
        """Kill a process, maybe with its machine; ZooKeeper notices after the session's timeout."""
        self.tell(process.broker_id, "crashes", "with its machine" if is_machine else "")
        process.kill()
        self.history.on_ended(process)
        if is_machine:
            self.history.on_machine_stopped(process.broker_id)
            process.disk.crash()
        process.disk.release_locks()
        session = process.session
        self.after(SESSION_TIMEOUT_MS, lambda: self.zookeeper.expire(session))

    def stop(self, process: Process) -> None:
        """End a process in order: it closes its logs, and its session."""
        self.tell(process.broker_id, "stops", "")
        process.kill()
        try:
            process.close()
        except Crashed as crashed:
            self.tell(process.broker_id, "machine stops", str(crashed))
            self.crash(process, is_machine=True)
            return
        self.history.on_ended(process)
        process.disk.release_locks()
        self.zookeeper.expire(process.session)

    def end_session(self, process: Process) -> None:
        """Let a session expire; its process hears of it later, and asks on in the meantime."""
        self.tell(process.broker_id, "expires", f"session {process.session}")
        self.zookeeper.expire(process.session)
        process.is_expiring = True
        next_session = None
        name = f"b{process.broker_id}"
        if self.does(Fault.LATE_NEWS, 0.7, name):
            next_session = process.session = self.connect(process)
        delay_ms = self.between(1, 700, name)

        def tell() -> None:
            session = self.connect(process) if next_session is None else next_session
            process.on_session_expired(session)

        self.after(delay_ms, lambda: process.deliver(tell))

    def connect(self, process: Process) -> int:
        """A new session for *process*."""
        session = self.zookeeper.connect()
        self._sessions[session] = process
        return session

    def register(self, process: Process) -> BrokerEpoch | None:
        """Make the broker's registration; None when one of another session is in the way."""
        if not self.zookeeper.is_live(process.session):
            return None
        broker_id = process.broker_id
        port = 9092 + broker_id
        registration = BrokerRegistration(
            broker_id=broker_id,
            endpoints=(
                Endpoint(
                    listener=LISTENER, security_protocol=LISTENER, host="localhost", port=port
                ),
            ),
            version=5,
            host="localhost",
            port=port,
            timestamp_ms=self.now_ms,
        )
        path = paths.broker(broker_id)
        create = Create(path, encode_broker(registration), is_ephemeral=True)
        author = Author(broker_id, "broker")
        self.zookeeper.serve(process.session, Multi((create,)), author)
        node = self.zookeeper.node(path)
        if node is None or node.ephemeral_owner != process.session:
            return None
        return BrokerEpoch(node.czxid)

    def new_topic_id(self) -> str:
        return topic_id_text(SimChance(self.lots("ids")).unique_id())

    def next_value(self) -> int:
        """Something to produce that nobody has produced before."""
        return next(self._values)

    def watch_isr(self, leader: BrokerId, partition: TopicPartition) -> None:
        isr_writers.watch_isr(self, leader, partition)

    def watch_all_isrs(self) -> None:
        isr_writers.watch_all_isrs(self)

    # ZooKeeper

    def ask(
        self,
        process: Process,
        requests: tuple[ZkRequest, ...],
        author: Author,
        on_replies: Callable[[tuple[ZkReply, ...]], None],
    ) -> None:
        """Carry requests to ZooKeeper and the replies back, both in the order of their session.

        In a session that has ended all replies are lost; the process learns that late, maybe after
        it has begun something new.
        """
        session = process.session
        name = f"zk b{process.broker_id}"

        def arrive() -> None:
            if self.zookeeper.is_live(session):
                replies = self._serve(session, requests, author)
                self._depart(session, lambda: process.deliver(lambda: on_replies(replies)))
            else:
                lost = (Lost(),) * len(requests)
                delay_ms = self.between(1, 1500, name)
                self.after(delay_ms, lambda: process.deliver(lambda: on_replies(lost)))

        arrival_ms = self.now_ms + self.between(1, 5, name)
        arrival_ms = max(arrival_ms, self._last_arrival_ms.get(session, 0))
        self._last_arrival_ms[session] = arrival_ms
        self.after(arrival_ms - self.now_ms, arrive)

    def _serve(
        self, session: int, requests: tuple[ZkRequest, ...], author: Author
    ) -> tuple[ZkReply, ...]:
        lost_from = len(requests)
        name = f"b{author.broker_id}"
        if self.does(Fault.LOST_REPLY, 0.1, name):
            lost_from = self.lots(name).randrange(len(requests))
        replies: list[ZkReply] = []
        for index, request in enumerate(requests):
            if index < lost_from:
                if isinstance(request, GetChildren) and self.does(Fault.REFUSAL, 0.01, name):
                    replies.append(Refused("not now"))
                else:
                    replies.append(self.zookeeper.serve(session, request, author))
                continue
            if index == lost_from and self.lots(name).random() < 0.5:
                self.zookeeper.serve(session, request, author)
            replies.append(Lost())
        return tuple(replies)

    def _depart(self, session: int, action: Callable[[], None]) -> None:
        name = f"zk b{self._sessions[session].broker_id}"
        departure_ms = self.now_ms + self.between(1, 5, name)
        departure_ms = max(departure_ms, self._last_departure_ms.get(session, 0))
        self._last_departure_ms[session] = departure_ms
        self.after(departure_ms - self.now_ms, action)

    def _on_watch(self, session: int, path: str) -> None:
        process = self._sessions[session]
        self._depart(session, lambda: process.deliver(lambda: process.on_watch(path)))

    def _on_commit(self, commit: Commit) -> None:
        if self._events is not None:
            was, is_now = commit.before is not None, commit.after is not None
            word = "zk sets" if was and is_now else "zk makes" if is_now else "zk removes"
            data = commit.after.data if commit.after is not None and commit.after.data else b""
            author = None if commit.author.broker_id < 0 else BrokerId(commit.author.broker_id)
            self.tell(author, word, f"{commit.path} {data.decode()[:SHOWN_MAX]}")
        self.invariants.on_commit(commit)

    # Network

    def loses_frame(self, way: str) -> bool:
        return self.does(Fault.LOST_FRAME, 0.1, way)

    def send_order(
        self,
        sender: Process,
        receiver: BrokerId,
        order: tuple[ApiKey, int, tuple[Any, ...]],
        on_answer: Callable[[Any | None], None],
    ) -> None:
        way = f"b{sender.broker_id}-b{receiver}"
        slowest_ms = ORDER_TIMEOUT_MS // 2 if self.does(Fault.SLOW_ORDER, 0.1, way) else 10
        peer = Peer("localhost", 50_000 + sender.broker_id, LISTENER)
        delay_ms = self.between(1, slowest_ms, way)
        network.ask(self, receiver, order, peer, ORDER_TIMEOUT_MS, on_answer, delay_ms=delay_ms)
