"""Does a replica come to the log directory that is asked for, while everybody goes on using it?"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.replica_manager import log_dir_moves
from cluster.broker.replica_manager.log_dir_moves import FAILURES_MAX
from cluster.formats.checkpoints import LOG_STARTS
from cluster.model.error_codes import ErrorCode
from cluster.model.file_slice import FileSlice
from cluster.model.ids import TopicPartition
from cluster.runtime.disk.files import Disk
from cluster.storage.directories.checkpoints import read_offsets
from cluster.storage.directories.log_manager import LogManager
from cluster.storage.errors import LogDirectoryRefused
from cluster.storage.log.copying import next_slice
from cluster.storage.log.partition_log import PartitionLog
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
    DescribeLogDirsRequest,
)
from tests.cluster.api.fetching import fetch, part
from tests.cluster.api.network import Network
from tests.cluster.api.orders import ORDERS_0, OTHER_ID, failing, stop
from tests.cluster.api.test_replication import Cluster
from tests.cluster.api.world import NEVER, World, only_part, versions
from tests.cluster.storage.batches import batch
from tests.cluster.storage.logs import stored_bytes
from tests.sim.disk import Crashed, SimDisk

DIRECTORIES = ("/a", "/b", "/c")
RATE = "replica.alter.log.dirs.io.max.bytes.per.second"
BIG = batch([b"x" * 1000])


def world_of(disk: SimDisk | None = None) -> World:
    return World(disk=disk, directories=DIRECTORIES)


@pytest.fixture
def world() -> World:
    """Broker 1 leads orders, which is in the first of its three directories."""
    world = world_of()
    world.lead()
    assert place(world) == "/a"
    return world


def place(world: World, partition: TopicPartition = ORDERS_0) -> str | None:
    directory = world.logs.directory_of(partition)
    return None if directory is None else directory.path


def log_of(world: World) -> PartitionLog:
    """The log that requests are answered from."""
    hosted = world.broker.partitions.find(ORDERS_0)
    assert hosted is not None
    return hosted.log


def kept_log(world: World) -> PartitionLog:
    """The log that is flushed and checkpointed."""
    log = world.logs.log(ORDERS_0)
    assert log is not None
    return log


def alter(
    world: World, path: str, topic: str = "orders", indexes: Sequence[int] = (0,), version: int = 2
) -> list[int]:
    """Ask for a directory, and return the errors when the answer is there."""
    topics = [AlterReplicaLogDirTopic(topic, indexes)]
    body = AlterReplicaLogDirsRequest([AlterReplicaLogDir(path, topics)])
    answer = world.ask(ApiKey.ALTER_REPLICA_LOG_DIRS, body, version)
    for _ in range(10):
        if answer.body is NEVER:
            step(world)
    (result,) = answer.body.results
    assert topic == result.topic_name
    return [each.error_code for each in result.partitions]


def step(world: World) -> None:
    """Let the next piece of work be done, and nothing behind it."""
    if world.disks.waiting:
        world.disks.waiting.popleft()()
    else:
        world.clock.advance(0)


def finish(world: World) -> None:
    for _ in range(50):
        world.settle()
        world.clock.advance(0)


def described(world: World) -> dict[str, list[tuple[int, bool]]]:
    """The lag of each log in each directory, and whether it is a copy."""
    body = world.ask_now(ApiKey.DESCRIBE_LOG_DIRS, DescribeLogDirsRequest(None))
    return {
        result.log_dir: [
            (one.offset_lag, one.is_future_key)
            for topic in result.topics
            for one in topic.partitions
        ]
        for result in body.results
    }


def slow(world: World, rate: int) -> None:
    world.broker.throttles.set_rates(BrokerConfigs({RATE: str(rate)}))


def test_a_replica_is_moved_between_two_requests_of_clients(world: World) -> None:
    sequence = 0
    for _ in range(5):
        world.produced(batch(2, producer_id=7, producer_epoch=0, sequence=sequence))
        sequence += 2

    assert [ErrorCode.NONE] == alter(world, "/b")
    steps = 0
    while place(world) == "/a":
        steps += 1
        assert steps < 100
        if steps < 20:
            sent = batch(2, producer_id=7, producer_epoch=0, sequence=sequence)
            assert sequence == world.produced(sent).base_offset
            sequence += 2
        got = bytes(only_part(fetch(world, part(sequence - 2))).records)
        assert got
        step(world)

    log = log_of(world)
    assert "/b/orders-0" == log.directory
    # The same batch is known to be the same, and the next one follows.
    again = batch(2, producer_id=7, producer_epoch=0, sequence=sequence - 2)
    assert sequence - 2 == world.produced(again).base_offset
    following = batch(2, producer_id=7, producer_epoch=0, sequence=sequence)
    assert sequence == world.produced(following).base_offset
    assert sequence + 2 == log.log_end_offset
    finish(world)
    assert {"/a": [], "/b": [(0, False)], "/c": []} == described(world)
    assert "orders-0 is in /b now" in world.journal.infos


@pytest.mark.parametrize("version", versions(ApiKey.ALTER_REPLICA_LOG_DIRS))
def test_where_it_is_nothing_is_done_and_elsewhere_is_refused(world: World, version: int) -> None:
    assert [ErrorCode.NONE] == alter(world, "/a", version=version)
    assert [ErrorCode.LOG_DIR_NOT_FOUND] == alter(world, "/nowhere", version=version)
    assert [ErrorCode.INVALID_TOPIC_EXCEPTION] == alter(world, "/b", "t" * 240, version=version)
    assert [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION] == alter(world, "/b", "a/b", version=version)

    assert {"/a": [(0, False)], "/b": [], "/c": []} == described(world)


def test_one_that_is_yet_to_come_begins_where_it_was_asked_for(world: World) -> None:
    assert [ErrorCode.REPLICA_NOT_AVAILABLE] * 2 == alter(world, "/c", "later", (0, 1))

    world.lead("later", partitions=2, topic_id=OTHER_ID)

    assert ["/c", "/c"] == [place(world, TopicPartition("later", index)) for index in (0, 1)]
    world.lead("other", topic_id=bytes(16))
    assert place(world, TopicPartition("other", 0)) == "/b"


def test_what_is_copied_is_told_by_its_lag_and_held_to_the_rate(world: World) -> None:
    for _ in range(10):
        world.produced(BIG)
    slow(world, 1000)

    alter(world, "/b")
    assert (10, True) in described(world)["/b"]
    for second in range(4):
        world.clock.advance(1000)
        world.settle()
        ((lag, is_future),) = described(world)["/b"]
        assert is_future
        assert abs(lag - (9 - second)) <= 1

    slow(world, 2**63 - 1)
    world.clock.advance(100)
    finish(world)
    assert {"/a": [], "/b": [(0, False)], "/c": []} == described(world)


def test_another_directory_takes_the_place_of_the_one_asked_for_before(world: World) -> None:
    for _ in range(10):
        world.produced(BIG)
    slow(world, 1)
    alter(world, "/b")
    step(world)

    assert [ErrorCode.NONE] == alter(world, "/c")
    assert [[], True] == [described(world)["/b"], described(world)["/c"][0][1]]
    assert [ErrorCode.NONE] == alter(world, "/a")
    assert {"/a": [(0, False)], "/b": [], "/c": []} == described(world)
    assert [ErrorCode.NONE] == alter(world, "/b")
    slow(world, 2**63 - 1)
    world.clock.advance(100)
    finish(world)

    assert place(world) == "/b"
    assert 10 == world.produced(BIG).base_offset


def test_a_directory_that_fails_ends_the_move_and_the_replica_stays(world: World) -> None:
    for _ in range(10):
        world.produced(BIG)
    alter(world, "/b")
    world.files.fault = failing("write", "/b/")
    finish(world)

    assert 10 == world.produced(BIG).base_offset
    assert place(world) == "/a"
    assert any("orders-0 is not moved any further" in line for line in world.journal.errors)
    # While a directory is away nobody knows what is in it.
    assert [ErrorCode.KAFKA_STORAGE_ERROR] == alter(world, "/b")
    assert [ErrorCode.KAFKA_STORAGE_ERROR] == alter(world, "/c")


def test_a_disk_that_is_full_ends_the_move_which_goes_on_when_there_is_room(world: World) -> None:
    for _ in range(10):
        world.produced(BIG)
    slow(world, 2500)
    alter(world, "/b")
    world.clock.advance(0)
    world.settle()
    copy = world.logs.directories[1].futures[ORDERS_0]
    copied = copy.log_end_offset
    assert 0 < copied < 10
    world.files.room = world.files.used() + len(BIG) // 2
    slow(world, 2**63 - 1)
    world.clock.advance(1000)
    finish(world)
    assert any("No space left" in line or "no space left" in line for line in world.journal.errors)
    assert place(world) == "/a"
    world.files.room = None
    assert 10 == world.produced(BIG).base_offset
    before = stored_bytes(log_of(world))
    # Where a write broke off stands half a batch, which the next start takes for no record.
    world.broker.stop()
    world.files.release_locks()

    again = world_of(world.files)
    assert copied <= again.logs.directories[1].futures[ORDERS_0].log_end_offset < 10
    again.lead(leader_epoch=1, is_new=False)
    finish(again)

    assert place(again) == "/b"
    assert before == stored_bytes(log_of(again))
    assert 11 == again.produced(BIG).base_offset


@pytest.mark.parametrize("closed_count", [1, FAILURES_MAX - 1, FAILURES_MAX])
def test_a_log_whose_file_is_closed_before_it_is_read_is_read_again(
    world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, closed_count: int
) -> None:
    """As often as that may happen by chance; then the move is given up."""
    for _ in range(10):
        world.produced(BIG)
    closed = Disk().open(str(tmp_path / "segment"), create=True)
    closed.close()
    slices: list[FileSlice] = []

    def slice_of_a_closed_file(log: PartitionLog, copy: PartitionLog, size_max: int) -> FileSlice:
        found = next_slice(log, copy, size_max)
        slices.append(found)
        return found if len(slices) > closed_count else replace(found, file=closed)

    monkeypatch.setattr(log_dir_moves, "next_slice", slice_of_a_closed_file)

    alter(world, "/b")
    finish(world)

    is_given_up = closed_count == FAILURES_MAX
    assert len(slices) == closed_count + (not is_given_up)
    assert place(world) == ("/a" if is_given_up else "/b")
    assert is_given_up is any("orders-0 is not moved" in line for line in world.journal.errors)
    assert world.logs.future_directory_of(ORDERS_0) is None
    assert all(directory.health.failure is None for directory in world.logs.directories)
    assert 10 == world.produced(BIG).base_offset


def parted() -> Cluster:
    """Broker 1 has 15 batches, of which broker 0, which shall lead, knows only 10."""
    cluster = Cluster()
    cluster.broker(0)
    cluster.broker(1, directories=DIRECTORIES)
    cluster.lead(1)
    for _ in range(10):
        cluster.write(1)
    cluster.advance(20)
    cluster.epoch += 1
    # Nobody else hears of it, nor of what it writes.
    cluster.tell(1, 1, isr=[1])
    for _ in range(5):
        cluster.write(1)
    assert (10, 15) == (cluster.log(0).log_end_offset, cluster.log(1).log_end_offset)
    cluster.epoch += 1
    cluster.tell(0, 0)
    return cluster


def follow_through(cluster: Cluster, pause_ms: int) -> None:
    """Let broker 1 end its move and follow broker 0, one step after the other."""
    for _ in range(60):
        step(cluster.worlds[1])
        cluster.clock.advance(pause_ms)
        cluster.worlds[0].settle()
    for _ in range(3):
        cluster.write(0)
    cluster.advance(1200)

    assert place(cluster.worlds[1]) == "/c"
    assert 13 == cluster.log(1).log_end_offset
    assert cluster.content(0) == cluster.content(1)
    assert cluster.log(0).epochs.starts == cluster.log(1).epochs.starts
    assert cluster.worlds[1].logs.log(ORDERS_0) is cluster.log(1)


def test_a_follower_that_hears_of_its_leader_at_any_step_of_a_move_has_what_that_has() -> None:
    is_over = False
    steps = 0
    while not is_over:
        cluster = parted()
        alter(cluster.worlds[1], "/c")
        for _ in range(steps):
            step(cluster.worlds[1])
        is_over = place(cluster.worlds[1]) == "/c"
        steps += 1

        cluster.tell(1, 0)

        follow_through(cluster, pause_ms=1)


@pytest.mark.slow
def test_a_follower_that_is_to_be_truncated_when_its_copy_takes_over_has_what_its_leader_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The truncation is planned in the directory that the log leaves, and gone with it."""
    planned: list[bool] = []
    swap_as_ever = LogManager.replace_with_future

    def swap(self: LogManager, partition: TopicPartition, unique_id: str, now_ms: int) -> None:
        left = self.directory_of(partition)
        assert left is not None
        planned.append(partition in left._truncations)
        swap_as_ever(self, partition, unique_id, now_ms)

    monkeypatch.setattr(LogManager, "replace_with_future", swap)
    for steps in range(8):
        for turns in range(6):
            cluster = parted()
            # Its turn has not come: what follows from the order is done step by step below.
            cluster.tell(1, 0)
            alter(cluster.worlds[1], "/c")
            for _ in range(steps):
                step(cluster.worlds[1])
            for _ in range(turns):
                cluster.clock.advance(1)
                cluster.worlds[0].settle()

            follow_through(cluster, pause_ms=0)

    assert any(planned)
    assert not all(planned)


