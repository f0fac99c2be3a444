"""Cancellation of a reassignment through ZooKeeper: the replicas to go back to, and the writes.

Since Kafka 2.4 the topic of a partition holds the replicas it had before.  Before that only the
rollback file of the client that began the move does, and controllers refuse replicas that are not
alive.  The caller makes the request and follows its outcome.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from cluster.model.ids import BrokerId
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.reassignment.moves import Move, MovePlan, Withdrawal, running_moves
from kadmin.plan.reassignment.targets import Target, Targets, UnfitTargets
from kadmin.wording import listed

HINT: Final = (
    "kadmin reassign --cancel --reassignment-json-file ROLLBACK-FILE, which --execute has written;"
    " 'kadmin reassign --list' shows what is moving"
)


def plan_withdrawal(snapshot: ClusterSnapshot, targets: Targets) -> MovePlan:
    """Plan that those partitions of *targets* that move go back to their previous replicas.

    They go back in the order of *targets*, where these are the same brokers; partitions that do not
    move are not in the plan.  What no controller has begun, or ever will, only leaves the request.

    Raises:
        UnfitTargets: only the rollback file has the previous replicas, and *targets* is another; or
            a controller would refuse it.
    """
    dropped = {each: to for each, to in snapshot.stale_moves.items() if each in targets}
    running = [move for move in running_moves(snapshot) if move.partition in targets]
    if snapshot.lacks_controller:
        dropped |= {move.partition: move.heading for move in running if is_untouched(move)}
    moves = [
        withdrawn(move, targets[move.partition].replicas, snapshot.moving.get(move.partition, ()))
        for move in running
        if move.partition not in dropped
    ]
    by_file = [move for move in moves if not has_previous_replicas(move)]
    problems = list(problems_of_file(by_file, snapshot))
    if problems:
        raise UnfitTargets(problems, HINT)
    # The controller notices a new node by itself.
    is_changed = snapshot.moving and any(move.is_asked for move in moves)
    has_to_resign = is_changed or dropped
    controller = snapshot.controller if has_to_resign else None
    names = sorted({move.partition.topic for move in moves})
    return MovePlan(
        moves=tuple(moves),
        before={name: snapshot.topics[name].assignment for name in names},
        withdrawal=Withdrawal(None if controller is None else controller.broker_id, dropped),
    )


def is_untouched(move: Move) -> bool:
    """Return whether nothing of the move has begun, as far as its topic shows."""
    return not move.before.is_reassigning and has_previous_replicas(move)


def withdrawn(move: Move, named: tuple[BrokerId, ...], requested: tuple[BrokerId, ...]) -> Move:
    """Return *move* back to the previous replicas of its partition.

    *named* are its replicas in a file, *requested* those that are requested in ZooKeeper, possibly
    by a run that was killed.
    """
    before = move.before.origin
    is_named = set(named) == set(before) or not has_previous_replicas(move)
    to = named if is_named else before
    heading = requested if requested == to else move.heading
    return replace(move, target=Target(to), heading=heading, named=named if is_named else ())


def has_previous_replicas(move: Move) -> bool:
    """Return whether its topic has the replicas of before, apart or since nothing has begun yet."""
    return move.before.is_reassigning or not set(move.heading) <= set(move.before.replicas)


def problems_of_file(moves: Sequence[Move], snapshot: ClusterSnapshot) -> Iterator[str]:
    """Find what is wrong with the targets of a file for *moves* whose topics lack the previous
    replicas."""
    unnamed = [move.partition for move in moves if not move.target.replicas]
    if unnamed:
        yield (
            "their previous replicas are not in ZooKeeper, where Kafka keeps them from 2.4 on:"
            f" {listed(unnamed)}"
        )
    onward = [move.partition for move in moves if move.target.replicas == move.heading]
    if onward:
        yield (
            "the file has the replicas that these are being moved to, and the previous ones are not"
            f" in ZooKeeper, where Kafka keeps them from 2.4 on: {listed(onward)}"
        )
    foreign = [move.partition for move in moves if move.adding]
    if foreign:
        yield f"the file has replicas that these neither have nor had: {listed(foreign)}"
    gone = [
        move.partition
        for move in moves
        if move.partition not in (*onward, *foreign)
        and any(broker not in snapshot.brokers for broker in move.target.replicas)
    ]
    if gone:
        yield (
            "a previous replica is not alive, and controllers before Kafka 2.4 refuse to give such"
            f" a one back: {listed(gone)}"
        )
