"""How the parts of a broker's description look."""

import pytest

from kadmin.render.brokers import time_text


@pytest.mark.parametrize(
    ("time_ms", "expected"),
    [
        (None, None),
        (0, "1970-01-01T00:00:00.000+00:00"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999+00:00"),
        (253_402_300_800_000, None),
        (2**63 - 1, None),
        (-(2**63), None),
    ],
)
def test_any_time_that_a_znode_can_hold_is_shown_or_unknown(
    time_ms: int | None, expected: str | None
) -> None:
    assert expected == time_text(time_ms)
