"""What a simulated disk keeps, and what it may lose."""

import errno

import pytest

from tests.sim.disk import SECTOR_SIZE, Crashed, SimDisk

SEEDS = range(60)


def disk_with_file(seed: int, content: bytes = b"") -> SimDisk:
    """A disk with a durable file `/d/a`."""
    disk = SimDisk(seed)
    disk.make_directory("/d")
    disk.sync_directory("/")
    file = disk.open("/d/a", create=True)
    file.write(0, content)
    file.sync()
    disk.sync_directory("/d")
    return disk


def outcomes(disks: list[SimDisk], path: str) -> set[bytes]:
    found = set()
    for disk in disks:
        file = disk.open(path)
        found.add(file.read(0, file.size()))
    return found


def test_what_was_synced_is_kept_and_what_was_not_may_go() -> None:
    disks = [disk_with_file(seed, b"old") for seed in SEEDS]
    for disk in disks:
        disk.open("/d/a").write(3, b"new")
        disk.crash()

    assert outcomes(disks, "/d/a") == {b"old", b"oldnew", b"old\0\0\0"}


def test_a_later_write_can_stay_where_an_earlier_one_is_lost() -> None:
    disks = [disk_with_file(seed) for seed in SEEDS]
    for disk in disks:
        file = disk.open("/d/a")
        file.write(0, b"a")
        file.write(1, b"b")
        disk.crash()

    assert {b"", b"a", b"\0b", b"ab"} <= outcomes(disks, "/d/a")


def test_a_write_is_torn_between_sectors() -> None:
    whole = bytes(range(256)) * 5
    disks = [disk_with_file(seed) for seed in SEEDS]
    for disk in disks:
        disk.open("/d/a").write(0, whole)
        disk.crash()

    cuts = {whole[:size] for size in (0, SECTOR_SIZE, 2 * SECTOR_SIZE, len(whole))}
    assert outcomes(disks, "/d/a") == {*cuts, bytes(len(whole))}


def test_names_are_kept_in_the_order_in_which_they_changed() -> None:
    found = set()
    for seed in SEEDS:
        disk = disk_with_file(seed)
        disk.open("/d/b", create=True).sync()
        disk.rename("/d/a", "/d/c")
        disk.remove("/d/b")
        disk.crash()
        found.add(tuple(entry.name for entry in disk.list("/d")))

    assert found == {("a",), ("a", "b"), ("b", "c"), ("c",)}


def test_synced_names_stay() -> None:
    for seed in SEEDS:
        disk = disk_with_file(seed)
        disk.rename("/d/a", "/d/c")
        disk.sync_directory("/d")
        disk.crash()
        assert [entry.name for entry in disk.list("/d")] == ["c"]


def test_the_machine_stops_in_the_operation_that_was_named() -> None:
    disk = disk_with_file(0)
    disk.crash_at = len(disk.operations) + 1
    file = disk.open("/d/a")
    file.write(0, b"x")

    with pytest.raises(Crashed, match="sync /d/a"):
        file.sync()


def test_a_full_disk_takes_a_part_and_says_so() -> None:
    disk = disk_with_file(0, b"1234")
    disk.room = 10

    with pytest.raises(OSError, match="no space") as caught:
        disk.open("/d/a").write(4, b"abcdefgh")

    assert caught.value.errno == errno.ENOSPC
    assert disk.open("/d/a").read(0, 99) == b"1234abcd"


def test_an_operation_fails_as_it_is_told() -> None:
    disk = disk_with_file(0)
    disk.fault = lambda kind, path: OSError(errno.EROFS, "read-only") if kind == "rename" else None

    with pytest.raises(OSError, match="read-only"):
        disk.rename("/d/a", "/d/b")

    assert [entry.name for entry in disk.list("/d")] == ["a"]


def test_locks_end_with_the_machine() -> None:
    disk = disk_with_file(0)
    disk.lock("/d/.lock")
    with pytest.raises(BlockingIOError):
        disk.lock("/d/.lock")

    disk.crash()

    disk.lock("/d/.lock").close()
    disk.lock("/d/.lock")
