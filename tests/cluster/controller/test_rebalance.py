"""When do preferred leaders lead again without anybody asking for it?"""

from dataclasses import replace

from cluster.controller.active_controller import LeaderRebalance
from cluster.controller.events import BrokersChanged, SessionExpired
from cluster.controller.rebalance import FIRST_CHECK_MS
from cluster.zk import paths
from cluster.zk.requests import Create, ZkReply
from tests.cluster.controller.asked import Asked, ReadBrokers, ReadStates, WriteStates
from tests.cluster.controller.harness import CONFIG, Harness, tp
from tests.cluster.controller.test_notifications import lose_disk

INTERVAL_MS = 60_000


def begun(*replicas: tuple[int, ...], percentage: int = 0) -> Harness:
    """Broker 1 has just begun as the controller, and t's first leaders lead it."""
    rebalance = LeaderRebalance(interval_ms=INTERVAL_MS, imbalance_percentage=percentage)
    harness = Harness(1, 2, 3, config=replace(CONFIG, leader_rebalance=rebalance))
    harness.register_controller()
    harness.create_topic("t", *replicas)
    harness.settle()
    return harness


def away_and_back(harness: Harness, broker_id: int, *, catches_up: bool = True) -> None:
    """Let others lead what is the broker's."""
    isrs = {p: state.isr for p, state in harness.active.context.states.items()}
    harness.unregister(broker_id)
    harness.settle()
    harness.register(broker_id)
    harness.settle()
    if catches_up:
        for partition, isr in isrs.items():
            harness.write_isr(partition, isr)
            state = harness.state(partition)
            assert state is not None
            harness.active.context.states[partition] = state
    harness.told()


def let_another_lead(harness: Harness, partition: str) -> None:
    state = harness.state(tp(partition))
    assert state is not None
    harness.write_state(tp(partition), state._replace(leader=state.isr[1]))
    moved = harness.state(tp(partition))
    assert moved is not None
    harness.active.context.states[tp(partition)] = moved


def test_a_leader_that_came_back_leads_again_at_the_next_check() -> None:
    harness = begun((2, 1), (1, 2))
    away_and_back(harness, 2)
    assert harness.leaders("t") == [1, 1]

    harness.pass_time()

    assert harness.leaders("t") == [2, 1]
    text = "broker=2 leads 0 of 1 partitions that prefer it: 1 are moved to it"
    assert f"controller=1 {text}" in harness.notes
    assert "2 LeaderAndIsr t-0:2/2[2,1]" in harness.told()


def test_the_first_check_comes_soon_and_the_others_at_their_interval() -> None:
    harness = begun((2, 1))
    began_ms = harness.elected_ms
    first_ms = harness.core.next_deadline()
    assert first_ms is not None
    assert FIRST_CHECK_MS <= first_ms - began_ms <= FIRST_CHECK_MS + 100

    harness.pass_time()
    assert harness.core.next_deadline() == first_ms + INTERVAL_MS
    away_and_back(harness, 2)
    harness.core.on_deadline(first_ms + INTERVAL_MS - 1)
    assert harness.leaders("t") == [1]
    harness.pass_time()

    assert harness.leaders("t") == [2]


def test_where_most_is_as_it_should_be_nothing_is_done() -> None:
    """One of ten: that is 10 %, and not more."""
    members = [(2, 1)] * 10
    harness = begun(*members, percentage=10)
    let_another_lead(harness, "t-3")
    harness.requests.clear()

    harness.pass_time()

    assert harness.requests == []
    assert harness.leaders("t")[3] == 1

    let_another_lead(harness, "t-4")
    harness.pass_time()

    assert harness.leaders("t") == [2] * 10


def test_each_broker_is_looked_at_by_itself() -> None:
    harness = begun((2, 1), (2, 1), (3, 1), percentage=50)
    away_and_back(harness, 3)
    let_another_lead(harness, "t-0")

    harness.pass_time()

    assert harness.leaders("t") == [1, 2, 3]


def test_who_has_not_caught_up_or_cannot_lead_is_left_for_later() -> None:
    harness = begun((2, 1), (3, 1))
    away_and_back(harness, 2, catches_up=False)
    away_and_back(harness, 3, catches_up=False)
    lose_disk(harness, 3, "t-1")
    harness.write_isr(tp("t-1"), (1, 3))
    harness.requests.clear()

    harness.pass_time()

    assert harness.leaders("t") == [1, 1]
    assert harness.requests == []


def test_a_topic_that_shall_be_deleted_is_left_alone() -> None:
    harness = begun((2, 1))
    away_and_back(harness, 2)
    harness.active.context.topics_to_be_deleted["t"] = None
    harness.requests.clear()

    harness.pass_time()

    assert harness.requests == []


def test_what_nobody_has_led_yet_waits_for_its_replicas() -> None:
    harness = begun((2, 1))
    harness.create_topic("u", (9,))
    harness.settle()
    harness.requests.clear()

    harness.pass_time()

    assert harness.requests == []


def test_a_check_that_is_due_waits_for_its_turn_once() -> None:
    harness = begun((2, 1))
    away_and_back(harness, 2)

    def let_time_pass(request: Asked) -> ZkReply | None:
        if isinstance(request, ReadBrokers):
            harness.before = harness.do_nothing
            for _ in range(3):
                harness.now_ms += FIRST_CHECK_MS
                assert harness.core.on_deadline(harness.now_ms) == ()
            assert harness.leaders("t") == [1]
        return None

    harness.before = let_time_pass
    harness.requests.clear()
    harness.step(BrokersChanged())

    assert harness.leaders("t") == [2]
    kinds = [type(request) for request in harness.requests]
    assert kinds == [ReadBrokers, ReadStates, WriteStates]
    deadline = harness.core.next_deadline()
    assert deadline is not None
    assert deadline > harness.now_ms + INTERVAL_MS - FIRST_CHECK_MS


def test_a_controller_that_resigns_looks_no_more() -> None:
    harness = begun((2, 1))

    harness.step(SessionExpired())

    assert harness.core.next_deadline() is None


def test_a_new_controller_begins_to_count_anew() -> None:
    harness = begun((2, 1))
    harness.pass_time()
    harness.lose_controller()
    harness.tool(Create(f"{paths.TOPICS}/u", b"{"))
    harness.register_controller()

    deadline = harness.core.next_deadline()
    assert deadline is not None
    assert deadline - harness.now_ms <= FIRST_CHECK_MS


def test_where_operators_do_it_themselves_nothing_is_due() -> None:
    harness = Harness(1, 2)
    harness.register_controller()

    assert harness.core.next_deadline() is None
