"""The controller's core: from one event to the effects that follow from it.

Every broker has one: one of them is the controller, the others wait for its node to go.  It does
one task after the other, as Kafka's controller thread does: hints and requests wait in a queue
while a procedure waits for ZooKeeper.  The answer of a broker advances its channel at once; its
content waits in the queue like the rest.
"""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count, islice
from typing import Final, NamedTuple, TypeAlias, assert_never

from cluster.controller import (
    brokers,
    deletion,
    elections,
    isr_changes,
    notifications,
    partitions,
    reassignment,
    reassignment_requests,
    rebalance,
    start,
    topics,
)
from cluster.controller.active_controller import (
    ActiveController,
    ControllerConfig,
    ControllerEpochFell,
    ControllerMoved,
)
from cluster.controller.controller_election import elect_controller, is_still_controller
from cluster.controller.controller_state import ControllerState
from cluster.controller.effects import (
    BecameController,
    Effect,
    Log,
    NoteTask,
    Reply,
    Resign,
    SendToZooKeeper,
)
from cluster.controller.events import (
    ActiveHint,
    Answered,
    BrokersChanged,
    ControllerChanged,
    DeletionRequested,
    Event,
    Hint,
    IsrChangesNotified,
    LogDirsFailed,
    OrderAnswered,
    OrderFailed,
    PreferredElectionRequested,
    ReassignmentRequested,
    Requested,
    SessionExpired,
    SessionStarted,
    Ticket,
    TopicsChanged,
    TopicsWritten,
    UncleanElectionEnabled,
)
from cluster.controller.orders import LeaderAndIsr, Order, StopReplica, UpdateMetadata
from cluster.controller.procedures import Procedure
from cluster.controller.requests import (
    AlterPartition,
    AlterReassignments,
    ControlledShutdown,
    ControllerReply,
    ControllerRequest,
    ElectLeaders,
    ListReassignments,
    not_controller,
)
from cluster.coordination import writes
from cluster.coordination.client import Client
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import ControllerEpoch
from cluster.statechange.line import Level
from cluster.zk.requests import ZkReply, ZkRequest
from cluster.zk.steps import Refusal

CANDIDACY_BACKOFF_MS: Final = 1000
"""How long a broker that failed as the controller stays out of elections."""

EPOCH_STEP_MAX: Final = 1 << 20
"""By how much an election raises a controller epoch that has fallen, at most."""

TOPICS_READ_MAX: Final = 1000
"""How many written topics are read at a time, so that other work runs in between."""

NO_ACTIVE_CONTROLLER: Final = ControllerEpoch(0)


@dataclass(frozen=True, slots=True)
class LeaderRebalanceDue:
    """The leaders are due for the check whether preferred leaders lead."""


@dataclass(frozen=True, slots=True)
class PartitionsToBeStarted:
    """More new partitions need their first leaders."""


@dataclass(frozen=True, slots=True)
class LogsToBeDeleted:
    """More logs of deleted topics are to go."""


CoalescedEvent: TypeAlias = Hint | LeaderRebalanceDue | PartitionsToBeStarted | LogsToBeDeleted
"""Queued once, however often it is reported while it waits."""
Task: TypeAlias = CoalescedEvent | Requested | tuple[OrderAnswered, Order]


REQUESTS: Final[Mapping[type[ControllerRequest], ControllerState]] = {
    AlterPartition: ControllerState.ISR_CHANGE,
    AlterReassignments: ControllerState.ALTER_PARTITION_REASSIGNMENT,
    ControlledShutdown: ControllerState.CONTROLLED_SHUTDOWN,
    ElectLeaders: ControllerState.MANUAL_LEADER_BALANCE,
    ListReassignments: ControllerState.LIST_PARTITION_REASSIGNMENT,
}
ANSWERS: Final[Mapping[type[Order], ControllerState]] = {
    LeaderAndIsr: ControllerState.LEADER_AND_ISR_RESPONSE_RECEIVED,
    UpdateMetadata: ControllerState.UPDATE_METADATA_RESPONSE_RECEIVED,
    StopReplica: ControllerState.TOPIC_DELETION,
}
HINTS: Final[Mapping[type[CoalescedEvent], ControllerState]] = {
    ControllerChanged: ControllerState.CONTROLLER_CHANGE,
    BrokersChanged: ControllerState.BROKER_CHANGE,
    TopicsChanged: ControllerState.TOPIC_CHANGE,
    TopicsWritten: ControllerState.TOPIC_CHANGE,
    DeletionRequested: ControllerState.TOPIC_DELETION,
    ReassignmentRequested: ControllerState.ALTER_PARTITION_REASSIGNMENT,
    IsrChangesNotified: ControllerState.ISR_CHANGE,
    LogDirsFailed: ControllerState.LOG_DIR_CHANGE,
    PreferredElectionRequested: ControllerState.MANUAL_LEADER_BALANCE,
    LeaderRebalanceDue: ControllerState.AUTO_LEADER_BALANCE,
    PartitionsToBeStarted: ControllerState.TOPIC_CHANGE,
    LogsToBeDeleted: ControllerState.TOPIC_DELETION,
    UncleanElectionEnabled: ControllerState.UNCLEAN_LEADER_ELECTION_ENABLE,
}


