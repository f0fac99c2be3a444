"""What does a broker meet outside its process: ZooKeeper, the network, its own death?

Draws every delay and every loss from one seed.  What operators do, and what breaks when, is in
`trouble`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from itertools import count
from random import Random
from typing import Final

from cluster.controller.active_controller import ControllerConfig
from cluster.controller.core import ControllerCore
from cluster.controller.effects import Reply
from cluster.controller.orders import Order, OrderResult
from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.ids import BrokerEpoch, BrokerId, ControllerEpoch, TopicPartition
from cluster.sim.invariants import Invariants
from cluster.sim.leading import watch_isr
from cluster.sim.obeying import ObeyingBroker
from cluster.sim.process import Process
from cluster.sim.schedule import Schedule
from cluster.sim.zookeeper import TOOL, Author, SimZooKeeper
from cluster.statechange.line import StateChangeLine
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
SEEDS_PER_TRACE: Final = 10
"""One story in so many has the TRACE lines of state-change.log too; they take their time."""


class Fault(Enum):
    """What can go wrong; each run has some of them."""

    CRASH = auto()
    FREEZE = auto()
    """A process stands still, and goes on later as if nothing had been."""
    DISK = auto()
    """A log directory fails; its broker says so, and has it back when it starts again."""
    CORRUPTION = auto()
    """After a start some logs cannot be opened, and stay so until they are deleted or mended."""
    EXPIRY = auto()
    """A session ends while its process lives."""
    LATE_NEWS = auto()
    """The next session is there before the process hears that the last one has ended."""
    LOST_REPLY = auto()
    """A reply of ZooKeeper does not come back, whether the request has landed or not."""
    SLOW_ORDER = auto()
    """An order takes its time: the next controller may be faster."""
    LOST_ORDER = auto()
    """An order, or the answer to it, does not arrive."""
    FORCED_MOVE = auto()
    """An operator removes /controller."""
    REFUSAL = auto()
    """ZooKeeper refuses a read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fences:
    """What stands between a late writer and the cluster; tests take one out at a time."""

    state_versions: bool = True
    epoch_checks: bool = True
    orders: bool = True
    core: type[ControllerCore] = ControllerCore


ALL_FENCES: Final = Fences()


