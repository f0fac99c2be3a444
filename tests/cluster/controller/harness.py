"""A controller core on a simulated ZooKeeper that answers every request at once.

Orders to brokers are kept, and answered as *answer* says: by default everybody obeys.
"""

from collections import deque
from collections.abc import Callable, Iterable
from itertools import count
from typing import NamedTuple

from cluster.controller.active_controller import ActiveController, ControllerConfig
from cluster.controller.controller_state import ControllerState
from cluster.controller.core import ControllerCore
from cluster.controller.effects import (
    CloseChannel,
    Effect,
    Log,
    LogStateChange,
    NoteTask,
    OpenChannel,
    Reply,
    Resign,
    Send,
    SendToZooKeeper,
)
from cluster.controller.events import (
    Answered,
    Event,
    OrderAnswered,
    OrderFailed,
    SessionExpired,
    SessionStarted,
    Ticket,
)
from cluster.controller.hints import hint_of
from cluster.controller.orders import LeaderAndIsr, Order, OrderResult, StopReplica
from cluster.controller.procedures import Procedure
from cluster.coordination.client import Client
from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import MATCH_ANY, BrokerEpoch, BrokerId, ControllerEpoch, TopicPartition
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment
from cluster.zk import paths
from cluster.zk.brokers import encode_broker
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.requests import (
    Create,
    Delete,
    Lost,
    Multi,
    MultiDone,
    Operation,
    Refused,
    SetData,
    ZkReply,
    ZkRequest,
)
from cluster.zk.steps import run
from cluster.zk.topics import decode_state, encode_assignment, encode_state
from tests.cluster.controller.asked import Asked, RegisterController, asked_by
from tests.sim.zookeeper import TOOL, Author, Commit, SimZooKeeper

ME = BrokerId(1)
CONFIG = ControllerConfig(broker_id=ME, writes_traces=True)


def obeyed(broker_id: BrokerId, order: Order) -> OrderResult | None:
    """The answer of a broker that did everything."""
    partitions: tuple[TopicPartition, ...] = ()
    if isinstance(order, LeaderAndIsr | StopReplica):
        partitions = tuple(each.partition for each in order.partitions)
    return OrderResult(errors=dict.fromkeys(partitions, 0))


class DoneTask(NamedTuple):
    """A task that the core has told to be done."""

    kind: ControllerState
    queue_ms: int
    took_ms: int