def test_where_a_log_starts_is_durable_in_its_new_directory_before_it_is_there(
    world: World,
) -> None:
    for _ in range(40):
        world.produced(BIG)
    alter(world, "/b")
    while not is_durable(world):
        step(world)
    log_of(world).delete_records_before(17, 40)
    while place(world) == "/a":
        step(world)

    start_offset = kept_log(world).log_start_offset
    assert 17 == start_offset
    assert {ORDERS_0: start_offset} == read_offsets(world.files, "/b", LOG_STARTS)


def test_a_directory_that_fails_when_it_is_left_does_not_matter_any_more(world: World) -> None:
    world.produced(BIG)
    alter(world, "/b")
    world.files.fault = failing("rename", "/a/orders-0")
    finish(world)

    assert 1 == world.produced(BIG).base_offset
    assert place(world) == "/b"
    assert world.logs.directories[0].health.failure is not None
    assert () == world.broker.replica_stops.notice_failed_directories()


def test_a_replica_that_is_deleted_leaves_no_copy(world: World) -> None:
    for _ in range(10):
        world.produced(BIG)
    slow(world, 1)
    alter(world, "/b")
    step(world)

    stop(world)
    finish(world)

    assert {"/a": [], "/b": [], "/c": []} == described(world)
    assert [True] == [name.endswith("-delete") for name in names(world.files, "/b")]
    world.lead(topic_id=OTHER_ID)
    assert 0 == world.produced().base_offset


