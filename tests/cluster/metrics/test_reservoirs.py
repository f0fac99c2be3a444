"""Reservoirs: what is counted of all values, and which of them the sample has."""

from random import Random
from statistics import mean, stdev

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cluster.metrics.meters import NS_PER_S
from cluster.metrics.reservoirs import SIZE, Histogram, Reservoir, quantile
from tests.cluster.metrics.ticking import Ticking


def new_reservoir(clock: Ticking, width: int = 1, seed: int = 7) -> Reservoir:
    return Reservoir(width, monotonic_ns=clock, random=Random(seed).random)


# Yammer's SnapshotTest.
@pytest.mark.parametrize(
    ("share", "value"),
    [(0.0, 1.0), (0.5, 3.0), (0.75, 4.5), (0.95, 5.0), (0.98, 5.0), (0.99, 5.0), (0.999, 5.0)],
)
def test_quantiles_are_those_of_yammer(share: float, value: float) -> None:
    assert quantile([1.0, 2.0, 3.0, 4.0, 5.0], share) == value


def test_a_histogram_without_values_is_all_zero() -> None:
    spread = Histogram(new_reservoir(Ticking())).spread()

    assert (spread.count, spread.min, spread.max, spread.mean, spread.std_dev) == (0, 0, 0, 0, 0)
    assert spread.quantiles == (0.0,) * 6


@given(st.lists(st.integers(0, 1 << 40), min_size=2, max_size=600))
@example([5] * 300)
@example([5, 9, 1, 5])
@example([5] * 256 + [9, 9])
def test_numbers_of_all_values_are_exact(values: list[int]) -> None:
    histogram = Histogram(new_reservoir(Ticking()), unit=1000)
    for value in values:
        histogram.update(value)
    spread = histogram.spread()

    assert spread.count == histogram.count == len(values)
    assert (spread.min, spread.max) == (min(values) / 1000, max(values) / 1000)
    assert spread.mean == pytest.approx(mean(values) / 1000)
    assert spread.std_dev == pytest.approx(stdev(values) / 1000)
    assert spread.quantiles[0] == pytest.approx(quantile(sorted(values), 0.5) / 1000)


def test_a_full_sample_has_values_of_all_of_the_same_time() -> None:
    reservoir = new_reservoir(Ticking())
    for value in range(20_000):
        reservoir.add((value,))
    values = reservoir.values(0)

    assert len(values) == SIZE == len(set(values))
    # Of 1028 random numbers the mean differs from 10,000 by 180 (a standard deviation).
    assert mean(values) == pytest.approx(10_000, abs=700)


def test_old_values_make_room_for_late_ones() -> None:
    clock = Ticking()
    reservoir = new_reservoir(clock)
    for value in range(0, 10_000):
        reservoir.add((value,))
    reservoir.settle()
    # Half of the weight: e^(-0.015 · 46.2) = 0.5.
    clock.now_ns += int(46.2 * NS_PER_S)
    for value in range(10_000, 20_000):
        reservoir.add((value,))
    late = sum(value >= 10_000 for value in reservoir.values(0))

    # 685 = 2/3 of 1028, give or take 15.
    assert late == pytest.approx(685, abs=60)


def test_after_a_long_silence_new_values_take_the_whole_sample() -> None:
    clock = Ticking()
    reservoir = new_reservoir(clock)
    for _ in range(2000):
        reservoir.add((1,))
    reservoir.settle()
    # A year: weights of Yammer's would have overflown.
    clock.now_ns += 365 * 24 * 3600 * NS_PER_S
    for _ in range(SIZE):
        reservoir.add((2,))

    assert set(reservoir.values(0)) == {2.0}


def test_the_columns_of_a_row_stay_together() -> None:
    reservoir = new_reservoir(Ticking(), width=2)
    for value in range(5000):
        reservoir.add((value, 10 * value))
    first, second = Histogram(reservoir, 0), Histogram(reservoir, 1)

    assert [10 * value for value in reservoir.values(0)] == reservoir.values(1)
    assert second.spread().max == 10 * first.spread().max


def test_the_same_random_numbers_draw_the_same_sample() -> None:
    def sample() -> list[float]:
        reservoir = new_reservoir(Ticking(), seed=3)
        for value in range(3000):
            reservoir.add((value,))
        return reservoir.values(0)

    assert sample() == sample()


def test_a_histogram_is_read_anew_after_each_value_and_only_then() -> None:
    histogram = Histogram(new_reservoir(Ticking()))
    histogram.update(1)

    first, again = histogram.spread(), histogram.spread()
    histogram.update(3)
    later = histogram.spread()

    assert first is again
    assert (1, 1.0, 2, 3.0) == (first.count, first.max, later.count, later.max)
