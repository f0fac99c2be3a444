"""Are percentiles near those of the exact times?"""

from hypothesis import given
from hypothesis import strategies as st

from kadmin.records.latencies import Latencies


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=50), st.sampled_from([50, 90, 99]))
def test_percentile_is_within_three_percent_of_an_exact_one(times: list[int], percent: int) -> None:
    latencies = Latencies()
    for time_us in times:
        latencies.add(time_us / 1e6)

    found = latencies.percentile(percent)

    rank = -(-len(times) * percent // 100)
    exact = sorted(times)[rank - 1] / 1e6
    assert found is not None
    assert abs(found - exact) <= 0.033 * exact + 2e-6


def test_there_is_no_percentile_of_nothing() -> None:
    assert Latencies().percentile(50) is None
