"""The metadata log of a controller, read from its directory: snapshots, segments, damage."""

import struct
from pathlib import Path
from typing import Any

import pytest

from cluster.wire.messages.metadata_records import ConfigRecord, NoOpRecord
from kadmin.app.metadata_log import LOG, UnreadableMetadataLogError, read_image
from kadmin.plan.migration.stores import Fact
from tests.cluster.formats.coordinator_records import segment
from tests.cluster.formats.metadata_records import value_of

KEY = Fact("default brokers", "config a")


def config(value: str | None) -> ConfigRecord:
    return ConfigRecord(4, "", "a", value)


def batch_of(base_offset: int, *messages: tuple[Any, ...]) -> bytes:
    content = segment([(None, value_of(each, 0)) for each in messages])
    # The checksum does not cover the base offset.
    return struct.pack(">q", base_offset) + content[8:]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    directory = tmp_path / LOG
    directory.mkdir()
    return directory


def put(log: Path, base_offset: int, *batches: bytes) -> Path:
    path = log / f"{base_offset:020}.log"
    path.write_bytes(b"".join(batches))
    return path


def put_snapshot(log: Path, end_offset: int, *messages: tuple[Any, ...]) -> None:
    path = log / f"{end_offset:020}-{1:010}.checkpoint"
    path.write_bytes(batch_of(0, *messages))


def test_segments_are_read_in_order_by_the_directory_or_the_one_above(log: Path) -> None:
    put(log, 0, batch_of(0, config("1")), batch_of(1, config("2")))
    put(log, 2, batch_of(2, config("3"), NoOpRecord()))

    for directory in (log, log.parent):
        image = read_image(directory)
        assert ({KEY: "3"}, 2, 4) == (image.facts(), image.last_change_offset, image.end_offset)


def test_what_the_newest_snapshot_has_is_not_read_again(log: Path) -> None:
    put_snapshot(log, 1, config("old"))
    put_snapshot(log, 2, config("snapshot"))
    put(log, 0, batch_of(0, config("1"), config("2"), NoOpRecord()))

    image = read_image(log)

    assert ({KEY: "snapshot"}, 1, 3) == (image.facts(), image.last_change_offset, image.end_offset)
    put(log, 3, batch_of(3, config("4")))
    assert {KEY: "4"} == read_image(log).facts()


def test_a_batch_that_is_being_written_is_left_for_the_next_look(log: Path) -> None:
    put(log, 0, batch_of(0, config("1")), batch_of(1, config("2"))[:-5])

    image = read_image(log)

    assert ({KEY: "1"}, 1) == (image.facts(), image.end_offset)


def no_log(log: Path) -> None:
    log.rmdir()


def nothing(log: Path) -> None:
    (log / "leader-epoch-checkpoint").touch()


def missing(log: Path) -> None:
    put_snapshot(log, 2, config("1"))
    put(log, 5, batch_of(5, config("2")))


def hole(log: Path) -> None:
    put(log, 0, batch_of(0, config("1")))
    put(log, 5, batch_of(5, config("2")))


def flipped(log: Path) -> None:
    path = put(log, 0, batch_of(0, config("1")))
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)


def no_batch(log: Path) -> None:
    put(log, 0, batch_of(0, config("1")), b"x" * 100, batch_of(1, config("2")))


def torn_snapshot(log: Path) -> None:
    put_snapshot(log, 2, config("1"))
    path = next(log.glob("*.checkpoint"))
    path.write_bytes(path.read_bytes()[:-3])


def unknown(log: Path) -> None:
    put(log, 0, segment([(None, b"\1\x63\0")]))


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (no_log, "there is no metadata log"),
        (nothing, "there is no metadata log"),
        (missing, "the records from offset 2 to 5 are missing"),
        (hole, "the records from offset 1 to 5 are missing"),
        (flipped, "a wrong checksum"),
        (no_batch, "00000.log: .*"),
        (torn_snapshot, "checkpoint: .*"),
        (unknown, "offset 0: .*Unknown metadata id 99"),
    ],
)
def test_a_log_that_is_not_whole_is_refused_with_the_reason(
    log: Path, damage: Any, reason: str
) -> None:
    damage(log)

    with pytest.raises(UnreadableMetadataLogError, match=reason):
        read_image(log.parent)


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnreadableMetadataLogError, match="elsewhere: No such file"):
        read_image(tmp_path / "elsewhere")
