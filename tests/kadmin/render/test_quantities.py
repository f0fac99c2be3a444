"""Quantities in words."""

import pytest

from kadmin.render.quantities import amount


@pytest.mark.parametrize(
    ("size", "shown"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 << 40, "5.0 TiB")]
)
def test_an_amount_has_its_shortest_unit(size, shown):
    assert shown == amount(size)
