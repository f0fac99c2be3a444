"""What one directory lacks, or says of itself, beside others that are sound."""

import os
import shutil
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from cluster.formats import producer_snapshot
from cluster.model.ids import TopicPartition
from kadmin.jobs.places import Entry, LocalTree
from kadmin.jobs.verify.collected import Collected, LogDirArgument, add_replicas, by_partition
from kadmin.jobs.verify.collected import collect as collected_of
from kadmin.jobs.verify.partition import HowToVerify, VerifiedPartition, verify_partition
from kadmin.segments.compare import Verdict
from kadmin.segments.values import DamageKind
from tests.cluster.formats.messages import message, wrapper
from tests.cluster.storage.batches import START_MS, batch

ORDERS: Final = TopicPartition("orders", 0)
COUNT: Final = 4
SIZE: Final = 10
"""Records of a segment, of which there are COUNT."""
ENTRY: Final = struct.Struct(">ii")
TIME_ENTRY: Final = struct.Struct(">qi")

Change = Callable[[Path], None]
"""Changes the directory of a replica."""


def checkpoint(rows: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in ("0", len(rows), *rows))


def name(base_offset: int, suffix: str = ".log") -> str:
    return f"{base_offset:020}{suffix}"


def write(log_dir: Path, *, mark: int = SIZE * COUNT) -> Path:
    """A log directory with one replica."""
    directory = log_dir / str(ORDERS)
    directory.mkdir(parents=True)
    for base in range(0, SIZE * COUNT, SIZE):
        content = batch(SIZE, base_offset=base, leader_epoch=0)
        (directory / name(base)).write_bytes(content)
        (directory / name(base, ".index")).write_bytes(b"")
        latest = TIME_ENTRY.pack(START_MS + SIZE - 1, SIZE - 1)
        (directory / name(base, ".timeindex")).write_bytes(latest)
        if base > 0:
            (directory / name(base, ".snapshot")).write_bytes(producer_snapshot.encode(()))
    (directory / "leader-epoch-checkpoint").write_text(checkpoint(["0 0"]))
    (log_dir / "replication-offset-checkpoint").write_text(checkpoint([f"orders 0 {mark}"]))
    return directory


def verified(log_dirs: Sequence[Path]) -> tuple[VerifiedPartition, Collected]:
    arguments = [LogDirArgument(str(n), str(each)) for n, each in enumerate(log_dirs, start=1)]
    with ExitStack() as opened:
        found = collected_of(arguments, opened)
        replicas = by_partition(found.replicas)[ORDERS]
        return verify_partition(ORDERS, replicas, HowToVerify()), found


def judged(tmp_path: Path, change: Change) -> VerifiedPartition:
    """The verdict on two replicas, the second of which was changed."""
    write(tmp_path / "1")
    change(write(tmp_path / "2"))
    found, collected = verified([tmp_path / "1", tmp_path / "2"])
    assert not collected.unreadable
    return found


def lost(directory: Path, segments: int = 1, *, with_snapshots: bool = True) -> None:
    for base in range(0, SIZE * segments, SIZE):
        for path in directory.glob(f"{base:020}.*"):
            if with_snapshots or path.suffix != ".snapshot":
                path.unlink()


def epochs(directory: Path, *rows: str) -> None:
    (directory / "leader-epoch-checkpoint").write_text(checkpoint(rows))


def log_start(directory: Path, offset: int) -> None:
    path = directory.parent / "log-start-offset-checkpoint"
    path.write_text(checkpoint([f"orders 0 {offset}"]))


def renamed(directory: Path, base: int, state: str, suffixes: Sequence[str] = ()) -> None:
    for suffix in suffixes or (".log", ".index", ".timeindex"):
        path = directory / name(base, suffix)
        path.rename(path.with_name(path.name + state))


def several(*changes: Change) -> Change:
    def change(directory: Path) -> None:
        for each in changes:
            each(directory)

    return change


