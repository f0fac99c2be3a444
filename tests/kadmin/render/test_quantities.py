"""Quantities in words."""

import pytest

from kadmin.render.quantities import amount, counted


@pytest.mark.parametrize(
    ("size", "shown"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 << 40, "5.0 TiB")]
)
def test_an_amount_has_its_shortest_unit(size, shown):
    assert shown == amount(size)


def test_things_are_counted_in_their_number() -> None:
    assert ["0 rows", "1 row", "1,234 rows"] == [counted(count, "row") for count in (0, 1, 1234)]