class World:
    """A cluster of three or four brokers on an empty ZooKeeper, with all brokers starting."""

    def __init__(self, seed: int, fences: Fences = ALL_FENCES) -> None:
        self.random = Random(seed)
        self.faults = frozenset(fault for fault in Fault if self.random.random() < 0.5)
        self.is_troubled = True
        self.lines: list[StateChangeLine] = []
        self.invariants = Invariants()
        self.schedule = Schedule()
        self.zookeeper = SimZooKeeper(
            self._on_watch,
            self.invariants.on_commit,
            checks_state_versions=fences.state_versions,
            checks_epoch=fences.epoch_checks,
        )
        self.broker_ids = tuple(BrokerId(n) for n in range(self.random.choice((3, 3, 4))))
        self.processes: dict[BrokerId, Process] = {}
        self._shutdown_replies: list[Callable[[Reply], None]] = []
        self._sequence = count()
        self._fences = fences
        self._writes_traces = seed % SEEDS_PER_TRACE == 0
        self._tool_session = self.zookeeper.connect()
        self._logs: dict[BrokerId, dict[TopicPartition, str]] = {b: {} for b in self.broker_ids}
        self._corrupt: dict[BrokerId, set[TopicPartition]] = {b: set() for b in self.broker_ids}
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

    def between(self, least: int, most: int) -> int:
        """A number that is drawn, both ends included."""
        return least + int(self.random.random() * (most - least + 1))

    def does(self, fault: Fault, probability: float) -> bool:
        """Whether *fault* happens now: only in a troubled world that has it."""
        return self.is_troubled and fault in self.faults and self.random.random() < probability

    def tool(self, *operations: Operation) -> bool:
        """Let an operator's tool make a transaction at once; whether it was done."""
        reply = self.zookeeper.serve(self._tool_session, Multi(operations), TOOL)
        return isinstance(reply, MultiDone)

    # Processes

    def start(self, broker_id: BrokerId) -> None:
        """Begin a new life of a broker that is down."""
        config = ControllerConfig(broker_id=broker_id, writes_traces=self._writes_traces)
        core = self._fences.core(config, self.new_topic_id)
        for partition in self._logs[broker_id]:
            if self.does(Fault.CORRUPTION, 0.3):
                self._corrupt[broker_id].add(partition)
        broker = ObeyingBroker(
            broker_id,
            self._logs[broker_id],
            self._corrupt[broker_id],
            lambda partition, role, topic_id: self._on_role(broker_id, partition, topic_id),
            lambda partition, topic_id: self.invariants.on_deleted(broker_id, partition, topic_id),
            checks_epochs=self._fences.orders,
        )
        process = Process(self, core, broker)
        self.processes[broker_id] = process
        process.start_session(self.connect(process))

    def crash(self, process: Process) -> None:
        """Kill a process; ZooKeeper notices after the session's timeout."""
        process.kill()
        session = process.session
        self.after(SESSION_TIMEOUT_MS, lambda: self.zookeeper.expire(session))

    def stop(self, process: Process) -> None:
        """End a process in order: it closes its session."""
        process.kill()
        self.zookeeper.expire(process.session)

    def end_session(self, process: Process) -> None:
        """Let a session expire; its process hears of it later, and asks on in the meantime."""
        self.zookeeper.expire(process.session)
        process.is_expiring = True
        next_session = None
        if self.does(Fault.LATE_NEWS, 0.7):
            next_session = process.session = self.connect(process)
        delay_ms = self.between(1, 700)

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
                    listener="PLAINTEXT", security_protocol="PLAINTEXT", host="localhost", port=port
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
        return f"{self.random.getrandbits(64):022d}"

    def next_sequence(self) -> int:
        """What ZooKeeper appends to the name of a sequential node."""
        return next(self._sequence)

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

        def arrive() -> None:
            if self.zookeeper.is_live(session):
                replies = self._serve(session, requests, author)
                self._depart(session, lambda: process.deliver(lambda: on_replies(replies)))
            else:
                lost = (Lost(),) * len(requests)
                delay_ms = self.between(1, 1500)
                self.after(delay_ms, lambda: process.deliver(lambda: on_replies(lost)))

        arrival_ms = self.now_ms + self.between(1, 5)
        arrival_ms = max(arrival_ms, self._last_arrival_ms.get(session, 0))
        self._last_arrival_ms[session] = arrival_ms
        self.after(arrival_ms - self.now_ms, arrive)

    def _serve(
        self, session: int, requests: tuple[ZkRequest, ...], author: Author
    ) -> tuple[ZkReply, ...]:
        lost_from = len(requests)
        if self.does(Fault.LOST_REPLY, 0.1):
            lost_from = self.random.randrange(len(requests))
        replies: list[ZkReply] = []
        for index, request in enumerate(requests):
            if index < lost_from:
                if isinstance(request, GetChildren) and self.does(Fault.REFUSAL, 0.01):
                    replies.append(Refused("not now"))
                else:
                    replies.append(self.zookeeper.serve(session, request, author))
                continue
            if index == lost_from and self.random.random() < 0.5:
                self.zookeeper.serve(session, request, author)
            replies.append(Lost())
        return tuple(replies)

    def _depart(self, session: int, action: Callable[[], None]) -> None:
        departure_ms = self.now_ms + self.between(1, 5)
        departure_ms = max(departure_ms, self._last_departure_ms.get(session, 0))
        self._last_departure_ms[session] = departure_ms
        self.after(departure_ms - self.now_ms, action)

    def _on_watch(self, session: int, path: str) -> None:
        process = self._sessions[session]
        self._depart(session, lambda: process.deliver(lambda: process.on_watch(path)))

    # Network

    def send(
        self,
        sender: Process,
        receiver: BrokerId,
        order: Order,
        on_result: Callable[[OrderResult | None], None],
    ) -> None:
        """Carry an order to a broker and its answer back; None for no answer, which comes once."""
        is_over = False

        def finish(result: OrderResult | None) -> None:
            nonlocal is_over
            if not is_over:
                is_over = True
                sender.deliver(lambda: on_result(result))

        def obey(process: Process) -> None:
            result = process.broker.obey(order)
            is_lost = self.does(Fault.LOST_ORDER, 0.1)
            self.after(self.between(1, 10), lambda: finish(None if is_lost else result))

        def arrive() -> None:
            process = self.processes[receiver]
            if process.is_up and process.is_registered and not self.does(Fault.LOST_ORDER, 0.1):
                process.deliver(lambda: obey(process))
                self.after(ORDER_TIMEOUT_MS, lambda: finish(None))
            else:
                self.after(self.between(1, 50), lambda: finish(None))

        slowest_ms = ORDER_TIMEOUT_MS // 2 if self.does(Fault.SLOW_ORDER, 0.1) else 10
        self.after(self.between(1, slowest_ms), arrive)

    def _on_role(self, broker_id: BrokerId, partition: TopicPartition, topic_id: str) -> None:
        role = self.processes[broker_id].broker.roles[partition]
        self.invariants.on_role(broker_id, partition, role, topic_id)
        watch_isr(self, role.state.leader, partition)

    def expect_reply(self, on_reply: Callable[[Reply], None]) -> int:
        """The number of a request to shut down, whose answer *on_reply* gets."""
        self._shutdown_replies.append(on_reply)
        return len(self._shutdown_replies) - 1

    def on_shutdown_reply(self, reply: Reply) -> None:
        self._shutdown_replies[reply.request_id](reply)

    def on_became_controller(self, controller_epoch: ControllerEpoch) -> None:
        self.invariants.on_became_controller(controller_epoch)

    def on_state_change(self, line: StateChangeLine) -> None:
        self.lines.append(line)
