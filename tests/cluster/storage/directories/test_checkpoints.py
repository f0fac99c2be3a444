"""The small files: checkpoints, leader epochs, owners, topic ids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.formats.checkpoints import EpochEntry, parse_rows
from cluster.formats.directory_names import (
    deleted_future_name,
    deleted_name,
    directory_name,
    future_name,
    may_be_copied,
    partition_of,
    survey,
)
from cluster.formats.errors import CorruptFileError
from cluster.model.ids import BrokerId, TopicPartition
from cluster.storage.directories.checkpoints import read_offsets, write_offsets
from cluster.storage.directories.properties import (
    MetaProperties,
    read_meta_properties,
    read_topic_id,
    write_meta_properties,
    write_topic_id,
)
from cluster.storage.files import finish_replacing, read_whole
from cluster.storage.log.leader_epochs import EpochEnd, LeaderEpochs
from tests.sim.disk import SimDisk

NAME = "recovery-point-offset-checkpoint"
TOPICS = st.from_regex(r"[a-zA-Z0-9._-]{1,40}", fullmatch=True).filter(
    lambda name: name not in (".", "..")
)
PARTITIONS = st.builds(TopicPartition, TOPICS, st.integers(0, 2**31 - 1))


def disk_with(name: str | None = None, content: bytes = b"") -> SimDisk:
    disk = SimDisk()
    disk.make_directory("/d")
    if name is not None:
        disk.open(f"/d/{name}", create=True).write(0, content)
    return disk


@given(st.dictionaries(PARTITIONS, st.integers(0, 2**63 - 1)))
def test_offsets_are_read_as_they_were_written(offsets):
    disk = disk_with()

    write_offsets(disk, "/d", NAME, offsets)

    assert read_offsets(disk, "/d", NAME) == offsets


def test_offsets_stand_in_the_file_as_kafka_writes_them():
    disk = disk_with()

    write_offsets(disk, "/d", NAME, {TopicPartition("b", 1): 7, TopicPartition("a", 0): 0})

    assert read_whole(disk, f"/d/{NAME}") == b"0\n2\na 0 0\nb 1 7\n"


def test_a_checkpoint_that_is_not_there_or_empty_says_nothing():
    assert read_offsets(disk_with(), "/d", NAME) == {}
    assert read_offsets(disk_with(NAME), "/d", NAME) == {}


@pytest.mark.parametrize(
    "content",
    [
        b"1\n0\n",
        b"0\n",
        b"0\n2\na 0 0\n",
        b"0\nx\n",
        b"0\n1\na 0\n",
        b"0\n1\na 0 0 0\n",
        b"0\n1\na x 0\n",
        b"0\n1\na 0 \xd9\xa3\n",
        b"0\n1\na 0 9223372036854775808\n",
        b"0\n1\na 0 " + b"9" * 5000 + b"\n",
        b"\xff",
        b"\x00" * 40,
    ],
)
def test_a_damaged_checkpoint_is_refused(content: bytes):
    with pytest.raises(CorruptFileError, match=NAME):
        parse_rows(content, f"/d/{NAME}", width=3)


@pytest.mark.parametrize(
    "content",
    [b"0\n1\na 0 " + b"9" * 5000 + b"\n", b"9" * 5000 + b"\n0\n"],
    ids=["a row", "the version"],
)
def test_of_a_long_line_only_the_beginning_is_said(content: bytes):
    with pytest.raises(CorruptFileError, match=r"9{290,300}'…") as caught:
        parse_rows(content, f"/d/{NAME}", width=3)
    assert len(caught.value.reason) < 400


def epochs_of(*starts: tuple[int, int]) -> LeaderEpochs:
    epochs = LeaderEpochs(disk_with(), "/d")
    for epoch, start_offset in starts:
        epochs.assign(epoch, start_offset)
    return epochs


def test_epochs_are_known_again_after_a_start():
    disk = disk_with()
    epochs = LeaderEpochs(disk, "/d")
    epochs.assign(0, 0)
    epochs.assign(3, 17)
    epochs.assign(2, 20)
    assert epochs.is_unsaved
    finish_replacing(disk, epochs.begin_replacing(), "/d", "leader-epoch-checkpoint")
    assert not epochs.is_unsaved

    again = LeaderEpochs(disk, "/d")
    again.load()

    assert again.starts == ((0, 0), (3, 17))
    assert read_whole(disk, "/d/leader-epoch-checkpoint") == b"0\n2\n0 0\n3 17\n"


def test_an_epoch_without_records_makes_way_for_the_next():
    assert epochs_of((0, 0), (1, 5), (2, 5)).starts == ((0, 0), (2, 5))


@pytest.mark.parametrize(
    ("epoch", "end"),
    [(-1, (-1, -1)), (0, (0, 10)), (1, (1, 10)), (2, (2, 20)), (3, (2, 20)), (5, (5, 99))],
)
def test_the_end_of_an_epoch_is_the_start_of_the_next_known_one(epoch: int, end: EpochEnd):
    assert epochs_of((2, 10), (5, 20)).end_of(epoch, 99) == end


@pytest.mark.parametrize(
    ("batch", "starts"),
    [
        pytest.param((5, 20, 25), ((2, 10), (5, 20)), id="known"),
        pytest.param((2, 12, 19), ((2, 10), (5, 20)), id="of an earlier epoch"),
        pytest.param((7, 30, 31), ((2, 10), (5, 20), (7, 30)), id="of a new epoch"),
        pytest.param((2, 20, 25), ((2, 10),), id="where another epoch began"),
        pytest.param((2, 18, 25), ((2, 10),), id="across where another epoch began"),
        pytest.param((3, 15, 16), ((2, 10), (3, 15)), id="before an epoch that is gone"),
        pytest.param((1, 8, 9), ((1, 8),), id="before all that is known"),
        pytest.param((1, 30, 31), ((1, 30),), id="of an epoch before all that is known"),
    ],
)
def test_a_batch_is_believed_more_than_the_checkpoint(batch: tuple[int, int, int], starts: tuple):
    epochs = epochs_of((2, 10), (5, 20))

    epochs.hold(*batch)

    assert epochs.starts == starts


def test_an_epoch_that_is_not_known_has_no_end():
    assert epochs_of((2, 10)).end_of(3, 99) == (-1, -1)
    assert epochs_of().end_of(0, 99) == (-1, -1)


@pytest.mark.parametrize(("offset", "epoch"), [(9, -1), (10, 2), (19, 2), (20, 5), (500, 5)])
def test_an_offset_belongs_to_the_epoch_that_began_before_it(offset: int, epoch: int):
    assert epochs_of((2, 10), (5, 20)).epoch_at(offset) == epoch


@pytest.mark.parametrize(
    ("offset", "starts"), [(10, ()), (11, ((2, 10),)), (20, ((2, 10),)), (21, ((2, 10), (5, 20)))]
)
def test_epochs_end_with_the_log(offset: int, starts: tuple):
    epochs = epochs_of((2, 10), (5, 20))

    epochs.truncate_from_end(offset)

    assert epochs.starts == starts


@pytest.mark.parametrize(
    ("offset", "starts"),
    [(5, ((2, 10), (5, 20))), (10, ((2, 10), (5, 20))), (15, ((2, 15), (5, 20))), (20, ((5, 20),))],
)
def test_epochs_begin_with_the_log(offset: int, starts: tuple):
    epochs = epochs_of((2, 10), (5, 20))

    epochs.truncate_from_start(offset)

    assert epochs.starts == starts


def test_an_owner_is_read_as_it_was_written():
    disk = disk_with()
    for owner in (MetaProperties(BrokerId(0), "abc"), MetaProperties(BrokerId(7), None)):
        write_meta_properties(disk, "/d", owner)
        assert read_meta_properties(disk, "/d") == owner
    assert read_meta_properties(disk_with(), "/d") is None


def test_a_topic_id_stands_in_the_file_as_kafka_writes_it():
    disk = disk_with()
    assert read_topic_id(disk, "/d") is None

    write_topic_id(disk, "/d", "ldctl0YlR3yfzw_yv9xvVA")

    content = read_whole(disk, "/d/partition.metadata")
    assert content == b"version: 0\ntopic_id: ldctl0YlR3yfzw_yv9xvVA"
    assert read_topic_id(disk, "/d") == "ldctl0YlR3yfzw_yv9xvVA"


@pytest.mark.parametrize("content", [b"version: 1\ntopic_id: x", b"version: 0", b"\xff"])
def test_a_damaged_topic_id_is_refused(content: bytes):
    with pytest.raises(CorruptFileError):
        read_topic_id(disk_with("partition.metadata", content), "/d")


@given(PARTITIONS)
def test_a_partition_is_known_by_its_directory(partition: TopicPartition):
    name = directory_name(partition)

    assert partition_of(name) == partition
    assert survey((deleted_name(partition, "0" * 32),)).deleted != ()


@given(PARTITIONS)
def test_a_copy_is_known_by_its_directory(partition: TopicPartition):
    name = future_name(partition, "0" * 32)

    assert ((partition, name),) == survey((name,)).futures
    assert (deleted_future_name(name),) == survey((deleted_future_name(name),)).deleted
    assert may_be_copied(partition) == (len(name) <= 255)


@pytest.mark.parametrize(
    "name", ["orders", "orders-", "-1", "orders-01", "orders-x", "ord ers-1", "t-1-stray", "..-0"]
)
def test_other_names_are_nobodys(name: str):
    assert partition_of(name) is None


def test_an_epoch_that_is_there_begins_where_it_began() -> None:
    """Whoever starts again is told to lead in the epoch that its log ends with."""
    epochs = LeaderEpochs(disk_with(), "/d")
    epochs.assign(5, 10)

    epochs.assign(5, 20)
    epochs.assign(4, 30)

    assert (EpochEntry(5, 10),) == epochs.starts
