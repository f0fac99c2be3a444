"""The window of a supervised run: what is begun beside what is under way?"""

import pytest

from cluster.model.ids import BrokerId
from kadmin.plan.moves.plan_file import PlannedMove
from kadmin.plan.supervision.run import Settings
from kadmin.plan.supervision.view import View
from kadmin.plan.supervision.window import next_moves, urgency
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.kadmin.cli.reassign.runs.plans import planned

LAYOUT = cluster(brokers("1 2 3 4"), topic("t", "1 1 2 2,1", {
    0: state(1, "1"), 1: state(1, "1"), 2: state(2, "2"), 3: state(2, "2"),
}))  # fmt: skip
FIRST, SECOND = planned("t-0", "1 -> 3", size=9), planned("t-1", "1 -> 4", size=3)
THIRD = planned("t-2", "2 -> 3", size=5)
ORDER = planned("t-3", "2,1 -> 1,2", size=7)


def view(**rooms: int) -> View:
    of_brokers = {BrokerId(int(name.removeprefix("b"))): room for name, room in rooms.items()}
    return View(snapshot=LAYOUT, now_ms=0, time_ms=0, rooms=of_brokers)


@pytest.mark.parametrize(
    ("settings", "under_way", "chosen"),
    [
        (Settings(max_moves=5), [], [FIRST, SECOND, THIRD, ORDER]),
        # Broker 1 sends the first two, broker 3 gets the first and the third.
        (Settings(max_moves=1), [], [FIRST, ORDER]),
        (Settings(max_moves=1), [FIRST], [ORDER]),
        (Settings(max_moves=2), [FIRST], [SECOND, THIRD, ORDER]),
        (Settings(max_moves=5, max_moves_total=1), [], [FIRST, ORDER]),
    ],
)
def test_a_broker_takes_part_in_so_many_moves(
    settings: Settings, under_way: list[PlannedMove], chosen: list[PlannedMove]
) -> None:
    candidates = [move for move in (FIRST, SECOND, THIRD, ORDER) if move not in under_way]

    assert chosen == next_moves(candidates, under_way, settings, view(), heeds_room=True)


def test_a_disk_is_not_filled_by_moves_that_are_under_way_together() -> None:
    chosen = next_moves([FIRST, THIRD], [], Settings(), view(b3=12), heeds_room=True)
    heedless = next_moves([FIRST, THIRD], [], Settings(), view(b3=12), heeds_room=False)

    assert [FIRST] == chosen
    assert [FIRST, THIRD] == heedless


def test_what_lacks_replicas_is_first_and_then_the_smallest() -> None:
    assert [ORDER, SECOND, THIRD, FIRST] == sorted(
        [FIRST, SECOND, THIRD, ORDER], key=urgency(view())
    )
