"""The real disk behind the log's port."""

import io
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from cluster.model.ids import TopicPartition
from cluster.runtime.disk.files import Disk
from cluster.storage.errors import KafkaStorageError
from cluster.storage.health import DirectoryHealth
from cluster.storage.log_config import LogConfig
from cluster.storage.recovery.findings import KnownOffsets
from cluster.storage.recovery.opening import open_log
from tests.cluster.storage.batches import START_MS
from tests.cluster.storage.logs import append, stored_bytes


def test_a_file_is_read_and_written_by_position(tmp_path: Path):
    file = Disk().open(f"{tmp_path}/a", create=True)

    file.write(5, memoryview(b"hello"))
    file.write(0, b"12345")

    assert (file.size(), file.read(3, 4), file.read(8, 100)) == (10, b"45he", b"lo")
    file.truncate(4)
    file.sync()
    assert (tmp_path / "a").read_bytes() == b"1234"
    assert os.pread(file.fileno(), 4, 0) == b"1234"
    file.close()
    file.close()


def test_a_directory_is_listed_with_sizes_and_times(tmp_path: Path):
    disk = Disk()
    disk.make_directory(f"{tmp_path}/d")
    disk.open(f"{tmp_path}/b", create=True).write(0, b"abc")
    os.utime(tmp_path / "b", (7, 7.5))
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")

    before_ms = time.time_ns() // 1_000_000
    first, second = disk.list(str(tmp_path))
    after_ms = time.time_ns() // 1_000_000

    assert (first.name, first.is_directory, first.size) == ("b", False, 3)
    assert before_ms - 7500 <= first.age_ms <= after_ms - 7500
    assert (second.name, second.is_directory, second.size) == ("d", True, 0)


def test_a_link_that_leads_nowhere_hides_no_neighbour(tmp_path: Path):
    (tmp_path / "orders-0").mkdir()
    for name, target in {"gone": "nothing", "loop": "loop", "long": "x" * 300}.items():
        (tmp_path / name).symlink_to(target)
    (tmp_path / "file").touch()
    (tmp_path / "within").symlink_to("file/more")

    assert ["file", "orders-0"] == [entry.name for entry in Disk().list(str(tmp_path))]


def test_a_file_from_the_future_is_new(tmp_path: Path):
    """The clock was set back since."""
    disk = Disk()
    disk.open(f"{tmp_path}/b", create=True).close()
    os.utime(tmp_path / "b", (2**33, 2**33))

    (found,) = disk.list(str(tmp_path))

    assert found.age_ms == 0


def test_names_change_and_go(tmp_path: Path):
    disk = Disk()
    disk.make_directory(f"{tmp_path}/d")
    disk.open(f"{tmp_path}/d/a", create=True).close()

    disk.rename(f"{tmp_path}/d/a", f"{tmp_path}/d/b")
    disk.sync_directory(f"{tmp_path}/d")
    assert [entry.name for entry in disk.list(f"{tmp_path}/d")] == ["b"]
    disk.remove(f"{tmp_path}/d/b")
    disk.remove(f"{tmp_path}/d")

    assert disk.list(str(tmp_path)) == ()
    with pytest.raises(FileNotFoundError):
        disk.open(f"{tmp_path}/a")


def test_a_file_that_was_closed_meanwhile_needs_no_sync(tmp_path: Path):
    file = Disk().open(f"{tmp_path}/a", create=True)
    file.close()

    file.sync()

    with pytest.raises(OSError, match="Bad file descriptor"):
        file.read(0, 1)


@pytest.mark.slow
def test_a_lock_keeps_other_processes_out_until_it_is_closed(tmp_path: Path):
    lock = Disk().lock(f"{tmp_path}/.lock")
    program = (
        f"from cluster.runtime.disk.files import Disk; Disk().lock({str(tmp_path / '.lock')!r})"
    )

    refused = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    lock.close()
    taken = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)

    assert b"BlockingIOError" in refused.stderr
    assert taken.returncode == 0, taken.stderr


def test_a_disk_that_takes_no_more_takes_the_log_offline(tmp_path: Path):
    config = LogConfig(index_size_max=4096)
    health = DirectoryHealth(str(tmp_path))
    partition = TopicPartition("orders", 0)

    def opened(health: DirectoryHealth):
        return open_log(Disk(), str(tmp_path), partition, config, health, KnownOffsets(), START_MS)[
            0
        ]

    log = opened(health)
    for _ in range(50):
        append(log, 3)
    content = stored_bytes(log)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        # The kernel takes the first half of the next batch, and nothing behind it.
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(content) + 70, before[1]))
        with pytest.raises(KafkaStorageError, match="file too large"):
            append(log, 3)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert log.is_offline
    assert (tmp_path / f"{0:020d}.log").stat().st_size == len(content) + 70

    again = opened(DirectoryHealth(str(tmp_path)))

    assert stored_bytes(again) == content


def files_in_use(directory: Path) -> set[str]:
    """The names in *directory* that this process has a descriptor of."""
    open_files = set()
    for descriptor in os.listdir("/dev/fd"):
        # The descriptor by which the listing was made is gone.
        with suppress(OSError):
            status = os.fstat(int(descriptor))
            open_files.add((status.st_dev, status.st_ino))
    found = {name: os.stat(directory / name) for name in os.listdir(directory)}
    return {name for name, of in found.items() if (of.st_dev, of.st_ino) in open_files}


@pytest.mark.parametrize("was_there", [False, True])
def test_a_log_has_no_descriptors_until_it_is_used(tmp_path: Path, was_there: bool):
    def opened():
        partition = TopicPartition("orders", 0)
        health = DirectoryHealth(str(tmp_path.parent))
        known = KnownOffsets()
        return open_log(Disk(), str(tmp_path), partition, LogConfig(), health, known, START_MS)[0]

    if was_there:
        log = opened()
        append(log, 3)
        log.close(START_MS)

    log = opened()

    assert files_in_use(tmp_path) == set()
    append(log, 3)
    assert files_in_use(tmp_path) == {f"{0:020d}.log"}
    log.close(START_MS)


def test_a_real_file_has_a_descriptor_and_a_simulated_one_has_none(tmp_path: Path):
    from tests.sim.disk import SimDisk

    assert Disk().open(f"{tmp_path}/a", create=True).fileno() > 2
    with pytest.raises(io.UnsupportedOperation):
        SimDisk().open("/a", create=True).fileno()