@pytest.mark.slow
def test_a_start_goes_on_with_what_was_copied(world: World) -> None:
    for _ in range(10):
        world.produced(BIG)
    slow(world, 2500)
    alter(world, "/b")
    world.clock.advance(0)
    world.settle()
    end_offset = world.logs.directories[1].futures[ORDERS_0].log_end_offset
    assert 0 < end_offset < 10
    world.broker.stop()
    world.logs.close(world.clock.now_ms(), 50)

    again = world_of(world.files)
    copy = again.logs.directories[1].futures[ORDERS_0]
    assert end_offset == copy.log_end_offset
    again.lead(leader_epoch=1, is_new=False)
    finish(again)

    assert place(again) == "/b"
    assert copy is kept_log(again)
    assert 10 == again.produced(BIG).base_offset


def test_a_copy_of_an_earlier_topic_of_the_name_is_given_up(world: World) -> None:
    for _ in range(10):
        world.produced(BIG)
    slow(world, 1)
    alter(world, "/b")
    step(world)
    world.broker.stop()
    world.logs.close(world.clock.now_ms(), 50)
    again = world_of(world.files)
    again.files.remove("/a/orders-0/partition.metadata")

    again.lead(leader_epoch=1, is_new=False, topic_id=OTHER_ID)
    finish(again)

    assert {"/a": [(0, False)], "/b": [], "/c": []} == described(again)


