"""Gates of a supervised run: which is closed, for which partitions, and what opens it?"""

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.supervision.gates import Gate, GatesClosed, closed_before, has_room
from kadmin.plan.supervision.view import View
from tests.kadmin.builders import brokers, cluster, state, topic
from tests.kadmin.cli.reassign.runs.plans import planned

WELL = cluster(brokers("1:a 2:b 3:b"), topic("t", "1,2 1,2"))


def view_of(snapshot: ClusterSnapshot, **rooms: int) -> View:
    of_brokers = {BrokerId(int(name.removeprefix("b"))): room for name, room in rooms.items()}
    return View(snapshot=snapshot, now_ms=0, time_ms=0, rooms=of_brokers)


def closed(view: View, move: str, **more: int) -> dict[Gate, str]:
    found = closed_before([planned("t-0", move, **more)], view, frozenset(), {})
    return {each.gate: str(each) for each in found}


def test_where_all_is_well_no_gate_is_closed() -> None:
    assert {} == closed(view_of(WELL), "1,2 -> 1,3", size=5, version=0)


LEADERLESS = cluster(brokers("1:a 2:b 3:b"), topic("t", "1,2", {0: state(-1, "2")}))
FEW = cluster(
    brokers("1:a 2:b 3:b"),
    topic("t", "1,2", {0: state(1, "1")}, configs={"min.insync.replicas": "2"}),
)
BUSY = cluster(
    brokers("1:a 2:b 3:b"), topic("t", "1,2"), topic("u", "1,2"),
    moving={TopicPartition("u", 0): (BrokerId(3),)},
)  # fmt: skip


@pytest.mark.parametrize(
    ("snapshot", "move", "more", "gate", "text"),
    [
        (WELL, "1,2 -> 1,9", {}, Gate.TARGET_DOWN, "target-down: broker 9 is not alive: t-0"),
        (LEADERLESS, "1,2 -> 1,3", {}, Gate.OFFLINE, "offline: without a leader: t-0"),
        (FEW, "1,2 -> 1,3", {}, Gate.MIN_ISR, "fewer replicas in sync than min.insync.replicas"),
        (BUSY, "1,2 -> 1,3", {}, Gate.OTHER_MOVES, "other-moves: others are being moved: u-0"),
        (WELL, "1,2 -> 2,3", {}, Gate.RACKS, "on fewer racks than there are replicas: t-0"),
        (WELL, "1,2 -> 1,3", {"version": 4}, Gate.STALE_PLAN, "were changed since the plan"),
        (WELL, "1,2 -> 1,3", {"size": 5000}, Gate.DISK_ROOM, "broker 3 has 1.0 KiB free and needs"),
    ],
)
def test_each_gate_names_its_cause(
    snapshot: ClusterSnapshot, move: str, more: dict[str, int], gate: Gate, text: str
) -> None:
    found = closed(view_of(snapshot, b3=1024), move, **more)

    assert [gate] == list(found)
    assert text in found[gate]


def test_a_plan_for_brokers_that_are_in_another_rack_now_is_stale() -> None:
    moves = [planned("t-0", "1,2 -> 1,3")]
    planned_for = {BrokerId(1): "b", BrokerId(2): None, BrokerId(3): "c"}
    as_now = {BrokerId(1): "a", BrokerId(3): "b", BrokerId(7): "gone"}

    (found,) = closed_before(moves, view_of(WELL), frozenset(), planned_for)

    assert "stale-plan: the racks of brokers were changed since the plan was made: 1, 3" == str(
        found
    )
    assert [] == closed_before(moves, view_of(WELL), frozenset(), as_now)


def test_a_gate_is_left_open_by_its_name_and_no_other() -> None:
    moves = [planned("t-0", "1,2 -> 1,9"), planned("t-1", "1,2 -> 2,3")]

    found = closed_before(moves, view_of(WELL), frozenset({Gate.TARGET_DOWN}), {})

    assert [Gate.RACKS] == [each.gate for each in found]
    assert "--override racks" in str(GatesClosed(found).hint)


def test_room_is_what_a_broker_reports_and_one_that_reports_none_has_enough() -> None:
    move = planned("t-0", "1,2 -> 1,3", size=5)

    assert has_room(move, {})
    assert has_room(move, {BrokerId(3): 5})
    assert not has_room(move, {BrokerId(3): 4})
