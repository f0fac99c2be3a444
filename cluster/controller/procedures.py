"""Procedures of the controller: sequences of ZooKeeper's requests, with decisions between them.

A procedure yields requests, is suspended, and is resumed with the replies.  So what Kafka does in
one thread, step by step, reads the same here, while each step is an event of its own.  One
procedure runs at a time, and between two of its steps only its own writes change the controller
context: events that arrive meanwhile wait, or only advance the channels.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

from cluster.controller.active_controller import ActiveController, ControllerMoved
from cluster.controller.election import is_same_decision
from cluster.coordination import reads, writes
from cluster.coordination.reads import StatesRead
from cluster.coordination.transaction import SentOnce
from cluster.model.ids import TopicPartition
from cluster.model.outcome import Committed, Conflict, FenceMoved
from cluster.model.topic import PartitionState
from cluster.zk.requests import Lost, Refused
from cluster.zk.steps import Steps

AT_ONCE_MAX: Final = 1000
"""How many partitions are read, decided on, written and sent together.

With more, a step would delay the clients of this broker, and the orders about the partitions that
were elected first would wait for the last one.  Kafka takes all at once.
"""

T = TypeVar("T")
States: TypeAlias = Mapping[TopicPartition, PartitionState]
Procedure: TypeAlias = Steps[T]
"""Ends with `ControllerMoved` when there is a newer controller, and with `Refusal` when ZooKeeper
refuses a read: the context may be incomplete from there on."""


def some_at_once(items: Sequence[T], per_partition: int = 1) -> Iterator[Sequence[T]]:
    """*items* in their order, in parts of at most `AT_ONCE_MAX` partitions with *per_partition*
    items each; no part if there are no items.
    """
    at_once_max = AT_ONCE_MAX * per_partition
    for start in range(0, len(items), at_once_max):
        yield items[start : start + at_once_max]


def fenced(steps: Steps[SentOnce]) -> Procedure[SentOnce]:
    """Make a write.

    Raises:
        ControllerMoved: the write met its fence.
    """
    outcome = yield from steps
    require_fence(outcome)
    return outcome


def require_fence(outcome: SentOnce) -> None:
    if isinstance(outcome, FenceMoved):
        raise ControllerMoved("a write was fenced off by a newer controller epoch")


def read_states(
    active: ActiveController, partitions: tuple[TopicPartition, ...]
) -> Procedure[States]:
    """As `read_states_as_written`, the states alone."""
    return (yield from read_states_as_written(active, partitions)).states


def read_states_as_written(
    active: ActiveController, partitions: tuple[TopicPartition, ...]
) -> Procedure[StatesRead]:
    """Read the stored states; partitions without a state are missing.

    A state that `is_ahead` is included, if there is no newer controller after all: a tool may have
    written it, or `/controller_epoch` was recreated.  One whose leader epoch has fallen, as after a
    backup of ZooKeeper was restored, is returned with the epoch that brokers know: they refuse
    older ones, and what is decided next is written above it.

    Raises:
        ControllerMoved: a newer controller has written one of them.
    """
    found = yield from reads.read_states(active.client, partitions)
    if any(is_ahead(active, state) for state in found.states.values()):
        yield from confirm_epoch(active)
    known = active.context.states
    fallen = {
        partition: state._replace(leader_epoch=known[partition].leader_epoch)
        for partition, state in found.states.items()
        if partition in known and state.leader_epoch < known[partition].leader_epoch
    }
    return found._replace(states={**found.states, **fallen})


def confirm_epoch(active: ActiveController) -> Procedure[None]:
    """Continue only if there is no newer controller.

    Also called between two parts of long work that needs nothing of ZooKeeper itself: the clients
    of this broker are served meanwhile, and a controller that was replaced stops sending outdated
    orders.

    Raises:
        ControllerMoved: another controller has the epoch by now.
    """
    found = yield from reads.read_controller(active.client)
    if found.epoch is None or found.epoch.epoch_zk_version != active.epoch_zk_version:
        raise ControllerMoved("a newer controller was seen")


def is_ahead(active: ActiveController, state: PartitionState) -> bool:
    """Whether a later controller wrote the state, by its controller epoch: no decision is based on
    it.

    Decisions on other states go on, and the controller stays.  An ISR that its leader proposes is
    written all the same, as by Kafka, and then the state is this controller's.
    """
    return state.controller_epoch > active.controller_epoch


def write_states(
    active: ActiveController,
    states: States,
    *,
    is_new: bool = False,
) -> Procedure[dict[TopicPartition, SentOnce]]:
    """Create or overwrite states, each under its own zkVersion; the result of each.

    A conflict with a write of one leader does not hold up the other partitions.  After a crash some
    are written and some are not; since brokers receive only what is written, the next controller
    reads a true state for each.
    """
    if not states:
        return {}
    write = writes.create_states if is_new else writes.write_states
    outcomes = yield from write(active.fence, states)
    for outcome in outcomes.values():
        require_fence(outcome)
    return outcomes


def rewrite_states(
    active: ActiveController,
    partitions: Iterable[TopicPartition],
    decide: Callable[[StatesRead, Sequence[TopicPartition]], Procedure[States]],
    on_written: Callable[[TopicPartition, PartitionState], None],
    on_failed: Callable[[TopicPartition, str], None],
) -> Procedure[None]:
    """Read states, decide and write; repeat for those that another writer changed in between.

    Decisions use the states that are read here, not those in the context: a leader may have changed
    the ISR since, and its change would be lost.  *decide* gets the stored states, and returns the
    wanted ones; it leaves out what it does not want to write.  A write that conflicts, or whose
    reply is lost, is retried for as long as the session lasts: neither goes on for ever.
    """
    waiting = tuple(partitions)
    attempted: States = {}
    while waiting:
        found = yield from read_states_as_written(active, waiting)
        # Before anything is decided anew: a second decision would cost another leader epoch.
        landed = {
            partition: found.states[partition]
            for partition, state in attempted.items()
            if partition in found.states and is_same_decision(found.states[partition], state)
        }
        for partition, state in landed.items():
            on_written(partition, state)
        attempted = yield from decide(found, [one for one in waiting if one not in landed])
        for partition, state in attempted.items():
            before = found.states[partition]
            assert state.zk_version == before.zk_version, "decided from the state that was read"
            assert state.leader_epoch >= before.leader_epoch, "no epoch falls"
        results = yield from write_states(active, attempted)
        for partition, result in results.items():
            state = attempted[partition]
            if isinstance(result, Committed):
                on_written(partition, state._replace(zk_version=result.zk_version))
            elif isinstance(result, Refused):
                on_failed(partition, f"ZooKeeper refused to write its state {state}")
        waiting = tuple(
            partition
            for partition, result in results.items()
            if isinstance(result, Conflict | Lost)
        )
        attempted = {partition: attempted[partition] for partition in waiting}