class Turn(NamedTuple):
    """The current task, for the metrics."""

    kind: ControllerState
    came_at_ms: int
    began_at_ms: int


class ControllerCore:
    """The controller of one broker, active or on standby.

    Every event goes to `step`, with the time in ms, which must not fall.  After each step the shell
    asks for `next_deadline`, and calls `on_deadline` when that time has come.  *client* is this
    broker in ZooKeeper.  *new_topic_id* returns 22 characters that it never returned before.
    """

    __slots__ = (
        "_active",
        "_candidate_at_ms",
        "_client",
        "_config",
        "_correlation_ids",
        "_effects",
        "_epoch_step",
        "_has_session",
        "_is_called_stale",
        "_new_topic_id",
        "_now_ms",
        "_procedure",
        "_queue",
        "_task",
        "_ticket",
        "_ticket_numbers",
        "_turn",
        "_waiting_hints",
        "_written_topics",
    )

    def __init__(
        self, config: ControllerConfig, client: Client, new_topic_id: Callable[[], str]
    ) -> None:
        self._config = config
        self._client = client
        self._new_topic_id = new_topic_id
        self._now_ms = 0
        self._has_session = False
        self._active: ActiveController | None = None
        self._queue: deque[tuple[Task, int]] = deque()
        """Each with its arrival time, in ms."""
        self._waiting_hints: set[CoalescedEvent] = set()
        """The hints in the queue."""
        self._written_topics: dict[str, None] = {}
        """Topics whose nodes are to be read, which are all after an outage.  They share one place
        in the queue, which exists as long as there are any.
        """
        self._task: Task | None = None
        self._procedure: Procedure[object] | None = None
        """The start and kind of *_task*."""
        self._turn: Turn | None = None
        self._ticket: Ticket | None = None
        self._ticket_numbers = count()
        self._correlation_ids = count()
        self._candidate_at_ms: int | None = None
        self._epoch_step = 1
        """By how much an election raises the controller epoch: more than 1 once it had fallen."""
        self._is_called_stale = False
        """Whether a broker has answered, in this epoch, that it knows a later one."""
        self._effects: list[Effect] = []

    @property
    def active(self) -> ActiveController | None:
        """The state of this broker as the active controller; None on standby."""
        return self._active

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits to be done or answered, orders to brokers apart."""
        return self._procedure is None and not self._queue

    @property
    def state(self) -> ControllerState | None:
        """What it is busy with; None while no task is under way."""
        return None if self._turn is None else self._turn.kind

    @property
    def queue_size(self) -> int:
        """How many tasks wait."""
        return len(self._queue)

    def step(self, event: Event, now_ms: int) -> tuple[Effect, ...]:
        """Process *event*; returns the effects to carry out, in this order."""
        assert now_ms >= self._now_ms, "the time does not fall"
        self._now_ms = now_ms
        match event:
            case SessionStarted():
                assert not self._has_session, "a session ends before the next one starts"
                self._has_session = True
                self._enqueue(ControllerChanged())
            case SessionExpired():
                self._end_session()
            case Answered(ticket, replies):
                if self._is_awaited(ticket):
                    self._ticket = None
                    self._advance(replies)
            case OrderAnswered():
                self._on_order_answered(event)
            case OrderFailed(broker_id, correlation_id):
                if self._active is not None:
                    self._active.channels.failed(broker_id, correlation_id, now_ms)
            case _:
                self._enqueue(event)
        return self._work()

    def next_deadline(self) -> int | None:
        """When `on_deadline` has to be called, in ms; None if no deadline is set."""
        active = self._active
        deadlines = [self._candidate_at_ms]
        if active is not None:
            deadlines += (active.channels.next_deadline(), active.rebalance_at_ms)
        return min((at_ms for at_ms in deadlines if at_ms is not None), default=None)

    def on_deadline(self, now_ms: int) -> tuple[Effect, ...]:
        """Do the work that is due at *now_ms*; a call too early does no harm."""
        self._now_ms = now_ms
        if self._candidate_at_ms is not None and self._candidate_at_ms <= now_ms:
            self._candidate_at_ms = None
            self._enqueue(ControllerChanged())
        active = self._active
        if active is not None:
            active.channels.on_deadline(now_ms)
            if active.rebalance_at_ms is not None and active.rebalance_at_ms <= now_ms:
                active.rebalance_at_ms = None
                self._enqueue(LeaderRebalanceDue())
        return self._work()

    def _is_awaited(self, ticket: Ticket) -> bool:
        """Accept only the answer to the current request: others belong to an earlier epoch or
        session.

        Without this fence such an answer would resume a procedure that waits for another one.
        """
        return ticket == self._ticket

    def _enqueue(self, task: Task) -> None:
        """Append a task to the queue, unless it is a hint that is queued already.

        Requests and answers are always appended: each has its own effect.
        """
        if isinstance(task, Requested):
            if self._active is None:
                self._refuse(task)
                return
        elif self._active is None and not isinstance(task, ControllerChanged):
            # A new controller reads everything after it is elected.
            return
        elif not self._has_session:
            return
        elif isinstance(task, TopicsWritten):
            has_place = len(self._written_topics) > 0
            self._written_topics |= dict.fromkeys(task.topics)
            if has_place or not task.topics:
                return
        elif not isinstance(task, tuple):
            if task in self._waiting_hints:
                return
            self._waiting_hints.add(task)
        self._queue.append((task, self._now_ms))

    def _take(self) -> tuple[Task, int]:
        """Take the first task from the queue, with its arrival time.

        A hint leaves the set of waiting hints before its procedure reads: a later hint of the same
        kind reports a newer change, and must be queued again.
        """
        task, came_at_ms = self._queue.popleft()
        if isinstance(task, TopicsWritten):
            written = tuple(islice(self._written_topics, TOPICS_READ_MAX))
            for topic in written:
                del self._written_topics[topic]
            if self._written_topics:
                self._queue.append((task, came_at_ms))
            return TopicsWritten(written), came_at_ms
        if not isinstance(task, tuple | Requested):
            self._waiting_hints.discard(task)
        return task, came_at_ms

    def _work(self) -> tuple[Effect, ...]:
        """Work on tasks until a procedure waits for ZooKeeper, or the queue is empty."""
        while self._procedure is None and self._queue:
            self._task, came_at_ms = self._take()
            self._turn = Turn(kind_of(self._task), came_at_ms, self._now_ms)
            self._procedure = self._procedure_for(self._task)
            self._advance(None)
        assert self._active is None or self._has_session, "the epoch ends with its session"
        if self._active is not None:
            # After all other effects: a channel is opened before its first order is sent.  Orders
            # into channels that were closed in this step are gone with them.
            self._effects += self._active.channels.sendings(self._now_ms)
        effects = tuple(self._effects)
        self._effects.clear()
        return effects

    def _advance(self, replies: tuple[ZkReply, ...] | None) -> None:
        """Run the procedure until it yields requests to ZooKeeper, or ends."""
        assert self._procedure is not None, "a procedure waits for the replies"
        try:
            # The first step of a generator takes None.
            requests = next(self._procedure) if replies is None else self._procedure.send(replies)
        except StopIteration:
            self._procedure = self._task = None
            self._end_turn()
            self._enqueue_rest()
        except ControllerMoved as moved:
            self._procedure = None
            self._resign(str(moved))
            # The hint that `/controller` changed may have been in the queue that is empty now.
            self._enqueue(ControllerChanged())
        except (Refusal, ControllerEpochFell) as reason:
            self._procedure = None
            self._give_up(str(reason))
        else:
            self._send(requests)

    def _enqueue_rest(self) -> None:
        """Queue what the task that has ended left for later turns, behind all that waits."""
        if self._active is not None:
            context = self._active.context
            if context.to_be_started:
                self._enqueue(PartitionsToBeStarted())
            if context.logs_to_delete:
                self._enqueue(LogsToBeDeleted())

    def _end_turn(self) -> None:
        """Also called when a procedure without a task ends; only tasks are measured."""
        if self._turn is not None:
            kind, came_at_ms, began_at_ms = self._turn
            self._effects.append(NoteTask(kind, began_at_ms - came_at_ms, began_at_ms))
            self._turn = None

    def _send(self, requests: tuple[ZkRequest, ...]) -> None:
        assert self._ticket is None, "one procedure runs at a time"
        epoch = NO_ACTIVE_CONTROLLER if self._active is None else self._active.controller_epoch
        self._ticket = Ticket(epoch, next(self._ticket_numbers))
        # Effects that were decided before are carried out before.
        self._effects.append(SendToZooKeeper(self._ticket, requests))

    def _procedure_for(self, task: Task) -> Procedure[None]:
        active = self._active
        if isinstance(task, ControllerChanged):
            return self._run_election() if active is None else self._check_controller()
        assert active is not None, "the work of a controller ends with it"
        match task:
            case (OrderAnswered(broker_id, correlation_id, result), order):
                return notifications.on_answer(active, broker_id, correlation_id, order, result)
            case LeaderRebalanceDue():
                return self._rebalance(active)
            case PartitionsToBeStarted():
                return topics.start_some(active)
            case LogsToBeDeleted():
                return deletion.go_on(active)
            case Requested(request_id, request):
                return self._serve(active, request_id, request)
            case _:
                return follow(active, task)

    def _serve(
        self, active: ActiveController, request_id: int, request: ControllerRequest
    ) -> Procedure[None]:
        """The procedure returns the reply, so that each request gets exactly one."""
        reply = yield from serve(active, request)
        self._effects.append(Reply(request_id, reply))
        # It has its reply, whatever follows in this epoch.
        self._task = None
        # After the reply, as in Kafka: a leader receives its ISR before its epoch rises.
        yield from reassignment.on_isr_changed(active, active.context.reassigning)

    def _refuse(self, requested: Requested) -> None:
        self._effects.append(Reply(requested.request_id, not_controller(requested.request)))

    def _run_election(self) -> Procedure[None]:
        if self._candidate_at_ms is not None:
            # It has just failed as the controller; `on_deadline` queues the election again.
            return
        epoch = yield from elect_controller(self._client, self._epoch_step)
        if epoch is None:
            return
        active = ActiveController.begin(
            self._config,
            self._client,
            epoch,
            self._correlation_ids,
            self._new_topic_id,
            self._effects,
        )
        # Before anything is read: each later change is a hint that waits in the queue, and each
        # later failure ends this epoch.
        self._active = active
        self._effects.append(BecameController(epoch.epoch))
        active.note(f"epoch={epoch.epoch} became the controller")
        yield from start.begin(active)
        active.note(f"epoch={epoch.epoch} is ready")
        if self._config.leader_rebalance is not None:
            active.rebalance_at_ms = self._now_ms + rebalance.FIRST_CHECK_MS

    def _rebalance(self, active: ActiveController) -> Procedure[None]:
        """Check the leaders; the next check is counted from the end of this one, however long it
        takes.
        """
        config = self._config.leader_rebalance
        assert config is not None, "without it nothing is due"
        yield from rebalance.rebalance_leaders(active, config)
        active.rebalance_at_ms = self._now_ms + config.interval_ms

    def _check_controller(self) -> Procedure[None]:
        if not (yield from is_still_controller(self._client)):
            raise ControllerMoved("/controller is no longer this broker's")
        if self._is_called_stale:
            # Its epoch is not in the answer, so that it is searched for in steps that grow.
            self._epoch_step = min(2 * self._epoch_step, EPOCH_STEP_MAX)
            raise ControllerEpochFell("a broker knows a later controller epoch: it is raised")

    def _on_order_answered(self, event: OrderAnswered) -> None:
        if self._active is None:
            return
        order = self._active.channels.answered(event.broker_id, event.correlation_id)
        if order is None:
            return
        self._enqueue((event, order))
        if event.result.error == ErrorCode.STALE_CONTROLLER_EPOCH:
            # That broker has seen a newer controller before this one has, or the epoch has fallen.
            self._is_called_stale = True
            self._enqueue(ControllerChanged())

    def _resign(self, reason: str) -> None:
        """Drop everything that belongs to this epoch; answers that it waited for are ignored when
        they arrive.

        Nothing is taken back: what was written stays and what was sent is carried out, until the
        next controller reads the one and overrules the other by its higher epoch.
        """
        active = self._active
        if self._procedure is not None:
            self._procedure.close()
            self._procedure = None
        self._ticket = None
        self._end_turn()
        for task in (self._task, *(task for task, _ in self._queue)):
            if isinstance(task, Requested):
                self._refuse(task)
        self._task = None
        self._queue.clear()
        self._waiting_hints.clear()
        self._written_topics.clear()
        self._is_called_stale = False
        if active is not None:
            # The channels first, so that no order leaves after the resignation was announced.
            self._effects += active.channels.close_all()
            active.note(f"epoch={active.controller_epoch} resigns: {reason}", Level.WARN)
            self._effects.append(Resign(active.controller_epoch, reason))
            self._active = None

    def _end_session(self) -> None:
        self._resign("the ZooKeeper session is over")
        self._has_session = False
        self._candidate_at_ms = None

    def _give_up(self, reason: str) -> None:
        """Resign so that another broker becomes the controller, since this one cannot do some work.

        The current task stays half done; the next controller reads everything anew.  `/controller`
        is removed last, when this broker no longer acts as the controller.  A crash before that
        leaves the node until the session expires, as any crash of a controller does.  Because of
        the backoff, another broker can win the election that the removal begins.
        """
        active = self._active
        self._resign(reason)
        self._candidate_at_ms = self._now_ms + CANDIDACY_BACKOFF_MS
        if active is None:
            text = f"controller={self._config.broker_id} runs for controller later: {reason}"
            self._effects.append(Log(Level.WARN, text))
        else:
            # Once only: if it fails, the next candidacy in this session finds and removes the node.
            self._procedure = writes.remove_controller(active.fence)
            self._advance(None)


def kind_of(task: Task) -> ControllerState:
    """The controller state that the metrics record for *task*."""
    if isinstance(task, Requested):
        return REQUESTS[type(task.request)]
    if isinstance(task, tuple):
        _, order = task
        return ANSWERS[type(order)]
    if isinstance(task, UncleanElectionEnabled) and task.topic is not None:
        return ControllerState.TOPIC_UNCLEAN_LEADER_ELECTION_ENABLE
    return HINTS[type(task)]


def follow(active: ActiveController, hint: ActiveHint) -> Procedure[None]:
    """Read what *hint* is about, and act on it."""
    match hint:
        case BrokersChanged():
            yield from brokers.refresh_brokers(active)
        case TopicsChanged():
            yield from reassignment_requests.refresh_topics(active)
        case TopicsWritten(written):
            yield from topics.refresh_written(active, written)
        case DeletionRequested():
            yield from deletion.refresh_requests(active)
        case ReassignmentRequested():
            yield from reassignment_requests.refresh(active)
        case IsrChangesNotified():
            yield from notifications.refresh_isrs(active)
        case LogDirsFailed():
            yield from notifications.check_log_dirs(active)
        case PreferredElectionRequested():
            yield from elections.refresh_preferred_election(active)
        case UncleanElectionEnabled(topic):
            yield from partitions.bring_leaderless_online(active, topic)
            yield from reassignment.on_isr_changed(active, active.context.reassigning)
        case _:
            assert_never(hint)


def serve(active: ActiveController, request: ControllerRequest) -> Procedure[ControllerReply]:
    """Carry out *request*."""
    match request:
        case AlterPartition():
            return (yield from isr_changes.alter_partitions(active, request))
        case AlterReassignments():
            return (yield from reassignment_requests.alter(active, request))
        case ListReassignments():
            return reassignment_requests.list_ongoing(active, request)
        case ControlledShutdown():
            return (yield from brokers.shut_down(active, request))
        case ElectLeaders():
            return (yield from elections.elect_leaders(active, request))
    assert_never(request)
