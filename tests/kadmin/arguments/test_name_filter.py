"""Names that are wanted and left out: names, globs, and what matches nothing yet."""

import pytest

from kadmin.arguments.name_filter import NameFilter, parse_name_filter
from kadmin.errors import UsageError

NAMES = ("orders", "orders-2", "users", "__consumer_offsets", "a*b")


@pytest.mark.parametrize(
    ("wanted", "excluded", "taken"),
    [
        ((), (), NAMES),
        (("orders",), (), ("orders",)),
        (("orders*", "users"), (), ("orders", "orders-2", "users")),
        ((), ("__*",), ("orders", "orders-2", "users", "a*b")),
        (("orders*",), ("*-2",), ("orders",)),
        (("a*b",), (), ("a*b",)),
        (("ORDERS",), (), ()),
        (("gone",), (), ()),
    ],
)
def test_names_are_taken_that_are_wanted_and_not_excluded(
    wanted: tuple[str, ...], excluded: tuple[str, ...], taken: tuple[str, ...]
) -> None:
    names = NameFilter(wanted, excluded)

    assert taken == tuple(name for name in NAMES if names.takes(name))


@pytest.mark.parametrize(
    ("wanted", "excluded", "option"), [([""], [], "--topic"), ([], [""], "--exclude-topic")]
)
def test_an_empty_name_is_refused(wanted: list[str], excluded: list[str], option: str) -> None:
    with pytest.raises(UsageError, match=f"^{option} was given an empty name"):
        parse_name_filter(wanted, excluded, "topic")
