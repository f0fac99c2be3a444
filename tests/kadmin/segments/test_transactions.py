"""Transactions of a log beside the entries of its indexes."""

import pytest

from cluster.formats.indexes import AbortedTxn
from kadmin.segments.transactions import InTransaction, Part, aborts, mismatches

RECORDS, ABORT = InTransaction.RECORDS, InTransaction.ABORT
PRODUCER = 7


@pytest.mark.parametrize(
    ("cleaned_offset", "expected"),
    [
        (20, []),
        (0, ["entry 0 says that producer 7 aborted at offset 20, where no such marker is"]),
    ],
)
def test_of_a_transaction_in_a_compacted_part_only_the_marker_may_be_left(
    cleaned_offset: int, expected: list[str]
) -> None:
    """It began at 12, behind the marker of another, and the cleaner took its records up to 20."""
    parts = [
        Part(RECORDS, PRODUCER, 5, 9, 0),
        Part(ABORT, PRODUCER, 10, 10, 0),
        Part(ABORT, PRODUCER, 20, 20, 1),
        Part(RECORDS, PRODUCER, 21, 24, 1),
        Part(ABORT, PRODUCER, 25, 25, 1),
    ]
    entries = {
        0: [AbortedTxn(PRODUCER, 5, 10, 11)],
        1: [AbortedTxn(PRODUCER, 12, 20, 21), AbortedTxn(PRODUCER, 21, 25, 26)],
    }
    until = {0: 30, 1: 30}

    found = aborts(parts, is_whole=False, cleaned_offset=cleaned_offset)

    assert expected == [
        each.reason
        for each in mismatches(found, entries, cleaned_offset=cleaned_offset, must_have_until=until)
    ]


def test_behind_the_compacted_part_each_entry_has_to_be_right() -> None:
    parts = [
        Part(ABORT, PRODUCER, 20, 20, 0),
        Part(RECORDS, PRODUCER, 21, 24, 0),
        Part(ABORT, PRODUCER, 25, 25, 0),
        Part(ABORT, PRODUCER, 26, 26, 0),
    ]
    entries = {0: [AbortedTxn(PRODUCER, 22, 25, 26), AbortedTxn(PRODUCER, 26, 26, 27)]}

    found = list(
        mismatches(
            aborts(parts, is_whole=False, cleaned_offset=20),
            entries,
            cleaned_offset=20,
            must_have_until={0: 30},
        )
    )

    assert [
        "entry 0 says that what was aborted began at offset 22, not at 21",
        "entry 1 says that producer 7 aborted at offset 26, where no such marker is",
    ] == [each.reason for each in found]
