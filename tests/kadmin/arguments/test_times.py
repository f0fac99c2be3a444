"""Times as operators write them."""

from datetime import timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kadmin.arguments.times import parse_time
from kadmin.errors import UsageError
from kadmin.wording import log_time, second_text

NOON = 1_763_640_000_000  # 2025-11-20 12:00:00,000
DAY_MS = 86_400_000


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2025-11-20 12:00:00,000", NOON, NOON),
        ('"2025-11-20 12:00:00,007"', NOON + 7, NOON + 7),
        ("2025-11-20 12:00:00.5", NOON + 500, NOON + 500),
        ("2025-11-20 12:00:00", NOON, NOON + 999),
        ("2025-11-20T12:00", NOON, NOON + 59_999),
        ("2025-11-20", NOON - DAY_MS // 2, NOON + DAY_MS // 2 - 1),
        ("20251120", NOON - DAY_MS // 2, NOON + DAY_MS // 2 - 1),
        ("2025-11-20T12", NOON, NOON + 3_599_999),
        ("20251120T1200", NOON, NOON + 59_999),
        ("2025-11-20T12:00Z", NOON, NOON + 59_999),
        ("2025-11-20T13+01", NOON, NOON + 3_599_999),
        ("2025-11-20T13:00:00+01:00", NOON, NOON + 999),
        ("2025-11-20T12:00:00Z", NOON, NOON + 999),
        ("2025-11-20T13:00:00.007999+0100", NOON + 7, NOON + 7),
        ("-2h", NOON - 7_200_000, NOON - 7_200_000),
        ("-1.5m", NOON - 90_000, NOON - 90_000),
        ("-7d", NOON - 7 * DAY_MS, NOON - 7 * DAY_MS),
        ("-250ms", NOON - 250, NOON - 250),
    ],
)
def test_every_form_is_understood_for_a_start_and_for_an_end(text, start, end):
    assert (start, end) == (parse_time(text, NOON), parse_time(text, NOON, is_end=True))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2025-13-01",
        "2025-11-20 25:00:00",
        "2025-11-20 12:00,5",
        "2025-11-20T1",
        "2025-W47",
        "0001-01-01T00:00+01:00",
        "-2y",
        "2h",
        "-999999999999d",
        f"-{'9' * 400}d",
    ],
)
def test_what_is_no_time_is_wrong_usage_with_examples(text):
    with pytest.raises(UsageError, match="is no time") as caught:
        parse_time(text, NOON)
    assert "-2h" in str(caught.value.hint)


@given(st.integers(0, 4_102_444_800_000))
def test_kafkas_form_loses_no_millisecond(time_ms):
    from datetime import UTC, datetime

    written = datetime.fromtimestamp(time_ms // 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")

    assert time_ms == parse_time(f"{written},{time_ms % 1000:03d}", 0)


def test_a_moment_with_a_zone_is_shown_by_the_clock_of_the_brokers():
    berlin = timezone(timedelta(hours=1))

    assert parse_time("2025-11-20T12:00:00Z", NOON, zone=berlin) == NOON + 3_600_000


@pytest.mark.parametrize("time_ms", [-(2**63), -62_135_596_800_001, 253_402_300_800_000, 2**63 - 1])
def test_a_time_outside_of_the_calendar_is_shown_as_a_number(time_ms):
    assert f"{time_ms} ms since 1970" == log_time(time_ms) == second_text(time_ms)


def test_the_first_and_the_last_time_of_the_calendar_are_shown():
    assert "0001-01-01 00:00:00,000" == log_time(-62_135_596_800_000)
    assert "9999-12-31 23:59:59,999" == log_time(253_402_300_799_999)
