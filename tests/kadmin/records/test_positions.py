"""Is the place where reading begins the one that was named?"""

import pytest

from kadmin.errors import UsageError
from kadmin.records.positions import AtOffset, AtTime, BeforeEnd, Place, Start, parse_start

NOW_MS = 1_795_000_000_000


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("earliest", Place.EARLIEST),
        ("beginning", Place.EARLIEST),
        ("latest", Place.LATEST),
        ("end", Place.LATEST),
        ("0", AtOffset(0)),
        ("9223372036854775807", AtOffset(2**63 - 1)),
        ("-0", BeforeEnd(0)),
        ("-10", BeforeEnd(10)),
        ("-10s", AtTime(NOW_MS - 10_000)),
        ("@1795000000123", AtTime(1_795_000_000_123)),
        ("2026-11-20 03:12:00,500", AtTime(1_795_144_320_500)),
        ("2026-11-20T04:12+01:00", AtTime(1_795_144_320_000)),
        ("1960-01-01", AtTime(0)),
    ],
)
def test_place_is_understood(text: str, start: Start) -> None:
    assert start == parse_start(text, NOW_MS)


@pytest.mark.parametrize("text", ["", "first", "1.5", "9223372036854775808", "--1", "@x"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no offset and no time"):
        parse_start(text, NOW_MS)
