"""Offset indexes: which entries can be those of a log."""

from struct import pack

import pytest

from cluster.storage.errors import CorruptFileError
from cluster.storage.offset_index import OffsetIndex
from tests.cluster.storage.logs import DIRECTORY, sim_disk

LOG_SIZE = 500


@pytest.mark.parametrize(
    ("offset", "position", "is_sound"),
    [
        (0, 1, True),
        (7, LOG_SIZE - 1, True),
        (-1, 100, False),
        (7, 0, False),
        (7, -1, False),
        (7, LOG_SIZE, False),
    ],
)
def test_the_last_entry_is_that_of_a_batch_in_the_log(
    offset: int, position: int, is_sound: bool
) -> None:
    disk = sim_disk()
    file = disk.open(f"{DIRECTORY}/0.index", create=True)
    file.write(0, pack(">ii", offset, position))
    index = OffsetIndex(disk, DIRECTORY, "0.index", 40, 8 * 1000)

    if is_sound:
        index.load(file.size(), LOG_SIZE)

        assert index.position_before(40 + offset) == position
    else:
        with pytest.raises(CorruptFileError, match=f"of {LOG_SIZE} bytes"):
            index.load(file.size(), LOG_SIZE)
