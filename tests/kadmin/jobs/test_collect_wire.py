"""What brokers serve, copied: by a reader that pretends to be the brokers, in virtual time."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from cluster.formats.checkpoints import HIGH_WATERMARKS, parse_rows
from cluster.model.ids import TopicPartition
from kadmin.jobs.collect import Progress
from kadmin.jobs.collect_wire import FETCH_SIZE, WireCopying
from kadmin.jobs.collection import CollectedFile
from kadmin.jobs.collection_store import DirectoryStore
from kadmin.jobs.read_bounds import GRACE_S
from kadmin.jobs.verify.collected import Unreadable
from kadmin.segments.fetched import Refusal
from tests.kadmin.jobs.test_verify_live import ONE, ORDERS, THREE, TWO, Brokers, log, of_three

LOG = b"".join(log().batches.values())


@dataclass
class Reports:
    progress: list[Progress] = field(default_factory=list)
    missing: list[Unreadable] = field(default_factory=list)

    def report(self, progress: Progress) -> None:
        self.progress.append(progress)

    def tell(self, missing: Unreadable) -> None:
        self.missing.append(missing)


def copy(
    brokers: Brokers, target: Path, reports: Reports | None = None, rate_max: int | None = None
) -> list[CollectedFile]:
    copying = WireCopying(
        brokers,
        brokers.placement(),
        DirectoryStore(target),
        reports or Reports(),
        rate_max=rate_max,
        clock=lambda: brokers.now_s,
        sleep=brokers.sleep,
    )
    return list(copying.run((ONE, TWO, THREE)))


def replica(target: Path, number: int, offset: int = 0) -> Path:
    return target / f"broker-{number}/wire/orders-0/{offset:020}.log"


def mark(target: Path, number: int) -> int:
    path = target / f"broker-{number}/wire" / HIGH_WATERMARKS
    ((_, _, offset),) = parse_rows(path.read_bytes(), str(path), width=3)
    return int(offset)


def test_each_replica_is_written_as_it_is_up_to_its_high_watermark(tmp_path: Path) -> None:
    reports = Reports()

    files = copy(of_three(b2=log(4, mark=10)), tmp_path, reports)

    assert LOG == replica(tmp_path, 1).read_bytes()
    assert LOG.startswith(replica(tmp_path, 2).read_bytes())
    assert [20, 10, 20] == [mark(tmp_path, number) for number in (1, 2, 3)]
    assert {"1", "2", "3"} == {file.broker for file in files}
    assert 9 == len(files)
    assert not reports.missing
    assert reports.progress[-1].done_bytes == reports.progress[-1].total_bytes


@pytest.mark.slow
@pytest.mark.parametrize("left", range(0, len(LOG) + 1, 37))
def test_a_copy_that_was_cut_off_anywhere_is_gone_on_with(tmp_path: Path, left: int) -> None:
    copy(of_three(), tmp_path)
    path = replica(tmp_path, 2)
    path.write_bytes(LOG[:left])
    brokers = of_three()

    copy(brokers, tmp_path)

    assert LOG == path.read_bytes()
    # What is whole is not read again.
    assert sum(brokers.fetched) <= len(LOG) - left + len(LOG) // 4


def test_what_its_broker_has_deleted_meanwhile_is_not_kept(tmp_path: Path) -> None:
    copy(of_three(b2=log(1)), tmp_path)
    late = log()
    late.start = 10
    del late.batches[0], late.batches[5]

    copy(of_three(b2=late), tmp_path)

    assert not replica(tmp_path, 2).exists()
    assert b"".join(late.batches.values()) == replica(tmp_path, 2, 10).read_bytes()


def test_a_replica_without_records_has_an_empty_segment(tmp_path: Path) -> None:
    copy(of_three(b3=log(1, mark=0)), tmp_path)

    assert b"" == replica(tmp_path, 3).read_bytes()
    assert 0 == mark(tmp_path, 3)


@pytest.mark.parametrize("is_silent", [True, False])
def test_one_that_cannot_be_read_is_named_and_left_out(tmp_path: Path, is_silent: bool) -> None:
    brokers, reports = of_three(), Reports()
    if is_silent:
        brokers.silent.add(TWO)
    else:
        brokers.logs[TWO][ORDERS].refusal = Refusal("the disk is gone")
    brokers.dead.add(THREE)

    files = copy(brokers, tmp_path, reports)

    assert {"1"} == {file.broker for file in files}
    assert [
        ("broker 3", "the broker is not alive"),
        ("orders-0 on broker 2 (b2:9092)", "no answer" if is_silent else "the disk is gone"),
    ] == reports.missing
    assert GRACE_S < brokers.now_s < 2 * GRACE_S


def test_a_rate_is_kept(tmp_path: Path) -> None:
    brokers = of_three()

    copy(brokers, tmp_path, rate_max=100)

    assert 3 * len(LOG) == sum(brokers.fetched) < FETCH_SIZE
    assert 3 * len(LOG) / 100 <= brokers.now_s < 3 * len(LOG) / 100 + 1


@pytest.mark.parametrize("name", ["../../../out", "a/b", "..", "", "x" * 250, "a\0b"])
def test_a_topic_with_a_name_that_leads_elsewhere_is_left_out(tmp_path: Path, name: str) -> None:
    brokers = of_three()
    for logs in brokers.logs.values():
        logs[TopicPartition(name, 0)] = log()
    reports = Reports()

    files = copy(brokers, tmp_path / "c7", reports)

    assert 9 == len(files)
    assert ["no topic may have this name"] * 3 == [each.reason for each in reports.missing]
    assert ["c7"] == [path.name for path in tmp_path.iterdir()]
