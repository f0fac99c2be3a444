"""How far clocks are apart, by orders that one side gave and the other carried out."""

from hypothesis import given
from hypothesis import strategies as st

from kadmin.story.clocks import OrderPair, estimates, fastest, order_pairs
from tests.kadmin.story.lines import Logs, created, online
from tests.kadmin.story.test_fold import leads


def pair(giver: str, taker: str, least_ms: int, count: int = 9) -> OrderPair:
    return OrderPair(giver=giver, taker=taker, least_ms=least_ms, count=count)


def test_a_clock_that_carries_orders_out_before_they_are_given_is_behind() -> None:
    found = estimates([pair("1", "2", -240)])

    assert [("2", "1", None, -240, -240)] == [
        (each.source, each.reference, each.least_ms, each.most_ms, each.ahead_ms) for each in found
    ]


def test_orders_in_both_directions_bound_a_clock_from_both_sides() -> None:
    found = estimates([pair("1", "2", 310, 20), pair("2", "1", -290)])

    assert (290, 310, 300) == (found[0].least_ms, found[0].most_ms, found[0].ahead_ms)


def test_a_clock_that_may_be_right_is_left_alone() -> None:
    found = estimates([pair("1", "2", 12), pair("2", "1", 3, 2), pair("1", "3", 700)])

    assert [0, 0] == [each.ahead_ms for each in found]


def test_no_order_takes_an_hour_each_time() -> None:
    assert [3_600_004] == [each.ahead_ms for each in estimates([pair("1", "2", 3_600_004)])]
    assert [0] == [each.ahead_ms for each in estimates([pair("1", "2", 3_600_004, 1)])]


def test_clocks_are_linked_through_others() -> None:
    found = estimates([pair("1", "2", -500, 20), pair("2", "3", -100)])

    assert {"2": -500, "3": -600} == {each.source: each.ahead_ms for each in found}


def test_bounds_that_contradict_each_other_come_to_an_end() -> None:
    found = estimates([pair("1", "2", -50, 20), pair("2", "1", -50), pair("2", "3", 5)])

    assert {"2", "3"} == {each.source for each in found}


def test_nothing_is_said_without_orders() -> None:
    assert [] == estimates([])


def test_pairs_are_found_in_logs_between_sources_alone() -> None:
    logs = Logs([*created(), leads(1.02, 1, 0), online(5, 1, 2, "2,3"), leads(4.75, 2, 1)])

    assert [pair("1", "2", -250, 1)] == fastest(order_pairs(logs.events.values()))


@given(
    ahead=st.integers(-100_000, 100_000),
    there=st.lists(st.integers(0, 400), min_size=3, max_size=9),
    back=st.lists(st.integers(0, 400), min_size=3, max_size=9),
)
def test_the_truth_is_always_within_the_bounds(
    ahead: int, there: list[int], back: list[int]
) -> None:
    found = estimates(
        [
            pair("1", "2", ahead + min(there), 20),
            pair("2", "1", -ahead + min(back), len(back)),
        ]
    )[0]

    assert found.least_ms is not None
    assert found.most_ms is not None
    assert found.least_ms <= ahead <= found.most_ms
    assert found.ahead_ms == 0 or abs(found.ahead_ms - ahead) <= 200
