"""What a client of HTTP accepts."""

import pytest

from cluster.metrics.accepted import accepts


@pytest.mark.parametrize(
    ("header", "is_accepted"),
    [
        ("gzip", True),
        ("deflate, GZIP;q=0.5", True),
        ("gzip;q=1.0", True),
        ("", False),
        ("gzip;q=0", False),
        ("br, gzip; q = 0.000", False),
        ("gzip;q=0.001", True),
        ("x-gzip", False),
    ],
)
def test_a_name_is_accepted_unless_its_quality_is_zero(header: str, is_accepted: bool) -> None:
    assert is_accepted is accepts(header, "gzip")
