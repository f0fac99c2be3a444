"""Meters, compared with values of Yammer's EWMA."""

import pytest

from cluster.metrics.meters import NS_PER_S, Meter
from tests.cluster.metrics.ticking import Ticking

# Yammer's EWMATest: 3 events, one tick, then a minute of nothing after each.
ONE_MINUTE = (
    *(0.6, 0.22072766, 0.08120117, 0.02987224, 0.01098938, 0.00404277, 0.00148725),
    *(0.00054713, 0.00020128, 0.00007405, 0.00002724),
)
FIVE_MINUTES = (0.6, 0.49123845, 0.40219203, 0.32928698, 0.26959738, 0.22072766, 0.18071653)
FIFTEEN_MINUTES = (0.6, 0.56130419, 0.52510399, 0.49123845, 0.45955700, 0.42991879, 0.40219203)


@pytest.mark.parametrize("ticks_each", [True, False])
def test_rates_are_those_of_yammer_whether_each_tick_is_made_or_not(ticks_each: bool) -> None:
    clock = Ticking()
    meter = Meter(clock)
    meter.mark(3)
    clock.now_ns += 5 * NS_PER_S
    rates = [meter.rates()]
    for _ in range(10):
        for _ in range(12):
            clock.now_ns += 5 * NS_PER_S
            if ticks_each:
                meter.tick(clock.now_ns)
        rates.append(meter.rates())

    assert [each.one_minute for each in rates] == pytest.approx(ONE_MINUTE, abs=1e-8)
    assert [each.five_minutes for each in rates][:7] == pytest.approx(FIVE_MINUTES, abs=1e-8)
    assert [each.fifteen_minutes for each in rates][:7] == pytest.approx(FIFTEEN_MINUTES, abs=1e-8)


def test_events_between_two_ticks_count_at_the_next_one() -> None:
    clock = Ticking()
    meter = Meter(clock)
    clock.now_ns += 5 * NS_PER_S - 1
    meter.mark(10)
    early = meter.rates()
    clock.now_ns += 1
    on_time = meter.rates()

    assert early.one_minute == 0.0
    assert (on_time.one_minute, on_time.mean) == (2.0, 2.0)


def test_a_new_meter_has_no_rate() -> None:
    assert Meter(Ticking()).rates() == (0.0, 0.0, 0.0, 0.0)
