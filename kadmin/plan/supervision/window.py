"""The window of a run: which moves are begun next, beside those that are under way?"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from cluster.model.ids import BrokerId
from kadmin.plan.moves.plan_file import PlannedMove
from kadmin.plan.supervision.gates import has_room
from kadmin.plan.supervision.run import Settings
from kadmin.plan.supervision.view import View


def next_moves(
    candidates: Iterable[PlannedMove],
    under_way: Sequence[PlannedMove],
    settings: Settings,
    view: View,
    *,
    heeds_room: bool,
) -> list[PlannedMove]:
    """Return those of *candidates*, in their order, that fit into the window.

    A move counts at its leader, which sends, and at each broker that is to get a replica.  Where
    nothing is copied there is no limit.  The first of those that are too large for a disk are
    begun when there is room, if a run *heeds_room*.
    """
    busy = Counter(broker for move in under_way for broker in taking_part(move, view))
    count = sum(bool(move.adding) for move in under_way)
    rooms = dict(view.rooms) if heeds_room else {}
    for move in under_way:
        take_room(rooms, move)
    chosen = []
    for move in candidates:
        brokers = taking_part(move, view)
        if brokers:
            if settings.max_moves_total is not None and count >= settings.max_moves_total:
                continue
            if any(busy[broker] >= settings.max_moves for broker in brokers):
                continue
            if not has_room(move, rooms):
                continue
            count += 1
            busy.update(brokers)
            take_room(rooms, move)
        chosen.append(move)
    return chosen


def take_room(rooms: dict[BrokerId, int], move: PlannedMove) -> None:
    for broker in move.adding:
        if broker in rooms:
            rooms[broker] -= move.size_bytes or 0


def taking_part(move: PlannedMove, view: View) -> set[BrokerId]:
    """Return the brokers that copy for *move*; none for a change of order, or of fewer replicas."""
    if not move.adding:
        return set()
    state = view.state(move.partition)
    sender = {state.leader} if state is not None and state.leader >= 0 else set(move.replicas[:1])
    return {*move.adding, *sender}


def urgency(view: View) -> Callable[[PlannedMove], tuple[bool, int, str, int]]:
    """Return the key by which moves are begun: first those that lack replicas, then the smallest.

    Those that lack some are nearest to losing data; the smallest free room and brokers soonest.
    """

    def key(move: PlannedMove) -> tuple[bool, int, str, int]:
        state = view.state(move.partition)
        is_whole = state is not None and set(state.isr) >= set(move.replicas)
        return is_whole, move.size_bytes or 0, move.partition.topic, move.partition.partition

    return key