def test_a_follower_is_moved_and_goes_on_following() -> None:
    network = Network()
    leader = network.broker(1)
    follower = network.broker(2, directories=DIRECTORIES)
    for broker in (leader, follower):
        broker.tell_all({"orders": {0: [1, 2]}}, brokers=(1, 2))
        broker.order("orders", leader=1, replicas=(1, 2))

    def pass_time() -> None:
        for _ in range(30):
            network.clock.advance(100)
            for broker in (leader, follower):
                broker.settle()

    for _ in range(10):
        leader.produced(BIG, acks=1)
    pass_time()
    assert place(follower) == "/a"
    alter(follower, "/c")
    for _ in range(10):
        leader.produced(BIG, acks=1)
        pass_time()

    log = log_of(follower)
    assert "/c/orders-0" == log.directory
    assert 20 == log.log_end_offset
    assert stored_bytes(kept_log(leader)) == stored_bytes(log)


@pytest.mark.parametrize("moved_after_ms", range(8))
def test_a_follower_that_is_moved_hears_what_is_committed(moved_after_ms: int) -> None:
    """Also when the leader says so, once, while the copy takes the place of the log."""
    cluster = Cluster()
    cluster.broker(0)
    follower = cluster.broker(1, directories=DIRECTORIES)
    cluster.lead(0)
    cluster.advance(20)
    cluster.write(0, 3)
    cluster.advance(moved_after_ms)

    alter(follower, "/c")
    for _ in range(20):
        step(follower)
    assert place(follower) == "/c"
    cluster.advance(1200)

    assert (3, 3) == (cluster.high_watermark(0), cluster.high_watermark(1))