LOST: Final[dict[str, tuple[Change, int]]] = {
    "by the epochs": (lost, 0),
    "two by the epochs": (lambda at: lost(at, 2), 0),
    "by the log start": (several(lost, lambda at: epochs(at), lambda at: log_start(at, 3)), 3),
    "by both": (several(lost, lambda at: epochs(at, "0 4"), lambda at: log_start(at, 4)), 4),
    "by an epoch that began later": (
        several(lambda at: lost(at, 2), lambda at: epochs(at, "0 15", "4 25")),
        15,
    ),
    "by a snapshot": (
        several(
            lambda at: lost(at, 2, with_snapshots=False),
            lambda at: (at / "leader-epoch-checkpoint").unlink(),
        ),
        10,
    ),
    "and what is deleted is behind": (
        several(lambda at: lost(at, 1), lambda at: renamed(at, 10, ".deleted")),
        0,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", LOST)
def test_a_first_segment_that_retention_has_not_taken_is_damage(tmp_path: Path, case: str) -> None:
    change, offset = LOST[case]

    found = judged(tmp_path, change)

    assert Verdict.DAMAGED == found.verdict
    ((damage,),) = (each.damage for each in found.replicas if each.broker == "2")
    assert (DamageKind.OFFSET_GAP, offset) == (damage.kind, damage.offset)


@pytest.mark.parametrize(
    ("rows", "offset"),
    [(["7 0"], 0), (["1 10", "3 20"], 10), (["0 0", "2 40"], None), (["3 40"], None), ([], None)],
    ids=["another", "from an offset on", "more", "behind all", "none"],
)
def test_leader_epochs_of_batches_that_their_file_lacks_are_damage(
    tmp_path: Path, rows: Sequence[str], offset: int | None
) -> None:
    found = judged(tmp_path, lambda at: epochs(at, *rows))

    damage = next(each.damage for each in found.replicas if each.broker == "2")
    assert ([] if offset is None else [offset]) == [each.offset for each in damage]
    assert {DamageKind.CORRUPT_CHECKPOINT}.issuperset(each.kind for each in damage)


def test_leader_epochs_that_do_not_rise_are_damaged(tmp_path: Path) -> None:
    found = judged(tmp_path, lambda at: epochs(at, "0 0", "1 30", "2 20"))

    (unreadable,) = found.unreadable
    assert "epoch 2 from offset 20 stands behind epoch 1 from offset 30" in unreadable.reason


SNAPSHOT: Final = producer_snapshot.encode(
    [producer_snapshot.Producer(7, 0, (producer_snapshot.SentBatch(9, 9, 9, START_MS),), START_MS)]
)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "0 bytes are less than a header"),
        (SNAPSHOT[:-1], "its checksum is wrong"),
        (SNAPSHOT[:20] + b"x" + SNAPSHOT[21:], "its checksum is wrong"),
        (b"\0\7" + SNAPSHOT[2:], "unknown version 7"),
    ],
    ids=["empty", "cut off", "flipped", "of another version"],
)
def test_a_damaged_snapshot_of_producers_is_named_and_nothing_is_compared_less(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    def damage(directory: Path) -> None:
        (directory / name(20, ".snapshot")).write_bytes(content)

    found = judged(tmp_path, damage)

    (unreadable,) = found.unreadable
    assert unreadable.label.endswith(f"2/orders-0/{name(20, '.snapshot')}")
    assert reason == unreadable.reason
    assert Verdict.EQUAL == found.verdict


def all_compacted(directory: Path) -> None:
    """Two segments become one, which is not in use yet."""
    content = b"".join((directory / name(base)).read_bytes() for base in (0, SIZE))
    (directory / name(0, ".log.swap")).write_bytes(content)
    (directory / name(0, ".index.swap")).write_bytes(ENTRY.pack(2 * SIZE - 1, len(content) // 2))


def garbage(directory: Path, names: Sequence[str]) -> None:
    for each in names:
        (directory / each).write_bytes(b"no batch")


EQUAL: Final[dict[str, Change]] = {
    "retention": several(lost, lambda at: epochs(at, "0 10")),
    "retention, with an old log start": several(
        lost, lambda at: epochs(at, "0 10"), lambda at: log_start(at, 3)
    ),
    "retention, with old epochs": several(lost, lambda at: log_start(at, 10)),
    "retention that is under way": lambda at: renamed(at, 0, ".deleted"),
    "retention of two under way": several(
        lambda at: renamed(at, 0, ".deleted"), lambda at: renamed(at, 10, ".deleted")
    ),
    "retention of a log without epochs or snapshots": several(
        lost, lambda at: (at / "leader-epoch-checkpoint").unlink()
    ),
    "damaged epochs": lambda at: garbage(at, ["leader-epoch-checkpoint"]),
    "a swap of the first": lambda at: renamed(at, 0, ".swap"),
    "a swap of the last": lambda at: renamed(at, 30, ".swap"),
    "swaps of all": several(
        *(lambda at, base=base: renamed(at, base, ".swap") for base in range(0, 40, 10))
    ),
    "a swap of which the log has its name": lambda at: renamed(
        at, 10, ".swap", [".index", ".timeindex"]
    ),
    "a swap beside what it replaces": all_compacted,
    "a swap beside a part of what it replaces": several(
        all_compacted, lambda at: (at / name(0)).unlink(), lambda at: (at / name(10)).unlink()
    ),
    "a swap that replaces what is damaged": several(
        all_compacted, lambda at: garbage(at, [name(0), name(SIZE), name(SIZE, ".index")])
    ),
    "a swap that a copy behind it makes useless": lambda at: garbage(
        at, [name(10, ".log.swap"), name(10, ".index.swap"), name(5, ".log.cleaned")]
    ),
    "a copy that is not whole": lambda at: garbage(
        at, [name(0, ".log.cleaned"), name(0, ".index.cleaned")]
    ),
    "what was set aside": lambda at: garbage(at, [name(0, ".log.set-aside-1")]),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", EQUAL)
def test_what_a_broker_leaves_is_no_damage(tmp_path: Path, case: str) -> None:
    found = judged(tmp_path, EQUAL[case])

    assert [] == [damage for each in found.replicas for damage in each.damage]
    assert Verdict.EQUAL == found.verdict
    assert found.comparison is not None
    assert SIZE * COUNT == found.comparison.end_offset


def test_a_swap_is_no_hiding_place_for_damage(tmp_path: Path) -> None:
    def change(directory: Path) -> None:
        renamed(directory, 0, ".swap")
        path = directory / name(0, ".log.swap")
        path.write_bytes(path.read_bytes()[:-1] + b"x")

    (damage,) = judged(tmp_path, change).replicas[1].damage

    assert (DamageKind.WRONG_CHECKSUM, name(0, ".log.swap")) == (damage.kind, damage.file)


FAR: Final = 2_148_249_632


def emptied(directory: Path, start: int) -> None:
    """An empty segment at 0 and one far behind, the log starting in between."""
    for path in directory.glob("0*"):
        path.unlink()
    (directory / name(0)).write_bytes(b"")
    (directory / name(FAR)).write_bytes(batch(SIZE, base_offset=FAR, leader_epoch=0))
    epochs(directory, f"0 {start}")
    log_start(directory, start)
    path = directory.parent / "replication-offset-checkpoint"
    path.write_text(checkpoint([f"orders 0 {FAR + SIZE}"]))


@pytest.mark.parametrize(
    ("start", "verdict"),
    [(FAR, Verdict.EQUAL), (FAR + 3, Verdict.EQUAL), (FAR - 1, Verdict.DAMAGED)],
)
def test_a_gap_below_the_log_start_is_none(tmp_path: Path, start: int, verdict: Verdict) -> None:
    for each in ("1", "2"):
        emptied(write(tmp_path / each), start)

    found, _ = verified([tmp_path / "1", tmp_path / "2"])

    assert verdict == found.verdict
    offsets = [damage.offset for each in found.replicas for damage in each.damage]
    assert offsets == ([] if verdict is Verdict.EQUAL else [FAR, FAR])


@pytest.mark.parametrize("start", [15, 20, 25])
def test_a_segment_that_is_missing_below_the_log_start_costs_nothing(
    tmp_path: Path, start: int
) -> None:
    def change(directory: Path) -> None:
        for path in directory.glob(f"{SIZE:020}.*"):
            path.unlink()
        log_start(directory, start)

    found = judged(tmp_path, change)

    assert (Verdict.EQUAL if start >= 20 else Verdict.DAMAGED) == found.verdict


def test_records_without_a_time_may_have_a_time_index(tmp_path: Path) -> None:
    """Kafka 0.10, with messages of format 0: when it appended them.  And what came behind."""
    for each in ("1", "2"):
        directory = write(tmp_path / each, mark=7)
        shutil.rmtree(directory)
        directory.mkdir()
        old = b"".join(message(b"old", offset=offset, magic=0) for offset in range(3))
        packed = wrapper([b"more", b"old"], base_offset=3, codec="gzip", magic=0)
        new = message(b"new", offset=5, magic=1) + bytes(
            batch(1, base_offset=6, times=[START_MS + 9])
        )
        (directory / name(0)).write_bytes(old + packed + new)
        times = [(START_MS - 2, 1), (START_MS - 1, 3), (START_MS + 9, 6)]
        (directory / name(0, ".timeindex")).write_bytes(
            b"".join(TIME_ENTRY.pack(*entry) for entry in times)
        )

    found, _ = verified([tmp_path / "1", tmp_path / "2"])

    assert [] == [damage for each in found.replicas for damage in each.damage]
    assert Verdict.EQUAL == found.verdict


@pytest.mark.parametrize("magic", [0, 1])
def test_a_log_may_start_within_old_messages_that_are_packed_together(
    tmp_path: Path, magic: int
) -> None:
    """A follower calls its first segment by the log start; behind it, that would be wrong."""
    for each in ("1", "2"):
        directory = write(tmp_path / each, mark=9)
        shutil.rmtree(directory)
        directory.mkdir()
        values = [b"%d" % number for number in range(9)]
        content = wrapper(values, base_offset=0, codec="gzip", magic=magic)
        (directory / name(5 if each == "2" else 0)).write_bytes(content)
        log_start(directory, 5)

    found, _ = verified([tmp_path / "1", tmp_path / "2"])

    assert [] == [damage for each in found.replicas for damage in each.damage]
    assert Verdict.EQUAL == found.verdict


class Locked(LocalTree):
    """A tree with directories that may not be looked into."""

    def __init__(self, root: str, *names: str) -> None:
        super().__init__(root)
        self.names = names

    def walk(
        self, failed: Callable[[str, OSError], None]
    ) -> Iterator[tuple[str, list[str], list[str]]]:
        for inner, directories, files in super().walk(failed):
            yield inner, directories, files
            for each in tuple(directories):
                if each in self.names:
                    directories.remove(each)
                    failed(os.path.join(inner, each), PermissionError(13, "Permission denied"))

    def entries(self, inner: str) -> list[Entry]:
        if os.path.basename(inner) in self.names:
            raise PermissionError(13, "Permission denied")
        return super().entries(inner)


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("data/lost+found", []),
        ("data/.snapshot", []),
        ("lost+found", []),
        ("more", ["more"]),
        ("data/broken-0", []),
    ],
    ids=[
        "beside partitions",
        "any beside partitions",
        "of the file system",
        "above",
        "a partition",
    ],
)
@pytest.mark.parametrize("has_checkpoints", [True, False])
def test_what_is_no_partition_costs_nothing(
    tmp_path: Path, place: str, told: list[str], has_checkpoints: bool
) -> None:
    log_dir = tmp_path / "data"
    write(log_dir)
    if not has_checkpoints:
        (log_dir / "replication-offset-checkpoint").unlink()
    (tmp_path / place).mkdir()
    (log_dir / "loop").symlink_to("loop")
    collected = Collected()

    tree = Locked(str(tmp_path), os.path.basename(place))
    add_replicas(collected, LogDirArgument("1", str(tmp_path)), tree)

    assert [f"{tmp_path}/{each}" for each in told] == [x.label for x in collected.unreadable]
    partitions = {each.partition for each in collected.replicas}
    # One that cannot be read is told of where it is read.
    assert partitions == {ORDERS} | ({TopicPartition("broken", 0)} if "-0" in place else set())


def meta(log_dir: Path, *lines: str) -> None:
    (log_dir / "meta.properties").write_text("".join(f"{each}\n" for each in ("#", *lines)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (["broker.id=1", "cluster.id=A"], ["broker.id=2", "cluster.id=A"], None),
        (["node.id=1", "version=1"], ["node.id=2", "version=1"], None),
        (["cluster.id=A"], [], None),
        (["broker.id=1"], ["broker.id=7"], "broker 7, not 2"),
        (["node.id=1"], ["node.id=7"], "broker 7, not 2"),
        (["broker.id=1"], ["broker.id=1"], "broker 1, not 2"),
        (["cluster.id=A"], ["cluster.id=B"], "cluster B; "),
    ],
)
def test_a_log_directory_of_another_is_named(
    tmp_path: Path, first: list[str], second: list[str], told: str | None
) -> None:
    for each, lines in (("1", first), ("2", second)):
        write(tmp_path / each)
        meta(tmp_path / each, *lines)

    found, collected = verified([tmp_path / "1", tmp_path / "2"])

    assert Verdict.EQUAL == found.verdict
    assert len(collected.unreadable) == (told is not None and "cluster" in told)
    reasons = [
        f"{each.label}: {each.reason}" for each in (*collected.unreadable, *collected.misplaced)
    ]
    assert len(reasons) == (told is not None)
    assert all(f"{tmp_path}/2/meta.properties: " in x and (told or "") in x for x in reasons)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("topic_ids", "misplaced"),
    [
        (("A", "A", "A"), []),
        (("A", None, "A"), []),
        ((None, None, None), []),
        (("A", "B", "B"), ["1"]),
        (("A", "B", None), ["2"]),
        (("A", "B", "C"), ["2", "3"]),
    ],
)
def test_topics_of_the_same_name_are_told_apart_by_their_ids(
    tmp_path: Path, topic_ids: Sequence[str | None], misplaced: list[str]
) -> None:
    log_dirs = [tmp_path / each for each in ("1", "2", "3")]
    for log_dir, topic_id in zip(log_dirs, topic_ids, strict=True):
        directory = write(log_dir)
        if topic_id is not None:
            text = f"version: 0\ntopic_id: {topic_id * 22}"
            (directory / "partition.metadata").write_text(text)

    found, _ = verified(log_dirs)

    assert (Verdict.UNREADABLE if misplaced else Verdict.EQUAL) == found.verdict
    labels = [str(tmp_path / each / "orders-0") for each in misplaced]
    assert labels == [each.label for each in found.unreadable]
    assert all("it is of topic id " in each.reason for each in found.unreadable)
