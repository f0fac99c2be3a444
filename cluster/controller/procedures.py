"""Procedures of the controller: generators that send requests to ZooKeeper and wait for the answer.

A procedure yields a request, stands still, and is resumed with the answer.  So what Kafka does in
one thread, step by step, reads the same here, while each step is an event of its own.  One
procedure runs at a time, and between two of its steps nothing but its own writes changes what the
controller knows: events that come meanwhile wait, or only move the channels on.
"""

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

from cluster.controller.active_controller import (
    ActiveController,
    ControllerMoved,
    ZooKeeperRequestFailed,
)
from cluster.controller.zookeeper_requests import (
    Answer,
    AssignmentsRead,
    ControllerRead,
    CreateStates,
    Failed,
    ReadAssignments,
    ReadController,
    ReadStates,
    ReadUncleanTopics,
    StatesRead,
    StateWrite,
    UncleanTopicsRead,
    Verdict,
    Write,
    WriteResult,
    WriteStates,
    Written,
    ZooKeeperRequest,
)
from cluster.model.ids import TopicPartition
from cluster.model.topic import PartitionState, TopicAssignment

AT_ONCE_MAX: Final = 1000
"""How many partitions are read, decided on, written and told together.

With more a step would keep the clients of this broker waiting, and those of all that have been
elected already would be told after the last one.  Kafka takes all at once.
"""

T = TypeVar("T")
A = TypeVar("A")
Procedure: TypeAlias = Generator[ZooKeeperRequest, Answer, T]


def some_at_once(items: Sequence[T], per_partition: int = 1) -> Iterator[Sequence[T]]:
    """*items* in their order, no more together than `AT_ONCE_MAX` partitions have, with
    *per_partition* each; nothing for none.
    """
    at_once_max = AT_ONCE_MAX * per_partition
    for start in range(0, len(items), at_once_max):
        yield items[start : start + at_once_max]


def send(request: ZooKeeperRequest, expected: type[A]) -> Procedure[A]:
    """Send *request*, which is answered by an *expected*.

    Raises:
        ZooKeeperRequestFailed: the request as a whole could not be carried out.
    """
    answer = yield request
    if isinstance(answer, Failed):
        raise ZooKeeperRequestFailed(answer.reason)
    assert isinstance(answer, expected), f"{request} was answered by {answer}"
    return answer


def write(request: Write) -> Procedure[tuple[WriteResult, ...]]:
    """Send a write.

    Raises:
        ZooKeeperRequestFailed: see `send`.
        ControllerMoved: the write met its fence.
    """
    answer = yield from send(request, Written)
    if any(result.verdict is Verdict.FENCED for result in answer.results):
        raise ControllerMoved("a write was fenced off by a newer controller epoch")
    return answer.results


def settle(request: Write) -> Procedure[WriteResult]:
    """Send a write that may be made twice, again as long as its answer is lost.

    For writes that name all that they expect: one that has landed unseen meets a CONFLICT, or
    deletes what is gone already, when it is made again.
    """
    while True:
        (result,) = yield from write(request)
        if result.verdict is not Verdict.LOST:
            return result


def read_states(
    active: ActiveController, partitions: tuple[TopicPartition, ...]
) -> Procedure[Mapping[TopicPartition, PartitionState]]:
    """As `read_states_as_written`, the states alone."""
    return (yield from read_states_as_written(active, partitions)).states


def read_states_as_written(
    active: ActiveController, partitions: tuple[TopicPartition, ...]
) -> Procedure[StatesRead]:
    """Read what stands in ZooKeeper now; partitions without a state are missing.

    A state that `is_ahead` is among them, where there is no newer controller all the same: a tool
    may have written it, or `/controller_epoch` was made anew.

    Raises:
        ControllerMoved: a newer controller has written one of them.
    """
    if not partitions:
        return StatesRead({}, {})
    answer = yield from send(ReadStates(partitions), StatesRead)
    if any(is_ahead(active, state) for state in answer.states.values()):
        yield from confirm_epoch(active)
    return answer


def confirm_epoch(active: ActiveController) -> Procedure[None]:
    """Go on only if there is no newer controller.

    Also between two parts of long work that asks nothing of ZooKeeper itself: the clients of this
    broker have their turn meanwhile, and who was replaced stops telling brokers what was true.

    Raises:
        ControllerMoved: the epoch is another's by now.
    """
    found = yield from send(ReadController(), ControllerRead)
    if found.epoch is None or found.epoch.epoch_zk_version != active.epoch_zk_version:
        raise ControllerMoved("a newer controller was seen")


def is_ahead(active: ActiveController, state: PartitionState) -> bool:
    """Whether a state says that a later controller wrote it: nothing is decided on it then.

    The others are, and the controller stays.  An ISR that its leader proposes is written all the
    same, as by Kafka, and then the state is this controller's.
    """
    return state.controller_epoch > active.controller_epoch


def read_assignments(topics: tuple[str, ...]) -> Procedure[Mapping[str, TopicAssignment]]:
    if not topics:
        return {}
    answer = yield from send(ReadAssignments(topics), AssignmentsRead)
    return answer.assignments


def read_unclean_topics(topics: tuple[str, ...]) -> Procedure[frozenset[str]]:
    if not topics:
        return frozenset()
    answer = yield from send(ReadUncleanTopics(topics), UncleanTopicsRead)
    return answer.topics


def write_states(
    active: ActiveController,
    states: Mapping[TopicPartition, PartitionState],
    *,
    is_new: bool = False,
) -> Procedure[dict[TopicPartition, WriteResult]]:
    """Make or overwrite states, each under its own zkVersion; the result of each.

    One that was overtaken by its leader does not hold up the others.  After a crash some are
    written and some are not, and since brokers are told only what is written, the next controller
    reads a state for each that is true.
    """
    if not states:
        return {}
    writes = tuple(StateWrite(partition, state) for partition, state in states.items())
    request_type = CreateStates if is_new else WriteStates
    request = request_type(writes=writes, epoch_zk_version=active.epoch_zk_version)
    results = yield from write(request)
    return dict(zip(states, results, strict=True))
