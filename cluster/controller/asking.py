"""How does a procedure of the controller ask ZooKeeper, and go on with the answer?

A procedure is a generator: it yields an ask, stands still, and is resumed with the answer.  So what
Kafka does in one thread, step by step, reads the same here, while each step is an event of its own.
"""

from collections.abc import Generator, Mapping
from typing import TypeAlias, TypeVar

from cluster.controller.asks import (
    Answer,
    AssignmentsRead,
    CreateStates,
    Failed,
    ReadAssignments,
    ReadStates,
    ReadUncleanTopics,
    StatesRead,
    StateWrite,
    UncleanTopicsRead,
    Verdict,
    Wish,
    Write,
    WriteResult,
    WriteStates,
    Written,
)
from cluster.controller.tenure import AskFailed, ControllerMoved, Tenure
from cluster.model.ids import TopicPartition
from cluster.model.topic import PartitionState, TopicAssignment

T = TypeVar("T")
A = TypeVar("A")
Procedure: TypeAlias = Generator[Wish, Answer, T]


def ask(wish: Wish, expected: type[A]) -> Procedure[A]:
    """Ask *wish*, which is answered by an *expected*.

    Raises:
        AskFailed: the ask as a whole could not be carried out.
    """
    answer = yield wish
    if isinstance(answer, Failed):
        raise AskFailed(answer.reason)
    assert isinstance(answer, expected), f"{wish} was answered by {answer}"
    return answer


def write(wish: Write) -> Procedure[tuple[WriteResult, ...]]:
    """Ask for a write.

    Raises:
        AskFailed: see `ask`.
        ControllerMoved: the write met its fence.
    """
    answer = yield from ask(wish, Written)
    if any(result.verdict is Verdict.FENCED for result in answer.results):
        raise ControllerMoved("a write was fenced off by a newer controller epoch")
    return answer.results


def settle(wish: Write) -> Procedure[WriteResult]:
    """Ask for a write that may be made twice, again as long as its answer is lost."""
    while True:
        (result,) = yield from write(wish)
        if result.verdict is not Verdict.LOST:
            return result


def read_states(
    tenure: Tenure, partitions: tuple[TopicPartition, ...]
) -> Procedure[Mapping[TopicPartition, PartitionState]]:
    """Read what stands in ZooKeeper now; partitions without a state are missing.

    Raises:
        ControllerMoved: a newer controller has written one of them.
    """
    if not partitions:
        return {}
    answer = yield from ask(ReadStates(partitions), StatesRead)
    for state in answer.states.values():
        if state.controller_epoch > tenure.controller_epoch:
            raise ControllerMoved(f"controller epoch {state.controller_epoch} was seen in a state")
    return answer.states


def read_assignments(topics: tuple[str, ...]) -> Procedure[Mapping[str, TopicAssignment]]:
    if not topics:
        return {}
    answer = yield from ask(ReadAssignments(topics), AssignmentsRead)
    return answer.assignments


def read_unclean_topics(topics: tuple[str, ...]) -> Procedure[frozenset[str]]:
    if not topics:
        return frozenset()
    answer = yield from ask(ReadUncleanTopics(topics), UncleanTopicsRead)
    return answer.topics


def write_states(
    tenure: Tenure, states: Mapping[TopicPartition, PartitionState], *, is_new: bool = False
) -> Procedure[dict[TopicPartition, WriteResult]]:
    """Make or overwrite states, each under its own zkVersion; the result of each."""
    if not states:
        return {}
    writes = tuple(StateWrite(partition, state) for partition, state in states.items())
    wish_type = CreateStates if is_new else WriteStates
    wish = wish_type(writes=writes, epoch_zk_version=tenure.epoch_zk_version)
    results = yield from write(wish)
    return dict(zip(states, results, strict=True))