@pytest.mark.slow
def test_whenever_the_machine_stops_what_was_flushed_is_there_and_the_move_can_go_on() -> None:
    """The power fails in one operation of the disk after the other, from before the move until
    after it, while records are produced and flushed."""
    refused = resumed = at = 0
    while True:
        disk = SimDisk(at)
        world = World(disk=disk, directories=DIRECTORIES)
        world.lead()
        durable = [b""]
        disk.crash_at = len(disk.operations) + at
        try:
            live(world, durable)
        except Crashed:
            disk.crash()
        else:
            assert place(world) == "/b"
            break
        at += 7
        held = [path for path in DIRECTORIES if "orders-0" in names(disk, path)]
        if len(held) == 2:
            refused += 1
            with pytest.raises(LogDirectoryRefused, match="/a has a log of orders-0 as well"):
                world_of(disk)
            disk.release_locks()
            # Both have everything: the operator may remove either.
            disk.rename(f"{held[at % 2]}/orders-0", f"{held[at % 2]}/aside")
        again = world_of(disk)
        again.lead(leader_epoch=1, is_new=False)
        resumed += again.logs.future_directory_of(ORDERS_0) is not None
        again.produced(BIG)
        finish(again)

        log = log_of(again)
        assert log is kept_log(again)
        assert stored_bytes(log).startswith(durable[0])
        assert again.logs.future_directory_of(ORDERS_0) is None

    assert resumed > 5
    assert refused <= 3


def live(world: World, durable: list[bytes]) -> None:
    def produce_and_flush() -> None:
        log = log_of(world)
        for _ in range(2):
            world.produced(BIG)
        log.flush(world.clock.now_ms())
        world.logs.write_checkpoints()
        durable[0] = stored_bytes(log)

    produce_and_flush()
    alter(world, "/b")
    for number in range(20):
        # Also after the copy was made durable, and before it takes the log's place.
        if number < 6 or is_durable(world):
            produce_and_flush()
        step(world)
    finish(world)
    produce_and_flush()


def is_durable(world: World) -> bool:
    """Whether the disk knows all of a copy, of which the loop has not heard."""
    copies = [one.futures[ORDERS_0] for one in world.logs.directories if ORDERS_0 in one.futures]
    log = kept_log(world)
    return any(copy.recovery_point == log.log_end_offset for copy in copies)


def names(disk: SimDisk, path: str) -> list[str]:
    return [one.name for one in disk.list(path) if one.is_directory]


def test_many_moves_begin_in_slices_and_all_arrive() -> None:
    world = world_of()
    world.lead(partitions=25)
    wanted = [index for index in range(25) if place(world, TopicPartition("orders", index)) != "/b"]

    assert [ErrorCode.NONE] * len(wanted) == alter(world, "/b", indexes=wanted)
    for _ in range(20):
        finish(world)

    assert {"/b"} == {place(world, TopicPartition("orders", index)) for index in range(25)}
