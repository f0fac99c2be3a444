"""Is the id of a run behind those of the runs before it?"""

from datetime import datetime

import pytest

from kadmin.app.moves import new_run_id
from kadmin.wording import as_ms

BEGAN_AT_MS = as_ms(datetime(2026, 11, 28, 23, 15))


@pytest.mark.parametrize(
    ("known", "time"),
    [
        ([], "20261128-231500"),
        (["20261128-221500-ffff"], "20261128-231500"),
        (["20261128-231500-ffff"], "20261128-231501"),
        (["20261128-221500-ffff", "20261231-235959-0000"], "20270101-000000"),
        (["something else"], "20261128-231500"),
    ],
    ids=["first", "later", "same second", "clock that is behind", "no run"],
)
def test_a_run_that_begins_later_sorts_later(known: list[str], time: str) -> None:
    assert time == new_run_id(BEGAN_AT_MS, known)[:15]