class Harness:
    """Broker 1 with its core; the brokers named are registered, and there is no controller."""

    def __init__(self, *broker_ids: int, config: ControllerConfig = CONFIG) -> None:
        self.hints: deque[str] = deque()
        self.on_commit: Callable[[Commit], None] = lambda commit: None
        self.zookeeper = SimZooKeeper(
            lambda _, path: self.hints.append(path), lambda commit: self.on_commit(commit)
        )
        self.tool_session = self.zookeeper.connect()
        self.session = self.zookeeper.connect()
        self.now_ms = 1_000
        self.orders: list[tuple[int, Order]] = []
        self.order_counts: list[int] = []
        self.correlation_ids: dict[int, int] = {}
        """The number of the last order to each broker."""
        self.lines: list[str] = []
        self.notes: list[str] = []
        self.channels: list[OpenChannel | CloseChannel] = []
        self.replies: list[Reply] = []
        self.tasks: list[DoneTask] = []
        self.resignations: list[Resign] = []
        self.requests: list[Asked] = []
        """What was asked of ZooKeeper, but for requests that go on with what others began."""
        self.faults: list[CorruptZnodeError] = []
        self.answer: Callable[[BrokerId, Order], OrderResult | None] = obeyed
        self.silent: set[int] = set()
        """The brokers that do not answer at all."""
        self.before: Callable[[Asked], ZkReply | None] = self.do_nothing
        """Called before each of these is served; a reply stands in for all that ZooKeeper's."""
        self.broker_sessions: dict[int, int] = {}
        self.author = Author(ME, "controller")
        self.elected_ms = 0
        self.failed_ms = 0
        self._asked: tuple[ZkRequest, ...] = ()
        self._ids = count()
        for path in PERSISTENT_PATHS:
            self.tool(Create(path))
        for broker_id in broker_ids:
            self.register(broker_id)
        self.client = Client(broker_id=ME, wall_ms=lambda: 0, report=self.faults.append)
        self.core = ControllerCore(config, self.client, lambda: f"{next(self._ids):022d}")

    @property
    def active(self) -> ActiveController:
        assert self.core.active is not None
        return self.core.active

    # What may go wrong

    @staticmethod
    def do_nothing(request: Asked) -> ZkReply | None:
        """Let the request be carried out."""
        return None

    def fail_once(self, kind: type[Asked]) -> None:
        """Let ZooKeeper refuse the next request of *kind*."""

        def before(request: Asked) -> ZkReply | None:
            if not isinstance(request, kind):
                return None
            self.before = self.do_nothing
            self.failed_ms = self.now_ms
            return Refused("no permission")

        self.before = before

    def end_before(self, kind: type[Asked]) -> None:
        """Let the session, and with it the controller, end before the next request of *kind*."""

        def before(request: Asked) -> ZkReply | None:
            if not isinstance(request, kind):
                return None
            self.before = self.do_nothing
            self.lose_controller()
            return Lost()

        self.before = before

    def lose_answers_to(self, kind: type[Asked], *, has_landed: bool) -> None:
        """Let the answers to the next write of *kind* be lost, which was made or was not."""
        following = self.before

        def before(request: Asked) -> ZkReply | None:
            if not isinstance(request, kind):
                return following(request)
            self.before = following
            if has_landed:
                self.serve()
            return Lost()

        self.before = before

    def interfere(self, kind: type[Asked], action: Callable[[], None]) -> None:
        """Let somebody act just before the next request of *kind* is carried out."""

        def before(request: Asked) -> ZkReply | None:
            if isinstance(request, kind):
                self.before = self.do_nothing
                action()
            return None

        self.before = before

    def refuse(self, kind: type[Asked]) -> None:
        """Let ZooKeeper refuse all writes of *kind*."""

        def before(request: Asked) -> ZkReply | None:
            return Refused("no permission") if isinstance(request, kind) else None

        self.before = before

    # ZooKeeper, as others use it

    def tool(self, *operations: Operation) -> None:
        reply = self.zookeeper.serve(self.tool_session, Multi(operations), TOOL)
        assert isinstance(reply, MultiDone), reply

    def register(
        self,
        broker_id: int,
        port: int = 9092,
        intact_since: int | None = None,
        flushed_since: int | None = None,
    ) -> None:
        """Without *intact_since* it is one of Kafka's; with -1 one of ours that lost something."""
        endpoint = Endpoint(
            listener="PLAINTEXT", security_protocol="PLAINTEXT", host=f"h{broker_id}", port=port
        )
        broker = BrokerRegistration(
            broker_id=BrokerId(broker_id),
            endpoints=(endpoint,),
            version=5,
            rack="r",
            intact_since=None if intact_since is None else BrokerEpoch(intact_since),
            flushed_since=None if flushed_since is None else BrokerEpoch(flushed_since),
        )
        session = self.broker_sessions[broker_id] = self.zookeeper.connect()
        create = Create(paths.broker(BrokerId(broker_id)), encode_broker(broker), is_ephemeral=True)
        self.zookeeper.serve(session, Multi((create,)), TOOL)

    def unregister(self, broker_id: int) -> None:
        self.zookeeper.expire(self.broker_sessions.pop(broker_id))

    def create_topic(self, topic: str, *replicas: tuple[int, ...], topic_id: str = "id") -> None:
        partitions = {
            number: PartitionAssignment(tuple(map(BrokerId, ids)))
            for number, ids in enumerate(replicas)
        }
        assignment = TopicAssignment(partitions=partitions, topic_id=topic_id)
        self.tool(Create(paths.topic(topic), encode_assignment(assignment)))

    def state(self, partition: TopicPartition) -> PartitionState | None:
        node = self.zookeeper.node(paths.state(partition.topic, partition.partition))
        return None if node is None else decode_state(node)

    def leaders(self, topic: str) -> list[int]:
        """Who leads the partitions of *topic*, as ZooKeeper has it; -2 for no state."""
        return self.leaders_in_zookeeper(topic, len(self.active.context.topics[topic].partitions))

    def leaders_in_zookeeper(self, topic: str, count: int) -> list[int]:
        """As `leaders`, of the first *count* partitions, also while nobody is the controller."""
        states = [self.state(TopicPartition(topic, number)) for number in range(count)]
        return [-2 if state is None else state.leader for state in states]

    def write_state(self, partition: TopicPartition, state: PartitionState) -> None:
        path = paths.state(partition.topic, partition.partition)
        self.tool(SetData(path, encode_state(state), MATCH_ANY))

    def write_state_ahead(self, partition: TopicPartition) -> PartitionState:
        """Let a state say that a controller wrote it which was never elected."""
        state = self.state(partition)
        assert state is not None
        self.write_state(partition, state._replace(controller_epoch=ControllerEpoch(9)))
        ahead = self.state(partition)
        assert ahead is not None
        return ahead

    def write_newer_state(self, partition: TopicPartition) -> None:
        """As `write_state_ahead`, by a controller that was elected."""
        self.tool(SetData(paths.CONTROLLER_EPOCH, b"9", MATCH_ANY))
        self.write_state_ahead(partition)

    def write_isr(self, partition: TopicPartition, isr: tuple[int, ...]) -> None:
        """Change the ISR as the leader does."""
        state = self.state(partition)
        assert state is not None
        self.write_state(partition, state._replace(isr=tuple(map(BrokerId, isr))))

    def broker_epoch(self, broker_id: int) -> BrokerEpoch:
        node = self.zookeeper.node(paths.broker(BrokerId(broker_id)))
        assert node is not None
        return BrokerEpoch(node.czxid)

    def remove_state(self, partition: TopicPartition) -> None:
        """Remove the node of a partition with its state, as if nobody had led it yet."""
        node = paths.partition(partition)
        self.tool(Delete(f"{node}/state"), Delete(node))

    # The core

    def perform(self, procedure: Procedure[None] | None) -> None:
        """Run one of the controller's procedures to its end, and do what it wants; None for one
        that has come to its end already.
        """
        ticket = Ticket(self.active.controller_epoch, 0)
        if procedure is not None:
            run(procedure, lambda requests: self._ask(ticket, requests))
        effects = tuple(self.active.effects)
        self.active.effects.clear()
        self.carry_out(effects)

    def register_controller(self) -> None:
        self.client.session_id = self.session
        self.step(SessionStarted())
        self.settle()

    def lose_controller(self) -> None:
        """End the session; what was noted so far is forgotten, and another session begins."""
        self.zookeeper.expire(self.session)
        self.step(SessionExpired())
        self.session = self.zookeeper.connect()
        self.hints.clear()
        self.orders.clear()
        self.requests.clear()
        self.lines.clear()

    def settle(self) -> None:
        """Let every watch that has fired be noticed, until none is left."""
        while self.hints:
            hint = hint_of(self.hints.popleft())
            if hint is not None:
                self.step(hint)

    def step(self, event: Event) -> None:
        """One event, and all that follows from it at once."""
        self.now_ms += 1
        self.carry_out(self.core.step(event, self.now_ms))

    def pass_time(self) -> None:
        """Let the next deadline come."""
        deadline = self.core.next_deadline()
        assert deadline is not None
        self.now_ms = max(self.now_ms, deadline)
        self.carry_out(self.core.on_deadline(self.now_ms))

    def carry_out(self, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            match effect:
                case SendToZooKeeper(ticket, requests):
                    self.step(Answered(ticket, self._ask(ticket, requests)))
                case Send(broker_id, correlation_id, order):
                    self._send(broker_id, correlation_id, order)
                case LogStateChange(line):
                    self.lines.append(str(line))
                case OpenChannel() | CloseChannel():
                    self.channels.append(effect)
                case Log(_, text):
                    self.notes.append(text)
                case Reply():
                    self.replies.append(effect)
                case NoteTask(kind, queue_ms, began_at_ms):
                    self.tasks.append(DoneTask(kind, queue_ms, self.now_ms - began_at_ms))
                case Resign():
                    self.resignations.append(effect)
                case _:
                    pass

    def _ask(self, ticket: Ticket, requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        self.author = Author(ME, "controller", ticket.controller_epoch)
        asked = asked_by(requests)
        if asked is None:
            return self._serve(requests)
        self.requests.append(asked)
        if isinstance(asked, RegisterController):
            self.elected_ms = self.now_ms
        # Its own: what happens meanwhile may ask for more.
        self._asked = requests
        reply = self.before(asked)
        return self._serve(requests) if reply is None else (reply,) * len(requests)

    def serve(self) -> None:
        """Carry out what `before` was called with."""
        self._serve(self._asked)

    def _serve(self, requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        return tuple(self.zookeeper.serve(self.session, one, self.author) for one in requests)

    def _send(self, broker_id: BrokerId, correlation_id: int, order: Order) -> None:
        self.orders.append((broker_id, order))
        self.correlation_ids[broker_id] = correlation_id
        if broker_id in self.silent:
            return
        result = self.answer(broker_id, order)
        if result is None:
            self.step(OrderFailed(broker_id, correlation_id))
        else:
            self.step(OrderAnswered(broker_id, correlation_id, result))

    # What came of it

    def note_order_count(self) -> None:
        """Remember how many orders there were before a request."""
        self.order_counts.append(len(self.orders))

    def count(self, kind: type[Asked]) -> int:
        """How often a request of *kind* was sent."""
        return sum(isinstance(request, kind) for request in self.requests)

    def lines_apart(self) -> list[str]:
        """The messages in state-change.log, without the exceptions below some of them."""
        return [line.split("\n")[0] for line in self.lines]

    def told(self) -> list[str]:
        """The orders since this was asked last, one line each, by broker."""
        lines = [f"{broker_id} {shown(order)}" for broker_id, order in self.orders]
        self.orders.clear()
        return sorted(lines, key=lambda line: line.split()[0])


def shown(order: Order) -> str:
    """An order in one line."""
    if isinstance(order, LeaderAndIsr):
        roles = (
            f"{p.partition}:{p.state.leader}/{p.state.leader_epoch}{_list(p.state.isr)}"
            f"{' new' if p.is_new else ''}"
            for p in order.partitions
        )
        return f"LeaderAndIsr {', '.join(roles)}"
    if isinstance(order, StopReplica):
        stops = (
            f"{p.partition}/{p.leader_epoch}{' delete' if p.is_deleted else ''}"
            for p in order.partitions
        )
        return f"StopReplica {', '.join(stops)}"
    published = (
        f"{p.partition}:{p.state.leader}/{p.state.leader_epoch}{_list(p.state.isr)}"
        f"{' offline' + _list(p.offline_replicas) if p.offline_replicas else ''}"
        for p in order.partitions
    )
    live = _list(broker.broker_id for broker in order.live_brokers)
    return f"UpdateMetadata live{live} {', '.join(published)}".rstrip()


def _list(numbers: Iterable[int]) -> str:
    return f"[{','.join(map(str, numbers))}]"


def tp(text: str) -> TopicPartition:
    topic, _, number = text.rpartition("-")
    return TopicPartition(topic, int(number))
